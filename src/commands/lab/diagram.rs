//! One position under several rule sets.

use std::path::Path;

use anyhow::Result;
use engine::{Move, Rules, join_with_spaces};
use game::SgfRecord;
use models::Client;
use studies::{Diagram, diagrams};

use super::rule_sets::listed;
use crate::model::OpenModel;
use crate::record::read_file;

/// Reads an SGF file, and the rule sets under which to examine it.
pub fn read(file: &str, rules: &str) -> Result<(SgfRecord, Vec<Rules>)> {
    let record = read_file(Path::new(file))?;
    let rule_sets = listed(rules)
        .iter()
        .map(|text| record.rules_named(text))
        .collect::<Result<Vec<Rules>, _>>()?;
    Ok((record, rule_sets))
}

/// Prints the last position of a record under each of the rule sets.
pub fn look(
    record: &SgfRecord,
    rule_sets: &[Rules],
    simulations: u32,
    models: &[OpenModel],
) -> Result<()> {
    let mut clients: Vec<Client> = models.iter().map(OpenModel::client).collect();
    let found = diagrams(record, rule_sets, simulations, &mut clients)?;
    if let Some(first) = found.first() {
        print!("{}", bot::board(&first.position));
    }
    for one in &found {
        println!("{}", line(one));
    }
    Ok(())
}

/// A description of a position under one rule set.
fn line(one: &Diagram) -> String {
    let rules = one.position.rules();
    let mut parts = Vec::new();
    match one.position.outcome() {
        Some(outcome) => parts.push(format!("the game is over: {}", outcome.reason)),
        None => {
            let chances: Vec<String> =
                one.chances.iter().map(|chance| format!("{:.0} %", 100.0 * chance)).collect();
            let mut chosen: Vec<String> = Vec::new();
            for played in one.chosen.iter().map(Move::to_string) {
                if !chosen.contains(&played) {
                    chosen.push(played);
                }
            }
            parts.push(format!("Black {}", chances.join(" and ")));
            parts.push(format!("{} plays {}", one.position.turn().name(), chosen.join(" or ")));
        }
    }
    if !one.only_here.is_empty() {
        parts.push(format!("also legal: {}", join_with_spaces(&one.only_here)));
    }
    if !one.not_here.is_empty() {
        parts.push(format!("not legal: {}", join_with_spaces(&one.not_here)));
    }
    if !one.is_replayed {
        parts.push("set up, because the moves do not lead here".to_owned());
    }
    format!("{rules}: {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use engine::Position;

    use super::*;

    #[test]
    fn a_move_that_several_networks_choose_is_named_once() {
        let rules = Rules::parse("go", 3).unwrap();
        let one = Diagram {
            position: Position::new(rules),
            is_replayed: true,
            chances: vec![0.5; 3],
            chosen: ["A1", "B2", "A1"].map(|played| played.parse::<Move>().unwrap()).to_vec(),
            only_here: Vec::new(),
            not_here: Vec::new(),
        };
        let text = line(&one);
        assert!(text.ends_with("; Black plays A1 or B2"), "{text}");
    }
}
