//! Exact results on boards so small that perfect play is found within seconds.

use engine::Rules;
use solver::{Effort, QUICKLY_SOLVED, Solution, Solver};

/// Maximum number of positions searched per rule set: a few seconds.
const MAX_NODES: u64 = 2_000_000;

/// Maximum number of rule sets solved.
const MAX_RULE_SETS: usize = 5;

/// Perfect play from the empty board.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved {
    /// The rules.
    pub rules: Rules,
    /// The value, and the first moves that keep it.
    pub solution: Solution,
}

/// Perfect play under those of the first rule sets that can be solved this quickly.
pub(super) fn solved(rule_sets: &[Rules]) -> Vec<Solved> {
    let effort = Effort { nodes: MAX_NODES, ..Effort::default() };
    let some = rule_sets.iter().take(MAX_RULE_SETS);
    let small = some.filter(|rules| rules.size.area() <= QUICKLY_SOLVED);
    let solve = |&rules: &Rules| {
        let solution = Solver::with_effort(rules, effort).solve(&[]).ok()?;
        Some(Solved { rules, solution })
    };
    small.filter_map(solve).collect()
}
