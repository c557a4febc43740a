//! Results that a single rating per player cannot explain.

use super::encounters::{Encounter, Ladder};
use super::fit::Fit;
use crate::Pentanomial;
use crate::statistics::{elo_of_score, normal_critical_value};

/// Two players' results compared with what their ratings predict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The player whose score is given.
    pub first: usize,
    /// The opponent.
    pub second: usize,
    /// Number of pairs of games.
    pub pairs: usize,
    /// The first player's share of the points, 0 to 1.
    pub score: f64,
    /// The expected share.
    pub expected: f64,
    /// The difference in standard errors of the score.
    pub deviations: f64,
    /// The standard error of the score.
    error: f64,
}

/// Three players who beat each other in a cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// Each scored more than half against the next, and the last against the first.
    pub players: [usize; 3],
    /// Sum of the three deviations in Elo; it would be 0 if the ratings explained everything.
    pub elo: f64,
    /// The sum in standard errors.
    pub deviations: f64,
}

/// One residual per two players who have met, largest deviation first.
pub(super) fn residuals(ladder: &Ladder, fit: &Fit) -> Vec<Residual> {
    let mut all: Vec<Residual> = ladder
        .merged_encounters()
        .iter()
        .filter_map(|encounter| residual(encounter, fit))
        .collect();
    all.sort_by(|a, b| b.deviations.abs().total_cmp(&a.deviations.abs()));
    all
}

fn residual(encounter: &Encounter, fit: &Fit) -> Option<Residual> {
    let &Encounter { first, second, ref pairs } = encounter;
    if pairs.is_empty() {
        return None;
    }
    let mut counts = Pentanomial::default();
    pairs.iter().for_each(|pair| counts.add(usize::from(pair[0] + pair[1])));
    let (pairs, score) = (pairs.len(), counts.score());
    let (_, error) = counts.adjusted();
    let expected = fit.expected(first, second);
    let deviations = (score - expected) / error;
    Some(Residual { first, second, pairs, score, expected, deviations, error })
}

/// The probability of reporting a cycle among players whom their ratings describe.
const FALSE_CYCLES: f64 = 0.05;

/// The clearest cycle of three, if chance does not explain it: among many players, some three have
/// beaten each other in a cycle even if one number describes each of them.
pub(super) fn greatest_cycle(ladder: &Ladder, residuals: &[Residual]) -> Option<Cycle> {
    let players = ladder.players.len();
    let mut edges = vec![vec![None; players]; players];
    for residual in residuals {
        let edge = Edge::of(residual);
        edges[residual.first][residual.second] = Some(edge);
        edges[residual.second][residual.first] = Some(edge.reversed());
    }
    let around = |[a, b, c]: [usize; 3]| Some([edges[a][b]?, edges[b][c]?, edges[c][a]?]);
    let mut tried = 0_u32;
    let mut greatest: Option<Cycle> = None;
    for c in 0..players {
        for b in 0..c {
            for players in (0..b).flat_map(|a| [[a, b, c], [a, c, b]]) {
                let Some(edges) = around(players) else { continue };
                tried += 1;
                let known = greatest.map_or(0.0, |cycle| cycle.deviations);
                greatest = cycle(players, &edges).filter(|new| new.deviations > known).or(greatest);
            }
        }
    }
    // One of all these sums exceeds this with at most that probability.
    let one_sided = |probability: f64| normal_critical_value(2.0 * probability);
    greatest.filter(|cycle| cycle.deviations > one_sided(FALSE_CYCLES / f64::from(tried)))
}

/// A player's results against another.
#[derive(Debug, Clone, Copy)]
struct Edge {
    score: f64,
    /// The excess over the expected score in Elo, and its standard error.
    elo: f64,
    error: f64,
}

impl Edge {
    fn of(residual: &Residual) -> Edge {
        // Half a point added on each side keeps a clean sweep finite.
        let games = residual.pairs as f64 + 1.0;
        let score = (residual.score * residual.pairs as f64 + 0.5) / games;
        let slope = 400.0 / (std::f64::consts::LN_10 * score * (1.0 - score));
        Edge {
            score: residual.score,
            elo: elo_of_score(score) - elo_of_score(residual.expected),
            error: slope * residual.error,
        }
    }

