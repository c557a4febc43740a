//! Varied openings.

use engine::{Color, Move, Position, Rules};
use rand::{Rng, RngExt};
use search::SearchResult;
use serde::{Deserialize, Serialize};

use crate::{SelfPlaySettings, TurnRecord};

/// The opening turns, which are not used for training: random ones, then ones drawn from the raw
/// policy, then one that plays the second-best move instead of the search's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Opening {
    random: usize,
    from_policy: usize,
    forks: bool,
}

impl Opening {
    /// Draws the kind of opening for a game.
    pub fn draw(rules: &Rules, settings: &SelfPlaySettings, random: &mut impl Rng) -> Opening {
        let area = rules.size.area() as f32;
        // Exponentially distributed, as in KataGo.
        let unit = -(1.0 - random.random::<f32>()).ln();
        let turns = |share: f32| (share * area * unit).round() as usize;
        let (kind, opens): (f32, f32) = (random.random(), random.random());
        if kind < settings.random_share {
            let most = settings.random_plies as usize;
            Opening { random: random.random_range(1..=most), ..Opening::default() }
        } else if kind < settings.random_share + settings.fork_share {
            Opening { from_policy: turns(settings.fork_plies), forks: true, ..Opening::default() }
        } else if opens < settings.opening_share {
            Opening { from_policy: turns(settings.opening_plies), ..Opening::default() }
        } else {
            Opening::default()
        }
    }

    /// Plays the random turns, stopping before one that would end the game.
    pub fn random_turns(&self, position: &mut Position, random: &mut impl Rng) -> Vec<TurnRecord> {
        let mut turns = Vec::new();
        for _ in 0..self.random {
            let Some(chosen) = random_turn(position, random) else { break };
            turns.push(TurnRecord::unsearched(chosen.action(position.size()) as u16));
        }
        turns
    }

    /// Whether a turn belongs to the opening, which is not used for training.
    pub fn covers(&self, turn: usize) -> bool {
        turn < self.from_policy || self.forks(turn)
    }

    /// Whether a turn is drawn from the raw policy.
    pub fn is_unsearched(&self, turn: usize) -> bool {
        turn < self.from_policy
    }

    /// Whether a turn plays the second-best move.
    pub fn forks(&self, turn: usize) -> bool {
        self.forks && turn == self.from_policy
    }
}

/// Plays a uniformly random legal move of a running game; `None` if that would end the game.
pub fn random_turn(position: &mut Position, random: &mut impl Rng) -> Option<Move> {
    let moves = position.legal_moves();
    let chosen = moves[random.random_range(0..moves.len())];
    let mut next = position.clone();
    next.play_unchecked(chosen);
    if next.outcome().is_some() {
        return None;
    }
    *position = next;
    Some(chosen)
}

/// The searched move with the second-best value, or the best move if there is no second.
pub(crate) fn second_best(result: &SearchResult, mover: Color) -> Move {
    let others = result.moves.iter().filter(|stats| stats.played != result.best);
    let searched = others.filter_map(|stats| Some((stats.played, mover.sign() * stats.value?)));
    searched.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(result.best, |(played, _)| played)
}

#[cfg(test)]
mod tests {
    use search::MoveStats;

    use super::*;

    /// A search result for these moves, each with its value for Black if it was visited.
    fn found(best: &str, values: &[(&str, Option<f32>)]) -> SearchResult {
        let stats = |&(text, value): &(&str, Option<f32>)| MoveStats {
            played: text.parse().unwrap(),
            prior: 0.25,
            policy: 0.25,
            visits: u32::from(value.is_some()),
            value,
            proven: None,
        };
        SearchResult {
            best: best.parse().unwrap(),
            root_value: 0.0,
            raw_value: 0.0,
            moves: values.iter().map(stats).collect(),
            surprise: 0.0,
            proven: None,
        }
    }

    #[test]
    fn second_best_is_what_the_mover_likes_most_of_the_rest() {
        let values = [("A1", Some(0.9)), ("B1", Some(-0.7)), ("C1", Some(0.4)), ("A2", Some(-0.2))];
        for (mover, best, second) in [
            (Color::Black, "A1", "C1"),
            (Color::White, "B1", "A2"),
            // Sequential halving may choose a move that does not have the best value.
            (Color::Black, "C1", "A1"),
            (Color::White, "A2", "B1"),
        ] {
            let chosen = second_best(&found(best, &values), mover);
            assert_eq!(chosen.to_string(), second, "{mover} after {best}");
        }
    }

    #[test]
    fn without_a_second_move_the_best_is_played() {
        for mover in Color::BOTH {
            let only = found("B1", &[("A1", None), ("B1", Some(-0.7)), ("pass", None)]);
            assert_eq!(second_best(&only, mover).to_string(), "B1", "{mover}");
        }
    }
}
