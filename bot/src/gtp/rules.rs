//! The commands about rules: KataGo's, with our `variant` key.

use engine::Rules;
use game::Game;
use search::Evaluator;
use serde_json::Value;

use super::arguments::{arguments, syntax};
use super::command::CommandError;
use super::core::{self, Answer, DONE};
use crate::Player;
use crate::katago_rules::{InterpretedRules, RequestedRules, RulesMismatch, rules_json};

pub(super) fn get_rules(game: &Game) -> String {
    rules_json(game.rules()).to_string()
}

/// `kata-set-rules` and `kgs-rules`. A player of one rule set accepts only its own; one that plays
/// any rules continues under the named ones or the nearest, and the reply says how those differ.
pub(super) fn set_rules<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    if words.is_empty() {
        return Err(syntax("an argument is missing"));
    }
    let request = RequestedRules::read(&Value::String(words.join(" ")));
    let ours = *player.game().rules();
    let mut remarks = vec![change(player, request.describes(&ours), || request.interpret(&ours))?];
    let (komi, max_moves) = request.details(&ours);
    let ours = *player.game().rules();
    if let Some(max_moves) = max_moves.filter(|&most| most != ours.max_moves) {
        player.set_rules(Rules { max_moves, ..ours }).map_err(CommandError::Forbidden)?;
    }
    remarks.extend(komi.map(|komi| core::set_komi(player, komi)));
    remarks.retain(|remark| !remark.is_empty());
    Ok(remarks.join("; "))
}

pub(super) fn set_rule<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [key, value] = arguments(words)?;
    let request = RequestedRules::of_key(key, value);
    let ours = *player.game().rules();
    change(player, request.agrees_with(&ours), || request.change(&ours))
}

fn change<E: Evaluator>(
    player: &mut Player<E>,
    agreement: Result<(), RulesMismatch>,
    interpret: impl FnOnce() -> Result<InterpretedRules, RulesMismatch>,
) -> Answer {
    if agreement.is_ok() {
        return DONE;
    }
    if !player.supported().is_open() {
        agreement?;
    }
    let InterpretedRules { rules, remark } = interpret()?;
    if !rules.is_same_kind(player.game().rules()) {
        player.set_rules(rules).map_err(CommandError::Forbidden)?;
    }
    Ok(remark.unwrap_or_default())
}
