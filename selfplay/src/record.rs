//! Games as they are kept: moves and search targets, not planes, so that an encoding may change under them.

use engine::{Color, IllegalMove, Move, Position, Rules, RulesError, Size};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The rules as [`Rules::parse`] reads them, with the komi of this game.
    pub rules: String,
    /// Side of the board.
    pub size: Size,
    /// Seed of everything random in the game.
    pub seed: u64,
    /// Training step of the network when the game began.
    pub model: u64,
    /// All turns in order.
    pub turns: Vec<TurnRecord>,
    /// The winner; `None` is a draw.
    pub winner: Option<Color>,
    /// Whether the move limit ended the game.
    pub capped: bool,
}

/// One turn of a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The move played, as [`Move::action`].
    pub action: u16,
    /// Black's expected result after the search, −1 to 1.
    pub root_value: f32,
    /// The result if the search has proven it: a winner, or `Some(None)` for a draw.
    pub proven: Option<Option<Color>>,
    /// How far the search moved the policy: KL of the target from the network's prior, in nats.
    pub surprise: f32,
    /// Simulations of the search; 0 for an opening move drawn from the bare policy.
    pub simulations: u16,
    /// The policy target: actions with their probabilities in 1/65535. Empty where there is nothing to learn: in
    /// openings, before a restart, and in most turns of a game that is decided.
    pub target: Vec<(u16, u16)>,
}

impl TurnRecord {
    /// A turn that nothing was thought about.
    pub(crate) fn unsearched(action: u16) -> TurnRecord {
        TurnRecord {
            action,
            root_value: 0.0,
            proven: None,
            surprise: 0.0,
            simulations: 0,
            target: Vec::new(),
        }
    }

    /// Leaves nothing to learn from the turn.
    pub(crate) fn forget(&mut self) {
        self.target = Vec::new();
        self.surprise = 0.0;
    }
}

/// A record that cannot be played again.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The rules do not exist.
    #[error("the record's rules: {0}")]
    Rules(#[from] RulesError),
    /// A move is not possible in its position.
    #[error("turn {turn} of the record: {why}")]
    Illegal {
        /// Number of the turn, from 1.
        turn: usize,
        /// What forbids it.
        why: IllegalMove,
    },
    /// An action beyond the board.
    #[error("turn {0} of the record is no move of this board")]
    Action(usize),
}

impl GameRecord {
    /// The start position.
    ///
    /// # Errors
    /// The rules are not understood.
    pub fn start(&self) -> Result<Position, RecordError> {
        Ok(Position::new(Rules::parse(&self.rules, self.size)?))
    }

    /// The move of a turn.
    ///
    /// # Errors
    /// The action is no move of the board.
    pub fn played(&self, turn: usize) -> Result<Move, RecordError> {
        Move::from_action(self.turns[turn].action.into(), self.size)
            .ok_or(RecordError::Action(turn + 1))
    }

    /// Plays the whole game again with every rule checked, and returns the final position.
    ///
    /// # Errors
    /// The first turn that cannot be played.
    pub fn replay(&self) -> Result<Position, RecordError> {
        let mut position = self.start()?;
        for turn in 0..self.turns.len() {
            let played = self.played(turn)?;
            position.play(played).map_err(|why| RecordError::Illegal { turn: turn + 1, why })?;
        }
        Ok(position)
    }

    /// What the position of a turn is worth to learn from: the proven result, else the game's. `None` is a draw.
    pub fn result(&self, turn: usize) -> Option<Color> {
        self.turns[turn].proven.unwrap_or(self.winner)
    }

    /// Number of turns with a policy target.
    pub fn rows(&self) -> usize {
        self.turns.iter().filter(|turn| !turn.target.is_empty()).count()
    }
}
