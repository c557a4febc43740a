//! The planes that a network reads, against their names: recomputed point by point.

#![allow(clippy::unwrap_used, missing_docs)]

mod common;
mod reference;
mod translation;

use std::collections::BTreeSet;

use common::Random;
use engine::{
    Color, Encoding, Family, GLOBAL_NAMES, GLOBALS, GameResult, IllegalMove, Move, PLANE_NAMES,
    PLANES, Point, Position, Reason, Rules, Variant, plane,
};
use reference::Board;

/// The stones as the slow implementation sees them.
fn board_of(position: &Position) -> Board {
    let stones = Color::BOTH.map(|color| position.stones(color));
    let size = position.size();
    Board { size: translation::size(size), points: translation::colors(stones, size) }
}

/// Liberties of the string at a point; 0 where there is none.
fn liberties(board: &Board, point: usize) -> usize {
    if board.points[point].is_none() {
        return 0;
    }
    let string = board.joined(point);
    let around: BTreeSet<usize> =
        string.iter().flat_map(|&stone| board.neighbours(stone)).collect();
    around.into_iter().filter(|&next| board.points[next].is_none()).count()
}

/// Whether an empty point's area touches stones of one colour only, this one.
fn is_territory(board: &Board, point: usize, color: Color) -> bool {
    board.points[point].is_none() && board.is_incursion(point, translation::color(color.opponent()))
}

/// The points of the turns so far, and whether the last was an incursion under rules that ask.
#[derive(Default)]
struct Past {
    points: Vec<Option<Point>>,
    incursion: bool,
}

impl Past {
    fn play(&mut self, position: &mut Position, chosen: Move) {
        let rules = position.rules();
        let asks = rules.has_incursions();
        let (board, mover) = (board_of(position), translation::color(position.turn()));
        let enters = |point: Point| board.is_incursion(point.index(position.size()), mover);
        self.incursion = asks && chosen.point().is_some_and(enters);
        self.points.push(chosen.point());
        position.play(chosen).unwrap();
    }
}

/// Whether a plane should hold a point.
fn holds(position: &Position, board: &Board, past: &Past, point: Point, index: usize) -> bool {
    let (own, opponent) = (position.turn(), position.turn().opponent());
    let place = point.index(position.size());
    let legal = position.check_move(Move::Place(point));
    let family = position.rules().family;
    let has_strings = family != Family::Conquest;
    let turn = |age: usize| past.points.iter().nth_back(age) == Some(&Some(point));
    let tiled = position.rules().has_tiles();
    let stands = |color| board.points[place] == Some(translation::color(color));
    let after = || {
        let mut after = position.clone();
        after.play(Move::Place(point)).unwrap();
        after
    };
    let ends = |result, reasons: &[Reason]| {
        legal.is_ok()
            && after().outcome().is_some_and(|outcome| {
                outcome.result == result && reasons.contains(&outcome.reason)
            })
    };
    match index {
        plane::ON_BOARD => true,
        plane::OWN => stands(own),
        plane::OPPONENT => stands(opponent),
        plane::ONE_LIBERTY => has_strings && liberties(board, place) == 1,
        plane::TWO_LIBERTIES => has_strings && liberties(board, place) == 2,
        plane::THREE_LIBERTIES => has_strings && liberties(board, place) == 3,
        plane::LAST_TURN => turn(0),
        plane::SECOND_LAST_TURN => turn(1),
        plane::THIRD_LAST_TURN => turn(2),
        plane::FOURTH_LAST_TURN => turn(3),
        plane::FIFTH_LAST_TURN => turn(4),
        plane::LEGAL => legal.is_ok(),
        plane::BANNED => match legal {
            Ok(()) | Err(IllegalMove::Occupied(_)) => false,
            Err(IllegalMove::Suicide | IllegalMove::SingleSuicide) => false,
            Err(_) => family == Family::Go,
        },
        plane::LAST_INCURSION => turn(0) && past.incursion,
        plane::OPPONENT_TERRITORY => family == Family::Go && is_territory(board, place, opponent),
        plane::OWN_TERRITORY => family == Family::Go && is_territory(board, place, own),
        plane::ONE_TILE => tiled && position.tiles(point) == 1,
        plane::MORE_TILES => tiled && position.tiles(point) >= 2,
        plane::FULL_TILES => tiled && position.tiles(point) == position.rules().tile_limit,
        plane::NEEDS_TILE => tiled && legal.is_ok() && after().tiles(point) > position.tiles(point),
        plane::OWN_HOT => stands(own) && position.hot_stones().contains(point),
        plane::OPPONENT_HOT => stands(opponent) && position.hot_stones().contains(point),
        plane::OWN_OWNED => position.owned(own).contains(point),
        plane::OPPONENT_OWNED => position.owned(opponent).contains(point),
        plane::STARRED => position.check_move(Move::PlaceStarred(point)).is_ok(),
        plane::LOSING => ends(GameResult::Won(opponent), &[Reason::Suicide, Reason::CaptureGoal]),
        plane::DRAWING => ends(GameResult::Draw, &[Reason::Repetition]),
        plane::WINNING => ends(GameResult::Won(own), &[Reason::CaptureGoal]),
        plane::OPPONENT_PLAYABLE => {
            family == Family::Go
                && plainly(position, opponent).check_move(Move::Place(point)).is_ok()
        }
        _ => unreachable!("a plane without a meaning here"),
    }
}

