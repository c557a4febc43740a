//! `hotstone progress`

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use train::History;

use crate::output::{print_after, write_file};

/// Show how a run has gone: a table, and a picture of all curves.
///
/// The columns: Elo over the run's first network, by matches; the losses of policy and value; gap, how much larger the
/// latter is on games that are not learnt from; calibr., how far predicted results (-1 to 1) are from real ones; entropy
/// of the policy and KL, by which searches change it, in nats; the length of games in turns; decided, the share of turns
/// after the decision.
#[derive(Args)]
pub struct ProgressArguments {
    /// Folder of the run.
    run: PathBuf,
    /// Approximate number of rows.
    #[arg(long, default_value_t = 24)]
    rows: usize,
    /// Where the picture goes. [default: progress.svg in the run folder]
    #[arg(long)]
    svg: Option<PathBuf>,
}

impl ProgressArguments {
    /// Prints the table and writes the picture.
    pub fn execute(&self) -> Result<()> {
        let history = History::of_run(&self.run)?;
        let path = self.svg.clone().unwrap_or_else(|| self.run.join("progress.svg"));
        let picture = history.svg(&self.run.display().to_string());
        let written = write_file(&path, &picture);
        let curves = match &written {
            Ok(()) => format!("curves: {}\n", path.display()),
            Err(_) => String::new(),
        };
        // The folder of somebody else's run cannot be written, but has a table to show.
        print_after(written, format_args!("{}{curves}", history.table(self.rows)))
    }
}
