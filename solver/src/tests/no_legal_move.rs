//! Games that end for want of a move, where it is the history that leaves a player none.

use engine::{Color, Move, Position, Reason, Rules, Size};
use search::Random;

use crate::Solver;
use crate::goal::{Goal, WantedBy};
use crate::state::{Limits, Node};

fn rules(text: &str, size: &str) -> Rules {
    Rules::parse(text, size.parse::<Size>().expect(size)).expect(text)
}

fn moves(text: &str) -> Vec<Move> {
    text.split(' ').map(|played| played.parse().expect("a move")).collect()
}

/// The result, and who can bring about the two ends that the history decides between.
fn goals() -> impl Iterator<Item = Goal> {
    let wanted_by = [WantedBy::One(Color::Black), WantedBy::One(Color::White), WantedBy::Both];
    let ends = [Reason::NoMove, Reason::MoveLimit]
        .into_iter()
        .flat_map(move |reason| wanted_by.map(|wanted_by| Goal::End(reason, wanted_by)));
    std::iter::once(Goal::Result).chain(ends)
}

/// The value by looking at all games, each with its whole history.
fn by_all_games(position: &Position, goal: Goal) -> i32 {
    if position.outcome().is_some() {
        let limits = goal.limits(Limits::of(position.rules()));
        return goal.value(&Node::start(position.clone()), &limits).expect("a finished game");
    }
    let values = position.legal_moves().into_iter().map(|played| {
        let mut next = position.clone();
        next.play_unchecked(played);
        by_all_games(&next, goal)
    });
    let best = if goal.wants_more(position.turn()) { values.max() } else { values.min() };
    best.expect("a running game has a move")
}

/// Compares the value after each move with a search of all games.
fn check(solver: &mut Solver, moves: &[Move], goal: Goal) -> usize {
    let mut position = Position::new(*solver.rules());
    moves.iter().for_each(|&played| position.play(played).expect("legal"));
    let values = solver.values(moves).expect("solved");
    for &(played, value) in &values {
        let mut next = position.clone();
        next.play(played).expect("legal");
        let expected = by_all_games(&next, goal);
        assert_eq!(value.half_points, expected, "{} {moves:?} {played} {goal:?}", solver.rules());
    }
    values.len()
}

/// After some of the last moves superko leaves a player none, and after others with the same stones it does not.
#[test]
fn superko_leaves_no_move_after_some_games() {
    let tile = "tile,tiles=none,max_moves=22,repetition";
    for (given, size, text, last) in [
        (&*format!("{tile}=positional-superko"), "2", "B2 B1 A2 A1 A2 B2 A2 pass", "pass"),
        (&*format!("{tile}=situational-superko"), "2", "B2 B1 A2 A1 A2 B2 A2 pass", "pass"),
        (
            "go,end=no-pass,suicide=true,stones_per_turn=2,max_moves=19",
            "3x2",
            "B2 C1 B1 C2 A1 C1 B1 C1 A2",
            "C2",
        ),
    ] {
        let rules = rules(given, size);
        let mut solver = Solver::new(rules);
        let moves = moves(text);
        let [last] = self::moves(last)[..] else { panic!("one move") };
        let values = solver.values(&moves).expect("solved");
        let (_, value) = values.into_iter().find(|(played, _)| *played == last).expect("legal");
        let alone = Solver::new(rules).value(&[&*moves, &[last]].concat()).expect("solved");
        assert_eq!((value.to_string(), alone), ("draw".to_owned(), value), "{rules}");
    }
}

/// Two games lead to the same stones and prisoners. After the first Black may not complete an odd cycle again, has no other
/// move and loses; after the second the game goes on to the move limit.
#[test]
fn an_odd_cycle_leaves_no_move_after_one_of_two_games() {
    let [without, with] =
        ["C2 A1 C1 B2 B1 pass C2 pass C1", "C2 A1 C1 B2 B1 pass C1 pass C2"].map(moves);
    for longest in 10..16 {
        let rules = rules(
            &format!("go,repetition=hot-stone,end=prisoner-return,komi=0,max_moves={longest}"),
            "3x2",
        );
        for goal in goals() {
            for order in [[&without, &with], [&with, &without]] {
                let mut solver = Solver::new(rules).with_goal(goal);
                for moves in order {
                    for earlier in [1, 0] {
                        let moves = &moves[..moves.len() - earlier];
                        let mut position = Position::new(rules);
                        moves.iter().for_each(|&played| position.play(played).expect("legal"));
                        let expected = by_all_games(&position, goal);
                        let value = solver.value(moves).expect("solved").half_points;
                        assert_eq!(value, expected, "{rules} {moves:?} {goal:?}");
                    }
                }
            }
        }
    }
}

/// A random game of this many turns, if it lasts that long.
fn random_game(rules: Rules, turns: usize, random: &mut Random) -> Option<Vec<Move>> {
    let mut position = Position::new(rules);
    let mut moves = Vec::new();
    while moves.len() < turns {
        let played = random.choose(&position.legal_moves())?;
        position.play_unchecked(played);
        moves.push(played);
    }
    position.outcome().is_none().then_some(moves)
}

/// One solver for many games, whose results it keeps, so that it must know what each of them depends on.
fn check_games(rules: Rules, goal: Goal, games: usize) -> usize {
    let mut solver = Solver::new(rules).with_goal(goal);
    let mut random = Random::new(300);
    let mut checked = 0;
    for _ in 0..games {
        let turns = usize::from(rules.max_moves) - 2 - random.below(4);
        if let Some(moves) = random_game(rules, turns, &mut random) {
            checked += check(&mut solver, &moves, goal);
        }
    }
    checked
}

#[test]
fn agrees_with_all_games_where_a_player_may_lack_a_move() {
    let mut checked = 0;
    for repetition in ["positional-superko", "situational-superko"] {
        for (end, more) in [
            ("prisoner-return", ""),
            ("prisoner-return", ",tiles=tile"),
            ("no-pass", ""),
            ("no-pass", ",tiles=cushion"),
            ("no-pass", ",stones_per_turn=2"),
            ("no-pass", ",stones_per_turn=3"),
        ] {
            for suicide in [false, true] {
                for (size, longest) in [("2", 14), ("2", 22), ("3x2", 16)] {
                    let text = format!(
                        "go,komi=0,repetition={repetition},suicide={suicide},end={end}{more},max_moves={longest}"
                    );
                    let size = size.parse::<Size>().expect(size);
                    // Several stones a turn go with positional superko only.
                    let Ok(rules) = Rules::parse(&text, size) else { continue };
                    checked += check_games(rules, Goal::Result, 600);
                    checked +=
                        goals().skip(1).map(|goal| check_games(rules, goal, 100)).sum::<usize>();
                }
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}
