//! `hotstone bench`

mod choice;
mod engine;
mod network;
mod overview;
mod search;
#[cfg(feature = "train")]
mod selfplay;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;

/// Measure speed on this machine: everything in one table, or one part in detail.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    overview: overview::OverviewArguments,
    /// Print JSON: an object, or for the table an array with one object for each line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    Engine(engine::EngineArguments),
    Network(network::NetworkArguments),
    Search(search::SearchArguments),
    #[cfg(feature = "train")]
    Selfplay(selfplay::SelfplayArguments),
}

/// What was measured, and the results.
#[derive(Serialize)]
struct Report<'a, A, F> {
    #[serde(flatten)]
    arguments: &'a A,
    #[serde(flatten)]
    figures: F,
}

impl BenchArguments {
    /// Measures and prints.
    pub fn execute(&self) -> Result<()> {
        match &self.what {
            None => self.overview.execute(self.json),
            Some(What::Engine(arguments)) => self.print(arguments, arguments.measure()?),
            Some(What::Network(arguments)) => self.print(arguments, arguments.measure()?),
            Some(What::Search(arguments)) => self.print(arguments, arguments.measure()?),
            #[cfg(feature = "train")]
            Some(What::Selfplay(arguments)) => self.print(arguments, arguments.measure()?),
        }
    }

    /// Prints one JSON object, or one line per field.
    fn print(&self, arguments: &impl Serialize, figures: impl Serialize) -> Result<()> {
        let report = serde_json::to_value(Report { arguments, figures })?;
        if self.json {
            println!("{report}");
            return Ok(());
        }
        for (name, value) in report.as_object().into_iter().flatten() {
            match value.as_f64().filter(|_| value.is_f64()) {
                Some(number) => println!("{name:<22} {number:.3}"),
                None => println!("{name:<22} {}", value.to_string().trim_matches('"')),
            }
        }
        Ok(())
    }
}
