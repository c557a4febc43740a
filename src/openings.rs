//! Where the games of matches begin.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use arena::Openings;
use clap::{Args, ValueEnum};
use engine::Rules;
use models::ServerSettings;

use crate::model::OpenModel;

/// Simulations with which an opening is judged.
const SIMULATIONS: u32 = 800;

/// Which openings a match has.
#[derive(Args)]
pub struct OpeningArguments {
    /// Random placements, or of those the ones that a judge finds near even, so that neither player owes a game to its opening.
    #[arg(long, value_enum, default_value_t = Choice::Random)]
    openings: Choice,
    /// Who judges even openings: a model folder, or the name of a released model.
    #[arg(long, value_name = "MODEL", default_value = "universal")]
    judge: PathBuf,
}

/// How openings are chosen.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Random,
    Even,
}

impl OpeningArguments {
    /// So many openings; nothing if the match draws its own.
    pub fn draw(
        &self,
        rules: Rules,
        pairs: usize,
        seed: u64,
        settings: ServerSettings,
    ) -> Result<Option<Openings>> {
        match self.openings {
            Choice::Random => Ok(None),
            Choice::Even => {
                let judge = OpenModel::open(&self.judge, Some(&rules), settings)?;
                let judge = &mut judge.client();
                let openings = Openings::draw_even(rules, pairs, seed, judge, SIMULATIONS)?;
                ensure!(
                    !openings.lines.is_empty(),
                    "{} finds no opening of {rules} on {:#} near even: change what the second player is given (komi), or leave out --openings even",
                    self.judge.display(),
                    rules.size
                );
                Ok(Some(openings))
            }
        }
    }
}
