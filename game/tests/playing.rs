//! Games that begin as records.

#![allow(clippy::unwrap_used)]

use engine::{Color, GameResult, Komi, Move, Position, Rules, Variant};
use game::{Game, SgfRecord, replay};

#[test]
fn records_become_games_and_games_records() {
    let rules = Variant::Go.rules(5).unwrap();
    let text = "(;GM[1]SZ[5]RE[W+R]AB[bb][dd];W[cc];B[bc];W[cd])";
    let record = SgfRecord::read(text.as_bytes()).unwrap();
    let mut game = Game::of_record(&record, rules).unwrap();
    assert_eq!(game.position().stones(Color::Black).iter().count(), 3);
    assert_eq!(game.result_text().as_deref(), Some("W+R"));
    let again = SgfRecord::read(game.record().to_string().as_bytes()).unwrap();
    let copy = Game::of_record(&again, again.own_rules().unwrap()).unwrap();
    assert_eq!(copy.position().hash(), game.position().hash());
    assert_eq!(copy.result_text(), game.result_text());

    while game.undo() {}
    assert_eq!(game.position().stones(Color::Black).iter().count(), 2, "set up is no turn");
    assert_eq!(game.first_player(), Color::White);
    game.play_as(Color::Black, "C3".parse().unwrap()).unwrap();
    assert_eq!(game.position().stones(Color::Black).iter().count(), 3);

    let passes = SgfRecord::read(b"(;GM[1]SZ[5];B[cc];W[];B[];W[];B[])").unwrap();
    assert_eq!(Game::of_record(&passes, rules).unwrap().turns().len(), 3, "two passes end a game");

    let occupied = SgfRecord::read(b"(;GM[1]SZ[5];B[cc];W[cc])").unwrap();
    let refused = Game::of_record(&occupied, rules).unwrap_err().to_string();
    assert_eq!(refused, "turn 2, C3: there is a stone on C3 already");
}

#[test]
fn a_game_that_was_resumed_is_read_up_to_its_first_end() {
    let rules = Variant::Go.rules(5).unwrap();
    let text = b"(;GM[1]SZ[5]RE[W+R];B[cc];W[cd];B[];W[];B[];B[aa];W[ab])";
    let record = SgfRecord::read(text).unwrap();
    let (game, left_out) = Game::of_record_until_end(&record, rules).unwrap();
    assert_eq!(game.turns().len(), 4);
    assert_eq!(left_out.unwrap().to_string(), "turn 6, A5: the game is over");
    assert_eq!(game.resigned(), None, "the resignation came later");
    assert!(Game::of_record(&record, rules).is_err(), "where nobody can be told");

    let occupied = SgfRecord::read(b"(;GM[1]SZ[5];B[cc];W[cc])").unwrap();
    assert!(Game::of_record_until_end(&occupied, rules).is_err());
}

#[test]
fn passes_that_nobody_chose_are_implied_again_by_the_record_of_choices() {
    let mut game = Game::new(Variant::Go.rules(5).unwrap());
    for (player, played) in
        [(Color::White, "C3"), (Color::White, "D3"), (Color::Black, "pass"), (Color::White, "A1")]
    {
        game.play_as(player, played.parse().unwrap()).unwrap();
    }
    let taken = |game: &Game| -> Vec<_> {
        game.turns().iter().map(|turn| (turn.player, turn.played, turn.implied)).collect()
    };
    let again = |game: &Game| Game::of_record(&game.chosen_record(), *game.rules()).unwrap();
    assert_eq!(taken(&again(&game)), taken(&game));
    game.resign(Color::Black);
    assert_eq!(again(&game).resigned(), Some(Color::Black));

    // Other programs play a record turn by turn, and need all of them.
    assert_eq!(game.record().turns.len(), game.turns().len());
    let half = game.after(2).unwrap();
    assert_eq!(again(&half).position().turn(), half.position().turn());
}

#[test]
fn implied_passes_stay_implied_under_other_rules() {
    let mut game = Game::new(Variant::Go.rules(5).unwrap());
    for (player, played) in
        [(Color::White, "C3"), (Color::White, "D3"), (Color::Black, "pass"), (Color::White, "A1")]
    {
        game.play_as(player, played.parse().unwrap()).unwrap();
    }
    let mut other = game.under(Variant::Stoical.rules(5).unwrap()).unwrap();
    let taken = |game: &Game| -> Vec<_> {
        game.turns().iter().map(|turn| (turn.player, turn.played, turn.implied)).collect()
    };
    assert_eq!(taken(&other), taken(&game));
    while game.undo() {
        assert!(other.undo());
        assert_eq!(taken(&other), taken(&game));
        assert_eq!(other.position().turn(), game.position().turn());
    }
    assert!(!other.undo());
    assert!(game.under(Variant::Stoical.rules(5).unwrap()).is_ok());

    game.play("C3".parse().unwrap()).unwrap();
    game.play("pass".parse().unwrap()).unwrap();
    let refused = game.under(Variant::NoGo.rules(5).unwrap()).unwrap_err().to_string();
    assert!(refused.starts_with("turn 2, pass: "), "{refused}");
    game.resign(Color::Black);
    assert_eq!(
        game.under(Variant::Stoical.rules(5).unwrap()).unwrap().resigned(),
        Some(Color::Black)
    );
}

