//! What makes the game even: komi, prisoners to start with, or passes for White.

use engine::{Color, Ending, Family, Komi, Rules};

use crate::{GameRecord, Random};

/// What the second player can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compensation {
    /// Points.
    Komi,
    /// Prisoners at the start (Black's if negative).
    Prisoners,
    /// Passes.
    Passes,
}

/// The compensation at which both win as often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FairPoint {
    /// Lower end of the 95 % interval, value, upper end.
    pub values: [f64; 3],
}

const RESAMPLINGS: usize = 200;

impl Compensation {
    /// What these rules have.
    pub fn of(rules: &Rules) -> Compensation {
        match rules.family {
            Family::AlterIgo => Compensation::Passes,
            Family::Conquest => Compensation::Komi,
            Family::Go => match rules.end {
                Ending::Area => Compensation::Komi,
                Ending::PrisonerReturn => Compensation::Prisoners,
            },
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Compensation::Komi => "komi",
            Compensation::Prisoners => "prisoners at the start",
            Compensation::Passes => "passes of White",
        }
    }

    /// The rules with their own compensation and so many steps less and more; half points for komi, so that no game is
    /// a tie by score.
    pub(super) fn levels(self, rules: &Rules, steps: i16) -> Vec<(f64, Rules)> {
        match self {
            Compensation::Komi => (-steps..=steps)
                .filter_map(|step| {
                    let komi = Komi::new(rules.komi.value().floor() + 0.5 + 2.0 * f32::from(step))?;
                    Some((f64::from(komi.value()), Rules { komi, ..*rules }))
                })
                .collect(),
            Compensation::Prisoners => (-steps..=steps)
                .filter_map(|step| {
                    let komi = Komi::new(rules.komi.value().floor() + f32::from(step))?;
                    Some((f64::from(komi.value()), Rules { komi, ..*rules }))
                })
                .collect(),
            Compensation::Passes => (0..=2 * steps.unsigned_abs())
                .map(|white_passes| (f64::from(white_passes), Rules { white_passes, ..*rules }))
                .collect(),
        }
    }
}

/// Black's share of the points in a pair of games of the agent against itself.
pub(super) fn black_share(pair: &[GameRecord]) -> f64 {
    let points: usize = pair.iter().map(|game| game.half_points(Color::Black)).sum();
    points as f64 / (2 * pair.len().max(1)) as f64
}

/// Where a logistic curve through Black's scores crosses one half, with the interval over resampled pairs.
pub(super) fn fair_point(results: &[(f64, Vec<f64>)], random: &mut Random) -> Option<FairPoint> {
    let value = crossing(results)?;
    let mut values: Vec<f64> = (0..RESAMPLINGS)
        .filter_map(|_| {
            let drawn: Vec<(f64, Vec<f64>)> = results
                .iter()
                .map(|(level, pairs)| {
                    let draw = |_| random.choose(pairs);
                    (*level, (0..pairs.len()).filter_map(draw).collect())
                })
                .collect();
            crossing(&drawn)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get((share * (values.len().max(1) - 1) as f64).round() as usize);
    Some(FairPoint { values: [*at(0.025)?, value, *at(0.975)?] })
}

/// The level at which σ(a − b · level) is one half, by Newton's method on the likelihood; `None` where more
/// compensation does not help White.
fn crossing(results: &[(f64, Vec<f64>)]) -> Option<f64> {
    let games: f64 = results.iter().map(|(_, pairs)| pairs.len() as f64).sum();
    let center =
        results.iter().map(|(x, pairs)| x * pairs.len() as f64).sum::<f64>() / games.max(1.0);
    let (mut a, mut b) = (0.0, 0.0);
    for _ in 0..100 {
        // A weak prior keeps the curve finite where all games at a level end alike.
        let (mut ga, mut gb) = (-0.01 * a, -0.01 * b);
        let (mut aa, mut ab, mut bb) = (0.01, 0.0, 0.01);
        for (level, pairs) in results {
            let x = -(level - center);
            let p = 1.0 / (1.0 + (-(a + b * x)).exp());
            for share in pairs {
                ga += share - p;
                gb += (share - p) * x;
            }
            let weight = pairs.len() as f64 * p * (1.0 - p);
            (aa, ab, bb) = (aa + weight, ab + weight * x, bb + weight * x * x);
        }
        let determinant = aa * bb - ab * ab;
        let step = ((bb * ga - ab * gb) / determinant, (aa * gb - ab * ga) / determinant);
        let scale = (1.0 / step.0.abs().max(step.1.abs()).max(1e-300)).min(1.0);
        (a, b) = (a + scale * step.0, b + scale * step.1);
        if step.0.abs().max(step.1.abs()) < 1e-10 {
            break;
        }
    }
    let fair = center + a / b;
    (b > 1e-3 && fair.is_finite()).then_some(fair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_fair_komi_is_found() {
        let mut random = Random::new(4);
        let results: Vec<(f64, Vec<f64>)> = [0.5, 2.5, 4.5, 6.5, 8.5]
            .into_iter()
            .map(|komi: f64| {
                let black = 1.0 / (1.0 + (0.4 * (komi - 5.2)).exp());
                let mut game =
                    || f64::from(u8::from((random.below(10_000) as f64) < 10_000.0 * black));
                (komi, (0..400).map(|_| (game() + game()) / 2.0).collect())
            })
            .collect();
        let fair = fair_point(&results, &mut random).expect("a crossing");
        let [low, value, high] = fair.values;
        assert!(low < 5.2 && 5.2 < high && high - low < 1.5, "{fair:?}");
        assert!(low < value && value < high);
    }

    #[test]
    fn useless_compensation_has_no_fair_point() {
        let results = vec![(0.0, vec![1.0; 10]), (1.0, vec![1.0; 10])];
        assert_eq!(fair_point(&results, &mut Random::new(1)).map(|_| ()), None);
    }
}
