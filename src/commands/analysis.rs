//! `hotstone analysis`

use std::io::{BufReader, stdin, stdout};

use anyhow::{Result, ensure};
use bot::Lines;
use bot::analysis::{Engine, Options};
use clap::Args;

use crate::arguments::ModelArguments;
use crate::combined_evaluator::CombinedEvaluator;

/// Analyse positions for programs that use the JSON of KataGo's analysis engine.
#[derive(Args)]
pub struct AnalysisArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Default visits of a query.
    #[arg(long, default_value_t = Options::default().visits, value_parser = clap::value_parser!(u32).range(1..))]
    visits: u32,
    /// Simultaneous searches.
    #[arg(long, default_value_t = Options::default().parallel)]
    parallel: usize,
    /// Maximum nodes of one position's tree; about 1.5 KB each on 9×9.
    #[arg(long, default_value_t = Options::default().max_nodes)]
    most_nodes: usize,
    /// Stop when the input ends, even with unanswered queries.
    #[arg(long)]
    quit_without_waiting: bool,
}

impl AnalysisArguments {
    /// Answers standard input until it ends.
    pub fn execute(&self) -> Result<()> {
        for (name, number) in [("--parallel", self.parallel), ("--most-nodes", self.most_nodes)] {
            ensure!(number > 0, "{name} 0: expected at least 1");
        }
        let (supported, evaluator, version) = self.model.open()?;
        let options = Options {
            visits: self.visits,
            parallel: self.parallel,
            quit_without_waiting: self.quit_without_waiting,
            max_nodes: self.most_nodes,
        };
        let engine = Engine::new(supported, evaluator, version, options);
        let mut engine = engine.on_new_rules(CombinedEvaluator::announce_playouts);
        engine.run(Lines::reading(BufReader::new(stdin())), stdout().lock())?;
        Ok(())
    }
}
