//! Recorded games named by users.

use std::fmt::Display;
use std::path::Path;

use anyhow::{Context, Result};
use engine::Rules;
use game::SgfRecord;

/// Reads an SGF file: see [`read_record`].
///
/// # Errors
/// It cannot be read, or contains no game.
pub fn read_file(path: &Path) -> Result<SgfRecord> {
    let name = path.display();
    let content = game::read_file(path).with_context(|| format!("cannot read {name}"))?;
    read_record(&name, &content)
}

/// Parses the content of an SGF file, and reports on standard error which parts are damaged and
/// therefore left out.
///
/// # Errors
/// It contains no game.
pub fn read_record(name: &dyn Display, content: &[u8]) -> Result<SgfRecord> {
    let record = SgfRecord::read(content).with_context(|| format!("cannot read {name}"))?;
    for defect in &record.defects {
        eprintln!("warning: {name} is {defect}");
    }
    Ok(record)
}

/// The rules that the user has given, or otherwise those of the file.
///
/// # Errors
/// They are not a rule set, or the file has none.
pub fn given_or_own_rules(
    given: Option<&str>,
    name: &dyn Display,
    record: &SgfRecord,
) -> Result<Rules> {
    given.map_or_else(|| own_rules(name, record), |text| Ok(record.rules_named(text)?))
}

/// The rules of a file named by the user. If the nearest rules have to stand in for those that the
/// file names, standard error says how they differ.
///
/// # Errors
/// The file names no rules, or unknown ones.
fn own_rules(name: &dyn Display, record: &SgfRecord) -> Result<Rules> {
    let (rules, remark) = record
        .nearest_rules()
        .context("name the rules with --rules; for a game of Go that may be go,suicide=false")?;
    if let Some(remark) = remark {
        eprintln!("warning: {name}: {remark}");
    }
    Ok(rules)
}
