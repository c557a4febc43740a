//! Games in progress, saved so that another process can continue them.

use engine::{Position, Size};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ending::Ending;
use crate::opening::Opening;
use crate::{Mixture, RecordError, TrainingRecord};

/// More evaluations than any game takes, and few enough that sums over games do not overflow,
/// whatever a parked game says.
const MAX_EVALUATIONS: u64 = u32::MAX as u64;

/// A game in progress after its last turn. It continues with whatever weights are current then; the
/// search of the next turn starts over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParkedGame {
    pub(crate) record: TrainingRecord,
    pub(crate) evaluations: u64,
    pub(crate) opening: Opening,
    pub(crate) ending: Ending,
    /// How far the random numbers of the game's seed have been consumed, in 32-bit words.
    pub(crate) drawn: u128,
}

/// Why a parked game cannot be continued.
#[derive(Debug, Error)]
pub enum UnparkError {
    /// Its rules or board size are not played here.
    #[error("{rules:?} on {size:#} is not played here")]
    Foreign {
        /// The game's rules.
        rules: String,
        /// The game's board size.
        size: Size,
    },
    /// Its turns are not a valid game.
    #[error(transparent)]
    Unsound(#[from] RecordError),
    /// Its turns already end the game.
    #[error("the game is over")]
    GameOver,
    /// Its state contradicts its record.
    #[error("its counts of decided turns or of evaluations are not those of such a game")]
    InconsistentCounts,
    /// A game with the same seed is already in progress.
    #[error("a game of the same seed is in progress")]
    Duplicate,
}

impl ParkedGame {
    /// The turns so far. The result in it is not meaningful yet.
    pub fn record(&self) -> &TrainingRecord {
        &self.record
    }

    /// Network evaluations so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Distinguishes it from all other games of a run.
    pub fn seed(&self) -> u64 {
        self.record.seed
    }

    pub(crate) fn size(&self) -> Size {
        self.record.size
    }

    pub(crate) fn foreign(&self) -> UnparkError {
        UnparkError::Foreign {
            rules: self.record.rules.chars().take(100).collect(),
            size: self.size(),
        }
    }

    /// The position from which it continues, if this mixture can play it.
    pub(crate) fn check(&self, mixture: &Mixture) -> Result<Position, UnparkError> {
        if !mixture.plays(&self.record.rule_set()?) {
            return Err(self.foreign());
        }
        let check = |turn: &crate::TurnRecord, position: &Position| {
            turn.check(&position.legal_moves(), position.size())
        };
        let position = self.record.replay_with(check)?;
        if position.outcome().is_some() {
            Err(UnparkError::GameOver)
        } else if !self.ending.is_possible(self.record.turns.len())
            || self.evaluations > MAX_EVALUATIONS
        {
            Err(UnparkError::InconsistentCounts)
        } else {
            Ok(position)
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::Rules;

    use super::*;

    #[test]
    fn what_a_parked_game_says_of_its_evaluations_overflows_no_sum() {
        let rules = Rules::parse("go", 4).unwrap();
        let mixture = Mixture::of(rules);
        let parked = |evaluations| ParkedGame {
            record: TrainingRecord::begun(rules.to_string(), rules.size, 1, 0, Vec::new()),
            evaluations,
            opening: Opening::default(),
            ending: Ending::new(false),
            drawn: 0,
        };
        assert!(parked(MAX_EVALUATIONS).check(&mixture).is_ok());
        let refused = parked(MAX_EVALUATIONS + 1).check(&mixture);
        assert!(matches!(refused, Err(UnparkError::InconsistentCounts)));
    }
}
