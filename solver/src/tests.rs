//! Known values, and agreement with a search without memory.

mod no_legal_move;

use std::collections::HashMap;

use engine::{Bitboard, Color, GameResult, Move, Point, Position, Reason, Rules, Size, Variant};
use search::Random;

use crate::state::Node;
use crate::{Cycles, Effort, Endless, Ends, RepetitionStakes, Solution, Solver};

fn solved(rules: &str, size: u8) -> Solution {
    Solver::new(Rules::parse(rules, size).expect(rules)).solve(&[]).expect(rules)
}

#[test]
fn two_by_two_is_one_point() {
    assert_eq!(solved("go,komi=0", 2).value.score(), Some(1.0));
    assert_eq!(solved("go", 2).value.result(), GameResult::Draw);
}

/// White captures first. With this komi no score has half a point.
#[test]
fn a_win_by_captures_is_no_score() {
    let value = solved("go,capture_goal=1,komi=1", 2).value;
    assert_eq!((value.to_string().as_str(), value.score()), ("W wins", None));
    let found = endless("go,capture_goal=1,komi=1,repetition=none", "2", 1);
    assert_eq!(found.lost_by, [[value; 2]; 2]);
    let out_of_reach = solved("go,capture_goal=99,komi=0,max_moves=4", 2).value;
    assert_eq!(out_of_reach.score(), Some(-1.0));
}

#[test]
fn three_by_three_is_nine_points() {
    let solution = solved("go,komi=0", 3);
    assert_eq!(solution.value.score(), Some(9.0));
    assert_eq!(solution.best, ["B2".parse().expect("a move")]);
}

/// Martin Müller, *Solving NoGo on Small Board Sizes*, University of Alberta: on 3×3 every first move wins.
#[test]
fn nogo_on_three_by_three_is_the_first_players() {
    let solution = solved("nogo", 3);
    assert_eq!(solution.value.result(), GameResult::Won(Color::Black));
    assert_eq!(solution.best.len(), 9);
}

/// The same page: on 4×4 every first move loses. Two minutes in release mode.
#[test]
#[ignore = "long"]
fn nogo_on_four_by_four_is_the_second_players() {
    let solution = solved("nogo", 4);
    assert_eq!(solution.value.result(), GameResult::Won(Color::White));
    assert_eq!(solution.best.len(), 16);
}

/// Plain minimax over all games, as short as possible.
fn minimax(position: &Position) -> i32 {
    if let Some(outcome) = position.outcome() {
        let sign = outcome.result.black_value() as i32;
        let score = position.score().map(|score| (2.0 * score) as i32);
        return if outcome.result == GameResult::Draw { 0 } else { score.unwrap_or(sign) };
    }
    let values = position.legal_moves().into_iter().map(|played| {
        let mut next = position.clone();
        next.play_unchecked(played);
        minimax(&next)
    });
    let best = match position.turn() {
        Color::Black => values.max(),
        Color::White => values.min(),
    };
    best.expect("a running game has a move")
}

/// White takes back by suicide what seems alive: a region with a point that is no liberty of Black's is no eye then.
#[test]
fn what_may_be_filled_and_emptied_is_not_alive() {
    let rules = Rules::parse("go,stones_per_turn=4,komi=0,max_moves=12", 3).expect("rules");
    let moves: Vec<Move> =
        "A1 A3 A2 pass B1 B2 C2 C3".split(' ').map(|text| text.parse().expect("a move")).collect();
    let mut solver = Solver::new(rules);
    let solution = solver.solve(&moves).expect("solved");
    let values = solver.values(&moves).expect("solved");
    for (played, value) in values {
        let is_best = value == solution.value;
        assert_eq!(solution.best.contains(&played), is_best, "{played} {value}");
    }
    assert_eq!(solution.value.to_string(), "W+9");
}

