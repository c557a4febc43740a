//! What holds for every variant, over random games.

#![allow(clippy::unwrap_used)]

mod common;

use common::Random;
use engine::{Encoding, Move, MoveList, Position, Reason, Size, Symmetry, Variant};

/// Squares, and rectangles that lie and stand.
fn sizes() -> impl Iterator<Item = Size> {
    let squares = (2..=7).map(|side| (side, side));
    squares.chain([(3, 2), (2, 5), (6, 4)]).map(|(width, height)| Size::new(width, height).unwrap())
}

/// The same games of every variant.
fn seed_of(size: Size) -> u64 {
    size.width() as u64
}

fn games_of(size: Size) -> usize {
    if size.area() < 25 { 12 } else { 4 }
}

/// Plays random games of every variant on small boards and shows every position to `check`.
fn in_random_games(mut check: impl FnMut(Variant, &Position, &mut Random)) {
    for variant in Variant::ALL {
        for size in sizes() {
            let mut random = Random(seed_of(size));
            for _ in 0..games_of(size) {
                let mut position = Position::new(variant.rules(size).unwrap());
                while position.outcome().is_none() {
                    check(variant, &position, &mut random);
                    let chosen = random.pick(&position);
                    position.play(chosen).unwrap();
                }
                check(variant, &position, &mut random);
            }
        }
    }
}

fn all_moves(size: Size) -> impl Iterator<Item = Move> {
    (0..engine::actions(size)).filter_map(move |action| Move::from_action(action, size))
}

#[test]
fn the_legal_moves_are_those_that_play_accepts() {
    in_random_games(|variant, position, random| {
        let legal = position.legal_moves();
        for candidate in all_moves(position.size()) {
            let listed = legal.contains(&candidate);
            assert_eq!(position.check_move(candidate).is_ok(), listed, "{variant} {candidate}");
        }
        let candidate =
            Move::from_action(random.below(engine::actions(position.size())), position.size());
        let mut next = position.clone();
        if let Some(candidate) = candidate
            && next.play(candidate).is_err()
        {
            assert_eq!(next.hash(), position.hash(), "{variant} {candidate} is refused");
        }
    });
}

#[test]
fn a_game_has_a_legal_move_until_it_is_over() {
    in_random_games(|variant, position, _| {
        assert_eq!(position.legal_moves().is_empty(), position.outcome().is_some(), "{variant}");
        assert_eq!(position.score().is_some(), position.rules().has_score(), "{variant}");
    });
}

#[test]
fn legal_moves_come_in_order_without_repetition() {
    in_random_games(|variant, position, _| {
        let order = |chosen: &Move| match *chosen {
            Move::Place(point) => (point.index(position.size()), false),
            Move::PlaceStarred(point) => (point.index(position.size()), true),
            Move::Pass => (usize::MAX, false),
        };
        let legal = position.legal_moves();
        assert!(legal.is_sorted_by_key(order), "{variant}");
        let places = legal.iter().filter(|chosen| matches!(chosen, Move::Place(_))).count();
        assert_eq!(position.legal_points().count(), places, "{variant}");
        assert_eq!(position.can_pass(), legal.contains(&Move::Pass), "{variant}");
    });
}

