//! Counts of move sequences, from the text files in `tests/perft`.

#![allow(clippy::unwrap_used)]

use engine::{Position, Rules, Variant, perft};

/// Counts above this are left to the release-mode run.
const QUICK_LIMIT: u64 = if cfg!(debug_assertions) { 20_000 } else { 5_000_000 };

#[test]
fn every_variant_counts_as_its_file_says() {
    for variant in Variant::ALL {
        let path = format!("{}/tests/perft/{variant}.perft", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut checked = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let numbers: Vec<u64> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let [size, depth, count] = numbers[..] else { panic!("{path}: '{line}'") };
            if count > QUICK_LIMIT {
                continue;
            }
            let rules = Rules::parse(variant.name(), size as u8).unwrap();
            let found = perft(&Position::new(rules), depth as u32);
            assert_eq!(found, count, "{variant} {size}x{size} depth {depth}");
            checked += 1;
        }
        assert!(checked > 0, "{path} has no count");
    }
}
