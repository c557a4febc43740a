//! Black's chance on the empty board, from games that began with openings.
//!
//! Openings differ in how much they favour a player, and few preserve the balance. The agent's
//! searches say how far each of them moved Black's chance. Taken in logits, this is an offset of a
//! logistic regression whose intercept is the chance on the empty board: a won game says more if
//! the opening was bad for the winner, and one that the opening decided says next to nothing.
//! Chances cannot be compared by differences instead: near 0 and 1 those are small whatever the
//! agent overlooks.

use arena::{Estimate, logistic, student_critical_value};

/// A chance counts as at least this far from 0 and 1, because an agent's certainty is not certain.
const MIN_CHANCE: f64 = 0.002;

/// Standard deviation of how much too sure or unsure an agent may be of its chances, as a factor of
/// their logits. Many games measure it; few cannot.
const CONFIDENCE_DEVIATION: f64 = 0.5;

/// How far the result may be off, in logits, because agents misjudge single openings: those that
/// seem to keep the balance are on average a little better for whoever drawn openings favour, and
/// games from them are a little more even than from the empty board. More games do not reduce it.
const MISJUDGED_OPENINGS: f64 = 0.1;

/// Maximum number of steps of Newton's method, and of times that one is halved; and the largest
/// step, in logits: beyond it, chances may be so near 0 or 1 that nothing leads back.
const MAX_STEPS: usize = 60;
const MAX_HALVINGS: i32 = 30;
const MAX_STEP_LENGTH: f64 = 1.0;

/// A step this short, in logits, is not taken, and a change of the likelihood this small counts as
/// none.
const MIN_STEP_LENGTH: f64 = 1e-6;
const ROUNDING: f64 = 1e-9;

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

/// The logit of a chance, kept away from 0 and 1.
pub(crate) fn logit(chance: f64) -> f64 {
    let inside = chance.clamp(MIN_CHANCE, 1.0 - MIN_CHANCE);
    (inside / (1.0 - inside)).ln()
}

/// Black's share of the points from the empty board; `None` without games. `searched` is what the
/// agents' searches of the empty board say, and `doubt` how wrong these may be, in logits: all
/// shifts begin there, so the result is as wrong as they are.
///
/// As in [`Estimate::mean`], one game won and one lost are added for the interval, here from the
/// empty board. For the value a game is added that went as searched, so that it is finite, and the
/// agents' own where no opening was left undecided. Errors are those of the sandwich estimator
/// (White, *Maximum likelihood estimation of misspecified models*, 1982), and the interval is never
/// narrower than the exact one of as many games, which matters where hardly any are won or lost.
pub(crate) fn without_openings(
    games: &[OpenedGame],
    searched: f64,
    doubt: f64,
) -> Option<Estimate> {
    if games.is_empty() {
        return None;
    }
    let with = |some: &[OpenedGame]| Fit::of(&[games, some].concat());
    let Fit { log_odds, error, freedom } =
        with(&[OpenedGame::unopened(0.0), OpenedGame::unopened(1.0)]);
    let half = student_critical_value(freedom) * error;
    let [below, above] =
        exact_distances(games).map(|exact| exact.max(half) + doubt + MISJUDGED_OPENINGS);
    let value = logistic(with(&[OpenedGame::unopened(searched)]).log_odds);
    Some(Estimate {
        low: logistic(log_odds - below).min(value),
        value,
        high: logistic(log_odds + above).max(value),
    })
}

