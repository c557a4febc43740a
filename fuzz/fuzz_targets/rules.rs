//! Any text as a rule set: it is refused with a message, or it is a rule set that reads back and plays.

#![no_main]

use engine::{Position, Rules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (size, text) = input;
    let size = size % 24;
    match Rules::parse(text, size) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(rules) => {
            let canonical = rules.to_string();
            assert_eq!(Rules::parse(&canonical, size), Ok(rules), "{canonical}");
            for (field, value) in rules.fields() {
                assert!(!value.is_empty(), "{canonical}: {field}");
            }
            let position = Position::new(rules);
            assert_eq!(position.legal_moves().is_empty(), position.outcome().is_some());
        }
    }
});
