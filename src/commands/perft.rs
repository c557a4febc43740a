//! `hotstone perft`

use anyhow::Result;
use clap::Args;
use engine::{Position, Rules, Size, perft};

use crate::output::print;

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
        (1..=self.depth)
            .try_for_each(|depth| print(format_args!("{depth} {}\n", perft(&start, depth))))
    }
}
