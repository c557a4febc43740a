//! Bytes as the text of a position: a message, or a position whose own text reads back, and in which every legal move
//! can be played.

#![no_main]

use engine::{Encoding, Position};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(position) = Position::parse(text) else { return };
    let written = position.to_string();
    let again = Position::parse(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again.hash(), position.hash(), "{written}");
    assert_eq!(Encoding::of(&again), Encoding::of(&position), "{written}");
    for chosen in position.legal_moves() {
        position.clone().play(chosen).expect("a listed move");
    }
});
