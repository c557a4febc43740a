//! `hotstone bench engine`

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use engine::{Position, Rules};
use serde::Serialize;

use super::choice::{GameChoice, positive};

/// Random games on one core, with all legal moves found at every ply.
#[derive(Args, Serialize)]
pub struct EngineArguments {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) game: GameChoice,
    /// Seconds to measure for.
    #[arg(long, default_value_t = 5.0, value_parser = positive)]
    #[serde(skip)]
    pub(super) seconds: f64,
}

#[derive(Serialize)]
pub(super) struct EngineFigures {
    pub(super) plies_per_s: f64,
    leaf_ns: f64,
    mean_game_plies: f64,
}

impl EngineArguments {
    pub(super) fn measure(&self) -> Result<EngineFigures> {
        let rules = self.game.rules()?;
        let budget = Duration::from_secs_f64(self.seconds);
        let mut random = Choice(1);
        let began = Instant::now();
        let played = RandomGames::play(rules, budget, &mut random);
        let seconds = began.elapsed().as_secs_f64();
        Ok(EngineFigures {
            plies_per_s: played.plies as f64 / seconds,
            leaf_ns: leaf_cost(&played.middle, &mut random),
            mean_game_plies: played.plies as f64 / played.games as f64,
        })
    }
}

/// At least one game.
#[derive(Default)]
struct RandomGames {
    games: u64,
    plies: u64,
    /// Positions from the middle of games, for the cost of a leaf.
    middle: Vec<Position>,
}

impl RandomGames {
    fn play(rules: Rules, budget: Duration, random: &mut Choice) -> RandomGames {
        let mut played = RandomGames::default();
        let began = Instant::now();
        while played.games == 0 || began.elapsed() < budget {
            let mut position = Position::new(rules);
            played.games += 1;
            loop {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                // The first game too: on a large board there may be few of them.
                if played.games % 16 == 1 && played.middle.len() < 4096 {
                    played.middle.push(position.clone());
                }
                position.play_unchecked(moves[random.below(moves.len())]);
                played.plies += 1;
            }
        }
        played
    }
}

/// Nanoseconds to clone a position, play a move on the clone, and find all its legal points.
fn leaf_cost(positions: &[Position], random: &mut Choice) -> f64 {
    let leaves: Vec<_> = positions
        .iter()
        .map(|position| {
            let moves = position.legal_moves();
            (position, moves[random.below(moves.len())])
        })
        .collect();
    let mut found = 0;
    let began = Instant::now();
    let rounds = 20;
    for _ in 0..rounds {
        for &(position, chosen) in &leaves {
            let mut next = position.clone();
            next.play_unchecked(chosen);
            found += next.legal_points().count();
        }
    }
    std::hint::black_box(found);
    began.elapsed().as_nanos() as f64 / (rounds * leaves.len().max(1)) as f64
}

/// A small pseudorandom generator (xorshift*, Marsaglia 2003), so that generating random numbers is
/// not what is measured.
struct Choice(u64);

impl Choice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * bound as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use engine::{Size, Variant};

    use super::*;

    #[test]
    fn one_game_is_measured_even_if_there_is_no_time_for_it() {
        let rules = Variant::ALL[0].rules(Size::new(9, 9).unwrap()).unwrap();
        let played = RandomGames::play(rules, Duration::ZERO, &mut Choice(1));
        assert_eq!(played.games, 1);
        assert_eq!(played.middle.len() as u64, played.plies, "every position with a move");
    }
}
