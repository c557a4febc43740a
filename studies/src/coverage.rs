//! Simulated studies with a known truth: every interval of a report must cover it as often as it claims.
//!
//! Studies are made of games that share their openings. An opening is worth a number of points to one colour, or
//! changes the length and course of a game; everything else is chance.

use std::ops::RangeInclusive;

use arena::{Estimate, Pentanomial, elo_of_score};
use engine::{Color, IllegalMove, Point, Reason, Rules};
use game::EndReason;
use search::Random;

use crate::balance::{Candidate, Evidence, Level, Tested, black, fair_point};
use crate::events::{
    Ban, Conquest, ConquestEvents, Events, HotStone, HotStoneEvents, KoFight, Tile, TileEvents,
};
use crate::lab::{differences, together};
use crate::observe::{Seen, Story};
use crate::other_rules::{self, DifferentPlacements, GameUnderOtherRules, Opinions};
use crate::summary::Observations;

/// Studies of one kind.
const STUDIES: usize = 500;

/// How many of them may miss the truth: 7 %.
const MISSES: usize = 35;

/// Standard deviation of the result of a game from one opening, in points: what the released models have on 7×7.
const POINTS: f64 = 11.0;

/// How much openings differ, in points.
const SPREADS: [f64; 4] = [0.0, 2.0, 4.0, 8.0];

struct Chance(Random);

impl Chance {
    fn unit(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// By Box and Muller's method.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Whether intervals covered the truth, by name.
#[derive(Default)]
struct Ledger(Vec<(String, usize, usize)>);

impl Ledger {
    fn enter(&mut self, name: &str, held: bool) {
        let missed = usize::from(!held);
        match self.0.iter_mut().find(|(known, ..)| known == name) {
            Some((_, studies, misses)) => (*studies, *misses) = (*studies + 1, *misses + missed),
            None => self.0.push((name.to_owned(), 1, missed)),
        }
    }

    fn estimate(&mut self, name: &str, estimate: Estimate, truth: f64) {
        assert!(estimate.low < estimate.high, "{name} has an empty interval: {estimate:?}");
        assert!((estimate.low..=estimate.high).contains(&estimate.value), "{name}: {estimate:?}");
        // Sums of decimal fractions have rounding errors.
        self.enter(name, (estimate.low - 1e-9..=estimate.high + 1e-9).contains(&truth));
    }

    fn close(self, kind: &str) {
        assert!(!self.0.is_empty());
        for (name, studies, misses) in self.0 {
            assert!(misses * STUDIES <= MISSES * studies, "{kind}, {name}: {misses} of {studies}");
        }
    }
}

fn held(fair: Option<crate::FairPoint>, truth: RangeInclusive<f64>) -> bool {
    let Some(fair) = fair else { return false };
    let low = match fair.low {
        Tested::Below(_) => f64::NEG_INFINITY,
        Tested::At(low) | Tested::Above(low) => low,
    };
    let high = match fair.high {
        Tested::Below(high) | Tested::At(high) => high,
        Tested::Above(_) => f64::INFINITY,
    };
    assert!(low < high, "{fair:?}");
    low <= *truth.end() && *truth.start() <= high
}

/// The komi that are played.
const TESTED: [f64; 5] = [5.5, 7.5, 9.5, 11.5, 13.5];

/// One network's games at several komi from shared openings. What it says of the empty board and after openings may be
/// wrong in the same way: it takes White to be ahead by `error` points too many.
fn komi_study(
    komis: &[f64],
    chance: &mut Chance,
    fair: f64,
    spread: f64,
    openings: usize,
    draws: f64,
    error: f64,
) -> Vec<Level> {
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
            Level { compensation: komi, games: games.collect(), empty: wins(fair - error - komi) }
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
                    let mut ledger = Ledger::default();
                    for _ in 0..STUDIES {
                        let levels =
                            komi_study(&TESTED, &mut chance, fair, spread, openings, draws, 1.0);
                        ledger.enter(
                            "fair komi",
                            held(fair_point(&together(&[levels])), fair..=fair),
                        );
                    }
                    ledger.close(&format!("{fair} ± {spread}, {openings} openings, {draws}"));
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
            let mut ledger = Ledger::default();
            for _ in 0..STUDIES {
                for level in komi_study(&TESTED, &mut chance, fair, spread, 100, draws, 0.5) {
                    let ahead = (fair - level.compensation) / POINTS;
                    let truth = draws / 2.0 + (1.0 - draws) * normal_below(ahead);
                    let found = black(&level.corrected().collect::<Vec<_>>()).expect("games");
                    ledger.estimate(&format!("share at {}", level.compensation), found, truth);
                }
            }
            ledger.close(&format!("fair {fair} ± {spread}, draws {draws}"));
        }
    }
}

