//! Game records: moves and search targets rather than planes, so that the encoding may change.

use engine::{GameResult, IllegalMove, Move, Position, Rules, RulesError, Size, actions};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A finished game, or the turns so far of a game in progress ([`crate::ParkedGame`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// The rules as [`Rules::parse`] reads them, including the komi of this game.
    pub rules: String,
    /// Size of the board.
    pub size: Size,
    /// Seed of all randomness in the game.
    pub seed: u64,
    /// Training step of the network when the game began.
    pub model: u64,
    /// All turns in order.
    pub turns: Vec<TurnRecord>,
    /// Who won; a draw while the game is in progress.
    pub result: GameResult,
    /// Whether the move limit ended the game.
    pub capped: bool,
}

/// One turn of a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The move played, as [`Move::action`].
    pub action: u16,
    /// Black's expected result after the search, from −1 to 1.
    pub root_value: f32,
    /// The result, if proven by the search.
    pub proven: Option<GameResult>,
    /// How far the search moved the policy: the KL divergence of the target from the network's
    /// prior, in nats.
    pub surprise: f32,
    /// Simulations of the search; 0 for an opening move drawn from the raw policy.
    pub simulations: u16,
    /// The policy target: actions with their probabilities in units of 1/65535. Empty where nothing
    /// is learnt: in openings, before a restart, and in most turns of a decided game.
    pub target: Vec<(u16, u16)>,
}

impl TurnRecord {
    /// A turn without a search.
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

    /// Checks that a search could have produced this turn in a position with these legal moves. The
    /// target's weights need no check, because they are integers.
    ///
    /// # Errors
    /// The first problem found.
    pub fn check(&self, legal: &[Move], size: Size) -> Result<(), TurnFault> {
        if self.root_value.is_nan() || self.root_value.abs() > 1.0 + TOLERANCE {
            return Err(TurnFault::Value(self.root_value));
        }
        if !self.surprise.is_finite() || self.surprise < 0.0 {
            return Err(TurnFault::Surprise(self.surprise));
        }
        if self.target.is_empty() {
            return Ok(());
        }
        let mut open = vec![false; actions(size)];
        legal.iter().for_each(|possible| open[possible.action(size)] = true);
        for &(action, _) in &self.target {
            if !open.get_mut(usize::from(action)).is_some_and(std::mem::take) {
                return Err(TurnFault::Target(action));
            }
        }
        let has_weight = self.target.iter().any(|&(_, weight)| weight > 0);
        if has_weight { Ok(()) } else { Err(TurnFault::Weightless) }
    }

    /// Removes the policy target, so that nothing is learnt from the turn.
    pub(crate) fn clear_target(&mut self) {
        self.target = Vec::new();
        self.surprise = 0.0;
    }
}

/// Why a record is not a valid game.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The rules do not exist.
    #[error("the record's rules: {0}")]
    Rules(#[from] RulesError),
    /// The text of the rules is longer than any rule set's.
    #[error("the record's rules are a text of {0} bytes: expected at most {MAX_RULES_BYTES}")]
    LongRules(usize),
    /// A move is illegal in its position.
    #[error("turn {turn} of the record: {why}")]
    Illegal {
        /// Number of the turn, from 1.
        turn: usize,
        /// The rule that forbids it.
        why: IllegalMove,
    },
    /// An action outside the policy vector of the board.
    #[error("turn {0} of the record is not a move of this board")]
    Action(usize),
    /// A turn's search data is impossible.
    #[error("turn {turn} of the record: {fault}")]
    Turn {
        /// Number of the turn, from 1.
        turn: usize,
        /// What is wrong with it.
        fault: TurnFault,
    },
    /// The moves do not end the game.
    #[error("the record ends before the game")]
    Unfinished,
    /// The moves end the game with another result.
    #[error("the recorded result is {recorded}, but the moves lead to {played}")]
    Result {
        /// The recorded result.
        recorded: GameResult,
        /// The result of the moves.
        played: GameResult,
    },
}

/// Impossible search data.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum TurnFault {
    /// The value is out of range or not a number.
    #[error("its value is {0}, not a number from -1 to 1")]
    Value(f32),
    /// The surprise is negative, infinite or not a number.
    #[error("its surprise is {0}, not a number of at least 0")]
    Surprise(f32),
    /// The target gives weight to an illegal move, or to the same move twice.
    #[error("action {0} of its target is illegal or repeated")]
    Target(u16),
    /// The target gives no weight to any move.
    #[error("its target has no weight")]
    Weightless,
}

/// Values may exceed 1 by this much: evaluations may by half as much, and their means are rounded.
const TOLERANCE: f32 = 0.02;

