//! Counts of move sequences, from the text files in `tests/perft`.

#![allow(clippy::unwrap_used)]

use engine::{Position, Rules, Size, Variant, perft};

/// Counts above this are left to the release-mode run.
const QUICK_LIMIT: u64 = if cfg!(debug_assertions) { 20_000 } else { 5_000_000 };

#[test]
fn every_rule_set_counts_as_its_file_says() {
    let folder = format!("{}/tests/perft", env!("CARGO_MANIFEST_DIR"));
    let mut rule_sets = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let rules = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let checked = lines.filter(|line| counts(&rules, line)).count();
        assert!(checked > 0, "{rules} has no count");
        rule_sets.push(rules);
    }
    for variant in Variant::ALL {
        assert!(rule_sets.iter().any(|rules| rules == variant.name()), "{variant} has no file");
    }
}

/// Whether a line with size, depth and count is short enough to be counted again, and it is right.
fn counts(rules: &str, line: &str) -> bool {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [size, depth, count] = fields[..] else { panic!("{rules}: '{line}'") };
    let count: u64 = count.parse().unwrap();
    if count > QUICK_LIMIT {
        return false;
    }
    let start = Position::new(Rules::parse(rules, size.parse::<Size>().unwrap()).unwrap());
    assert_eq!(perft(&start, depth.parse().unwrap()), count, "{rules} on {size}, depth {depth}");
    true
}