/// The same stones with `mover` to move and no rule but capture and suicide.
fn plainly(position: &Position, mover: Color) -> Position {
    let suicide = position.rules().suicide;
    let rules = Rules { suicide, ..Rules::plain(position.size()).unwrap() };
    let [black, white] = Color::BOTH.map(|color| *position.stones(color));
    Position::with_stones(rules, black, white, mover).unwrap()
}

/// Stones said to be alive cannot be removed, however often their owner passes.
fn live_without_moves(position: &Position, owner: Color, alive: &engine::Bitboard) {
    let stones = *alive & *position.stones(owner);
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut game = plainly(position, owner.opponent());
        while game.outcome().is_none() && game.turns() < 60 {
            let chosen = match game.turn() {
                mover if mover == owner => Move::Pass,
                _ => random.pick(&game),
            };
            game.play(chosen).unwrap();
            assert_eq!(stones.without(game.stones(owner)).count(), 0, "{position:?}");
        }
    }
}

/// Compares every plane of every position of a random game, and counts the points found on each.
fn compare_game(rules: Rules, seed: u64, found: &mut [usize]) {
    let mut random = Random(seed);
    let (mut position, mut past) = (Position::new(rules), Past::default());
    while position.outcome().is_none() && past.points.len() < 120 {
        let (planes, board, size) =
            (Encoding::of(&position).planes, board_of(&position), position.size());
        for (index, given) in planes.iter().enumerate() {
            assert!(given.without(&size.board()).is_empty());
            if let plane::OWN_ALIVE | plane::OPPONENT_ALIVE = index {
                let mover = position.turn();
                let owner = if index == plane::OWN_ALIVE { mover } else { mover.opponent() };
                if !given.is_empty() {
                    live_without_moves(&position, owner, given);
                }
                found[index] += given.count();
                continue;
            }
            for point in size.points() {
                let expected = holds(&position, &board, &past, point, index);
                let name = PLANE_NAMES[index];
                assert_eq!(
                    given.contains(point),
                    expected,
                    "{rules}: {name}: {point} after {:?}",
                    past.points
                );
                found[index] += usize::from(expected);
            }
        }
        let chosen = random.pick(&position);
        past.play(&mut position, chosen);
    }
}

