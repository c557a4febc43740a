//! Games of any rule set and any moves, legal or not: a refused move changes nothing, and the state is one line of
//! JSON at every turn. (There is no reader of states: the JSON is only ever written.)

#![no_main]

use engine::{Bitboard, Color, Move, Point, Position, Rules, Variant};
use libfuzzer_sys::fuzz_target;

/// Bytes of the input that set up the game; all others are moves, two bytes each.
const HEAD: usize = 4;

fuzz_target!(|input: &[u8]| {
    let Some((head, moves)) = input.split_at_checked(HEAD) else { return };
    let variant = Variant::ALL[usize::from(head[0]) % Variant::ALL.len()];
    let size = 2 + head[1] % 8;
    // Changes that some variants refuse and others play.
    let changes = ["", ",max_moves=9", ",tiles=cushion,tile_limit=2", ",suicide=true", ",komi=-2.5"];
    let text = format!("{variant}{}", changes[usize::from(head[2]) % changes.len()]);
    let Ok(rules) = Rules::parse(&text, size) else { return };
    let Some(mut position) = start(rules, head[3], moves) else { return };
    check(&position);
    for bytes in moves.chunks_exact(2).take(200) {
        let chosen = chosen(bytes, usize::from(size));
        let legal = position.legal_moves().contains(&chosen);
        let before = position.hash();
        match position.play(chosen) {
            Ok(()) => {
                assert!(legal, "{chosen} was played and is not listed");
                check(&position);
            }
            Err(rule) => {
                assert!(!legal, "{chosen} is listed and refused: {rule}");
                assert_eq!(position.hash(), before);
            }
        }
    }
});

/// The empty board, or stones set up by the same bytes that are moves later.
fn start(rules: Rules, setup: u8, bytes: &[u8]) -> Option<Position> {
    if setup.is_multiple_of(2) {
        return Some(Position::new(rules));
    }
    let mut stones = [Bitboard::EMPTY; 2];
    for (byte, index) in bytes.iter().zip(0..usize::from(rules.size).pow(2)) {
        if byte % 3 > 0 {
            stones[usize::from(byte % 3) - 1].insert(Point::from_index(index, rules.size.into()));
        }
    }
    Position::with_stones(rules, stones[0], stones[1], Color::White).ok()
}

/// Nearly always a placement on the board; sometimes a pass, a star, or a point beyond the edge.
fn chosen(bytes: &[u8], size: usize) -> Move {
    let point = Point::from_index(usize::from(bytes[0]) % (size * size), size);
    match bytes[1] {
        0..=15 => Move::Pass,
        16..=47 => Move::PlaceStarred(point),
        48..=51 => Move::Place(Point::new(18, usize::from(bytes[0]) % 19)),
        _ => Move::Place(point),
    }
}

fn check(position: &Position) {
    let state = bot::State::of(position, None).to_line();
    assert!(!state.contains('\n'));
    let value: serde_json::Value = serde_json::from_str(&state).expect("JSON");
    let legal = value["legal"].as_array().expect("legal moves").len();
    assert_eq!(legal == 0, position.outcome().is_some(), "{state}");
    assert_eq!(value["stones"].as_array().map(Vec::len), Some(position.size()));
    assert_eq!(value["result"].is_null(), position.outcome().is_none());
}
