//! Who is ahead, and what makes the game even.

use std::ops::RangeInclusive;

use search::Random;

use crate::balance::{
    Candidate, CompensationLevel, Evidence, FairPoint, TestedCompensation, fair_point,
};
use crate::lab::together;
use crate::opening_correction::{OpenedGame, logit};

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

/// One network's games at several komi from shared openings.
#[derive(Clone, Copy)]
struct KomiStudy<'a> {
    komis: &'a [f64],
    fair: f64,
    /// How much openings differ, in points.
    spread: f64,
    /// How many points more than White Black gains by drawn openings, on average.
    favour: f64,
    /// Standard deviation of the network's error about each single opening, in points.
    opening_error: f64,
    openings: usize,
    /// Openings drawn for each one kept: those that the network thinks nearest to the empty board.
    drawn_per_kept: usize,
    /// The share of games that are drawn whatever happens.
    draws: f64,
    /// Standard deviation of the result of games from one opening, in points.
    play: f64,
    /// The network overestimates White by this many points, on the empty board and after openings.
    error: f64,
    /// How sure the network is: the logits of its chances are those of its points times this.
    confidence: f64,
    /// How far the search of the empty board is off, in logits, and how wrong it thinks that it may
    /// be.
    search_error: f64,
}

const STUDY: KomiStudy<'static> = KomiStudy {
    komis: &TESTED,
    fair: 9.0,
    spread: 4.0,
    favour: 0.0,
    opening_error: 0.0,
    openings: 100,
    drawn_per_kept: 1,
    draws: 0.0,
    play: POINTS,
    error: 0.5,
    confidence: 1.0,
    search_error: 0.0,
};

impl KomiStudy<'_> {
    /// Black's true share of the points when this many points ahead.
    fn wins(&self, ahead: f64) -> f64 {
        self.draws / 2.0 + (1.0 - self.draws) * normal_below(ahead / self.play)
    }

    /// What the network says.
    fn said(&self, ahead: f64) -> f64 {
        let true_chance = self.wins(ahead - self.error).clamp(1e-9, 1.0 - 1e-9);
        let odds = (true_chance / (1.0 - true_chance)).powf(self.confidence);
        odds / (1.0 + odds)
    }

    fn drawn(&self, chance: &mut Chance) -> Opening {
        Opening {
            gained: self.favour + self.spread * chance.normal(),
            misjudged: match self.opening_error {
                0.0 => 0.0,
                error => error * chance.normal(),
            },
        }
    }

    /// Openings, judged at the fair komi by searches that differ a little from those of the games.
    fn kept(&self, chance: &mut Chance) -> Vec<Opening> {
        if self.drawn_per_kept == 1 {
            return (0..self.openings).map(|_| self.drawn(chance)).collect();
        }
        let empty = logit(self.said(0.0));
        let mut judged: Vec<(f64, Opening)> = (0..self.openings * self.drawn_per_kept)
            .map(|_| {
                let opening = self.drawn(chance);
                let searched = self.opening_error / 2.0 * chance.normal();
                let said = self.said(opening.gained + opening.misjudged + searched);
                ((logit(said) - empty).abs(), opening)
            })
            .collect();
        judged.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        judged.into_iter().take(self.openings).map(|(_, opening)| opening).collect()
    }

    fn played(&self, chance: &mut Chance) -> Vec<CompensationLevel> {
        let KomiStudy { fair, draws, play, .. } = *self;
        let openings = self.kept(chance);
        self.komis
            .iter()
            .map(|&komi| {
                let games = openings.iter().map(|Opening { gained, misjudged }| {
                    let ahead = fair + gained - komi;
                    let share = match chance.happens(draws) {
                        true => 0.5,
                        false => f64::from(u8::from(ahead + play * chance.normal() > 0.0)),
                    };
                    Evidence { share, expected: self.said(ahead + misjudged) }
                });
                let (games, said) = (games.collect(), self.said(fair - komi));
                let odds = said / (1.0 - said) * self.search_error.exp();
                let (empty, doubt) = (odds / (1.0 + odds), self.search_error.abs());
                CompensationLevel { compensation: komi, empty, doubt, games }
            })
            .collect()
    }
}

/// An opening, in points for Black.
struct Opening {
    gained: f64,
    /// How much more than that the network thinks, besides its error about all positions.
    misjudged: f64,
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
                    let study = KomiStudy { fair, spread, openings, draws, error: 1.0, ..STUDY };
                    for _ in 0..STUDIES {
                        let found = fair_point(&together(&[study.played(&mut chance)]));
                        counts.enter("fair komi", held(found, fair..=fair));
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
            let study = KomiStudy { fair, spread, draws, ..STUDY };
            let seed = Random::derive(17, kind as u64);
            shares_are_held(
                &study,
                STUDIES,
                seed,
                &format!("fair {fair} ± {spread}, draws {draws}"),
            );
        }
    }
}

