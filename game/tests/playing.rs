//! Games that begin as records.

#![allow(clippy::unwrap_used)]

use engine::{Color, Variant};
use game::{Game, SgfRecord};

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
    assert_eq!(game.first(), Color::White);
    game.play_as(Color::Black, "C3".parse().unwrap()).unwrap();
    assert_eq!(game.position().stones(Color::Black).iter().count(), 3);

    let passes = SgfRecord::read(b"(;GM[1]SZ[5];B[cc];W[];B[];W[];B[])").unwrap();
    assert_eq!(Game::of_record(&passes, rules).unwrap().turns().len(), 3, "two passes end a game");

    let occupied = SgfRecord::read(b"(;GM[1]SZ[5];B[cc];W[cc])").unwrap();
    let refused = Game::of_record(&occupied, rules).unwrap_err().to_string();
    assert_eq!(refused, "turn 2, C3: there is a stone on C3 already");
}
