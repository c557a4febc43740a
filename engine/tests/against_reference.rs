//! The engine against the slow reference implementation, move for move, in random games.

#![allow(clippy::unwrap_used, missing_docs)]

mod differential;
mod reference;
mod translation;

use differential::{Events, Pair, Plan, run_all};
use engine::{Rules, Size, Variant};
use reference::ReferenceRules;

/// Mixed so that small boards, where repetition is near, and larger ones both get their share.
const SIZES: &[&str] =
    &["2", "3", "3", "4", "4", "4", "5", "5", "5", "6", "6", "7", "9", "3x4", "5x3", "6x5", "2x7"];
const SMALL: &[&str] = &["2", "3", "3", "4", "4", "5", "2x3", "4x3"];
const TINY: &[&str] = &["2", "3", "3x2"];
const LARGE: &[&str] = &["13", "19", "19x11", "7x16"];

/// Unnamed rule sets, so that every part meets every other.
const COMBINATIONS: &[(&str, &[&str])] = &[
    ("go,repetition=none", SMALL),
    ("go,repetition=none,suicide=false,passes_to_end=3", SMALL),
    ("go,repetition=simple", SIZES),
    ("go,repetition=situational-superko", SIZES),
    ("go,repetition=situational-superko,suicide=false,passes_to_end=3", SMALL),
    ("go,suicide=false", SIZES),
    ("go,passes_to_end=3,komi=-3.5", SMALL),
    ("go,end=prisoner-return,komi=0", SMALL),
    ("go,repetition=situational-superko,end=prisoner-return,komi=1.5", SMALL),
    ("go,tiles=tile", SMALL),
    ("go,tiles=cushion,tile_limit=3,repetition=situational-superko", SMALL),
    ("go,max_moves=7", SMALL),
    ("incursion,suicide=true", SIZES),
    ("incursion,passes_to_end=3,komi=0.5", SMALL),
    ("incursion,end=prisoner-return,komi=2", SMALL),
    ("incursion,tiles=tile", SMALL),
    ("minimal-incursion,suicide=true", SIZES),
    ("minimal-incursion,tiles=cushion,tile_limit=2,end=prisoner-return,komi=-2", SMALL),
    ("stoical,suicide=true", SIZES),
    ("stoical,end=prisoner-return,komi=3", SIZES),
    ("stoical,tiles=cushion", SMALL),
    ("tile,tile_limit=2", SIZES),
    ("tile,end=area,komi=6.5", SMALL),
    ("tile,suicide=true", SMALL),
    ("tile,repetition=none", SMALL),
    ("tile,komi=-1.5", SMALL),
    ("tile,tile_limit=9,repetition=positional-superko", SMALL),
    ("cushion,end=area", SIZES),
    ("cushion,suicide=true,tile_limit=2", SMALL),
    ("cushion,komi=4,max_moves=30", SMALL),
    ("cushion,repetition=stoical", SMALL),
    ("hot-stone,max_cycle=2", SMALL),
    ("hot-stone,max_cycle=4,suicide=true", SMALL),
    ("hot-stone,suicide=true", &["2", "3", "4"]),
    ("hot-stone,max_cycle=8", TINY),
    ("hot-stone,max_cycle=8,suicide=true", &["2"]),
    ("hot-stone,max_cycle=10", &["2"]),
    ("hot-stone,passes_to_end=2,komi=-7", SMALL),
    ("hot-stone,tiles=tile", SMALL),
    ("hot-stone,tiles=cushion,end=prisoner-return,komi=1", SMALL),
    ("hot-stone,end=prisoner-return,suicide=true,max_cycle=4,komi=0", SMALL),
    ("alter-igo,white_passes=1", SIZES),
    ("alter-igo,white_passes=3", SIZES),
    ("alter-igo,max_moves=12", SMALL),
    ("conquest,komi=3.5", SMALL),
    ("conquest,komi=-2,max_moves=9", SMALL),
    ("pure-conquest,komi=1", SMALL),
    ("pure-conquest,max_moves=6", SMALL),
    ("stoical,repetition=positional-superko", SIZES),
    ("stoical,repetition=simple,suicide=true", SMALL),
    ("stoical,repetition=hot-stone,passes_to_end=3", SMALL),
    ("incursion,repetition=situational-superko,tiles=cushion", SMALL),
    ("incursion,repetition=hot-stone,suicide=true,max_cycle=4", SMALL),
    ("minimal-incursion,repetition=none", SMALL),
    ("go,repetition=draw", SIZES),
    ("tile,ban=stoical,repetition=draw,suicide=true", SMALL),
    ("cushion,ban=incursion,end=no-pass", SMALL),
    ("nogo,suicide=true", SIZES),
    ("go,captures=forbidden", SMALL),
    ("tile,captures=forbidden", SMALL),
    ("incursion,captures=forbidden,suicide=true", SMALL),
    ("no-pass-go,suicide=true", SIZES),
    ("go,capture_goal=3", SIZES),
    ("atari-go,capture_goal=5,suicide=true,repetition=draw", SMALL),
    ("tile,capture_goal=4,suicide=true,komi=2", SMALL),
    ("hot-stone,capture_goal=6", SMALL),
    ("go,stones_per_turn=2", SIZES),
    ("go,suicide=false,stones_per_turn=3,passes_to_end=3", SMALL),
    ("go,repetition=none,stones_per_turn=4,max_moves=25", SMALL),
    ("nogo,stones_per_turn=2", SIZES),
    ("no-pass-go,stones_per_turn=3,suicide=true", SMALL),
    ("atari-go,stones_per_turn=2,capture_goal=7,repetition=positional-superko", SMALL),
    ("go,capture_goal=4,stones_per_turn=2,captures=forbidden,suicide=true", SMALL),
];

