//! Whether the variant's own rule decides which move wins.

use engine::{Color, DistinctivePart, Move, Position};
use game::{DecidedBy, WrongMove};
use search::{Evaluator, EvaluatorError};

use super::verify::{MoveWorth, SearchStage, winners};

/// Whether the rule may decide, by short searches.
pub(super) fn may_decide<E: Evaluator>(
    position: &Position,
    solution: Move,
    evaluator: &mut E,
) -> Result<bool, EvaluatorError> {
    let parts = position.rules().distinctive_parts();
    let is_open = parts.is_empty() && position.rules().has_owners();
    for part in parts {
        if without(position, solution, part, SearchStage::SHORT, evaluator)?.is_some() {
            return Ok(true);
        }
    }
    Ok(is_open)
}

/// How the rule decides; `None` if it does not.
pub(super) fn decided<E: Evaluator>(
    position: &Position,
    solution: Move,
    wrong: &[WrongMove],
    simulations: u32,
    evaluator: &mut E,
) -> Result<Option<DecidedBy>, EvaluatorError> {
    if position.rules().has_owners() {
        return Ok(conquers(position, solution, wrong));
    }
    for part in position.rules().distinctive_parts() {
        if let Some(wins) =
            without(position, solution, part, SearchStage::last(simulations), evaluator)?
        {
            return Ok(Some(DecidedBy::Without {
                part: part.name.to_owned(),
                rules: part.without.to_string(),
                wins,
                simulations,
            }));
        }
    }
    Ok(None)
}

/// The moves that win without a part of the rules, if the solution is then clearly not the only
/// one; `None` if it is the only one, or if that is not clear.
fn without<E: Evaluator>(
    position: &Position,
    solution: Move,
    part: DistinctivePart,
    stage: SearchStage,
    evaluator: &mut E,
) -> Result<Option<Vec<Move>>, EvaluatorError> {
    let Ok(other) = position.under(part.without) else { return Ok(None) };
    let worths: Vec<MoveWorth> = stage.search_moves(&other, evaluator)?;
    let Some(worth) = worths.iter().find(|worth| worth.played == solution) else {
        return Ok(None);
    };
    let wins = winners(&worths, stage);
    let decides = stage.fails(worth) || wins.iter().any(|&played| played != solution);
    Ok(decides.then_some(wins))
}

/// The move that conquers: the solution, or the reply to the most plausible wrong move.
fn conquers(position: &Position, solution: Move, wrong: &[WrongMove]) -> Option<DecidedBy> {
    let played = solution;
    if let points @ 1.. = conquered(position, position.turn(), played) {
        return Some(DecidedBy::Conquers { after: None, played, points });
    }
    let tempting = wrong.iter().max_by(|one, other| one.prior.total_cmp(&other.prior))?;
    let played = tempting.reply?;
    let mut after = position.clone();
    after.play(tempting.played).ok()?;
    match conquered(&after, after.turn(), played) {
        0 => None,
        points => Some(DecidedBy::Conquers { after: Some(tempting.played), played, points }),
    }
}

/// The number of points that a move makes its player's.
fn conquered(before: &Position, player: Color, played: Move) -> usize {
    let mut after = before.clone();
    match after.play(played) {
        Ok(_) => after.owned(player).without(before.owned(player)).count(),
        Err(_) => 0,
    }
}