/// How far the ends of the exact interval of Black's share of all games lie below and above the
/// share itself, one game won and one lost added, in logits.
fn exact_distances(games: &[OpenedGame]) -> [f64; 2] {
    let points: f64 = games.iter().map(|game| game.share).sum();
    let exact = |points: f64| Estimate::share(points as usize, games.len());
    let log_odds = |share: f64| (share / (1.0 - share)).ln();
    let center = log_odds((points + 1.0) / (games.len() as f64 + 2.0));
    let [low, high] = [exact(points.floor()), exact(points.ceil())];
    // An end at 0 or 1 is where nothing was won or lost, which the added games take care of.
    let distance = |end: Option<f64>| end.filter(|end| end.is_finite()).unwrap_or(0.0);
    [
        distance(low.map(|share| center - log_odds(share.low))),
        distance(high.map(|share| log_odds(share.high) - center)),
    ]
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

/// The logarithm of the penalized likelihood, up to a constant. It is strictly concave.
fn likelihood(games: &[OpenedGame], [log_odds, confidence]: [f64; 2]) -> f64 {
    let of = |&OpenedGame { share, shift }: &OpenedGame| {
        let logit = log_odds + confidence * shift;
        // The logarithm of 1 + exp(logit), without overflow.
        share * logit - logit.max(0.0) - (-logit.abs()).exp().ln_1p()
    };
    let penalty = ((confidence - 1.0) / CONFIDENCE_DEVIATION).powi(2) / 2.0;
    games.iter().map(of).sum::<f64>() - penalty
}

impl Fit {
    fn of(games: &[OpenedGame]) -> Fit {
        let (mut log_odds, mut confidence) = (0.0, 1.0);
        for _ in 0..MAX_STEPS {
            let step = Derivatives::at(games, log_odds, confidence).step();
            let length = step[0].abs().max(step[1].abs());
            if length < MIN_STEP_LENGTH {
                break;
            }
            let longest = (MAX_STEP_LENGTH / length).min(1.0);
            let moved = |part: f64| [log_odds + part * step[0], confidence + part * step[1]];
            // Where chances are near 0 or 1, steps may go too far and come back for ever.
            let enough = likelihood(games, [log_odds, confidence]) - ROUNDING;
            let mut parts = (0..MAX_HALVINGS).map(|halvings| longest * 0.5_f64.powi(halvings));
            let Some(part) = parts.find(|&part| likelihood(games, moved(part)) >= enough) else {
                break;
            };
            [log_odds, confidence] = moved(part);
        }
        Fit::around(games, log_odds, confidence)
    }

    /// The errors of the maximum found.
    fn around(games: &[OpenedGame], log_odds: f64, confidence: f64) -> Fit {
        let found = Derivatives::at(games, log_odds, confidence);
        let (determinant, [_, mixed, second]) = (found.determinant(), found.curvature);
        let influence = |&OpenedGame { share, shift }: &OpenedGame| {
            let surprise = share - logistic(log_odds + confidence * shift);
            (second - mixed * shift) * surprise / determinant
        };
        let squares: f64 = games.iter().map(|game| influence(game).powi(2)).sum();
        let count = games.len() as f64;
        let confidence_error = mixed / determinant / CONFIDENCE_DEVIATION;
        Fit {
            log_odds,
            error: (squares * count / (count - 1.0) + confidence_error.powi(2)).sqrt(),
            freedom: count - 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This many games after openings that moved Black's chance from `empty` to `opened`.
    fn moved(empty: f64, opened: f64, wins: usize, count: usize) -> Vec<OpenedGame> {
        let share = |game: usize| f64::from(u8::from(game < wins));
        (0..count).map(|game| OpenedGame::new(share(game), empty, opened)).collect()
    }

    fn games(opened: f64, wins: usize, count: usize) -> Vec<OpenedGame> {
        moved(0.5, opened, wins, count)
    }

    #[test]
    fn balanced_openings_leave_the_share_of_games_won() {
        let found = without_openings(&games(0.5, 70, 100), 0.7, 0.0).expect("games");
        assert!((found.value - 0.7).abs() < 1e-6, "{found:?}");
        // The interval of a share of 100 games, a little extended.
        assert!((found.low - 0.577).abs() < 0.02 && (found.high - 0.80).abs() < 0.02, "{found:?}");
        assert_eq!(without_openings(&[], 0.7, 0.0), None);
    }

    /// Black loses a tenth of the games after openings that the agent thinks nearly won, and wins
    /// half as many as expected after worse ones: its chances are too good for Black.
    #[test]
    fn what_went_wrong_after_openings_corrects_the_empty_board() {
        let opened = [games(0.98, 45, 50), games(0.3, 8, 50)].concat();
        let found = without_openings(&opened, 0.5, 0.0).expect("games");
        assert!(found.high < 0.5 && found.value < 0.35, "{found:?}");
    }

    /// Openings that decide the game leave the agents' own chance, and hardly an interval.
    #[test]
    fn decided_openings_say_little() {
        let decided = [moved(0.6, 0.99, 50, 50), moved(0.6, 0.01, 0, 50)].concat();
        let found = without_openings(&decided, 0.6, 0.0).expect("games");
        assert!((found.value - 0.6).abs() < 0.05, "{found:?}");
        assert!(found.high - found.low > 0.4, "{found:?}");
    }

    /// A network that misjudges the empty board and openings, which seem decided to it: full steps
    /// would go back and forth.
    #[test]
    fn the_maximum_is_found_where_results_contradict_the_chances() {
        for contradicting in [10, 15, 20, 25] {
            let mixed =
                [moved(0.99, 0.002, contradicting, 50), moved(0.99, 0.998, 50 - contradicting, 50)]
                    .concat();
            let Fit { log_odds, .. } = Fit::of(&mixed);
            let gradient_is_zero = (0..400).map(|step| f64::from(step) / 100.0).any(|confidence| {
                Derivatives::at(&mixed, log_odds, confidence).gradient[0].abs() < 0.5
            });
            assert!(gradient_is_zero, "{contradicting}: {log_odds}");
            let found = without_openings(&mixed, 0.99, 0.0).expect("games");
            assert!(found.low < found.value && found.value < found.high, "{found:?}");
        }
    }

    #[test]
    fn no_interval_is_empty() {
        for (opened, wins) in [(0.5, 0), (0.5, 100), (0.995, 0), (0.995, 100), (0.005, 100)] {
            let found = without_openings(&games(opened, wins, 100), 0.5, 0.0).expect("games");
            assert!(found.low < found.value && found.value < found.high, "{opened}: {found:?}");
        }
        for wins in [0, 100] {
            let found = without_openings(&games(0.5, wins, 100), 0.5, 0.0).expect("games");
            assert!(found.high - found.low < 0.1, "{wins}: {found:?}");
        }
    }
}
