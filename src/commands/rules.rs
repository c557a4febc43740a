//! `hotstone rules`

use std::io::Write;

use anyhow::Result;
use clap::Args;
use engine::{Rules, Variant};

/// List the variants, or show the parts of one rule set.
#[derive(Args)]
pub struct RulesArguments {
    /// A variant's name, and changes to it: tile,end=area,tile_limit=2.
    rules: Option<String>,
    /// Side of the board.
    #[arg(long, default_value_t = 9)]
    size: u8,
}

impl RulesArguments {
    /// Prints the list or the parts.
    pub fn execute(&self) -> Result<()> {
        let mut output = std::io::stdout().lock();
        let Some(text) = &self.rules else {
            for variant in Variant::ALL {
                let fields = fields(&variant.rules(self.size)?);
                writeln!(output, "{:<18} {fields}", variant.name())?;
            }
            return Ok(());
        };
        let rules = Rules::parse(text, self.size)?;
        writeln!(output, "{rules} on {size}×{size}", size = rules.size)?;
        for (field, value) in rules.fields() {
            writeln!(output, "  {field:<14} {value}")?;
        }
        Ok(())
    }
}

fn fields(rules: &Rules) -> String {
    let fields: Vec<String> =
        rules.fields().into_iter().map(|(field, value)| format!("{field}={value}")).collect();
    fields.join(" ")
}
