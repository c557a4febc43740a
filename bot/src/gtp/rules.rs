//! The commands about rules: KataGo's, with our `variant` key.

use search::Evaluator;
use serde_json::Value;

use super::arguments::{arguments, syntax};
use super::command::{Command, CommandError};
use super::core::{Answer, DONE};
use crate::foreign::{agree, agree_on, rules_json};
use crate::{Game, Player};

pub(super) fn get_rules(game: &Game) -> String {
    rules_json(game.rules()).to_string()
}

/// `kata-set-rules` and `kgs-rules`: a model plays one rule set, so that there is only the right answer to give.
pub(super) fn set_rules<E: Evaluator>(
    player: &Player<E>,
    command: Command,
    words: &[String],
) -> Answer {
    if words.is_empty() {
        return Err(syntax(command, "an argument is missing"));
    }
    agree(player.game().rules(), &Value::String(words.join(" ")))?;
    DONE
}

pub(super) fn set_rule<E: Evaluator>(
    player: &Player<E>,
    command: Command,
    words: &[String],
) -> Result<String, CommandError> {
    let [key, value] = arguments(command, words)?;
    agree_on(player.game().rules(), key, &Value::String(value.to_owned()))?;
    DONE
}
