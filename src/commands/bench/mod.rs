//! `hotstone bench`

mod engine;
mod network;
mod network_choice;
mod overview;
mod print;
mod search;
mod selfplay;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Measure speed on this machine: everything in one table, or one thing closely.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    overview: overview::OverviewArguments,
}

#[derive(Subcommand)]
enum What {
    Engine(engine::EngineArguments),
    Network(network::NetworkArguments),
    Search(search::SearchArguments),
    Selfplay(selfplay::SelfplayArguments),
}

impl BenchArguments {
    /// Measures and prints.
    pub fn execute(&self) -> Result<()> {
        match &self.what {
            None => self.overview.execute(),
            Some(What::Engine(arguments)) => arguments.execute(),
            Some(What::Network(arguments)) => arguments.execute(),
            Some(What::Search(arguments)) => arguments.execute(),
            Some(What::Selfplay(arguments)) => arguments.execute(),
        }
    }
}
