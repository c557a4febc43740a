//! Any bytes as SGF: refused with a message, or a game that is written, read again with the same moves, and replayed
//! under any rules.

#![no_main]

use engine::Variant;
use libfuzzer_sys::fuzz_target;
use game::{Extras, SgfRecord, replay};

fuzz_target!(|input: &[u8]| {
    let Some((&first, file)) = input.split_first() else { return };
    let record = match SgfRecord::read(file) {
        Ok(record) => record,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let text = record.to_string();
    let again = SgfRecord::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in {text}"));
    assert_eq!(again.turns.len(), record.turns.len(), "{text}");
    for (one, other) in again.turns.iter().zip(&record.turns) {
        assert_eq!((one.player, one.played), (other.player, other.played), "{text}");
    }
    assert_eq!((again.size, again.stones), (record.size, record.stones), "{text}");
    assert_eq!(again.first_player(), record.first_player(), "{text}");
    assert_eq!(again.defects, Vec::<String>::new(), "{text}");

    let variant = Variant::ALL[usize::from(first) % Variant::ALL.len()];
    let rules = variant.rules(record.size).expect("a size that was read");
    let Ok(replayed) = replay(&record, rules) else { return };
    assert!(!replayed.report.to_string().is_empty());
    let extras = Extras { markup: true, materialize: true };
    let played = replayed.as_record(&record);
    let text = played.write(extras).unwrap_or_else(|error| panic!("{error} in {text}"));
    let again = SgfRecord::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in {text}"));
    assert_eq!(again.turns.len(), replayed.report.turns_played, "{text}");
});
