//! `hotstone ablation`

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use models::ServerSettings;
use train::{Ablation, Arms, TrainingOptions};

use crate::arguments::{ComputeArguments, simulations};
use crate::contest::check_games;
use crate::output::{expect_folder, print};

/// Fork a run into arms with different settings, train each a little further, and compare them in matches.
#[derive(Args)]
pub struct AblationArguments {
    /// Folder of the run to fork, which must not be running.
    run: PathBuf,
    /// The arms, as in configs/ablation/standard.toml.
    #[arg(long)]
    arms: PathBuf,
    /// Only the arm of this name, and what it is compared with. May be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Folder of the arms' runs; the same command resumes where it was interrupted. [default: RUN-ablation]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Positions that each arm records.
    #[arg(long, default_value_t = 50_000)]
    positions: u64,
    /// Number of repetitions, each with another seed.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Games per match, an even number up to 1000000.
    #[arg(long, default_value_t = 400)]
    games: usize,
    /// Simulations per move in matches.
    #[arg(long, default_value_t = 64, value_parser = simulations(1))]
    simulations: u32,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl AblationArguments {
    /// Trains and compares all arms, and prints the table, which is also saved in their folder.
    pub fn execute(&self) -> Result<()> {
        check_games("--games", self.games)?;
        expect_folder("--folder", self.folder.as_deref())?;
        if self.positions == 0 || self.seeds == 0 {
            bail!("--positions and --seeds must be at least 1");
        }
        let mut arms = Arms::load(&self.arms)?;
        if !self.only.is_empty() {
            arms = arms.only(&self.only)?;
        }
        let ServerSettings { device, precision, .. } = self.compute.settings()?;
        let ablation = Ablation {
            run: self.run.clone(),
            folder: self.folder.clone().map_or_else(|| self.default_folder(), Ok)?,
            positions: self.positions,
            seeds: self.seeds,
            games: self.games,
            simulations: self.simulations,
        };
        let table = ablation.run(&arms, TrainingOptions { device, precision, quiet: false })?;
        print(table)
    }

    fn default_folder(&self) -> Result<PathBuf> {
        // `.` is a folder without a name, and what is beside it would be in it.
        let run = match self.run.file_name() {
            Some(_) => self.run.clone(),
            None => {
                let found = self.run.canonicalize();
                found.with_context(|| format!("cannot find {}", self.run.display()))?
            }
        };
        let mut name = run.file_name().unwrap_or_default().to_owned();
        name.push("-ablation");
        Ok(run.with_file_name(name))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        arguments: AblationArguments,
    }

    #[test]
    fn arms_are_beside_their_run_even_if_that_is_the_current_folder() {
        let folder = |run| {
            let words = ["ablation", run, "--arms", "arms.toml"];
            Program::try_parse_from(words).unwrap().arguments.default_folder().unwrap()
        };
        assert_eq!(folder("runs/tile-9"), Path::new("runs/tile-9-ablation"));
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(folder(".").parent(), here.parent());
    }
}
