//! Black's chance on the empty board, from games that began with openings.
//!
//! Openings differ in how much they favour a player, and few preserve the balance. The agent's
//! searches say how far each of them moved Black's chance. Taken in logits, this is an offset of a
//! logistic regression whose intercept is the chance on the empty board: a won game says more if
//! the opening was bad for the winner, and one that the opening decided says next to nothing.
//! Chances cannot be compared by differences instead: near 0 and 1 those are small whatever the
//! agent overlooks.

use arena::{Estimate, student_critical_value};

/// A chance counts as at least this far from 0 and 1, because an agent's certainty is not certain.
const SMALLEST_CHANCE: f64 = 0.005;

/// Standard deviation of how much too sure or unsure an agent may be of its chances, as a factor of
/// their logits. Many games measure it; few cannot.
const CONFIDENCE_DEVIATION: f64 = 0.5;

/// Maximum number of steps of Newton's method, and the largest step, in logits.
const MAX_STEPS: usize = 60;
const LARGEST_STEP: f64 = 1.0;
const SMALLEST_STEP: f64 = 1e-7;

/// The result of a game, as evidence about the empty board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OpenedGame {
    /// Black's share of the points: 0, ½ or 1.
    pub(crate) share: f64,
    /// How far the opening moved Black's chance, in logits.
    pub(crate) shift: f64,
}

impl OpenedGame {
    /// A game whose opening moved Black's chance from `empty` to `opened`, by the agent's searches.
    pub(crate) fn new(share: f64, empty: f64, opened: f64) -> OpenedGame {
        OpenedGame { share, shift: logit(opened) - logit(empty) }
    }

    /// A game from the empty board.
    const fn unopened(share: f64) -> OpenedGame {
        OpenedGame { share, shift: 0.0 }
    }
}

