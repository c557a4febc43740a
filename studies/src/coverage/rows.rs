//! The figures of games.

use arena::Estimate;
use engine::{Color, IllegalMove, Point, Reason, Rules};
use game::EndReason;
use search::Random;

use crate::events::{
    BannedPlacement, Conquest, ConquestEvents, Events, HotStone, HotStoneEvents, KoFight,
    LastPoint, Tile, TileEvents,
};
use crate::lab::differences;
use crate::observe::{ObservedGame, Trajectory};
use crate::statistic::Statistic;
use crate::summary::Observations;

use super::{Chance, CoverageCounts, POINTS, STUDIES};

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
    /// How often rare things happen in a game: a capture, a change of the lead, a win from behind.
    rare: f64,
    /// Black's mean margin before komi.
    margin: f64,
}

fn whole(value: f64, most: f64) -> f64 {
    value.round().clamp(1.0, most)
}

fn game(kind: Kind, rules: &Rules, chance: &mut Chance) -> ObservedGame {
    let factor = 1.0 + kind.spread * (2.0 * chance.uniform() - 1.0);
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
    let banned = if rare(chance) { 0.3 * chance.uniform() } else { 0.0 };
    let end = match (turns >= limit, drawn) {
        (true, _) => Reason::MoveLimit,
        (false, true) => Reason::Repetition,
        (false, false) => Reason::Passes,
    };
    ObservedGame {
        turns_taken: Vec::new(),
        black,
        margin: (!drawn).then(|| kind.margin + POINTS * chance.normal()),
        end: EndReason::Rules(end),
        turns: turns as usize,
        larger_area: (!drawn).then(|| !rare(chance)),
        captured: Some(
            if rare(chance) { 10 } else { 0 } + (4.0 * chance.uniform() * factor) as usize,
        ),
        legal,
        effective: 5.0 + 3.0 * factor + chance.normal().clamp(-3.0, 3.0),
        bans: vec![banned; rules.possible_bans().len()],
        banned,
        wanted: Some(banned / 3.0),
        trajectory: Trajectory {
            beginning: (0.5 + 0.2 * (factor - 1.0) + 0.1 * chance.normal()).clamp(0.0, 1.0),
            decided: (!drawn && !rare(chance)).then_some((0.7 * turns) as usize),
            lead_changes: (0..6).filter(|_| rare(chance)).count(),
            volatility: 0.05 * factor * chance.uniform(),
            drama: (!drawn).then(|| if rare(chance) { 0.4 * chance.uniform() } else { 0.0 }),
            comeback: (!drawn).then(|| rare(chance)),
        },
        chances: Vec::new(),
        events: events(kind, turns as usize, factor, chance),
    }
}

