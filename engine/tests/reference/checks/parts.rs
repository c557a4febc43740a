//! Forbidden captures, the ending without passes, and goals of captured stones.

use std::collections::HashMap;

use super::{game, is_legal, pass, place, point_of, position, rules, with_turn};
use crate::reference::rules::End;
use crate::reference::{Color, Reference, ReferenceMove, Refusal, Size, VARIANTS};

const BLACK_WINS: Option<Color> = Some(Color::Black);
const WHITE_WINS: Option<Color> = Some(Color::White);

#[test]
fn forbidden_captures_are_of_either_colour() {
    let takes_one = (["...", "X..", "O.."], "B1");
    let lone_suicide = (["...", "O..", ".O."], "A1");
    let suicide_of_two = (["...", "OO.", "X.O"], "B1");
    let suicide = Some(Refusal::Suicide);
    let capture = Some(Refusal::CapturesForbidden);
    for (text, reasons) in [
        ("go,suicide=false", [None, suicide, suicide]),
        ("go", [None, suicide, None]),
        ("nogo", [capture, suicide, suicide]),
        ("nogo,suicide=true", [capture, suicide, capture]),
    ] {
        let found = [&takes_one, &lone_suicide, &suicide_of_two].map(|(rows, name)| {
            let game = position(text, rows);
            game.refusal(point_of(&game, name))
        });
        assert_eq!(found, reasons, "{text}");
    }
}

#[test]
fn whoever_has_no_placement_loses_without_passes() {
    // A1 and B2 are suicides for White.
    let rows = ["X.", ".X"];
    assert_eq!(with_turn("nogo", &rows, Color::White).outcome(), Some((BLACK_WINS, "no move")));
    let mut game = position("nogo", &rows);
    assert_eq!(game.outcome(), None);
    // Now B2 would take everything.
    place(&mut game, "A1");
    assert_eq!(game.outcome(), Some((BLACK_WINS, "no move")));
    let mut game = position("no-pass-go", &rows);
    place(&mut game, "A1");
    assert_eq!(game.outcome(), None);
    assert!(is_legal(&game, "B2"));
}

#[test]
fn prisoners_are_of_no_use_without_passes() {
    let mut game = position("no-pass-go", &["...", "X..", "O.."]);
    place(&mut game, "B1");
    assert_eq!((game.prisoners(), game.taken()), ([1, 0], [1, 0]));
    assert!(!game.legal_moves().contains(&ReferenceMove::Pass));
    assert_eq!(game.score(), None);
}

#[test]
fn endings_without_passes_by_move_limit_and_repetition_are_draws() {
    let mut limited = game("nogo,max_moves=2", 3);
    place(&mut limited, "A1");
    place(&mut limited, "B1");
    assert_eq!(limited.outcome(), Some((None, "move limit")));

    let mut repeated = position("no-pass-go,repetition=draw", &[".XO.", "XO.O", ".XO.", "...."]);
    for name in ["C3", "B3", "C3"] {
        place(&mut repeated, name);
    }
    assert_eq!(repeated.outcome(), Some((None, "repetition")));
}

#[test]
fn loss_for_want_of_a_move_comes_before_the_move_limit() {
    let mut game = position("nogo,max_moves=1", &["X.", ".X"]);
    place(&mut game, "A1");
    assert_eq!(game.outcome(), Some((BLACK_WINS, "no move")));
}

#[test]
fn first_capture_wins_atari_go() {
    let mut game = position("atari-go", &["...", "X..", "O.."]);
    place(&mut game, "B1");
    assert_eq!(game.outcome(), Some((BLACK_WINS, "capture goal")));
}

#[test]
fn suicides_count_for_the_opponents_goal() {
    // B1 makes a string of two without a liberty.
    let rows = ["...", "OO.", "X.O"];
    let mut game = position("go,capture_goal=2", &rows);
    place(&mut game, "B1");
    assert_eq!(game.taken(), [0, 2]);
    assert_eq!(game.outcome(), Some((WHITE_WINS, "capture goal")));
    let mut game = position("go,capture_goal=3", &rows);
    place(&mut game, "B1");
    assert_eq!(game.outcome(), None);
    // A placement that captures is not a suicide, and counts for its own player only.
    let mut game = position("go,capture_goal=2", &["...", "XX.", "O.X"]);
    place(&mut game, "B1");
    assert_eq!((game.taken(), game.outcome()), ([1, 0], None));
}

