//! `hotstone perft`

use std::io::Write;

use anyhow::Result;
use clap::Args;
use engine::{Position, Rules, Size, perft};

/// Count the sequences of moves from the empty board, to compare two programs' rules.
#[derive(Args)]
pub struct PerftArguments {
    /// A variant's name, and changes to it: tile,end=area,tile_limit=2.
    #[arg(long)]
    rules: String,
    /// Side of the board.
    #[arg(long)]
    size: Size,
    /// Count the sequences of 1 to this many turns.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
}

impl PerftArguments {
    /// Prints one line for each depth.
    pub fn execute(&self) -> Result<()> {
        let start = Position::new(Rules::parse(&self.rules, self.size)?);
        let mut output = std::io::stdout().lock();
        for depth in 1..=self.depth {
            writeln!(output, "{depth} {}", perft(&start, depth))?;
            output.flush()?;
        }
        Ok(())
    }
}