/// Three networks that differ, each by a few points of its own: the mean network's fair komi is held. The laboratory plays
/// further komi while the fair one of any network lies beyond those played.
#[test]
fn the_fair_komi_of_three_networks_is_held() {
    let komis: Vec<f64> = (-4..13).map(|step| 0.5 + 2.0 * f64::from(step)).collect();
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for apart in [0.0, 1.0, 3.0] {
            for fair in [9.0, 6.5] {
                let mut chance = Chance(Random::derive(kind as u64, 71));
                let mut ledger = Ledger::default();
                for _ in 0..STUDIES {
                    let networks: Vec<Vec<Level>> = (0..3)
                        .map(|_| {
                            let own = fair + apart * chance.normal();
                            komi_study(&komis, &mut chance, own, spread, 100, 0.1, 0.5)
                        })
                        .collect();
                    ledger.enter("fair komi", held(fair_of(&networks), fair..=fair));
                }
                ledger.close(&format!("fair {fair}, apart by {apart}, spread {spread}"));
            }
        }
    }
}

/// As the laboratory has it.
fn fair_of(networks: &[Vec<Level>]) -> Option<crate::FairPoint> {
    let each = networks.iter().map(|levels| fair_point(&together(std::slice::from_ref(levels))));
    let found: Vec<crate::FairPoint> = each.flatten().collect();
    fair_point(&together(networks)).map(|all| crate::FairPoint::across(&found, all, [-7.5, 24.5]))
}