/// What must have happened in long runs for them to prove anything.
const EXPECTED: &[&str] = &[
    "refused Suicide",
    "refused SingleSuicide",
    "refused Ko",
    "refused PositionalSuperko",
    "refused SituationalSuperko",
    "refused Incursion",
    "refused MinimalIncursion",
    "refused StoicalCapture",
    "refused HotStone",
    "refused OddCycle",
    "refused TileLimit",
    "refused NoPass",
    "refused NoPassLeft",
    "refused NoPrisoner",
    "refused Owned",
    "refused CaptureForbidden",
    "captures",
    "own stone removed",
    "tiles laid",
    "hot after play",
    "starred",
    "starred played",
    "end: passes",
    "end: no move",
    "end: repetition",
    "end: suicide",
    "end: no free point",
    "end: capture goal",
    "end: move limit",
];

fn variants(sizes: &'static [&'static str], positions: usize) -> Vec<Plan> {
    let plan = |variant: Variant| Plan { rules: variant.name(), sizes, positions };
    Variant::ALL.into_iter().map(plan).collect()
}

fn combinations(positions: usize) -> Vec<Plan> {
    let plan = |&(rules, sizes): &(&'static str, &'static [&'static str])| Plan {
        rules,
        sizes,
        positions,
    };
    COMBINATIONS.iter().map(plan).collect()
}

#[test]
fn named_rules_are_the_same() {
    for variant in Variant::ALL {
        for (width, height) in
            (2..=19).flat_map(|width| (2..=19).map(move |height| (width, height)))
        {
            let size = Size::new(width, height).unwrap();
            let translated = translation::rules(&variant.rules(size).unwrap());
            let named = ReferenceRules::named(variant.name(), translation::size(size)).unwrap();
            assert_eq!(translated, named, "{variant} on size {size}");
        }
    }
}

#[test]
fn variants_in_short_games() {
    run_all(&variants(SIZES, 3_000));
}

#[test]
fn combinations_in_short_games() {
    run_all(&combinations(300));
}

#[test]
fn variants_on_large_boards() {
    run_all(&variants(LARGE, 60));
}

/// Divergences found by the long runs, one a line as their failures print them.
#[test]
fn regressions() {
    for line in include_str!("regressions.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [rules, size, moves] = fields[..] else { panic!("no rules | size | moves: {line}") };
        let mut pair = Pair::new(Rules::parse(rules, size.parse::<Size>().unwrap()).unwrap());
        let mut events = Events::default();
        pair.compare(&mut events);
        for chosen in moves.split_whitespace() {
            pair.play(chosen.parse().unwrap(), &mut events);
            pair.compare(&mut events);
        }
    }
}

/// At least a million positions for each of these variants, in four parts so that all cores are busy to the end.
fn long_games(variants_of: std::ops::Range<usize>) {
    let part = || variants(SIZES, 250_000).into_iter().enumerate();
    let plans = (0..4).flat_map(|_| part()).filter(|(number, _)| variants_of.contains(number));
    run_all(&plans.map(|(_, plan)| plan).collect::<Vec<_>>());
}

// Three tests, so that each is done within ten minutes on two slow cores.
#[test]
#[ignore = "minutes in release mode: cargo test -p engine --release --test against_reference -- --ignored"]
fn first_variants_in_long_games() {
    long_games(0..6);
}

#[test]
#[ignore = "minutes in release mode: cargo test -p engine --release --test against_reference -- --ignored"]
fn middle_variants_in_long_games() {
    long_games(6..8);
}

#[test]
#[ignore = "minutes in release mode: cargo test -p engine --release --test against_reference -- --ignored"]
fn last_variants_in_long_games() {
    long_games(8..Variant::ALL.len());
}

#[test]
#[ignore = "minutes in release mode: cargo test -p engine --release --test against_reference -- --ignored"]
fn combinations_in_long_games() {
    run_all(&combinations(100_000)).assert_occurred(EXPECTED);
}

#[test]
#[ignore = "minutes in release mode: cargo test -p engine --release --test against_reference -- --ignored"]
fn variants_on_large_boards_for_long() {
    run_all(&variants(LARGE, 3_000));
}
