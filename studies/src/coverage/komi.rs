//! Who is ahead, and what makes the game even.

use std::ops::RangeInclusive;

use search::Random;

use crate::balance::{
    Candidate, CompensationLevel, Evidence, FairPoint, TestedCompensation, fair_point,
};
use crate::lab::together;

use super::{Chance, CoverageCounts, POINTS, SPREADS, STUDIES};

fn held(fair: Option<FairPoint>, truth: RangeInclusive<f64>) -> bool {
    let Some(fair) = fair else { return false };
    let low = match fair.low {
        TestedCompensation::Below(_) => f64::NEG_INFINITY,
        TestedCompensation::At(low) | TestedCompensation::Above(low) => low,
    };
    let high = match fair.high {
        TestedCompensation::Below(high) | TestedCompensation::At(high) => high,
        TestedCompensation::Above(_) => f64::INFINITY,
    };
    assert!(low < high, "{fair:?}");
    low <= *truth.end() && *truth.start() <= high
}

/// The komi that are played.
const TESTED: [f64; 5] = [5.5, 7.5, 9.5, 11.5, 13.5];

/// One network's games at several komi from shared openings. Its evaluations of the empty board and
/// after openings may be wrong in the same way: it thinks that White is ahead by `error` points too
/// many.
fn komi_study(
    komis: &[f64],
    chance: &mut Chance,
    fair: f64,
    spread: f64,
    openings: usize,
    draws: f64,
    error: f64,
) -> Vec<CompensationLevel> {
    let openings: Vec<f64> = (0..openings).map(|_| spread * chance.normal()).collect();
    komis
        .iter()
        .map(|&komi| {
            let wins = |ahead: f64| draws / 2.0 + (1.0 - draws) * normal_below(ahead / POINTS);
            let games = openings.iter().map(|opening| {
                let share = match chance.happens(draws) {
                    true => 0.5,
                    false => f64::from(u8::from(fair + opening + POINTS * chance.normal() > komi)),
                };
                Evidence { share, expected: wins(fair + opening - error - komi) }
            });
            let empty = wins(fair - error - komi);
            CompensationLevel { compensation: komi, empty, doubt: 0.0, games: games.collect() }
        })
        .collect()
}

/// The normal distribution function, by its series.
fn normal_below(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return f64::from(u8::from(x > 0.0));
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-12 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

#[test]
fn the_fair_komi_is_held() {
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for openings in [30, 200] {
            for draws in [0.0, 0.4] {
                // Inside the tested range, near its end, at it, and beyond it.
                for fair in [9.0, 6.5, 14.0, 3.0] {
                    let mut chance = Chance(Random::derive(kind as u64, openings as u64));
                    let mut counts = CoverageCounts::default();
                    for _ in 0..STUDIES {
                        let levels =
                            komi_study(&TESTED, &mut chance, fair, spread, openings, draws, 1.0);
                        counts.enter(
                            "fair komi",
                            held(fair_point(&together(&[levels])), fair..=fair),
                        );
                    }
                    counts.close(&format!("{fair} ± {spread}, {openings} openings, {draws}"));
                }
            }
        }
    }
}

/// The share at every komi, from few to nearly all games won, some of them drawn.
#[test]
fn the_shares_at_the_levels_are_held() {
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for (fair, draws) in [(9.0, 0.0), (-20.0, 0.0), (9.0, 0.5), (40.0, 0.1), (9.0, 1.0)] {
            let mut chance = Chance(Random::derive(17, kind as u64));
            let mut counts = CoverageCounts::default();
            for _ in 0..STUDIES {
                for level in komi_study(&TESTED, &mut chance, fair, spread, 100, draws, 0.5) {
                    let ahead = (fair - level.compensation) / POINTS;
                    let truth = draws / 2.0 + (1.0 - draws) * normal_below(ahead);
                    let found =
                        Candidate::of(&[&level]).and_then(|all| all.black()).expect("games");
                    counts.estimate(&format!("share at {}", level.compensation), found, truth);
                }
            }
            counts.close(&format!("fair {fair} ± {spread}, draws {draws}"));
        }
    }
}

/// The interval from three networks, each of which is wrong by a few points of its own, covers the
/// mean network's fair komi. The laboratory plays further komi while the fair one of any network
/// lies beyond those played.
#[test]
fn the_fair_komi_of_three_networks_is_held() {
    let komis: Vec<f64> = (-4..13).map(|step| 0.5 + 2.0 * f64::from(step)).collect();
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for apart in [0.0, 1.0, 3.0] {
            for fair in [9.0, 6.5] {
                let mut chance = Chance(Random::derive(kind as u64, 71));
                let mut counts = CoverageCounts::default();
                for _ in 0..STUDIES {
                    let networks: Vec<Vec<CompensationLevel>> = (0..3)
                        .map(|_| {
                            let own = fair + apart * chance.normal();
                            komi_study(&komis, &mut chance, own, spread, 100, 0.1, 0.5)
                        })
                        .collect();
                    counts.enter("fair komi", held(fair_of(&networks), fair..=fair));
                }
                counts.close(&format!("fair {fair}, apart by {apart}, spread {spread}"));
            }
        }
    }
}

/// As the laboratory has it.
fn fair_of(networks: &[Vec<CompensationLevel>]) -> Option<FairPoint> {
    let each = networks.iter().map(|levels| fair_point(&together(std::slice::from_ref(levels))));
    let found: Vec<FairPoint> = each.flatten().collect();
    fair_point(&together(networks)).map(|all| FairPoint::across(&found, all, [-7.5, 24.5]))
}

/// Passes or prisoners, of which each is worth some points: steeply, hardly, or nothing at all.
#[test]
fn the_fair_number_of_passes_is_held() {
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for worth in [12.0, 4.0, 0.5] {
            for fair in [0.5, 2.5, 6.0] {
                let mut chance = Chance(Random::derive(23, kind as u64));
                let mut counts = CoverageCounts::default();
                for _ in 0..STUDIES {
                    let openings: Vec<f64> = (0..100).map(|_| spread * chance.normal()).collect();
                    let levels: Vec<Candidate> = (0..5)
                        .map(|passes| Candidate {
                            compensation: f64::from(passes),
                            doubt: 0.0,
                            shares: openings
                                .iter()
                                .map(|opening| {
                                    let ahead = worth * (fair - f64::from(passes));
                                    let margin = ahead + opening + POINTS * chance.normal();
                                    f64::from(u8::from(margin > 0.0))
                                })
                                .collect(),
                        })
                        .collect();
                    counts.enter("fair passes", held(fair_point(&levels), fair..=fair));
                }
                counts.close(&format!("fair {fair}, each worth {worth}, spread {spread}"));
            }
        }
    }
}