/// Passes or prisoners, of which each is worth some points: steeply, hardly, or nothing at all.
#[test]
fn the_fair_number_of_passes_is_held() {
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for worth in [12.0, 4.0, 0.5] {
            for fair in [0.5, 2.5, 6.0] {
                let mut chance = Chance(Random::derive(23, kind as u64));
                let mut ledger = Ledger::default();
                for _ in 0..STUDIES {
                    let openings: Vec<f64> = (0..100).map(|_| spread * chance.normal()).collect();
                    let levels: Vec<Candidate> = (0..5)
                        .map(|passes| Candidate {
                            compensation: f64::from(passes),
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
                    ledger.enter("fair passes", held(fair_point(&levels), fair..=fair));
                }
                ledger.close(&format!("fair {fair}, each worth {worth}, spread {spread}"));
            }
        }
    }
}

/// The distribution of a kind of games, by opening.
#[derive(Clone, Copy)]
struct Kind {
    /// Black's winning chance and the share of draws.
    black: f64,
    draws: f64,
    /// How much openings differ in the following figures, relative to them.
    spread: f64,
    /// Turns and their standard deviation; how often a game reaches the move limit.
    turns: f64,
    deviation: f64,
    endless: f64,
    /// How often anything rare happens in a game: a capture, a change of the lead, a win from behind.
    rare: f64,
}

fn whole(value: f64, most: f64) -> f64 {
    value.round().clamp(1.0, most)
}

fn game(kind: Kind, rules: &Rules, chance: &mut Chance) -> Seen {
    let factor = 1.0 + kind.spread * (2.0 * chance.unit() - 1.0);
    let limit = f64::from(rules.max_moves);
    let turns = match chance.happens(kind.endless) {
        true => limit,
        false => whole(kind.turns * factor + kind.deviation * chance.normal(), limit),
    };
    let drawn = chance.happens(kind.draws);
    let black = if drawn { 0.5 } else { f64::from(u8::from(chance.happens(kind.black))) };
    let rare = |chance: &mut Chance| chance.happens(kind.rare);
    let legal: Vec<f64> =
        (0..turns as usize).map(|turn| (50.0 - turn as f64 * factor).max(1.0).round()).collect();
    let banned = if rare(chance) { 0.3 * chance.unit() } else { 0.0 };
    let end = match (turns >= limit, drawn) {
        (true, _) => Reason::MoveLimit,
        (false, true) => Reason::Repetition,
        (false, false) => Reason::Passes,
    };
    Seen {
        turns_taken: Vec::new(),
        black,
        end: EndReason::Rules(end),
        turns: turns as usize,
        captured: if rare(chance) { 10 } else { 0 } + (4.0 * chance.unit() * factor) as usize,
        legal,
        effective: 5.0 + 3.0 * factor + chance.normal().clamp(-3.0, 3.0),
        bans: vec![banned; rules.possible_bans().len()],
        banned,
        wanted: Some(banned / 3.0),
        story: Story {
            beginning: (0.5 + 0.2 * (factor - 1.0) + 0.1 * chance.normal()).clamp(0.0, 1.0),
            decided: (!drawn && !rare(chance)).then_some((0.7 * turns) as usize),
            lead_changes: (0..6).filter(|_| rare(chance)).count(),
            volatility: 0.05 * factor * chance.unit(),
            drama: (!drawn).then(|| if rare(chance) { 0.4 * chance.unit() } else { 0.0 }),
            comeback: (!drawn).then(|| rare(chance)),
        },
        chances: Vec::new(),
        events: events(kind, turns as usize, factor, chance),
    }
}

/// What happens by the rules: more of it from some openings, some of it in few games, and a lot in few of those.
fn events(kind: Kind, turns: usize, factor: f64, chance: &mut Chance) -> Events {
    let point = Point::new(0, 0);
    let mut times = || -> Vec<usize> {
        let common = (3.0 * chance.unit() * factor) as usize;
        let many = if chance.happens(kind.rare * 0.1) { 12 } else { common };
        let count = if chance.happens(kind.rare) { many } else { 0 };
        let mut times: Vec<usize> =
            (0..count).map(|_| (chance.unit() * turns as f64) as usize).collect();
        times.sort_unstable();
        times
    };
    let [fights, tiles, forbidding, hot, unusual, won, bans, passes] = [(); 8].map(|()| times());
    let fight = |&first: &usize| KoFight {
        first,
        last: first + 3 * (first % 4),
        captures: 2 + first % 4,
        threats: first % 4,
        banned: first % 3,
    };
    let conquest = |&turn: &usize| Conquest {
        turn,
        player: Color::Black,
        points: 1 + 7 * turn % 30,
        reconquered: turn % 2,
        stones: 0,
        walls: turn % 3,
    };
    let tile = |(index, &turn): (usize, &usize)| Tile { turn, point, height: 1 + index as u8 / 9 };
    Events {
        bans: Some(bans.iter().map(|&turn| Ban { turn, point, reason: IllegalMove::Ko }).collect()),
        ko_fights: Some(fights.iter().map(fight).collect()),
        tiles: Some(TileEvents { tiles: tiles.iter().enumerate().map(tile).collect(), forbidding }),
        returned: Some(passes.len()),
        hot_stones: Some(HotStoneEvents {
            stones: hot
                .iter()
                .map(|&turn| HotStone { turn, point, is_simple: turn % 3 > 0 })
                .collect(),
            odd_cycles: unusual.len() / 2,
            unusual_bans: unusual,
        }),
        conquests: Some(ConquestEvents {
            kept: [0, 1, 2].map(|walls| 5 * won.iter().filter(|&&turn| turn % 3 == walls).count()),
            conquests: won.iter().map(conquest).collect(),
        }),
        passes: Some(passes.len()),
    }
}

const PLAIN: Kind = Kind {
    black: 0.55,
    draws: 0.1,
    spread: 0.3,
    turns: 45.0,
    deviation: 8.0,
    endless: 0.0,
    rare: 0.3,
};

const KINDS: [Kind; 8] = [
    PLAIN,
    Kind { spread: 0.0, ..PLAIN },
    Kind { spread: 0.8, endless: 0.02, ..PLAIN },
    // All games alike, except for rare events.
    Kind { deviation: 0.0, spread: 0.0, rare: 0.01, draws: 0.0, ..PLAIN },
    Kind { black: 1.0, draws: 0.0, rare: 0.0, ..PLAIN },
    Kind { black: 0.01, draws: 0.01, endless: 0.005, rare: 1.0, ..PLAIN },
    Kind { draws: 0.99, ..PLAIN },
    Kind { draws: 1.0, ..PLAIN },
];

/// The figures of a summary, by name.
fn printed(observed: &Observations) -> Vec<(String, Estimate)> {
    let named = [&observed.statistics, &observed.ends, &observed.bans];
    let breadth = observed.breadth.iter().map(|b| (format!("breadth {}", b.turn), b.moves));
    named
        .into_iter()
        .flatten()
        .filter_map(|one| Some((one.name.clone(), one.estimate?)))
        .chain(breadth)
        .collect()
}

/// Every row and every point of a summary, for games in which things happen always, sometimes, or rarely.
fn summaries_hold(games: usize, studies: usize) {
    let rules = Rules::parse("incursion", 7).expect("rules");
    assert_eq!(rules.possible_ends().len(), 3);
    for (number, kind) in KINDS.into_iter().enumerate() {
        let mut chance = Chance(Random::derive(31, number as u64));
        let many: Vec<Seen> = (0..60_000).map(|_| game(kind, &rules, &mut chance)).collect();
        let truth = printed(&Observations::of(&many.iter().collect::<Vec<_>>(), &rules));
        let mut ledger = Ledger::default();
        for _ in 0..studies {
            let seen: Vec<Seen> = (0..games).map(|_| game(kind, &rules, &mut chance)).collect();
            for (name, estimate) in
                printed(&Observations::of(&seen.iter().collect::<Vec<_>>(), &rules))
            {
                // Few games reach the last turns, so their truth is estimated from few games, too.
                if let Some((_, known)) = truth.iter().find(|(other, _)| *other == name) {
                    ledger.estimate(&name, estimate, known.value);
                }
            }
        }
        ledger.close(&format!("kind {number}, {games} games"));
    }
}

#[test]
fn every_row_holds_its_truth() {
    summaries_hold(60, STUDIES);
}

#[test]
#[ignore = "a minute"]
fn every_row_holds_its_truth_whatever_the_number_of_games() {
    for games in [20, 30, 100, 200, 400, 1_000] {
        summaries_hold(games, 4 * STUDIES);
    }
}

/// The mean network's figures, from three networks that differ: each has distributions of its own.
#[test]
fn every_row_of_three_networks_holds_its_truth() {
    let rules = Rules::parse("incursion", 7).expect("rules");
    let mut chance = Chance(Random::new(83));
    let drawn = |chance: &mut Chance| {
        let shift = chance.normal();
        Kind { turns: 45.0 + 4.0 * shift, black: (0.55 + 0.05 * shift).clamp(0.0, 1.0), ..PLAIN }
    };
    let many: Vec<Seen> = (0..60_000)
        .map(|_| {
            let kind = drawn(&mut chance);
            game(kind, &rules, &mut chance)
        })
        .collect();
    let truth = printed(&Observations::of(&many.iter().collect::<Vec<_>>(), &rules));
    let mut ledger = Ledger::default();
    for _ in 0..STUDIES {
        let networks: Vec<Vec<Seen>> = (0..3)
            .map(|_| {
                let kind = drawn(&mut chance);
                (0..60).map(|_| game(kind, &rules, &mut chance)).collect()
            })
            .collect();
        let each: Vec<Observations> = networks
            .iter()
            .map(|seen| Observations::of(&seen.iter().collect::<Vec<_>>(), &rules))
            .collect();
        let all = Observations::of(&networks.iter().flatten().collect::<Vec<_>>(), &rules);
        for (name, estimate) in printed(&Observations::across(&each, all)) {
            // A quantile of the mixture is not the mean of the networks' quantiles.
            if name.contains("percentile") || name.contains("median") {
                continue;
            }
            if let Some((_, known)) = truth.iter().find(|(other, _)| *other == name) {
                ledger.estimate(&name, estimate, known.value);
            }
        }
    }
    ledger.close("three networks");
}

/// The same rules under two names are not called different, and a fair komi that is shifted by two points is found to be.
#[test]
fn rule_sets_that_do_not_differ_are_not_called_different() {
    let rules = Rules::parse("incursion", 7).expect("rules");
    let mut chance = Chance(Random::new(97));
    let mut wrong = 0;
    for _ in 0..STUDIES {
        let mut statistics = || -> Vec<Vec<crate::Statistic>> {
            (0..2)
                .map(|_| {
                    let seen: Vec<Seen> =
                        (0..25).map(|_| game(PLAIN, &rules, &mut chance)).collect();
                    Observations::of(&seen.iter().collect::<Vec<_>>(), &rules).statistics
                })
                .collect()
        };
        let (first, second) = (statistics(), statistics());
        let first: Vec<&[crate::Statistic]> = first.iter().map(Vec::as_slice).collect();
        let second: Vec<&[crate::Statistic]> = second.iter().map(Vec::as_slice).collect();
        wrong += usize::from(differences(&first, &second).iter().any(|one| one.certain));
    }
    assert!(wrong * 20 <= STUDIES, "{wrong} of {STUDIES}");
}

/// Games under other rules that hardly matter in most of them and a lot in some, or always the same.
#[test]
fn comparisons_with_other_rules_hold() {
    let rules = Rules::parse("tile", 7).expect("rules");
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for (usual, rare) in [(0.003, 0.0), (0.03, 0.02), (0.3, 0.3)] {
            let mut chance = Chance(Random::derive(53, kind as u64));
            let mut games = |count: usize| -> Vec<GameUnderOtherRules> {
                (0..count)
                    .map(|_| {
                        let opening = (spread / 8.0 * chance.normal()).exp();
                        let strange = if chance.happens(rare) { 0.5 } else { 0.0 };
                        let distance = (usual * opening * chance.unit() + strange).min(1.0);
                        let differing = (40.0 * distance) as usize;
                        let difference = DifferentPlacements {
                            turn: 0,
                            is_replayed: true,
                            only_here: Vec::new(),
                            only_there: Vec::new(),
                        };
                        let sign = if chance.happens(0.6) { 1.0 } else { -1.0 };
                        GameUnderOtherRules {
                            replayed: 40 - differing,
                            set_up: differing,
                            left_out: 0,
                            placements: Some([30.0 + chance.normal(), 30.0 - distance]),
                            differences: vec![difference; differing],
                            opinions: Some(Opinions {
                                divergence: 2.0 * distance,
                                agreement: 1.0 - distance,
                                black: sign * distance,
                                distance,
                            }),
                        }
                    })
                    .collect()
            };
            let truth = other_rules::statistics(&games(20_000), &rules);
            let mut ledger = Ledger::default();
            for _ in 0..STUDIES {
                for (found, known) in other_rules::statistics(&games(60), &rules).iter().zip(&truth)
                {
                    let [found, known_value] =
                        [found, known].map(|one| one.estimate.expect("games"));
                    ledger.estimate(&known.name, found, known_value.value);
                }
            }
            ledger.close(&format!("usually {usual}, sometimes {rare}, spread {spread}"));
        }
    }
}

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
            let mut ledger = Ledger::default();
            for _ in 0..STUDIES {
                let elo = pairs(100).elo();
                assert!(elo.low < elo.high);
                ledger.enter("Elo", elo.low <= truth && truth <= elo.high);
            }
            ledger.close(&format!("ahead by {ahead}, spread {spread}"));
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
            let mut ledger = Ledger::default();
            for _ in 0..STUDIES {
                let happened: Vec<f64> =
                    (0..games).map(|_| f64::from(u8::from(chance.happens(truth)))).collect();
                let count = happened.iter().filter(|&&one| one == 1.0).count();
                let share = Estimate::share(count, games as usize).expect("games");
                ledger.estimate("exact", share, truth);
                let mean = Estimate::mean(&happened, [0.0, 1.0]).expect("games");
                ledger.estimate("mean", mean, truth);
            }
            ledger.close(&format!("{percent} % of {games} games"));
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
