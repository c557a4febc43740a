//! `hotstone analysis`

use std::io::{BufReader, stdin, stdout};

use anyhow::Result;
use bot::Lines;
use bot::analysis::{Engine, Options};
use clap::Args;

use crate::arguments::ModelArguments;

/// Analyse positions for programs that speak the JSON of KataGo's analysis engine.
#[derive(Args)]
pub struct AnalysisArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Visits of a query that names none.
    #[arg(long, default_value_t = Options::default().visits)]
    visits: u32,
    /// Positions searched at the same time.
    #[arg(long, default_value_t = Options::default().parallel)]
    parallel: usize,
    /// Nodes that the tree of one position may have; about 1.5 KB each on 9×9.
    #[arg(long, default_value_t = Options::default().most_nodes)]
    most_nodes: usize,
    /// Leave when the input ends, whatever is still unanswered.
    #[arg(long)]
    quit_without_waiting: bool,
}

impl AnalysisArguments {
    /// Answers standard input until it ends.
    pub fn execute(&self) -> Result<()> {
        let (supported, company, version) = self.model.open()?;
        let options = Options {
            visits: self.visits.max(1),
            parallel: self.parallel.max(1),
            quit_without_waiting: self.quit_without_waiting,
            most_nodes: self.most_nodes,
        };
        let mut engine = Engine::new(supported, company, version, options);
        engine.run(Lines::reading(BufReader::new(stdin())), stdout().lock())?;
        Ok(())
    }
}