/// Replays random games move by move: equal rules and moves give equal positions, and two different moves give
/// positions of different keys.
#[test]
fn equal_games_are_equal() {
    for variant in Variant::ALL {
        for size in sizes() {
            let mut random = Random(seed_of(size) + 100);
            let mut first = Position::new(variant.rules(size).unwrap());
            let mut second = first.clone();
            let mut moves = Vec::new();
            while first.outcome().is_none() {
                let chosen = random.pick(&first);
                moves.push(chosen);
                first.play(chosen).unwrap();
            }
            let mut third = Position::new(variant.rules(size).unwrap());
            for chosen in moves {
                for other in second.legal_moves().into_iter().filter(|&other| other != chosen) {
                    let [mut a, mut b] = [second.clone(), second.clone()];
                    a.play(chosen).unwrap();
                    b.play(other).unwrap();
                    assert_ne!(a.hash(), b.hash(), "{variant} {chosen} {other}");
                }
                second.play(chosen).unwrap();
                third.play_unchecked(chosen);
                assert_eq!(second.hash(), third.hash(), "{variant}");
                assert_eq!(Encoding::of(&second), Encoding::of(&third), "{variant}");
            }
            assert_eq!(second.hash(), first.hash(), "{variant}");
            assert_eq!(second.outcome(), first.outcome(), "{variant}");
        }
    }
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> MoveList {
    let mut list: MoveList = moves.into_iter().collect();
    list.sort();
    list
}

/// Whether a random game looks the same through `symmetry` at every turn.
fn commutes(variant: Variant, size: Size, symmetry: Symmetry, seed: u64) -> bool {
    let mut random = Random(seed);
    let mut plain = Position::new(variant.rules(size).unwrap());
    let mut moved = plain.clone();
    loop {
        let mirrored =
            plain.legal_moves().into_iter().map(|chosen| symmetry.map_move(chosen, size));
        let equal = sorted(mirrored) == sorted(moved.legal_moves())
            && Encoding::of(&plain).transformed(symmetry, size) == Encoding::of(&moved)
            && plain.outcome() == moved.outcome()
            && plain.score() == moved.score();
        if !equal || plain.outcome().is_some() {
            return equal;
        }
        let chosen = random.pick(&plain);
        plain.play(chosen).unwrap();
        moved.play(symmetry.map_move(chosen, size)).unwrap();
    }
}

/// Conquest breaks ties by point index, as do its sweeps: there a few games may differ, and no more.
#[test]
fn symmetries_commute_with_the_rules() {
    for variant in Variant::ALL {
        let (mut games, mut different) = (0, 0);
        for size in sizes() {
            for (seed, &symmetry) in Symmetry::of(size).iter().enumerate().skip(1) {
                games += 1;
                different += usize::from(!commutes(variant, size, symmetry, seed as u64));
            }
        }
        let breaks_ties = variant.rules(9).unwrap().has_owners();
        let allowed = if breaks_ties { games / 4 } else { 0 };
        println!("{variant}: {different} of {games} games differ");
        assert!(different <= allowed, "{variant}: {different} of {games} games differ");
    }
}

/// No game ends, and no placement is banned, by what the rules do not name.
#[test]
fn only_what_the_rules_name_happens() {
    in_random_games(|variant, position, _| {
        let rules = position.rules();
        if let Some(outcome) = position.outcome() {
            let ends = rules.possible_ends();
            assert!(ends.contains(&outcome.reason), "{variant}: {}", outcome.reason);
        }
        let bans = rules.possible_bans();
        for candidate in all_moves(position.size()) {
            let ban = position.check_move(candidate).err().and_then(|error| error.ban());
            assert!(ban.is_none_or(|ban| bans.contains(&ban)), "{variant}: {candidate}: {ban:?}");
        }
    });
}

/// Everything that can end a game of these variants does so in some random game.
#[test]
fn games_end_in_every_way_they_can() {
    let mut met = Vec::new();
    in_random_games(|variant, position, _| {
        if let Some(outcome) = position.outcome() {
            met.push((variant, outcome.reason));
        }
    });
    for expected in [
        (Variant::Go, Reason::Passes),
        (Variant::HotStone, Reason::Passes),
        (Variant::Incursion, Reason::Repetition),
        (Variant::Tile, Reason::NoMove),
        (Variant::NoGo, Reason::NoMove),
        (Variant::NoPassGo, Reason::NoMove),
        (Variant::AtariGo, Reason::CaptureGoal),
        (Variant::AlterIgo, Reason::Suicide),
        (Variant::Conquest, Reason::NoFreePoint),
        (Variant::PureConquest, Reason::NoFreePoint),
    ] {
        assert!(met.contains(&expected), "{expected:?}");
    }
}