#[test]
fn a_pass_that_ended_a_turn_of_several_stones_is_none_where_turns_are_shorter() {
    let rules = |text: &str| Rules::parse(text, 5).unwrap();
    let mut game = Game::new(rules("go,stones_per_turn=3"));
    for played in ["C3", "D3", "pass", "B2"] {
        game.play(played.parse().unwrap()).unwrap();
    }
    let moves = |text: &str| -> Vec<String> {
        let other = game.under(rules(text)).unwrap();
        assert!(other.end().is_none());
        let read = Game::of_record(&game.record(), rules(text)).unwrap();
        assert_eq!(read.moves(), other.moves(), "read from its record under {text}");
        other.moves().iter().map(ToString::to_string).collect()
    };
    assert_eq!(moves("go,stones_per_turn=2"), ["C3", "D3", "pass", "B2"]);
    assert_eq!(moves("go"), ["C3", "D3", "B2"]);
}

/// Programs that count what they have sent take it back one by one.
#[test]
fn passes_after_the_end_are_kept_under_other_rules() {
    let rules = |text: &str| Rules::parse(text, 5).unwrap();
    let mut game = Game::new(rules("go,passes_to_end=3"));
    for _ in 0..3 {
        game.play(Move::Pass).unwrap();
    }
    assert!(game.pass_after_end());
    let mut other = game.under(rules("go")).unwrap();
    assert_eq!(other.turns().len(), 2);
    let mut running = other.under(rules("go,passes_to_end=3")).unwrap();
    assert!(running.end().is_none());
    assert!(running.undo() && running.turns().len() == 1, "there is no end after which to pass");
    for _ in 0..2 {
        assert!(other.undo() && other.end().is_some());
    }
    assert!(other.undo() && other.undo() && !other.undo());
}

/// A game that begins in the middle of another, with a tile and prisoners, goes on under rules that know neither, and is
/// replayed under them.
#[test]
fn a_game_from_the_middle_of_another_goes_on_under_other_rules() {
    let text = "rules tile\nsize 4\n....\n.XO.\n....\n....\nblack to move\nturns 12\nprisoners 3 1\ntiles B3\n";
    let mut game = Game::from_position(Position::parse(text).unwrap());
    game.play("A1".parse().unwrap()).unwrap();
    let superko = Variant::Go.rules(4).unwrap();
    let other = game.under(superko).unwrap();
    assert_eq!((other.rules(), other.moves()), (&superko, game.moves()));

    let record = SgfRecord::read(game.record().to_string().as_bytes()).unwrap();
    let replayed = replay(&record, superko).unwrap();
    assert_eq!(replayed.position.to_string(), other.position().to_string());
    let written = replayed.as_record(&record);
    let again = Game::of_record(&written, written.own_rules().unwrap()).unwrap();
    assert_eq!(again.position().to_string(), other.position().to_string());
}

/// Komi is prisoners to start with, or decides who has won.
#[test]
fn komi_changes_in_a_game_from_the_middle_of_another() {
    let begun = |text: &str| Game::from_position(Position::parse(text).unwrap());
    let board = "size 3\n.X.\n.X.\n.X.\nwhite to move\n";
    let mut tiled = begun(&format!("rules tile\n{board}prisoners 3 1\n"));
    assert!(tiled.set_komi(Komi::points(5)));
    let held = Color::BOTH.map(|color| tiled.position().prisoners(color));
    assert_eq!(held, [3, 6]);

    let mut over = begun(&format!("rules go,komi=0\n{board}passes 2\nresult B passes\n"));
    assert!(over.set_komi(Komi::points(20)));
    assert_eq!(over.end().map(|end| end.result), Some(GameResult::Won(Color::White)));
    assert_eq!(over.result_text().as_deref(), Some("W+11"));
    let rules = Rules::parse("go,passes_to_end=3", 3).unwrap();
    assert!(over.under(rules).unwrap().end().is_none());
}
