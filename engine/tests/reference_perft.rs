//! The reference implementation against the numbers and examples of the rules themselves, and the
//! stored tables of perft against the reference.

mod reference;

#[path = "reference/checks.rs"]
mod checks;

use std::fmt::Write;
use std::path::PathBuf;

use reference::{Reference, ReferenceRules, VARIANTS, perft};

/// The table of the rules: each variant on 2×2 at depth 1…5 and on 3×3 at depth 1…4.
const TABLE: [(&str, [u64; 5], [u64; 4]); 10] = [
    ("go", [5, 21, 68, 156, 316], [10, 91, 738, 5281]),
    ("incursion", [5, 21, 68, 156, 316], [10, 91, 738, 5281]),
    ("minimal-incursion", [5, 21, 68, 156, 316], [10, 91, 738, 5281]),
    ("stoical", [5, 21, 68, 156, 316], [10, 91, 738, 5281]),
    ("tile", [4, 12, 24, 16, 32], [9, 72, 504, 2976]),
    ("cushion", [4, 12, 24, 16, 32], [9, 72, 504, 2976]),
    ("hot-stone", [5, 21, 73, 172, 360], [10, 91, 748, 5443]),
    ("alter-igo", [4, 12, 24, 32, 64], [9, 72, 504, 3032]),
    ("conquest", [4, 12, 24, 24, 0], [9, 72, 504, 2976]),
    ("pure-conquest", [4, 12, 24, 24, 0], [9, 72, 504, 2976]),
];

/// Board sizes with the greatest depth that the stored tables go to.
const STORED: [(usize, usize); 6] = [(2, 10), (3, 8), (4, 6), (5, 4), (9, 3), (19, 2)];

/// Counts up to this are checked again in every run of the tests.
const QUICK: u64 = 100_000;

fn start(variant: &str, size: usize) -> Reference {
    Reference::new(ReferenceRules::named(variant, size).expect("a known variant"))
}

fn stored_file(variant: &str) -> PathBuf {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "perft"].iter().collect();
    folder.join(format!("{variant}.perft"))
}

#[test]
fn table_of_the_rules() {
    for (variant, on_two, on_three) in TABLE {
        let count = |size: usize, depth: usize| perft(&start(variant, size), depth);
        let two: Vec<u64> = (1..=on_two.len()).map(|depth| count(2, depth)).collect();
        let three: Vec<u64> = (1..=on_three.len()).map(|depth| count(3, depth)).collect();
        assert_eq!((two.as_slice(), three.as_slice()), (&on_two[..], &on_three[..]), "{variant}");
    }
}

#[test]
fn stored_tables() {
    for variant in VARIANTS {
        let text = std::fs::read_to_string(stored_file(variant)).expect("every variant has a file");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<u64> =
                line.split(' ').map(|field| field.parse().expect("a number")).collect();
            let &[size, depth, count] = fields.as_slice() else { panic!("{variant}: {line}") };
            if count <= QUICK {
                let game = start(variant, size as usize);
                assert_eq!(perft(&game, depth as usize), count, "{variant}: {line}");
            }
        }
    }
}

#[test]
#[ignore = "writes the stored tables anew, which takes minutes"]
fn write_stored_tables() {
    for variant in VARIANTS {
        let mut text = format!(
            "# {variant}: sequences of exactly `depth` turns from the empty board.\n\
             # A finished game has no continuation. Counted by the reference implementation.\n\
             # size depth count\n"
        );
        for (size, greatest) in STORED {
            for depth in 1..=greatest {
                let count = perft(&start(variant, size), depth);
                writeln!(text, "{size} {depth} {count}").expect("writing to a string succeeds");
            }
        }
        std::fs::write(stored_file(variant), text).expect("the folder of the tables is there");
    }
}
