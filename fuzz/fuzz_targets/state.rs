//! Games of any rule set and any moves, legal or not: a refused move changes nothing, the state is one line of JSON at
//! every turn, and the position's text reads back. (There is no reader of states: the JSON is only ever written.)

#![no_main]

use engine::{Bitboard, Color, Move, Point, Position, Rules, Size, Variant};
use libfuzzer_sys::fuzz_target;

/// Bytes of the input that set up the game; all others are moves, two bytes each.
const HEAD: usize = 4;

fuzz_target!(|input: &[u8]| {
    let Some((head, moves)) = input.split_at_checked(HEAD) else { return };
    let variant = Variant::ALL[usize::from(head[0]) % Variant::ALL.len()];
    let Ok(size) = Size::new(2 + usize::from(head[1] % 8), 2 + usize::from(head[1] / 8 % 8)) else { return };
    // Changes that some variants refuse and others play.
    let changes = [
        "",
        ",max_moves=9",
        ",tiles=cushion,tile_limit=2",
        ",suicide=true",
        ",komi=-2.5",
        ",stones_per_turn=3",
        ",capture_goal=2",
        ",repetition=situational-superko",
        ",repetition=hot-stone",
        ",white_passes=3",
    ];
    let text = format!("{variant}{}", changes[usize::from(head[2]) % changes.len()]);
    let Ok(rules) = Rules::parse(&text, size) else { return };
    let Some(mut position) = start(rules, head[3], moves) else { return };
    check(&position);
    for bytes in moves.chunks_exact(2).take(200) {
        let chosen = chosen(bytes, size);
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
    for (byte, point) in bytes.iter().zip(rules.size.points()) {
        if byte % 3 > 0 {
            stones[usize::from(byte % 3) - 1].insert(point);
        }
    }
    Position::with_stones(rules, stones[0], stones[1], Color::White).ok()
}

/// Nearly always a placement on the board; sometimes a pass, a star, or a point beyond the edge.
fn chosen(bytes: &[u8], size: Size) -> Move {
    let point = Point::from_index(usize::from(bytes[0]) % size.area(), size);
    match bytes[1] {
        0..=15 => Move::Pass,
        16..=47 => Move::PlaceStarred(point),
        48..=51 => Move::Place(Point::new(18, usize::from(bytes[0]) % 19)),
        _ => Move::Place(point),
    }
}

fn check(position: &Position) {
    let state = game::State::of(position, position.outcome().map(Into::into)).to_line();
    assert!(!state.contains('\n'));
    let value: serde_json::Value = serde_json::from_str(&state).expect("JSON");
    let legal = value["legal"].as_array().expect("legal moves").len();
    assert_eq!(legal == 0, position.outcome().is_some(), "{state}");
    assert_eq!(value["stones"].as_array().map(Vec::len), Some(position.size().height()));
    assert_eq!(value["result"].is_null(), position.outcome().is_none());
    let read = Position::parse(&position.to_string()).expect("its own text");
    assert_eq!(read.hash(), position.hash());
}