/// Longer than any rule set. The search for a similar word takes memory in proportion to the text.
const MAX_RULES_BYTES: usize = 2048;

impl TrainingRecord {
    /// A game in progress with these turns so far; `model` is the training step of the network with
    /// which it began.
    pub fn begun(
        rules: impl Into<String>,
        size: Size,
        seed: u64,
        model: u64,
        turns: Vec<TurnRecord>,
    ) -> TrainingRecord {
        let (rules, result) = (rules.into(), GameResult::Draw);
        TrainingRecord { rules, size, seed, model, turns, result, capped: false }
    }

    /// The rules.
    ///
    /// # Errors
    /// They are invalid.
    pub fn rule_set(&self) -> Result<Rules, RecordError> {
        if self.rules.len() > MAX_RULES_BYTES {
            return Err(RecordError::LongRules(self.rules.len()));
        }
        Ok(Rules::parse(&self.rules, self.size)?)
    }

    /// The start position.
    ///
    /// # Errors
    /// The rules are invalid.
    pub fn start(&self) -> Result<Position, RecordError> {
        Ok(Position::new(self.rule_set()?))
    }

    /// The move of a turn.
    ///
    /// # Errors
    /// The action is not a move of the board.
    pub fn played(&self, turn: usize) -> Result<Move, RecordError> {
        Move::from_action(self.turns[turn].action.into(), self.size)
            .ok_or(RecordError::Action(turn + 1))
    }

    /// Replays the whole game with every rule checked, and returns the final position.
    ///
    /// # Errors
    /// The first turn that cannot be played.
    pub fn replay(&self) -> Result<Position, RecordError> {
        self.replay_with(|_, _| Ok(()))
    }

    /// Like [`TrainingRecord::replay`], but calls `visit` for each turn with the position before
    /// it is played.
    ///
    /// # Errors
    /// The first turn that cannot be played, or in which `visit` finds a fault.
    pub fn replay_with(
        &self,
        mut visit: impl FnMut(&TurnRecord, &Position) -> Result<(), TurnFault>,
    ) -> Result<Position, RecordError> {
        let mut position = self.start()?;
        for (turn, recorded) in self.turns.iter().enumerate() {
            let number = turn + 1;
            visit(recorded, &position)
                .map_err(|fault| RecordError::Turn { turn: number, fault })?;
            let played = self.played(turn)?;
            position.play(played).map_err(|why| RecordError::Illegal { turn: number, why })?;
        }
        Ok(position)
    }

    /// Checks that the moves end the game with the recorded result. This includes games that ended
    /// by agreement or were decided early: their last passes and moves are recorded like all
    /// others.
    ///
    /// # Errors
    /// The game is not over, or has another result.
    pub fn check_end(&self, end: &Position) -> Result<(), RecordError> {
        let played = end.outcome().ok_or(RecordError::Unfinished)?.result;
        if played == self.result {
            Ok(())
        } else {
            Err(RecordError::Result { recorded: self.result, played })
        }
    }

    /// Upper bound on the bytes it takes in a file, before compression.
    pub fn max_bytes(&self) -> usize {
        // Integers take one byte per seven bits.
        const GAME: usize = 64;
        const TURN: usize = 24;
        const WEIGHT: usize = 6;
        let weights: usize = self.turns.iter().map(|turn| turn.target.len()).sum();
        GAME + self.rules.len() + TURN * self.turns.len() + WEIGHT * weights
    }

    /// The value target of a turn: the proven result if there is one, otherwise the game's result.
    pub fn result_of(&self, turn: usize) -> GameResult {
        self.turns[turn].proven.unwrap_or(self.result)
    }

    /// Number of turns with a policy target.
    pub fn rows(&self) -> usize {
        self.turns.iter().filter(|turn| !turn.target.is_empty()).count()
    }
}

#[cfg(test)]
mod tests {
    use engine::Color;

    use super::*;

    #[test]
    fn a_proven_result_is_learnt_in_place_of_the_games() {
        let results = [GameResult::Won(Color::Black), GameResult::Won(Color::White)];
        let [black, white] = results;
        let turn = |proven| TurnRecord { proven, ..TurnRecord::unsearched(0) };
        let turns = [None, Some(black), Some(GameResult::Draw), Some(white)].map(turn).to_vec();
        let unfinished = TrainingRecord::begun("go", Size::try_from(3).unwrap(), 0, 0, turns);
        let record = TrainingRecord { result: white, ..unfinished };
        let learnt = [0, 1, 2, 3].map(|turn| record.result_of(turn));
        assert_eq!(learnt, [white, black, GameResult::Draw, white]);
    }
}