#[test]
fn every_plane_holds_what_its_name_says() {
    let mut found = vec![0; PLANE_NAMES.len()];
    for variant in Variant::ALL {
        for (size, games) in [(3, 20), (5, 3), (7, 1)] {
            for seed in 0..games {
                compare_game(variant.rules(size).unwrap(), seed, &mut found);
            }
        }
    }
    // Where second tiles and hot stones are frequent.
    for (rules, size) in [
        ("tile,tile_limit=2", "3"),
        ("hot-stone,suicide=true", "2"),
        ("atari-go,suicide=true", "2x3"),
        ("go,stones_per_turn=2", "4x3"),
    ] {
        let size: engine::Size = size.parse().unwrap();
        for seed in 0..40 {
            compare_game(Rules::parse(rules, size).unwrap(), seed, &mut found);
        }
    }
    for (name, found) in PLANE_NAMES.iter().zip(found) {
        assert!(found > 0, "nothing was ever seen on the plane of {name}");
    }
}

/// A capture goal is looked at before the stones are compared with earlier ones.
#[test]
fn a_placement_that_wins_does_not_draw() {
    let text = "rules go,suicide=false,repetition=draw,capture_goal=2\nsize 4x3\n\
                .XO.\nXO.O\n.XO.\nblack to move\n";
    let mut position: Position = text.parse().unwrap();
    for played in ["C2", "B2"] {
        position.play(played.parse().unwrap()).unwrap();
    }
    let planes = Encoding::of(&position).planes;
    let point = "C2".parse().unwrap();
    assert!(planes[plane::WINNING].contains(point) && !planes[plane::DRAWING].contains(point));
    position.play(Move::Place(point)).unwrap();
    assert_eq!(position.outcome().unwrap().reason, Reason::CaptureGoal);
}

/// Rule sets that differ in a field that both use look different to a network before the first move.
#[test]
fn a_network_can_tell_any_two_rule_sets_apart() {
    const ALTERNATIVES: &[(&str, &[&str])] = &[
        ("ban", &["none", "incursion", "minimal-incursion", "stoical"]),
        (
            "repetition",
            &["none", "simple", "positional-superko", "situational-superko", "draw", "hot-stone"],
        ),
        ("captures", &["allowed", "forbidden"]),
        ("suicide", &["true", "false"]),
        ("capture_goal", &["0", "1", "2", "30", "31"]),
        ("stones_per_turn", &["1", "2", "3", "4"]),
        ("tiles", &["none", "tile", "cushion"]),
        ("tile_limit", &["1", "2", "9"]),
        ("end", &["area", "prisoner-return", "no-pass"]),
        ("passes_to_end", &["2", "3"]),
        ("komi", &["-2", "0", "0.5", "1", "7", "7.5"]),
        ("max_cycle", &["2", "4", "6", "8", "10"]),
        ("white_passes", &["0", "1", "6"]),
        ("scoring", &["territory", "pure"]),
        ("max_moves", &["20", "100", "101", "9000", "50000"]),
    ];
    let named: Vec<&str> = ALTERNATIVES.iter().map(|(field, _)| *field).collect();
    for part in Rules::every_part() {
        assert!(
            part.field == "family" || named.contains(&part.field),
            "{} is not here",
            part.field
        );
    }
    let mut told: std::collections::HashMap<String, Rules> = std::collections::HashMap::new();
    let mut seen = 0;
    for variant in Variant::ALL {
        for size in ["5", "4x5", "5x4", "6"] {
            let size: engine::Size = size.parse().unwrap();
            let mut sets = vec![variant.rules(size).unwrap()];
            for (field, values) in ALTERNATIVES {
                let more = values.iter().filter_map(|value| {
                    Rules::parse(&format!("{variant},{field}={value}"), size).ok()
                });
                sets.extend(more);
            }
            for rules in sets {
                let encoding = Encoding::of(&Position::new(rules));
                let other = told.insert(format!("{encoding:?}"), rules);
                if let Some(other) = other {
                    assert_eq!(other, rules, "{other} looks like {rules}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 500 && told.len() > 300);
}

#[test]
fn inputs_have_names_of_their_own() {
    for (names, count) in [(PLANE_NAMES, PLANES), (GLOBAL_NAMES, GLOBALS)] {
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!((different.len(), names.len()), (count, count));
    }
}
