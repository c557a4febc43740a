//! Games in progress, as another process can go on with them.

use engine::{Position, Size};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ending::Ending;
use crate::opening::Opening;
use crate::{Mixture, RecordError, TrainingRecord};

/// A game in progress after its last turn. It goes on with whatever weights there are then; the search of the next turn
/// begins anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParkedGame {
    pub(crate) record: TrainingRecord,
    pub(crate) evaluations: u64,
    pub(crate) opening: Opening,
    pub(crate) ending: Ending,
    /// How far the random numbers of the game's seed have been drawn, in words of 32 bits.
    pub(crate) drawn: u128,
}

/// Why a parked game cannot go on.
#[derive(Debug, Error)]
pub enum Unfit {
    /// It is of rules or on a board that are not played.
    #[error("{rules:?} on {size:#} is not played here")]
    Foreign {
        /// Its rules.
        rules: String,
        /// Its board.
        size: Size,
    },
    /// Its turns are impossible.
    #[error(transparent)]
    Unsound(#[from] RecordError),
    /// Its turns end it.
    #[error("the game is over")]
    Over,
    /// It says of itself what cannot be.
    #[error("its counts of decided turns are not those of such a game")]
    Course,
    /// A game of its seed is in progress.
    #[error("a game of the same seed is in progress")]
    Repeated,
}

impl ParkedGame {
    /// The turns so far. The result is not one yet.
    pub fn record(&self) -> &TrainingRecord {
        &self.record
    }

    /// Evaluations of the network that it has cost so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Tells it from all other games of a run.
    pub fn seed(&self) -> u64 {
        self.record.seed
    }

    pub(crate) fn size(&self) -> Size {
        self.record.size
    }

    pub(crate) fn foreign(&self) -> Unfit {
        Unfit::Foreign { rules: self.record.rules.chars().take(100).collect(), size: self.size() }
    }

    /// The position at which it goes on, where the games of a mixture are played.
    pub(crate) fn check(&self, mixture: &Mixture) -> Result<Position, Unfit> {
        if !mixture.plays(&self.record.rule_set()?) {
            return Err(self.foreign());
        }
        let check = |turn: &crate::TurnRecord, position: &Position| {
            turn.check(&position.legal_moves(), position.size())
        };
        let position = self.record.replay_with(check)?;
        if position.outcome().is_some() {
            Err(Unfit::Over)
        } else if !self.ending.is_possible(self.record.turns.len()) {
            Err(Unfit::Course)
        } else {
            Ok(position)
        }
    }
}
