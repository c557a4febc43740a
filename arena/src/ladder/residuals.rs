//! Results that a single rating per player cannot explain.

use super::encounters::{Encounter, Ladder};
use super::fit::Fit;
use crate::Pentanomial;
use crate::statistics::elo_of_score;

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
    /// Each beats the next, and the last beats the first, by more than the ratings predict.
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

/// The cycle of three with the largest sum of deviations in its direction, in standard errors.
pub(super) fn greatest_cycle(ladder: &Ladder, residuals: &[Residual]) -> Option<Cycle> {
    let players = ladder.players.len();
    let mut edges = vec![vec![None; players]; players];
    for residual in residuals {
        let (elo, error) = excess(residual);
        edges[residual.first][residual.second] = Some((elo, error));
        edges[residual.second][residual.first] = Some((-elo, error));
    }
    let edge = |from: usize, to: usize| edges[from][to];
    let mut greatest: Option<Cycle> = None;
    for c in 0..players {
        for b in 0..c {
            for a in 0..b {
                let (Some(ab), Some(bc), Some(ca)) = (edge(a, b), edge(b, c), edge(c, a)) else {
                    continue;
                };
                let elo: f64 = ab.0 + bc.0 + ca.0;
                let error =
                    [ab.1, bc.1, ca.1].map(|error| error * error).iter().sum::<f64>().sqrt();
                let players = if elo > 0.0 { [a, b, c] } else { [a, c, b] };
                let cycle = Cycle { players, elo: elo.abs(), deviations: elo.abs() / error };
                if greatest.is_none_or(|known| cycle.deviations > known.deviations) {
                    greatest = Some(cycle);
                }
            }
        }
    }
    greatest
}

/// The first player's excess over the expected score in Elo, and its standard error.
fn excess(residual: &Residual) -> (f64, f64) {
    // Half a point added on each side keeps a clean sweep finite.
    let games = residual.pairs as f64 + 1.0;
    let score = (residual.score * residual.pairs as f64 + 0.5) / games;
    let slope = 400.0 / (std::f64::consts::LN_10 * score * (1.0 - score));
    (elo_of_score(score) - elo_of_score(residual.expected), slope * residual.error)
}

#[cfg(test)]
mod tests {
    use super::super::{Encounter, Ladder};

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
