//! Examples of the rules, played by the reference, and checks of its parts against each other.

mod bans;
mod examples;
mod hot_stones;
mod parts;
mod rectangles;
mod stones_per_turn;

use crate::reference::{Board, Color, Reference, ReferenceMove, ReferenceRules, Size};

fn rules(text: &str, size: Size) -> ReferenceRules {
    ReferenceRules::parse(text, size).expect("known rules")
}

/// A game from the empty square board of that side.
fn game(text: &str, side: usize) -> Reference {
    Reference::new(rules(text, Size::square(side)))
}

/// The index of a point by its name, for boards of up to 9 columns.
fn point(name: &str, width: usize) -> usize {
    let (column, row) = name.split_at(1);
    let column = "ABCDEFGHJ".find(column).expect("a column");
    (row.parse::<usize>().expect("a row") - 1) * width + column
}

fn point_of(game: &Reference, name: &str) -> usize {
    point(name, game.rules().size.width)
}

fn place(game: &mut Reference, name: &str) {
    let chosen = ReferenceMove::Place(point_of(game, name));
    assert!(game.legal_moves().contains(&chosen), "{name} is legal");
    game.play(chosen);
}

fn pass(game: &mut Reference) {
    assert!(game.legal_moves().contains(&ReferenceMove::Pass), "a pass is legal");
    game.play(ReferenceMove::Pass);
}

fn is_legal(game: &Reference, name: &str) -> bool {
    game.legal_moves().contains(&ReferenceMove::Place(point_of(game, name)))
}

/// A game from these rows, the top one first, with Black to move.
fn position(text: &str, rows: &[&str]) -> Reference {
    with_turn(text, rows, Color::Black)
}

fn with_turn(text: &str, rows: &[&str], to_move: Color) -> Reference {
    let board = Board::from_rows(rows);
    Reference::from_position(rules(text, board.size), board, to_move)
}

/// The board as rows, the top one first.
fn rows(game: &Reference) -> Vec<String> {
    let letter = |stone: &Option<Color>| match stone {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => '.',
    };
    let rows = game.board().chunks(game.rules().size.width).rev();
    rows.map(|row| row.iter().map(letter).collect()).collect()
}

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}
