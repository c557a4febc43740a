//! Turns of several stones.

use super::{game, is_legal, pass, place, position, rows};
use crate::reference::rules::Color::{Black, White};
use crate::reference::{Color, Reference};

/// Whose move it is before each of these moves, and after the last.
fn movers(game: &mut Reference, moves: &[&str]) -> Vec<Color> {
    let mut movers = vec![game.to_move()];
    for name in moves {
        match *name {
            "pass" => pass(game),
            name => place(game, name),
        }
        movers.push(game.to_move());
    }
    movers
}

#[test]
fn first_turn_is_one_placement() {
    let moves = ["A1", "B1", "C1", "A2", "B2", "C2"];
    let two = movers(&mut game("go,stones_per_turn=2", 5), &moves);
    assert_eq!(two, [Black, White, White, Black, Black, White, White]);
    let three = movers(&mut game("go,stones_per_turn=3", 5), &moves);
    assert_eq!(three, [Black, White, White, White, Black, Black, Black]);
    let four = movers(&mut game("go,stones_per_turn=4,end=no-pass,komi=0", 5), &moves);
    assert_eq!(four, [Black, White, White, White, White, Black, Black]);
}

#[test]
fn pass_as_the_first_move_is_the_first_turn() {
    let found = movers(&mut game("go,stones_per_turn=2", 5), &["pass", "A1", "B1", "C1"]);
    assert_eq!(found, [Black, White, White, Black, Black]);
}

#[test]
fn pass_after_a_placement_only_ends_the_turn() {
    let mut game = game("go,stones_per_turn=3", 5);
    let found = movers(&mut game, &["A1", "B1", "pass", "pass"]);
    assert_eq!(found, [Black, White, White, Black, White]);
    // Of White's pass and Black's, only Black's was one.
    assert_eq!((game.passes(), game.outcome()), (1, None));
    let found = movers(&mut game, &["C1", "C2", "pass"]);
    assert_eq!(found, [White, White, White, Black]);
    assert_eq!((game.passes(), game.outcome()), (0, None));
    movers(&mut game, &["pass", "pass"]);
    assert_eq!(game.outcome().map(|(_, reason)| reason), Some("passes"));
}

#[test]
fn every_placement_counts_as_a_move() {
    let mut limited = game("go,stones_per_turn=2,max_moves=4", 5);
    movers(&mut limited, &["A1", "B1", "C1", "A2"]);
    assert_eq!(limited.outcome().map(|(_, reason)| reason), Some("move limit"));
    // So does the pass that only ends a turn.
    let mut limited = game("go,stones_per_turn=2,max_moves=3", 5);
    movers(&mut limited, &["A1", "B1", "pass"]);
    assert_eq!(limited.outcome().map(|(_, reason)| reason), Some("move limit"));
}

#[test]
fn every_placement_captures_at_once() {
    // White takes A1 with the first stone, and fills the point with the second.
    let mut game = game("go,stones_per_turn=2", 3);
    movers(&mut game, &["A1", "A2", "C3", "C2", "pass", "B1"]);
    assert_eq!(rows(&game), ["..O", "O.X", ".O."]);
    assert_eq!((game.to_move(), game.prisoners()), (White, [0, 1]));
    place(&mut game, "A1");
    assert_eq!(rows(&game), ["..O", "O.X", "OO."]);
}

#[test]
fn superko_compares_with_positions_within_a_turn() {
    for (repetition, legal) in [("positional-superko", false), ("none", true)] {
        let text = format!("go,stones_per_turn=2,repetition={repetition}");
        let mut game = position(&text, &[".XO.", "XO.O", ".XO.", "...."]);
        place(&mut game, "C3");
        assert_eq!(is_legal(&game, "B3"), legal, "{text}: it brings back the start");
        // The stones between White's two placements are those that Black would bring back.
        place(&mut game, "A1");
        place(&mut game, "B3");
        assert_eq!((game.to_move(), is_legal(&game, "C3")), (Black, legal), "{text}");
    }
}

#[test]
fn goal_is_reached_within_a_turn() {
    let mut game = position("go,stones_per_turn=3,capture_goal=1", &["...", "X..", "O.."]);
    movers(&mut game, &["B1"]);
    assert_eq!(game.outcome(), Some((Some(Black), "capture goal")));
}

#[test]
fn turn_without_passes_ends_when_nothing_is_left() {
    // Black has made two placements of three, and could only fill own eyes.
    let mut game = game("nogo,stones_per_turn=3", 3);
    let found = movers(&mut game, &["A1", "A2", "B3", "C2", "B1", "B2"]);
    assert_eq!(found, [Black, White, White, White, Black, Black, White]);
    assert_eq!((rows(&game).join("/"), game.outcome()), (".O./OXO/XX.".to_owned(), None));
    // White's third would be a capture too, and Black has nothing at the beginning of a turn.
    let found = movers(&mut game, &["A3", "C3"]);
    assert_eq!(found, [White, White, Black]);
    assert_eq!(game.outcome(), Some((Some(White), "no move")));
}

#[test]
fn whoever_has_no_placement_at_the_beginning_of_a_turn_loses() {
    let mut game = position("nogo,stones_per_turn=3", &["X.", ".X"]);
    place(&mut game, "A1");
    assert_eq!(game.outcome(), Some((Some(Black), "no move")));
}
