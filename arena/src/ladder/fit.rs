//! The Bradley–Terry model with Davidson's draws and a first-player advantage.
//!
//! With strengths θ, advantage a and draws d, a game of i (Black) against j (White) is won, drawn
//! and lost with weights e^(θᵢ + a/2), e^(d + (θᵢ + θⱼ)/2) and e^(θⱼ − a/2) (Davidson, *On
//! extending the Bradley–Terry model to accommodate ties*, 1970; Davidson and Beaver 1977 for the
//! order effect). Without draws this is the Bradley–Terry model. The log likelihood is concave, so
//! Newton's method finds its only maximum.

use super::algebra::{inverse, times};
use super::encounters::Ladder;

/// Elo per natural unit of strength.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Number of virtual draws of every player against an average player, each counted as half a win
/// and half a loss. They keep the ratings of players who won or lost everything finite, and those
/// of players who never met on one scale.
const VIRTUAL_GAMES: f64 = 1.0;

/// Precision of a normal prior with standard deviation 10 for advantage and draws, wide enough for
/// anything.
const PRIOR: f64 = 0.01;

const MAX_STEPS: usize = 100;

/// The most likely ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Strength of each player in natural units, with mean 0.
    strengths: Vec<f64>,
    advantage: f64,
    /// The draw parameter; `None` if no game was drawn, and then the model has no draws.
    draws: Option<f64>,
    /// The inverse of the information matrix: variances and covariances of the strengths.
    covariance: Vec<Vec<f64>>,
}