fn logit(chance: f64) -> f64 {
    let inside = chance.clamp(SMALLEST_CHANCE, 1.0 - SMALLEST_CHANCE);
    (inside / (1.0 - inside)).ln()
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Black's share of the points from the empty board; `None` without games. `searched` is what the
/// agents' searches of the empty board say.
///
/// As in [`Estimate::mean`], one game won and one lost are added for the interval, here from the
/// empty board. For the value a game is added that went as searched, so that it is finite, and the
/// agents' own where no opening was left undecided. Errors are those of the sandwich estimator
/// (White, *Maximum likelihood estimation of misspecified models*, 1982).
pub(crate) fn without_openings(games: &[OpenedGame], searched: f64) -> Option<Estimate> {
    if games.is_empty() {
        return None;
    }
    let with = |some: &[OpenedGame]| Fit::of(&[games, some].concat());
    let Fit { log_odds, error, freedom } =
        with(&[OpenedGame::unopened(0.0), OpenedGame::unopened(1.0)]);
    let half = student_critical_value(freedom) * error;
    let value = logistic(with(&[OpenedGame::unopened(searched)]).log_odds);
    Some(Estimate {
        low: logistic(log_odds - half).min(value),
        value,
        high: logistic(log_odds + half).max(value),
    })
}

/// The regression: a game's chance has the logit `log_odds` plus its shift times the confidence
/// that the agent's chances deserve, which is one unless the games say otherwise.
struct Fit {
    log_odds: f64,
    /// Standard error of `log_odds`.
    error: f64,
    freedom: f64,
}

/// Derivatives of the penalized likelihood: its gradient, and its negative second derivatives.
struct Derivatives {
    gradient: [f64; 2],
    curvature: [f64; 3],
}

impl Derivatives {
    fn at(games: &[OpenedGame], log_odds: f64, confidence: f64) -> Derivatives {
        let precision = CONFIDENCE_DEVIATION.powi(-2);
        let mut gradient = [0.0, -(confidence - 1.0) * precision];
        let mut curvature = [0.0, 0.0, precision];
        for &OpenedGame { share, shift } in games {
            let chance = logistic(log_odds + confidence * shift);
            let (surprise, weight) = (share - chance, chance * (1.0 - chance));
            gradient[0] += surprise;
            gradient[1] += surprise * shift;
            curvature[0] += weight;
            curvature[1] += weight * shift;
            curvature[2] += weight * shift * shift;
        }
        Derivatives { gradient, curvature }
    }

    fn determinant(&self) -> f64 {
        let [first, mixed, second] = self.curvature;
        first * second - mixed * mixed
    }

    /// The step of Newton's method.
    fn step(&self) -> [f64; 2] {
        let ([own, other], [first, mixed, second]) = (self.gradient, self.curvature);
        let step = [second * own - mixed * other, first * other - mixed * own];
        step.map(|part| part / self.determinant())
    }
}

impl Fit {
    fn of(games: &[OpenedGame]) -> Fit {
        let (mut log_odds, mut confidence) = (0.0, 1.0);
        for _ in 0..MAX_STEPS {
            let step = Derivatives::at(games, log_odds, confidence).step();
            let length = step[0].abs().max(step[1].abs());
            let part = (LARGEST_STEP / length).min(1.0);
            log_odds += part * step[0];
            confidence += part * step[1];
            if length < SMALLEST_STEP {
                break;
            }
        }
        Fit::around(games, log_odds, confidence)
    }

    /// The errors of the maximum found.
    fn around(games: &[OpenedGame], log_odds: f64, confidence: f64) -> Fit {
        let found = Derivatives::at(games, log_odds, confidence);
        let (determinant, [_, mixed, second]) = (found.determinant(), found.curvature);
        let (mut squares, mut fourth_powers) = (0.0, 0.0);
        for &OpenedGame { share, shift } in games {
            let surprise = share - logistic(log_odds + confidence * shift);
            let influence = (second - mixed * shift) * surprise / determinant;
            squares += influence.powi(2);
            fourth_powers += influence.powi(4);
        }
        let count = games.len() as f64;
        let confidence_error = mixed / determinant / CONFIDENCE_DEVIATION;
        Fit {
            log_odds,
            error: (squares * count / (count - 1.0) + confidence_error.powi(2)).sqrt(),
            // The number of games that matter, less one for the mean.
            freedom: (squares.powi(2) / fourth_powers - 1.0).max(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many games after openings that moved Black's chance from a half to `opened`.
    fn games(opened: f64, wins: usize, count: usize) -> Vec<OpenedGame> {
        let share = |game: usize| f64::from(u8::from(game < wins));
        (0..count).map(|game| OpenedGame::new(share(game), 0.5, opened)).collect()
    }

    #[test]
    fn balanced_openings_leave_the_share_of_games_won() {
        let found = without_openings(&games(0.5, 70, 100), 0.7).expect("games");
        assert!((found.value - 0.7).abs() < 1e-6, "{found:?}");
        // The interval of a share of 100 games.
        assert!((found.low - 0.60).abs() < 0.02 && (found.high - 0.785).abs() < 0.02, "{found:?}");
        assert_eq!(without_openings(&[], 0.7), None);
    }

    /// Black loses a tenth of the openings that should be nearly won, and all that are lost, where
    /// the agent says two and one percent: its chances are too good for Black.
    #[test]
    fn what_went_wrong_after_openings_corrects_the_empty_board() {
        let opened = [games(0.98, 45, 50), games(0.3, 8, 50)].concat();
        let found = without_openings(&opened, 0.5).expect("games");
        assert!(found.high < 0.5 && found.value < 0.35, "{found:?}");
    }

    /// Openings that decide the game leave the agents' own chance, and hardly an interval.
    #[test]
    fn decided_openings_say_little() {
        let decided = [games(0.99, 50, 50), games(0.01, 0, 50)].concat();
        let found = without_openings(&decided, 0.6).expect("games");
        assert!((found.value - 0.6).abs() < 0.05, "{found:?}");
        assert!(found.high - found.low > 0.4, "{found:?}");
    }

    #[test]
    fn no_interval_is_empty() {
        for (opened, wins) in [(0.5, 0), (0.5, 100), (0.995, 0), (0.995, 100), (0.005, 100)] {
            let found = without_openings(&games(opened, wins, 100), 0.5).expect("games");
            assert!(found.low < found.value && found.value < found.high, "{opened}: {found:?}");
            assert!(0.0 < found.low && found.high < 1.0, "{opened}: {found:?}");
        }
    }
}
