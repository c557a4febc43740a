//! The players of a match, and those that have no network.

use engine::{Move, Position, Size};
use game::Game;
use search::Settings;
use solver::QUICKLY_SOLVED;

use crate::uct::{self, Growth, KeptTree};
use search::Random;

/// A player without a network or an external program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReferencePlayer {
    /// `random`: every legal move with the same probability.
    Random,
    /// `greedy`: the capture of the most stones if there is one, otherwise a random legal move.
    Greedy,
    /// `flat:N`: N playouts distributed over the moves by UCB1.
    Flat {
        /// Playouts per move.
        playouts: u32,
    },
    /// `uct:N`: N playouts in a growing tree.
    Uct {
        /// Playouts per move.
        playouts: u32,
    },
    /// `solver`: perfect play, by the crate [`solver`]. Meant for boards of 2×2 and 3×3.
    Solver,
}

impl ReferencePlayer {
    /// Whether it moves within seconds on boards of this size. The solver may take days otherwise.
    pub fn is_quick_on(&self, size: Size) -> bool {
        match self {
            ReferencePlayer::Solver => size.area() <= QUICKLY_SOLVED,
            ReferencePlayer::Random
            | ReferencePlayer::Greedy
            | ReferencePlayer::Flat { .. }
            | ReferencePlayer::Uct { .. } => true,
        }
    }
}

/// How a player of a match chooses its moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Player {
    /// A reference player.
    Reference(ReferencePlayer),
    /// Tree search with one of the match's evaluators; with 0 simulations, its policy alone.
    Searching {
        /// Index of the evaluator.
        evaluator: usize,
        /// Settings of each search; a `gumbel_scale` of 0 plays to win.
        settings: Settings,
        /// The temperature at which moves are drawn from the search's policy; 0 plays the best
        /// move.
        temperature: f32,
    },
    /// One of the match's external engines.
    External {
        /// Index of the engine.
        engine: usize,
    },
}

impl From<ReferencePlayer> for Player {
    fn from(player: ReferencePlayer) -> Player {
        Player::Reference(player)
    }
}

impl Player {
    /// Search that plays to win, without noise at the root.
    pub fn searching(evaluator: usize, simulations: u32) -> Player {
        Player::drawing(evaluator, simulations, 0.0)
    }

    /// Search that draws its moves from its policy at a temperature.
    pub fn drawing(evaluator: usize, simulations: u32, temperature: f32) -> Player {
        let settings = Settings::to_win(simulations);
        Player::Searching { evaluator, settings, temperature }
    }

    /// The evaluator's favourite move without search.
    pub fn policy(evaluator: usize) -> Player {
        Player::searching(evaluator, 0)
    }

    /// Whether it repeats a game whenever its opponent does: a network that does not draw its moves
    /// at random.
    pub fn is_deterministic(&self) -> bool {
        match self {
            Player::Searching { temperature, .. } => *temperature == 0.0,
            Player::Reference(_) | Player::External { .. } => false,
        }
    }
}

/// A player with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayerSetup {
    /// Shown in reports and records.
    pub name: String,
    /// How the player plays.
    pub player: Player,
}

impl PlayerSetup {
    /// A player with this name.
    pub fn new(name: impl Into<String>, player: impl Into<Player>) -> PlayerSetup {
        PlayerSetup { name: name.into(), player: player.into() }
    }
}

/// A random legal move; `None` in a finished game.
pub fn random_move(position: &Position, random: &mut Random) -> Option<Move> {
    random.choose(&position.legal_moves())
}

/// The move that removes the most opposing stones; a random one if several do, or if none removes
/// any. `None` in a finished game.
pub fn greedy_move(position: &Position, random: &mut Random) -> Option<Move> {
    let opponent = position.turn().opponent();
    let before = position.stones(opponent).count();
    let mut largest = 1;
    let mut best = Vec::new();
    for &candidate in &position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(candidate);
        let captured = before.saturating_sub(next.stones(opponent).count());
        if captured > largest {
            best.clear();
            largest = captured;
        }
        if captured >= largest {
            best.push(candidate);
        }
    }
    random.choose(&best).or_else(|| random_move(position, random))
}

/// The move of a reference player; `None` for the solver, which is shared by all games of a match.
///
/// `kept` is the player's state within this game.
pub(crate) fn reference_move(
    player: ReferencePlayer,
    game: &Game,
    kept: &mut KeptTree,
    random: &mut Random,
) -> Option<Move> {
    let position = game.position();
    match player {
        ReferencePlayer::Random => random_move(position, random),
        ReferencePlayer::Greedy => greedy_move(position, random),
        ReferencePlayer::Flat { playouts } => uct::choose(position, playouts, Growth::Root, random),
        ReferencePlayer::Uct { playouts } => kept.choose(game, playouts, random),
        ReferencePlayer::Solver => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Bitboard, Color, Rules};

    #[test]
    fn greedy_takes_the_larger_capture() {
        let rules = Rules::parse("go", 5).expect("rules");
        let points = |text: &str| {
            text.split(' ').map(|point| point.parse().expect("a point")).collect::<Bitboard>()
        };
        // A1 falls to A2, D1 and E1 to C1.
        let white = points("A1 D1 E1");
        let black = points("B1 D2 E2");
        let position = Position::with_stones(rules, black, white, Color::Black).expect("position");
        let expected = "C1".parse().ok().map(Move::Place);
        for seed in 0..20 {
            assert_eq!(greedy_move(&position, &mut Random::new(seed)), expected);
        }
    }
}