/// Short games of every variant from many positions: the solver agrees with plain minimax, move by move.
#[test]
fn agrees_with_minimax() {
    let names = Variant::ALL.map(Variant::name);
    let others = [
        "go,capture_goal=2",
        "go,capture_goal=1,komi=4",
        "go,stones_per_turn=2,komi=0",
        "go,stones_per_turn=4,komi=0",
        "go,repetition=none,komi=1.5,stones_per_turn=3",
    ];
    for variant in names.into_iter().chain(others) {
        let limit = |moves: usize| format!("{variant},max_moves={moves}");
        for seed in 0..30 {
            let mut random = Random::new(seed);
            let length = random.below(9);
            let rules = Rules::parse(&limit(length + 5), 2 + (seed % 2) as u8).expect("rules");
            let mut position = Position::new(rules);
            let mut moves = Vec::new();
            while position.outcome().is_none() && moves.len() < length {
                let played = random.choose(&position.legal_moves()).expect("a move");
                position.play(played).expect("legal");
                moves.push(played);
            }
            if position.outcome().is_some() {
                continue;
            }
            let mut winners = Solver::new(rules).winners_only(true);
            let mut solver = Solver::new(rules);
            let solution = solver.solve(&moves).expect("solved");
            let value = minimax(&position);
            assert_eq!(solution.value.half_points, value, "{variant} {moves:?}");
            let won = winners.solve(&moves).expect("solved");
            assert_eq!(won.value.half_points, value.signum(), "{variant} {moves:?}");
            for (played, after) in solver.values(&moves).expect("solved") {
                let mut next = position.clone();
                next.play(played).expect("legal");
                assert_eq!(after.half_points, minimax(&next), "{variant} {moves:?} {played}");
                let best = after.half_points == value;
                assert_eq!(solution.best.contains(&played), best, "{variant} {moves:?} {played}");
                let keeps = after.half_points.signum() == value.signum();
                assert_eq!(won.best.contains(&played), keeps, "{variant} {moves:?} {played}");
            }
        }
    }
}

/// Forced results regardless of history change no value: long games, whose histories matter, with and without them.
#[test]
fn forcing_changes_no_value() {
    let mut forced = 0;
    for rules in ["go,komi=0", "go,komi=0.5,suicide=false", "go,repetition=situational-superko"] {
        for seed in 0..14 {
            let rules = Rules::parse(rules, 2 + (seed % 2) as u8).expect("rules");
            let mut random = Random::new(seed);
            let mut position = Position::new(rules);
            let mut moves = Vec::new();
            for _ in 0..10 + random.below(16) {
                let Some(played) = random.choose(&position.legal_moves()) else { break };
                position.play(played).expect("legal");
                moves.push(played);
            }
            let mut with = Solver::new(rules);
            let mut without = Solver::new(rules).without_forcing();
            assert_eq!(
                with.values(&moves).expect("solved"),
                without.values(&moves).expect("solved"),
                "{rules} {moves:?}"
            );
            forced += usize::from(with.solve(&moves).expect("solved").nodes < 10);
        }
    }
    assert!(forced > 10, "{forced}");
}

/// The odd cycle B1, D1, C1 on 4×4 has occurred before in one game and not in the other. The same solver, which stores
/// results after the other plays, agrees with plain minimax about both, whichever comes first.
#[test]
fn an_odd_cycle_counts_where_it_has_been() {
    const STONES: &str = "pass B3 A4 C3 C4 A2 A3 B2 D2 C2 C1 A1";
    // The same number of turns: White and Black pass twice, never three times in a row.
    const WITHOUT_CYCLE: &str = "pass B3 A4 C3 C4 pass pass A2 A3 B2 D2 pass pass C2 C1 A1";
    let cycle = format!("{STONES} B1 D1 C1 pass");
    let rules = Rules::parse("hot-stone,komi=0,max_moves=22", 4).expect("rules");
    for cycle_first in [true, false] {
        let mut solver = Solver::new(rules);
        for with_cycle in [cycle_first, !cycle_first] {
            let start = if with_cycle { &cycle } else { WITHOUT_CYCLE };
            for further in ["B1 D1", "B1", "D3 B1", "B1 D3"] {
                let moves: Vec<Move> = format!("{start} {further}")
                    .split(' ')
                    .map(|played| played.parse().expect("a move"))
                    .collect();
                let mut position = Position::new(rules);
                moves.iter().for_each(|&played| position.play(played).expect("legal"));
                let banned = Node::start(position.clone()).bans_odd_cycle();
                assert_eq!(banned, with_cycle && further == "B1 D1", "{moves:?}");
                let solution = solver.solve(&moves).expect("solved");
                assert_eq!(solution.value.half_points, minimax(&position), "{moves:?}");
            }
        }
    }
}

/// Ten minutes or less in release mode.
#[test]
#[ignore = "long"]
fn four_by_four_is_two_points() {
    let solution = solved("go,komi=0", 4);
    assert_eq!(solution.value.score(), Some(2.0));
    let center: Vec<Move> =
        ["B2", "C2", "B3", "C3"].map(|point| point.parse().expect("a move")).to_vec();
    assert_eq!(solution.best, center);
}

