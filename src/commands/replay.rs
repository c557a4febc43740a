//! `hotstone replay`

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use engine::Rules;
use game::{Extras, Replay, SgfRecord, replay};

/// Play a recorded game under any rules, and report what they make of it.
#[derive(Args)]
pub struct ReplayArguments {
    /// An SGF file; its main line is played.
    file: PathBuf,
    /// The rules: a variant's name, and changes to it. Those of the file if left out.
    #[arg(long)]
    rules: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the part that could be played into this SGF file, as a game of these rules with tiles, hot stones and
    /// conquered points marked.
    #[arg(long)]
    write: Option<PathBuf>,
    /// With --write: set up the position after moves that ordinary viewers show wrongly.
    #[arg(long, requires = "write")]
    materialize: bool,
}

impl ReplayArguments {
    /// Replays and prints the report.
    pub fn execute(&self) -> Result<()> {
        let name = self.file.display();
        let bytes = std::fs::read(&self.file).with_context(|| format!("cannot read {name}"))?;
        let record = SgfRecord::read(&bytes).with_context(|| format!("cannot read {name}"))?;
        let rules = match &self.rules {
            Some(text) => Rules::parse(text, record.size)?,
            None => record.own_rules().context("name the rules with --rules")?,
        };
        let replayed = replay(&record, rules).context("the stones set up cannot stand")?;
        self.write_game(&record, &replayed)?;
        let mut output = std::io::stdout().lock();
        if self.json {
            writeln!(output, "{}", serde_json::to_string(&replayed.report)?)?;
        } else {
            write!(output, "{}\n{}", bot::board(&replayed.position), replayed.report)?;
        }
        Ok(())
    }

    fn write_game(&self, record: &SgfRecord, replayed: &Replay) -> Result<()> {
        let Some(path) = &self.write else { return Ok(()) };
        let extras = Extras { markup: true, materialize: self.materialize };
        let text = replayed.as_record(record).write(extras)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
