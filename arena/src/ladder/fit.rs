//! The Bradley–Terry model of points, with a first-player advantage.
//!
//! With strengths θ and advantage a, i (Black) is expected to make 1 / (1 + e^(θⱼ − θᵢ − a)) points
//! against j (White) in a game. A draw is half a win and half a loss, so that a difference in
//! strength means the same share of the points however many games are drawn, the one that it means
//! in a match that favours no colour. The log likelihood is concave, so Newton's method finds its
//! only maximum.

use super::algebra::{inverse, times};
use super::encounters::Ladder;
use crate::logistic;

/// Elo per natural unit of strength.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Number of virtual draws of every player against an average player, each counted as half a win
/// and half a loss. They keep the ratings of players who won or lost everything finite, and those
/// of players who never met on one scale.
const VIRTUAL_GAMES: f64 = 1.0;

/// Precision of a normal prior with standard deviation 10 for the advantage, wide enough for any.
const PRIOR: f64 = 0.01;

const MAX_STEPS: usize = 100;

/// The most likely ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Strength of each player in natural units, with mean 0.
    strengths: Vec<f64>,
    advantage: f64,
    /// The inverse of the information matrix: variances and covariances of the strengths.
    covariance: Vec<Vec<f64>>,
}

/// The maximum-likelihood ratings for the results.
pub fn fit(ladder: &Ladder) -> Fit {
    fit_with(ladder, VIRTUAL_GAMES)
}

/// Like [`fit`], with the given number of virtual games per player.
pub(super) fn fit_with(ladder: &Ladder, virtual_games: f64) -> Fit {
    let players = ladder.players.len();
    let mut fit = Fit { strengths: vec![0.0; players], advantage: 0.0, covariance: Vec::new() };
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
        let mean = fit.strengths.iter().sum::<f64>() / players.max(1) as f64;
        fit.strengths.iter_mut().for_each(|value| *value -= mean);
        if largest < 1e-10 {
            break;
        }
    }
    fit
}

/// Gradient and negative second derivatives of the log likelihood. The parameters are the
/// strengths, then the advantage.
fn derivatives(ladder: &Ladder, fit: &Fit, virtual_games: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let players = ladder.players.len();
    let mut gradient = vec![0.0; players + 1];
    let mut information = vec![vec![0.0; players + 1]; players + 1];
    for encounter in &ladder.encounters {
        let (first, second) = (encounter.first, encounter.second);
        let games = encounter.pairs.len() as f64;
        let [as_black, as_white] = [0, 1].map(|colour| {
            encounter.pairs.iter().map(|pair| f64::from(pair[colour]) / 2.0).sum::<f64>()
        });
        for (black, white, points) in [(first, second, as_black), (second, first, games - as_white)]
        {
            let expected = fit.points_as_black(black, white);
            let surplus = points - games * expected;
            let weight = games * expected * (1.0 - expected);
            // Of the difference in strength, by each parameter involved.
            let slopes = [(black, 1.0), (white, -1.0), (players, 1.0)];
            for (row, slope) in slopes {
                gradient[row] += slope * surplus;
                for (column, other) in slopes {
                    information[row][column] += slope * other * weight;
                }
            }
        }
    }
    for player in 0..players {
        let expected = logistic(fit.strengths[player]);
        gradient[player] += virtual_games * (0.5 - expected);
        // The tiny term fixes the zero of the scale if there are no virtual games.
        information[player][player] += virtual_games * expected * (1.0 - expected) + 1e-9;
    }
    gradient[players] -= PRIOR * fit.advantage;
    information[players][players] += PRIOR;
    (gradient, information)
}

impl Fit {
    fn points_as_black(&self, black: usize, white: usize) -> f64 {
        logistic(self.strengths[black] - self.strengths[white] + self.advantage)
    }

    /// A player's Elo, on a scale with mean 0. Where no colour is favoured, 100 Elo more make 64 %
    /// of the points.
    pub fn elo(&self, player: usize) -> f64 {
        ELO * self.strengths[player]
    }

    /// The advantage of moving first, in Elo.
    pub fn first_player_elo(&self) -> f64 {
        ELO * self.advantage
    }

    /// The expected score of `first`, 0 to 1, over a pair of games with both colours.
    pub fn expected(&self, first: usize, second: usize) -> f64 {
        (self.points_as_black(first, second) + 1.0 - self.points_as_black(second, first)) / 2.0
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
    use crate::elo_of_score;

    #[test]
    fn known_strengths_are_recovered() {
        let strengths = vec![-1.0, 0.0, 0.25, 0.75];
        let truth = Simulated { strengths: strengths.clone(), advantage: 0.5, draws: 0.4 };
        let fit = fit(&round_robin(&truth, 4_000, 5));
        for (player, strength) in strengths.into_iter().enumerate() {
            assert!((fit.strengths[player] - strength).abs() < 0.06, "{fit:?}");
        }
        assert!((fit.advantage - 0.5).abs() < 0.05, "{fit:?}");
    }

    /// The same share of the points has the same Elo in a match and in a ladder, with and without
    /// draws.
    #[test]
    fn a_draw_is_half_a_win_and_half_a_loss() {
        for [won, drawn, lost] in [[30, 60, 10], [60, 0, 40], [0, 100, 0], [5, 15, 80]] {
            let results = [vec![[2; 2]; won], vec![[1; 2]; drawn], vec![[0; 2]; lost]];
            let mut ladder = Ladder::new(["first", "second"].map(String::from).into());
            ladder.encounters.push(Encounter { first: 0, second: 1, pairs: results.concat() });
            let fit = fit_with(&ladder, 0.0);
            let elo = fit.elo(0) - fit.elo(1);
            let score = (won as f64 + drawn as f64 / 2.0) / 100.0;
            assert!((elo - elo_of_score(score)).abs() < 0.01, "{won} {drawn} {lost}: {elo}");
            assert!((fit.expected(0, 1) - score).abs() < 1e-4, "{fit:?}");
        }
    }

    #[test]
    fn extreme_results_have_finite_ratings() {
        for half in [0, 1, 2] {
            let mut ladder = Ladder::new(vec!["a".into(), "b".into(), "alone".into()]);
            ladder.encounters.push(Encounter { first: 0, second: 1, pairs: vec![[half; 2]; 50] });
            let fit = fit(&ladder);
            assert!(fit.strengths.iter().all(|strength| strength.is_finite()), "{fit:?}");
            assert!(fit.elo(0).abs() < 3_000.0);
            assert!(ladder.next_encounter(|_| true).is_some());
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
            assert!(fit.advantage.abs() < 1e-6);
        }
    }
}