/// Who can make games end in each way, by looking at all games, as short as possible.
fn ends_by_minimax(
    position: &Position,
    reason: Reason,
    wants: impl Copy + Fn(Color) -> bool,
) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome.reason == reason;
    }
    let mut after = position.legal_moves().into_iter().map(|played| {
        let mut next = position.clone();
        next.play_unchecked(played);
        ends_by_minimax(&next, reason, wants)
    });
    if wants(position.turn()) { after.any(|ends| ends) } else { after.all(|ends| ends) }
}

#[test]
fn endings_agree_with_minimax() {
    let mut seen = [0; 3];
    for variant in Variant::ALL {
        for moves in [5, 6, 7] {
            let rules = format!("{},max_moves={moves}", variant.name());
            let rules = Rules::parse(&rules, 2).expect("rules");
            let start = Position::new(rules);
            for reason in Reason::ALL {
                let ends = Ends::find(&rules, reason, Effort::default()).expect("found");
                assert_eq!(ends.together, ends_by_minimax(&start, reason, |_| true), "{rules}");
                seen[2] += usize::from(ends.together);
                for color in Color::BOTH {
                    let forced = ends_by_minimax(&start, reason, |mover| mover == color);
                    assert_eq!(ends.forced_by[color.index()], forced, "{rules} {reason} {color}");
                    seen[color.index()] += usize::from(forced);
                }
            }
        }
    }
    assert!(seen.iter().all(|&cases| cases > 5), "{seen:?}");
}

/// Without any rule against it the ko on 2×2 goes round; where stones may only be placed on points without a tile it
/// cannot.
#[test]
fn circles_are_found_and_can_be_played() {
    let find =
        |rules: &str, size| Cycles::find(&Rules::parse(rules, size).expect("rules"), 1 << 20);
    for rules in ["tile,tiles=none", "go,repetition=none", "go,repetition=simple"] {
        let Ok(Cycles::Some { moves, begins }) = find(rules, 2) else { panic!("{rules}") };
        let mut position = Position::new(Rules::parse(rules, 2).expect("rules"));
        let mut stones = vec![crate::state::stones(&position)];
        for &played in &moves {
            position.play(played).expect("legal");
            stones.push(crate::state::stones(&position));
        }
        assert_eq!(stones[begins], stones[moves.len()], "{rules} {moves:?}");
        // Round once more.
        for &played in &moves[begins..] {
            position.play(played).expect("legal");
        }
        assert_eq!(stones[begins], crate::state::stones(&position), "{rules}");
    }
    for rules in ["tile", "tile,end=area,passes_to_end=3", "nogo"] {
        assert!(matches!(find(rules, 2), Ok(Cycles::None { .. })), "{rules}");
    }
    assert!(find("go", 2).is_err_and(|error| error.to_string().contains("repetition=simple")));
}

/// Where there is no suicide: take the largest capture of a cycle. Its owner's first stone there
/// again is an incursion, because the stones around cannot have fallen before: with all that has
/// been put there they would be a larger capture. So tiles, which follow incursions, admit no
/// cycle. (A suicide can empty the board, and then there is no incursion.)
#[test]
fn every_circle_holds_an_incursion() {
    let rules = "go,repetition=none,suicide=false,max_moves=5000";
    let (mut random, mut circles) = (Random::new(7), 0);
    for size in [2, 3] {
        let mut position = Position::new(Rules::parse(rules, size).expect(rules));
        // When the stones last stood so, and how many incursions there were until then.
        let mut stood = HashMap::from([(crate::state::stones(&position), (0, 0))]);
        let (mut placements, mut incursions) = (0, 0);
        while position.outcome().is_none() {
            let points: Vec<Point> = position.legal_points().iter().collect();
            let played = random.choose(&points).map_or(Move::Pass, Move::Place);
            if let Some(point) = played.point() {
                placements += 1;
                incursions += usize::from(is_incursion(&position, point));
            }
            position.play(played).expect("legal");
            let now = (placements, incursions);
            if let Some(before) = stood.insert(crate::state::stones(&position), now)
                && before.0 < placements
            {
                assert!(before.1 < incursions, "{size}×{size}, placement {placements}");
                circles += 1;
            }
        }
    }
    assert!(circles > 1_000, "{circles}");
}