fn shares_are_held(study: &KomiStudy<'_>, studies: usize, seed: Random, kind: &str) {
    let (mut chance, mut counts) = (Chance(seed), CoverageCounts::default());
    for level in (0..studies).flat_map(|_| study.played(&mut chance)) {
        let truth = study.wins(study.fair - level.compensation);
        let found = Candidate::of(&[&level]).and_then(|all| all.black()).expect("games");
        counts.estimate(&format!("share at {}", level.compensation), found, truth);
    }
    counts.close(kind);
}

/// A search of the empty board that is as wrong as it thinks it may be, at all chances.
#[test]
fn the_shares_are_held_where_the_empty_board_is_misjudged() {
    for search_error in [-1.0, 0.5] {
        for fair in [9.0, 30.0, -15.0] {
            let study = KomiStudy { fair, search_error, ..STUDY };
            let seed = Random::derive(37, fair.to_bits());
            let kind = format!("fair {fair}, searches off by {search_error}");
            shares_are_held(&study, STUDIES / 2, seed, &kind);
        }
    }
}

/// Strong players: openings differ more than their play, so that most of them decide the game, by
/// networks that misjudge it and are too sure of themselves, or not sure enough. (Where openings
/// differ by five times as much, and a network is as much too sure as here with 400 games of each,
/// a tenth of the intervals miss.)
#[test]
fn the_shares_are_held_where_openings_decide() {
    for (play, spread, error) in
        [(4.0, 8.0, 1.0), (2.0, 4.0, 0.5), (1.6, 8.0, 0.5), (1.6, 2.0, 0.8)]
    {
        for (openings, confidence) in [(50, 1.0), (400, 1.0), (50, 1.4), (400, 1.2), (50, 0.75)] {
            let study = KomiStudy {
                komis: &[8.0, 9.5],
                play,
                spread,
                error,
                openings,
                confidence,
                ..STUDY
            };
            let seed = Random::derive(29, openings as u64);
            let kind = format!("play {play}, spread {spread}, {openings}, {confidence}");
            shares_are_held(&study, STUDIES / 2, seed, &kind);
        }
    }
}

/// As the laboratory has it: openings that favour one player and mostly decide the game, of which
/// those are kept that seem as balanced as the empty board, by a network that is wrong about each,
/// and wrong in another way when it begins to play. (Where it is wrong about each by half of what
/// play scatters, an eighth of the intervals from 200 openings miss, and a fifth of those from
/// 400.)
#[test]
fn the_shares_are_held_with_openings_that_seem_balanced() {
    for (play, spread, favour, opening_error) in [
        (1.6, 3.0, 0.0, 0.5),
        (1.6, 3.0, 2.0, 0.5),
        (1.6, 3.0, -2.0, 0.5),
        (1.6, 6.0, 5.0, 0.5),
        (4.0, 8.0, 4.0, 1.0),
    ] {
        for (openings, confidence) in
            [(50, 1.0), (100, 1.0), (200, 1.0), (400, 1.0), (100, 1.4), (200, 0.75)]
        {
            let study = KomiStudy {
                komis: &[8.0, 9.5],
                play,
                spread,
                favour,
                opening_error,
                openings,
                confidence,
                drawn_per_kept: 4,
                ..STUDY
            };
            let seed = Random::derive(41, openings as u64);
            let kind =
                format!("play {play}, spread {spread}, favour {favour}, {openings}, {confidence}");
            shares_are_held(&study, STUDIES / 2, seed, &kind);
        }
    }
}

/// The interval from three networks, each of which is wrong by a few points of its own, covers the
/// mean network's fair komi. The laboratory plays further komi while the fair one of any network
/// lies beyond those played. (The longest of these tests by far: it uses more than one core.)
#[test]
fn the_fair_komi_of_three_networks_is_held() {
    let komis: Vec<f64> = (-4..13).map(|step| 0.5 + 2.0 * f64::from(step)).collect();
    std::thread::scope(|scope| {
        for (kind, spread) in SPREADS.into_iter().enumerate() {
            let seed = Random::derive(kind as u64, 71);
            let study = KomiStudy { komis: &komis, spread, draws: 0.1, ..STUDY };
            scope.spawn(move || fair_komi_of_three_networks_is_held(study, seed));
        }
    });
}

fn fair_komi_of_three_networks_is_held(study: KomiStudy<'_>, seed: Random) {
    for apart in [0.0, 1.0, 3.0] {
        for fair in [9.0, 6.5] {
            let mut chance = Chance(seed.clone());
            let mut counts = CoverageCounts::default();
            for _ in 0..STUDIES {
                let networks: Vec<Vec<CompensationLevel>> = (0..3)
                    .map(|_| {
                        let own = fair + apart * chance.normal();
                        KomiStudy { fair: own, ..study }.played(&mut chance)
                    })
                    .collect();
                counts.enter("fair komi", held(fair_of(&networks), fair..=fair));
            }
            counts.close(&format!("fair {fair}, apart by {apart}, spread {}", study.spread));
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
                            searched: 0.5,
                            doubt: 0.0,
                            games: openings
                                .iter()
                                .map(|opening| {
                                    let ahead = worth * (fair - f64::from(passes));
                                    let margin = ahead + opening + POINTS * chance.normal();
                                    OpenedGame::new(f64::from(u8::from(margin > 0.0)), 0.5, 0.5)
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
