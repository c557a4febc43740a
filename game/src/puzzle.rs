//! Puzzles: positions in which exactly one move keeps the win, and the variant's own rule decides
//! which one.

use std::sync::LazyLock;

use engine::{Move, Rules, RulesError, Size};
use serde::{Deserialize, Serialize};

use crate::{Game, PlayError};

/// A position from a game in which exactly one move keeps the win.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// The rules, as text.
    pub rules: String,
    /// The board.
    pub size: Size,
    /// The turns that lead from the empty board to the position.
    #[serde(with = "words")]
    pub moves: Vec<Move>,
    /// The only move that keeps the win.
    #[serde(with = "text")]
    pub solution: Move,
    /// The probability, 0 to 1, that the policy of the network used to find it gives the solution:
    /// the lower, the harder to see.
    pub prior: f32,
    /// How we know that this move wins and no other does.
    pub verified: Verification,
    /// How the variant's own rule decides.
    pub decided: DecidedBy,
    /// All other legal moves.
    pub wrong: Vec<WrongMove>,
}

/// How we know that one move wins and no other does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verification {
    /// Proved by the solver, as is every reply to a wrong move.
    Proved,
    /// Each move was searched with this many simulations, with clear results.
    Searched(u32),
}

/// How the variant's own rule decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecidedBy {
    /// In the same position under the same rules without one part, the solution is not the only
    /// winning move. Each legal move was searched there with the given number of simulations.
    Without {
        /// The part, named as it follows the word "without".
        part: String,
        /// The rules without the part, as text.
        rules: String,
        /// The moves that clearly win there.
        #[serde(with = "words")]
        wins: Vec<Move>,
        /// Simulations of the search after each move.
        simulations: u32,
    },
    /// A move makes points its player's: the solution, or otherwise the reply to the most plausible
    /// wrong move.
    Conquers {
        /// `None` for the solution, otherwise the wrong move that it answers.
        #[serde(with = "optional", default, skip_serializing_if = "Option::is_none")]
        after: Option<Move>,
        /// The move.
        #[serde(with = "text")]
        played: Move,
        /// How many points.
        points: usize,
    },
}

/// A move that does not keep the win.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrongMove {
    /// The move.
    #[serde(with = "text")]
    pub played: Move,
    /// The reply that shows it; `None` if the game is over after the move.
    #[serde(with = "optional", default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Move>,
    /// The probability that the policy gives it.
    pub prior: f32,
}

/// Why a puzzle cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    /// No rules.
    #[error("the puzzle's rules: {0}")]
    Rules(#[from] RulesError),
    /// A move is illegal.
    #[error("the puzzle's move: {0}")]
    Move(#[from] PlayError),
}

impl Puzzle {
    /// The game up to the position.
    ///
    /// # Errors
    /// Rules that are none, and illegal moves.
    pub fn game(&self) -> Result<Game, PuzzleError> {
        let mut game = Game::new(Rules::parse(&self.rules, self.size)?);
        self.moves.iter().try_for_each(|&played| game.play(played))?;
        Ok(game)
    }

    /// What is known of a legal move besides the solution.
    pub fn wrong(&self, played: Move) -> Option<&WrongMove> {
        self.wrong.iter().find(|wrong| wrong.played == played)
    }

    /// The wrong moves that look best to the policy, the best first.
    pub fn tempting(&self, count: usize) -> Vec<&WrongMove> {
        let mut moves: Vec<&WrongMove> = self.wrong.iter().collect();
        moves.sort_by(|one, other| other.prior.total_cmp(&one.prior));
        moves.truncate(count);
        moves
    }

    /// The puzzles included in the program, by variant in the order of [`engine::Variant::ALL`],
    /// easy ones first. They were found with `hotstone puzzles`: see `game/puzzles/README.md`.
    pub fn shipped() -> &'static [Puzzle] {
        static SHIPPED: LazyLock<Vec<Puzzle>> = LazyLock::new(|| {
            let lines = FILES.iter().flat_map(|file| file.lines());
            lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
        });
        &SHIPPED
    }
}

/// One puzzle a line.
const FILES: [&str; 12] = [
    include_str!("../puzzles/go.jsonl"),
    include_str!("../puzzles/incursion.jsonl"),
    include_str!("../puzzles/minimal-incursion.jsonl"),
    include_str!("../puzzles/stoical.jsonl"),
    include_str!("../puzzles/tile.jsonl"),
    include_str!("../puzzles/cushion.jsonl"),
    include_str!("../puzzles/hot-stone.jsonl"),
    include_str!("../puzzles/alter-igo.jsonl"),
    include_str!("../puzzles/conquest.jsonl"),
    include_str!("../puzzles/pure-conquest.jsonl"),
    include_str!("../puzzles/nogo.jsonl"),
    include_str!("../puzzles/atari-go.jsonl"),
];

/// A value as its text.
mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(
        from: D,
    ) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// A value as its text, where there is one.
mod optional {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserializer, Serializer};

    pub fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        super::text::deserialize(from).map(Some)
    }
}

/// Moves with spaces between them.
mod words {
    use engine::{Move, join_with_spaces};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(moves: &[Move], to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&join_with_spaces(moves))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Move>, D::Error> {
        Move::parse_all(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}