/// Whether a point lies in an empty area that touches stones of the opponent only.
fn is_incursion(position: &Position, point: Point) -> bool {
    let around = Bitboard::of(point).flood(&position.empty()).neighbours();
    let [own, opposing] = [position.turn(), position.turn().opponent()]
        .map(|color| around.intersects(position.stones(color)));
    opposing && !own
}

#[test]
fn repetitions_are_avoided_at_no_cost_or_not() {
    let stakes = |rules: &str| {
        let rules = Rules::parse(rules, 2).expect("rules");
        RepetitionStakes::find(&rules, Effort::default()).expect("found")
    };
    // A ko that one player needs: without a ban, the loser keeps taking back.
    assert!(stakes("go,repetition=draw,komi=0").matter());
    assert!(!stakes("nogo").matter());
}

fn endless(rules: &str, size: &str, prisoners: u16) -> Endless {
    let rules = Rules::parse(rules, size.parse::<Size>().expect(size)).expect(rules);
    Endless::find(&rules, prisoners, 1 << 20).expect("found")
}

#[test]
fn a_game_that_must_end_has_the_value_that_the_search_finds() {
    for (rules, size) in [("tile,end=area", "2"), ("tile,end=area", "2x3"), ("nogo", "2x3")] {
        let found = endless(rules, size, 1);
        let parsed = Rules::parse(rules, size.parse::<Size>().expect(size)).expect(rules);
        let value = Solver::new(parsed).solve(&[]).expect(rules).value;
        assert_eq!(found.lost_by, [[value; 2]; 2], "{rules} {size}");
        assert_eq!((found.matters(), found.forced_by), (Some(false), [Some(false); 2]));
    }
}

/// A capture goal ends every game, and so does Conquest, where each stone takes a free point. What is already taken or owned
/// decides the end, though it is not in the stones.
#[test]
fn a_game_that_fills_up_has_the_value_that_the_search_finds() {
    let goals = [1, 2, 3, 5, 9].map(|goal| {
        (format!("go,suicide=false,repetition=none,komi=0,capture_goal={goal},max_moves=64"), "2")
    });
    let others = [
        ("go,repetition=simple,komi=0,capture_goal=3,max_moves=64", "2x3"),
        ("tile,tiles=none,capture_goal=4,max_moves=64", "2"),
        ("conquest", "2"),
        ("conquest", "2x3"),
        ("pure-conquest", "2x4"),
    ];
    for (rules, size) in goals.into_iter().chain(others.map(|(rules, size)| (rules.into(), size))) {
        let found = endless(&rules, size, 9);
        let parsed = Rules::parse(&rules, size.parse::<Size>().expect(size)).expect(&rules);
        let value = Solver::new(parsed).solve(&[]).expect(&rules).value;
        assert_eq!(found.lost_by, [[value; 2]; 2], "{rules} {size}");
        assert_eq!(found.forced_by, [Some(false); 2], "{rules} {size}");
    }
}

#[test]
fn a_game_without_end_is_worth_what_a_repetition_is() {
    let found = endless("go,suicide=false,repetition=none", "2", 1);
    // A limit that no game reaches without a repetition.
    let rules = Rules::parse("go,suicide=false,repetition=draw,max_moves=64", 2).expect("rules");
    let stakes = RepetitionStakes::find(&rules, Effort::default()).expect("found");
    assert_eq!(found.lost_by, stakes.lost_by.map(|value| [value; 2]));
}

#[test]
fn more_prisoners_told_apart_leave_less_open() {
    let [few, some, enough] = [1, 4, 6].map(|prisoners| endless("cushion", "2", prisoners));
    assert_eq!((few.matters(), few.forced_by), (None, [None; 2]));
    for (wide, narrow) in [(few, some), (some, enough)] {
        for ([wide_least, wide_most], [least, most]) in wide.lost_by.into_iter().zip(narrow.lost_by)
        {
            assert!(wide_least <= least && least <= most && most <= wide_most);
        }
    }
    // Whoever can play for ever can also reach the move limit.
    assert_eq!((enough.matters(), enough.forced_by), (Some(true), [Some(true); 2]));
    let rules = Rules::parse("cushion", 2).expect("rules");
    let ends = Ends::find(&rules, Reason::MoveLimit, Effort::default()).expect("found");
    assert_eq!(ends.forced_by, [true; 2]);
}
