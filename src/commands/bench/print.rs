//! Reports, for people and for programs.

use anyhow::Result;
use serde::Serialize;

/// Prints a flat report as one JSON object, or as a line a field.
pub(super) fn print_report(report: &impl Serialize, json: bool) -> Result<()> {
    let value = serde_json::to_value(report)?;
    if json {
        println!("{value}");
        return Ok(());
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        match value.as_f64().filter(|_| value.is_f64()) {
            Some(number) => println!("{name:<22} {number:.3}"),
            None => println!("{name:<22} {}", value.to_string().trim_matches('"')),
        }
    }
    Ok(())
}
