//! The reference implementation against the numbers and examples of the rules themselves, and the
//! stored tables of perft against the reference.

mod reference;

#[path = "reference/checks/mod.rs"]
mod checks;

use std::fmt::Write;
use std::path::PathBuf;

use reference::{Reference, ReferenceRules, Size, VARIANTS, perft};

/// The tables of the rules: counts from depth 1 on, on 2×2, 3×3 and 4×4.
const TABLE: [(&str, [&[u64]; 3]); 17] = [
    ("go", [&[5, 21, 68, 156, 316], &[10, 91, 738, 5281], &[]]),
    ("incursion", [&[5, 21, 68, 156, 316], &[10, 91, 738, 5281], &[]]),
    ("minimal-incursion", [&[5, 21, 68, 156, 316], &[10, 91, 738, 5281], &[]]),
    ("stoical", [&[5, 21, 68, 156, 316], &[10, 91, 738, 5281], &[]]),
    ("tile", [&[4, 12, 24, 16, 32], &[9, 72, 504, 2976], &[]]),
    ("cushion", [&[4, 12, 24, 16, 32], &[9, 72, 504, 2976], &[]]),
    ("hot-stone", [&[5, 21, 73, 172, 360], &[10, 91, 748, 5443], &[]]),
    ("alter-igo", [&[4, 12, 24, 32, 64], &[9, 72, 504, 3032], &[]]),
    ("conquest", [&[4, 12, 24, 24, 0], &[9, 72, 504, 2976], &[]]),
    ("pure-conquest", [&[4, 12, 24, 24, 0], &[9, 72, 504, 2976], &[]]),
    ("nogo", [&[4, 12, 16, 0], &[9, 72, 496, 2832], &[16, 240, 3352]]),
    ("no-pass-go", [&[4, 12, 24, 16, 32], &[9, 72, 504, 2976], &[16, 240, 3360]]),
    ("atari-go", [&[4, 12, 24, 16, 0], &[9, 72, 504, 2928], &[16, 240, 3360]]),
    ("go,capture_goal=3", [&[], &[10, 91, 738, 5281], &[]]),
    ("go,captures=forbidden", [&[], &[10, 91, 730, 5113], &[]]),
    ("go,stones_per_turn=2", [&[5, 21, 68, 156, 392], &[10, 91, 738, 5281], &[]]),
    ("go,suicide=false,stones_per_turn=3", [&[], &[10, 91, 738, 5345], &[]]),
];

/// Board sizes with the greatest depth that the stored tables go to.
const STORED: [(&str, usize); 11] = [
    ("2", 10),
    ("3", 8),
    ("4", 6),
    ("5", 4),
    ("9", 3),
    ("19", 2),
    ("2x3", 8),
    ("3x2", 8),
    ("3x4", 5),
    ("5x2", 5),
    ("19x2", 3),
];

/// Counts up to this are checked again in every run of the tests.
const QUICK: u64 = 100_000;

fn start(rules: &str, size: &str) -> Reference {
    let size = Size::parse(size).expect("a size");
    Reference::new(ReferenceRules::parse(rules, size).expect("known rules"))
}

/// The rule sets with a stored table: every variant, and the others in the tables of the rules.
fn stored_rules() -> impl Iterator<Item = &'static str> {
    let others = TABLE.iter().map(|(rules, _)| *rules).filter(|rules| !VARIANTS.contains(rules));
    VARIANTS.into_iter().chain(others)
}

/// A table's name says which rules it is for.
fn stored_file(rules: &str) -> PathBuf {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "perft"].iter().collect();
    folder.join(format!("{rules}.perft"))
}

#[test]
fn table_of_the_rules() {
    for (rules, tables) in TABLE {
        for (wanted, size) in tables.into_iter().zip(["2", "3", "4"]) {
            let count = |depth| perft(&start(rules, size), depth);
            let counted: Vec<u64> = (1..=wanted.len()).map(count).collect();
            assert_eq!(counted, wanted, "{rules} on size {size}");
        }
    }
}

#[test]
fn stored_tables() {
    for rules in stored_rules() {
        let text = std::fs::read_to_string(stored_file(rules)).expect("these rules have a file");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(' ').collect();
            let &[size, depth, count] = fields.as_slice() else { panic!("{rules}: {line}") };
            let count: u64 = count.parse().expect("a number");
            if count <= QUICK {
                let depth = depth.parse().expect("a number");
                assert_eq!(perft(&start(rules, size), depth), count, "{rules}: {line}");
            }
        }
    }
}

#[test]
#[ignore = "rewrites the stored tables, which takes minutes"]
fn write_stored_tables() {
    for rules in stored_rules() {
        let mut text = format!(
            "# {rules}: sequences of exactly `depth` moves from the empty board.\n\
             # A finished game has no continuation. Counted by the reference implementation.\n\
             # size depth count\n"
        );
        for (size, greatest) in STORED {
            for depth in 1..=greatest {
                let count = perft(&start(rules, size), depth);
                writeln!(text, "{size} {depth} {count}").expect("writing to a string succeeds");
            }
        }
        std::fs::write(stored_file(rules), text).expect("the folder of the tables is there");
    }
}
