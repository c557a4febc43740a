//! `hotstone rules`

use anyhow::Result;
use clap::Args;
use engine::{Rules, Size};

use crate::output::print;

/// List the variants, or explain one rule set (a named variant with an example).
#[derive(Args)]
pub struct RulesArguments {
    /// A variant's name, and changes to it: tile,end=area,tile_limit=2.
    rules: Option<String>,
    /// List every part that rule sets are made of.
    #[arg(long, conflicts_with_all = ["rules", "size"])]
    parts: bool,
    /// Side of the board, for a rule set.
    #[arg(long, default_value = "9", requires = "rules")]
    size: Size,
}

impl RulesArguments {
    /// Prints the list or the explanation.
    pub fn execute(&self) -> Result<()> {
        print(match &self.rules {
            Some(rules) => bot::explain(&Rules::parse(rules, self.size)?),
            None if self.parts => bot::list_parts(),
            None => bot::list_variants(),
        })
    }
}
