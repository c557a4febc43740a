//! `hotstone progress`

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use train::History;

use crate::output::write_file;

/// Show how a run has gone: a table, and a picture of all curves.
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
        write_file(&path, &picture)?;
        let mut output = std::io::stdout().lock();
        write!(output, "{}", history.table(self.rows))?;
        writeln!(output, "curves: {}", path.display())?;
        Ok(())
    }
}
