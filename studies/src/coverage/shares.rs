//! Shares and strength.

use arena::{Estimate, Pentanomial, elo_of_score};
use search::Random;

use super::{Chance, CoverageCounts, POINTS, SPREADS, STUDIES};

/// What twice the simulations are worth, where openings favour one of the colours.
#[test]
fn the_worth_of_doubling_is_held() {
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for ahead in [0.0, 4.0, 15.0] {
            let mut chance = Chance(Random::derive(41, kind as u64));
            let mut pairs = |count: usize| {
                let mut pairs = Pentanomial::default();
                for _ in 0..count {
                    let opening = spread * chance.normal();
                    let mut won =
                        |margin: f64| 2 * usize::from(margin + POINTS * chance.normal() > 0.0);
                    pairs.add(won(ahead + opening) + won(ahead - opening));
                }
                pairs
            };
            let truth = elo_of_score(pairs(300_000).score());
            let mut counts = CoverageCounts::default();
            for _ in 0..STUDIES {
                let elo = pairs(100).elo();
                assert!(elo.low < elo.high);
                counts.enter("Elo", elo.low <= truth && truth <= elo.high);
            }
            counts.close(&format!("ahead by {ahead}, spread {spread}"));
        }
    }
}

/// Shares from none to all, separately.
#[test]
fn shares_from_none_to_all_are_held() {
    for percent in [0.0, 0.1, 1.0, 3.0, 10.0, 30.0, 50.0, 80.0, 97.0, 99.9, 100.0] {
        for games in [8, 30, 100, 400] {
            let truth = percent / 100.0;
            let mut chance = Chance(Random::derive(43, games));
            let mut counts = CoverageCounts::default();
            for _ in 0..STUDIES {
                let happened: Vec<f64> =
                    (0..games).map(|_| f64::from(u8::from(chance.happens(truth)))).collect();
                let count = happened.iter().filter(|&&one| one == 1.0).count();
                let share = Estimate::share(count, games as usize).expect("games");
                counts.estimate("exact", share, truth);
                let mean = Estimate::mean(&happened, [0.0, 1.0]).expect("games");
                counts.estimate("mean", mean, truth);
            }
            counts.close(&format!("{percent} % of {games} games"));
        }
    }
}

/// Results with all shares of wins and draws; coverage holds for each, not only on average.
#[test]
#[ignore = "a minute"]
fn every_mix_of_results_is_held() {
    for draws in [0.0, 0.03, 0.3, 0.9, 0.97, 0.99] {
        for won in [0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0] {
            for games in [20, 50, 100, 400] {
                let truth = draws / 2.0 + (1.0 - draws) * won;
                let mut chance = Chance(Random::derive(47, games));
                let studies = 10_000;
                let misses = (0..studies)
                    .filter(|_| {
                        let result = |_| match chance.happens(draws) {
                            true => 0.5,
                            false => f64::from(u8::from(chance.happens(won))),
                        };
                        let results: Vec<f64> = (0..games).map(result).collect();
                        let found = Estimate::mean(&results, [0.0, 1.0]).expect("games");
                        !(found.low - 1e-9..=found.high + 1e-9).contains(&truth)
                    })
                    .count();
                // 5 %, and two standard errors of that.
                let most = 0.05 + 2.0 * (0.05 * 0.95 / studies as f64).sqrt();
                let missed = misses as f64 / studies as f64;
                assert!(missed <= most, "{draws} {won} {games}: {missed}");
            }
        }
    }
}