/// Probabilities of a Black win, a draw and a White win.
pub(super) fn outcomes(black: f64, white: f64, advantage: f64, draws: Option<f64>) -> [f64; 3] {
    let difference = black - white + advantage;
    let logs = [difference / 2.0, draws.unwrap_or(f64::NEG_INFINITY), -difference / 2.0];
    let highest = logs.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let weights = logs.map(|log| (log - highest).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// The maximum-likelihood ratings for the results.
pub fn fit(ladder: &Ladder) -> Fit {
    fit_with(ladder, VIRTUAL_GAMES)
}

/// Like [`fit`], with the given number of virtual games per player.
pub(super) fn fit_with(ladder: &Ladder, virtual_games: f64) -> Fit {
    let drawn =
        ladder.encounters.iter().flat_map(|e| e.pairs.iter().flatten()).any(|&half| half == 1);
    let players = ladder.players.len();
    let mut fit = Fit {
        strengths: vec![0.0; players],
        advantage: 0.0,
        draws: drawn.then_some(0.0),
        covariance: Vec::new(),
    };
    for _ in 0..MAX_STEPS {
        let (gradient, information) = derivatives(ladder, &fit, virtual_games);
        fit.covariance = inverse(&information);
        let step = times(&fit.covariance, &gradient);
        let largest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        // Newton's step is exact near the maximum; far from it, shorten the step but keep its
        // direction.
        let scale = (1.0 / largest.max(1e-300)).min(1.0);
        fit.strengths.iter_mut().zip(&step).for_each(|(value, part)| *value += scale * part);
        fit.advantage += scale * step[players];
        fit.draws = fit.draws.map(|draws| draws + scale * step[players + 1]);
        let mean = fit.strengths.iter().sum::<f64>() / players.max(1) as f64;
        fit.strengths.iter_mut().for_each(|value| *value -= mean);
        if largest < 1e-10 {
            break;
        }
    }
    fit
}

/// Gradient and negative second derivatives of the log likelihood. The parameters are the
/// strengths, then the advantage, then draws.
fn derivatives(ladder: &Ladder, fit: &Fit, virtual_games: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let players = ladder.players.len();
    let size = players + 1 + usize::from(fit.draws.is_some());
    let mut gradient = vec![0.0; size];
    let mut information = vec![vec![0.0; size]; size];
    for encounter in &ladder.encounters {
        let (first, second) = (encounter.first, encounter.second);
        let mut counts = [[0.0; 3]; 2];
        for &[as_black, as_white] in &encounter.pairs {
            counts[0][2 - usize::from(as_black.min(2))] += 1.0;
            counts[1][usize::from(as_white.min(2))] += 1.0;
        }
        for ((black, white), counts) in [(first, second), (second, first)].into_iter().zip(counts) {
            add_games(fit, black, white, &counts, &mut gradient, &mut information);
        }
    }
    for player in 0..players {
        let win = 1.0 / (1.0 + (-fit.strengths[player]).exp());
        gradient[player] += virtual_games * (0.5 - win);
        // The tiny term fixes the zero of the scale if there are no virtual games.
        information[player][player] += virtual_games * win * (1.0 - win) + 1e-9;
    }
    let others = [Some(fit.advantage), fit.draws];
    for (index, value) in others.into_iter().flatten().enumerate() {
        gradient[players + index] -= PRIOR * value;
        information[players + index][players + index] += PRIOR;
    }
    (gradient, information)
}

/// Adds the games with one assignment of colours: how many Black won, drew and lost.
fn add_games(
    fit: &Fit,
    black: usize,
    white: usize,
    counts: &[f64; 3],
    gradient: &mut [f64],
    information: &mut [Vec<f64>],
) {
    let expected = fit.outcomes(black, white);
    let games: f64 = counts.iter().sum();
    let players = fit.strengths.len();
    // The derivative of each outcome's log weight with respect to each parameter involved.
    let mut slopes =
        vec![(black, [0.5, 0.0, -0.5]), (white, [-0.5, 0.0, 0.5]), (players, [0.5, 0.0, -0.5])];
    if fit.draws.is_some() {
        slopes.push((players + 1, [0.0, 1.0, 0.0]));
    }
    let mean = |slope: &[f64; 3]| slope.iter().zip(&expected).map(|(s, p)| s * p).sum::<f64>();
    for (row, slope) in &slopes {
        let observed: f64 = slope.iter().zip(counts).map(|(s, n)| s * n).sum();
        gradient[*row] += observed - games * mean(slope);
        for (column, other) in &slopes {
            let both: [f64; 3] = std::array::from_fn(|k| slope[k] * other[k]);
            information[*row][*column] += games * (mean(&both) - mean(slope) * mean(other));
        }
    }
}

impl Fit {
    fn outcomes(&self, black: usize, white: usize) -> [f64; 3] {
        outcomes(self.strengths[black], self.strengths[white], self.advantage, self.draws)
    }

    /// A player's Elo, on a scale with mean 0.
    pub fn elo(&self, player: usize) -> f64 {
        ELO * self.strengths[player]
    }

    /// The advantage of moving first, in Elo.
    pub fn first_player_elo(&self) -> f64 {
        ELO * self.advantage
    }

    /// Fraction of draws between equal players when neither moves first.
    pub fn draws_between_equals(&self) -> f64 {
        outcomes(0.0, 0.0, 0.0, self.draws)[1]
    }

    /// The expected score of `first`, 0 to 1, over a pair of games with both colours.
    pub fn expected(&self, first: usize, second: usize) -> f64 {
        let [win, draw, _] = self.outcomes(first, second);
        let [_, other_draw, loss] = self.outcomes(second, first);
        (win + draw / 2.0 + loss + other_draw / 2.0) / 2.0
    }

    /// The expected information that a game between two players gives about them.
    pub(super) fn information(&self, (one, other): (usize, usize)) -> f64 {
        let covariance = &self.covariance;
        let variance =
            covariance[one][one] + covariance[other][other] - 2.0 * covariance[one][other];
        let score = self.expected(one, other);
        variance * score * (1.0 - score)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Encounter;
    use super::super::simulated::{Simulated, round_robin};
    use super::*;

    #[test]
    fn known_strengths_are_recovered() {
        let strengths = vec![-1.0, 0.0, 0.25, 0.75];
        let truth = Simulated { strengths: strengths.clone(), advantage: 0.5, draws: -0.7 };
        let fit = fit(&round_robin(&truth, 4_000, 5));
        for (player, strength) in strengths.into_iter().enumerate() {
            assert!((fit.strengths[player] - strength).abs() < 0.06, "{fit:?}");
        }
        assert!((fit.advantage - 0.5).abs() < 0.05, "{fit:?}");
        assert!((fit.draws.expect("draws") + 0.7).abs() < 0.05, "{fit:?}");
    }

    #[test]
    fn extreme_results_have_finite_ratings() {
        for half in [0, 1, 2] {
            let mut ladder = Ladder::new(vec!["a".into(), "b".into(), "alone".into()]);
            ladder.encounters.push(Encounter { first: 0, second: 1, pairs: vec![[half; 2]; 50] });
            let fit = fit(&ladder);
            assert!(fit.strengths.iter().all(|strength| strength.is_finite()), "{fit:?}");
            assert!(fit.elo(0).abs() < 3_000.0);
            assert!(ladder.next_encounter().is_some());
        }
    }

    /// Reference values from the independent implementation choix 0.4.1, made by
    /// `arena/tests/choix/golden.py`.
    #[test]
    fn ratings_are_those_of_choix() {
        let text = include_str!("../../tests/choix/golden.json");
        let golden: serde_json::Value = serde_json::from_str(text).expect("golden values");
        for case in golden.as_array().expect("cases") {
            let wins = |row: usize, column: usize| {
                case["wins"][row][column].as_u64().expect("a count") as usize
            };
            let players = case["wins"].as_array().expect("rows").len();
            let mut ladder = Ladder::new((0..players).map(|n| format!("p{n}")).collect());
            for second in 0..players {
                for first in 0..second {
                    // Half of the wins with either colour, so there is no advantage to find.
                    let won = std::iter::repeat_n([2, 2], wins(first, second) / 2);
                    let lost = std::iter::repeat_n([0, 0], wins(second, first) / 2);
                    let pairs = won.chain(lost).collect();
                    ladder.encounters.push(Encounter { first, second, pairs });
                }
            }
            let fit = fit_with(&ladder, 0.0);
            for (player, strength) in fit.strengths.iter().enumerate() {
                let theirs = case["strengths"][player].as_f64().expect("a number");
                assert!((strength - theirs).abs() < 1e-5, "{strength} {theirs}");
            }
            assert!(fit.advantage.abs() < 1e-6 && fit.draws.is_none());
        }
    }
}