    /// The same for the other player.
    fn reversed(self) -> Edge {
        Edge { score: 1.0 - self.score, elo: -self.elo, error: self.error }
    }
}

/// The cycle of these players in this order, if each has beaten the next.
fn cycle(players: [usize; 3], edges: &[Edge; 3]) -> Option<Cycle> {
    let elo: f64 = edges.iter().map(|edge| edge.elo).sum();
    let error = edges.iter().map(|edge| edge.error * edge.error).sum::<f64>().sqrt();
    let beaten = edges.iter().all(|edge| edge.score > 0.5);
    beaten.then_some(Cycle { players, elo, deviations: elo / error })
}

#[cfg(test)]
mod tests {
    use super::super::fit::{ELO, fit};
    use super::super::simulated::{Simulated, round_robin};
    use super::super::{Encounter, Ladder};
    use super::*;

    #[test]
    fn rock_paper_scissors_is_seen() {
        let mut ladder =
            Ladder::new(["rock", "paper", "scissors", "fourth"].map(String::from).into());
        let mut beats = |first, second, pairs: Vec<[u8; 2]>| {
            ladder.encounters.push(Encounter { first, second, pairs });
        };
        let mostly = [vec![[2, 2]; 30], vec![[2, 0]; 10]].concat();
        beats(1, 0, mostly.clone());
        beats(2, 1, mostly.clone());
        beats(0, 2, mostly);
        for player in 0..3 {
            beats(player, 3, [vec![[2, 2]; 10], vec![[0, 0]; 10]].concat());
        }
        let standings = ladder.standings(1);
        let cycle = standings.cycle.expect("a circle");
        assert_eq!(cycle.players, [0, 2, 1]);
        assert!(cycle.deviations > 4.0, "{standings}");
        assert!(standings.misfit > 20.0, "{standings}");
        assert!(
            standings
                .table
                .iter()
                .all(|row| row.elo.low <= row.elo.value && row.elo.value <= row.elo.high)
        );
        assert!(standings.to_string().contains("in a circle"), "{standings}");
    }

    fn cycle_of(ladder: &Ladder) -> Option<Cycle> {
        greatest_cycle(ladder, &residuals(ladder, &fit(ladder)))
    }

    /// The sum of the excesses is far from 0, but the last has never beaten the first.
    #[test]
    fn an_odd_distance_is_no_circle() {
        let mut ladder = Ladder::new(["first", "second", "third"].map(String::from).into());
        for (first, second, won) in [(0, 1, 100), (1, 2, 100), (0, 2, 10)] {
            let pairs = [vec![[2, 2]; won], vec![[2, 0]; 200 - won]].concat();
            ladder.encounters.push(Encounter { first, second, pairs });
        }
        assert_eq!(cycle_of(&ladder), None);
        // With the last result turned, it has.
        let pairs = vec![[0, 0]; 20];
        ladder.encounters.push(Encounter { first: 0, second: 2, pairs });
        assert_eq!(cycle_of(&ladder).expect("a circle").players, [0, 1, 2]);
    }

    #[test]
    fn players_on_one_scale_form_no_circle() {
        // Evenly apart, and all equal, where some three nearly always beat each other in a circle.
        for (apart, most) in [(150.0, 0), (0.0, 3)] {
            let strengths = (0..8).map(|place| f64::from(place) * apart / ELO).collect();
            let truth = Simulated { strengths, advantage: 0.3, draws: 0.3 };
            let seen = (0..40).filter(|&seed| cycle_of(&round_robin(&truth, 20, seed)).is_some());
            let seen = seen.count();
            assert!(seen <= most, "{seen} circles {apart} Elo apart");
        }
    }

    #[test]
    fn equal_results_leave_some_doubt() {
        let mut ladder = Ladder::new(["first", "second"].map(String::from).into());
        for (pair, pairs) in [([2, 2], 1), ([2, 1], 5), ([1, 1], 20), ([2, 0], 20)] {
            ladder.encounters = vec![Encounter { first: 0, second: 1, pairs: vec![pair; pairs] }];
            let standings = ladder.standings(1);
            for row in &standings.table {
                assert!(
                    row.elo.low <= row.elo.value && row.elo.value <= row.elo.high,
                    "{standings}"
                );
                assert!(row.elo.low < row.elo.high, "{standings}");
            }
        }
    }
}