#[test]
fn goal_adds_up_over_the_game() {
    let mut game = position("go,capture_goal=2", &["O.O", "X.X", "O.O"]);
    place(&mut game, "B1");
    assert_eq!((game.taken(), game.outcome()), ([2, 0], Some((BLACK_WINS, "capture goal"))));
    let rows = ["O..", "X.X", "O.."];
    let mut game = position("go,capture_goal=2", &rows);
    place(&mut game, "B1");
    assert_eq!((game.taken(), game.outcome()), ([1, 0], None));
    pass(&mut game);
    place(&mut game, "B3");
    assert_eq!(game.outcome(), Some((BLACK_WINS, "capture goal")));
}

#[test]
fn returned_prisoners_were_taken_all_the_same() {
    let mut game = position("tile,tiles=none,capture_goal=4", &["O..", "X.X", "O.."]);
    place(&mut game, "B1");
    place(&mut game, "B2");
    assert_eq!((game.prisoners(), game.taken()), ([1, 0], [1, 0]));
    pass(&mut game);
    assert_eq!((game.prisoners(), game.taken()), ([0, 0], [1, 0]));
    place(&mut game, "C3");
    place(&mut game, "B3");
    assert_eq!((game.prisoners(), game.taken()), ([3, 0], [4, 0]));
    assert_eq!(game.outcome(), Some((BLACK_WINS, "capture goal")));
}

#[test]
fn prisoners_of_the_start_reach_no_goal() {
    let mut game = game("cushion,komi=3,capture_goal=1", 3);
    assert_eq!((game.prisoners(), game.taken()), ([0, 3], [0, 0]));
    place(&mut game, "B2");
    pass(&mut game);
    assert_eq!((game.prisoners(), game.outcome()), ([0, 2], None));
}

#[test]
fn goal_comes_before_everything_else() {
    // The move limit is reached with the capture.
    let mut limited = position("go,capture_goal=1,max_moves=1,komi=99", &["...", "X..", "O.."]);
    place(&mut limited, "B1");
    assert_eq!(limited.outcome(), Some((BLACK_WINS, "capture goal")));
    // The third capture in a ko brings back what Black left before, and is the third stone.
    let mut repeated =
        position("go,repetition=draw,capture_goal=2", &[".XO.", "XO.O", ".XO.", "...."]);
    for name in ["C3", "B3", "C3"] {
        place(&mut repeated, name);
    }
    assert_eq!(repeated.outcome(), Some((BLACK_WINS, "capture goal")));
}

#[test]
fn games_by_area_with_a_goal_are_scored_after_passes() {
    let mut game = game("go,capture_goal=1,komi=0.5", 3);
    place(&mut game, "B2");
    pass(&mut game);
    pass(&mut game);
    assert_eq!(game.outcome(), Some((BLACK_WINS, "passes")));
    assert_eq!(game.score(), Some(8.5));
}

/// Whether the player to move wins, by going through every game.
fn wins(game: &Reference, known: &mut HashMap<(Vec<Option<Color>>, Color), bool>) -> bool {
    if let Some((winner, _)) = game.outcome() {
        return winner == Some(game.to_move());
    }
    let key = (game.board().to_vec(), game.to_move());
    if let Some(&value) = known.get(&key) {
        return value;
    }
    let value = game.legal_moves().into_iter().any(|chosen| {
        let mut next = game.clone();
        next.play(chosen);
        !wins(&next, known)
    });
    known.insert(key, value);
    value
}

#[test]
fn every_first_move_wins_nogo_on_three_by_three() {
    let start = game("nogo", 3);
    let mut known = HashMap::new();
    for chosen in start.legal_moves() {
        let mut next = start.clone();
        next.play(chosen);
        assert!(!wins(&next, &mut known), "{chosen:?}");
    }
}

#[test]
fn every_variant_without_passes_has_neither_pass_nor_score() {
    let rules = VARIANTS.map(|name| rules(name, Size::square(4)));
    let without = rules.into_iter().filter(|rules| rules.end == End::NoPass);
    let mut count = 0;
    for rules in without {
        count += 1;
        assert_eq!(rules.komi, 0.0);
        let game = Reference::new(rules);
        assert_eq!(game.score(), None);
        assert!(is_legal(&game, "A1") && !game.legal_moves().contains(&ReferenceMove::Pass));
    }
    assert_eq!(count, 3);
}
