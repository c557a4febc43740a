//! Recorded games that users name.

use std::fmt::Display;

use anyhow::{Context, Result};
use game::SgfRecord;

/// Reads the content of an SGF file, and says on standard error what in it is damaged and therefore left out.
///
/// # Errors
/// It holds no game.
pub fn read_record(name: &dyn Display, content: &[u8]) -> Result<SgfRecord> {
    let record = SgfRecord::read(content).with_context(|| format!("cannot read {name}"))?;
    for defect in &record.defects {
        eprintln!("warning: {name} is {defect}");
    }
    Ok(record)
}
