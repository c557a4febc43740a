//! Solves every combination of the parts that a rule set is made of, on one board, komi 0:
//! `cargo run --release -p solver --example combinations -- 3x3 300000`, where the number is the most positions for each.

use std::collections::BTreeMap;
use std::process::ExitCode;

use engine::{Rules, Size};
use solver::{Effort, Solver};

/// The parts of the `go` family with their words; numbers such as limits are at their defaults.
const PARTS: [(&str, &[&str]); 6] = [
    ("captures", &["allowed", "forbidden"]),
    ("ban", &["none", "incursion", "minimal-incursion", "stoical"]),
    (
        "repetition",
        &["none", "simple", "positional-superko", "situational-superko", "draw", "hot-stone"],
    ),
    ("suicide", &["false", "true"]),
    ("tiles", &["none", "tile", "cushion"]),
    ("end", &["area", "prisoner-return", "no-pass"]),
];

/// Every combination that is a rule set.
fn rule_sets(size: Size) -> Vec<Rules> {
    let mut texts = vec!["go,komi=0".to_owned()];
    for (name, values) in PARTS {
        texts = texts
            .iter()
            .flat_map(|text| values.iter().map(move |value| format!("{text},{name}={value}")))
            .collect();
    }
    texts.extend(["alter-igo", "conquest", "pure-conquest"].map(str::to_owned));
    texts.iter().filter_map(|text| Rules::parse(text, size).ok()).collect()
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let size = arguments.next().and_then(|text| text.parse::<Size>().ok());
    let nodes = arguments.next().and_then(|text| text.parse::<u64>().ok());
    let (Some(size), Some(nodes)) = (size, nodes) else {
        eprintln!(
            "expected the size of the board and the most positions for each rule set: 3x3 300000"
        );
        return ExitCode::FAILURE;
    };
    let all = rule_sets(size);
    let mut values: BTreeMap<String, usize> = BTreeMap::new();
    for rules in &all {
        let effort = Effort { nodes, ..Effort::default() };
        let (value, best) = match Solver::with_effort(*rules, effort).solve(&[]) {
            Ok(solution) => {
                let best: Vec<String> = solution.best.iter().map(ToString::to_string).collect();
                (solution.value.to_string(), best.join(" "))
            }
            Err(error) => (error.to_string(), String::new()),
        };
        println!("{value}\t{rules}\t{best}");
        *values.entry(value).or_default() += 1;
    }
    println!("{} rule sets on {size:#}", all.len());
    values.iter().for_each(|(value, count)| println!("{count:>6}  {value}"));
    ExitCode::SUCCESS
}