/// What happens because of the rules: more from some openings, some of it only in few games, and a
/// lot in few of those.
fn events(kind: Kind, turns: usize, factor: f64, chance: &mut Chance) -> Events {
    let point = Point::new(0, 0);
    let mut times = || -> Vec<usize> {
        let common = (3.0 * chance.uniform() * factor) as usize;
        let many = if chance.happens(kind.rare * 0.1) { 12 } else { common };
        let count = if chance.happens(kind.rare) { many } else { 0 };
        let mut times: Vec<usize> =
            (0..count).map(|_| (chance.uniform() * turns as f64) as usize).collect();
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
    let ban = |&turn: &usize| BannedPlacement { turn, point, reason: IllegalMove::Ko };
    let tile = |(index, &turn): (usize, &usize)| Tile { turn, point, height: 1 + index as u8 / 9 };
    Events {
        bans: Some(bans.iter().map(ban).collect()),
        ko_fights: Some(fights.iter().map(fight).collect()),
        tiles: Some(TileEvents {
            limit: 9,
            tiles: tiles.iter().enumerate().map(tile).collect(),
            forbidding,
        }),
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
            other_result: Some(won.len() % 5 == 1),
            last: won.first().map(|&turn| LastPoint { worth: turn % 9, decides: turn % 9 > 6 }),
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
    margin: 9.0,
};

const KINDS: [Kind; 8] = [
    PLAIN,
    Kind { spread: 0.0, ..PLAIN },
    Kind { spread: 0.8, endless: 0.02, ..PLAIN },
    // All games are equal, except for rare events.
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

/// Checks every row and every point of a summary, for games in which things happen always,
/// sometimes, or rarely.
fn summaries_hold(games: usize, studies: usize) {
    let rules = Rules::parse("incursion", 7).expect("rules");
    assert_eq!(rules.possible_ends().len(), 3);
    for (number, kind) in KINDS.into_iter().enumerate() {
        let mut chance = Chance(Random::derive(31, number as u64));
        let many: Vec<ObservedGame> =
            (0..60_000).map(|_| game(kind, &rules, &mut chance)).collect();
        let truth = printed(&Observations::of(&many.iter().collect::<Vec<_>>(), &rules));
        let mut counts = CoverageCounts::default();
        for _ in 0..studies {
            let observed: Vec<ObservedGame> =
                (0..games).map(|_| game(kind, &rules, &mut chance)).collect();
            for (name, estimate) in
                printed(&Observations::of(&observed.iter().collect::<Vec<_>>(), &rules))
            {
                // Few games reach the last turns, so their truth is also estimated from few games.
                if let Some((_, known)) = truth.iter().find(|(other, _)| *other == name) {
                    counts.estimate(&name, estimate, known.value);
                }
            }
        }
        counts.close(&format!("kind {number}, {games} games"));
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
    let many: Vec<ObservedGame> = (0..60_000)
        .map(|_| {
            let kind = drawn(&mut chance);
            game(kind, &rules, &mut chance)
        })
        .collect();
    let truth = printed(&Observations::of(&many.iter().collect::<Vec<_>>(), &rules));
    let mut counts = CoverageCounts::default();
    for _ in 0..STUDIES {
        let networks: Vec<Vec<ObservedGame>> = (0..3)
            .map(|_| {
                let kind = drawn(&mut chance);
                (0..60).map(|_| game(kind, &rules, &mut chance)).collect()
            })
            .collect();
        let each: Vec<Observations> = networks
            .iter()
            .map(|observed| Observations::of(&observed.iter().collect::<Vec<_>>(), &rules))
            .collect();
        let all = Observations::of(&networks.iter().flatten().collect::<Vec<_>>(), &rules);
        for (name, estimate) in printed(&Observations::across(&each, all)) {
            // A quantile of the mixture is not the mean of the networks' quantiles.
            if name.contains("percentile") || name.contains("median") {
                continue;
            }
            if let Some((_, known)) = truth.iter().find(|(other, _)| *other == name) {
                counts.estimate(&name, estimate, known.value);
            }
        }
    }
    counts.close("three networks");
}

/// The statistics of two networks for games of a kind.
fn two_networks(
    kind: Kind,
    games: usize,
    rules: &Rules,
    chance: &mut Chance,
) -> Vec<Vec<Statistic>> {
    (0..2)
        .map(|_| {
            let observed: Vec<ObservedGame> =
                (0..games).map(|_| game(kind, rules, chance)).collect();
            Observations::of(&observed.iter().collect::<Vec<_>>(), rules).statistics
        })
        .collect()
}

/// How often the first kind of games is called different from any of the others, in all figures or
/// in one.
fn called_different(kinds: &[Kind], games: usize, key: Option<&str>, studies: usize) -> usize {
    let rules = Rules::parse("incursion", 7).expect("rules");
    let mut chance = Chance(Random::new(97));
    (0..studies)
        .filter(|_| {
            let measured: Vec<Vec<Vec<Statistic>>> =
                kinds.iter().map(|&kind| two_networks(kind, games, &rules, &mut chance)).collect();
            let figures: Vec<Vec<&[Statistic]>> = measured
                .iter()
                .map(|networks| networks.iter().map(Vec::as_slice).collect())
                .collect();
            let others: Vec<&[&[Statistic]]> = figures[1..].iter().map(Vec::as_slice).collect();
            let found = differences(&figures[0], &others);
            let mut all = found.iter().flatten();
            all.any(|one| one.certain && key.is_none_or(|key| one.key == key))
        })
        .count()
}

/// The same rules under several names are not called different, however many there are.
#[test]
fn rule_sets_that_do_not_differ_are_not_called_different() {
    for names in [2, 5] {
        let wrong = called_different(&vec![PLAIN; names], 25, None, STUDIES);
        assert!(wrong * 20 <= STUDIES, "{wrong} of {STUDIES} with {names} names");
    }
}

/// Two networks with the maximum number of openings detect a fair komi shifted by two points.
#[test]
fn a_shifted_komi_is_found() {
    let shifted = Kind { margin: PLAIN.margin + 2.0, ..PLAIN };
    let found = called_different(&[PLAIN, shifted], 400, Some("margin"), 50);
    assert!(found >= 40, "{found} of 50");
}
