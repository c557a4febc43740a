//! Openings of matches.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use arena::{Openings, PLAYERS, PlayerSpec};
use clap::{Args, ValueEnum};
use engine::Rules;
use models::ServerSettings;

use crate::model::OpenModel;
use crate::players::play_without_chance;
use crate::released::UNIVERSAL;

/// Simulations for judging an opening.
const SIMULATIONS: u32 = 800;

/// Options for openings.
#[derive(Args)]
pub struct OpeningArguments {
    /// Openings of random placements, only those that the judge considers nearly even, or none (every game starts from the
    /// empty board).
    #[arg(long, value_enum, default_value_t = Choice::Random)]
    openings: Choice,
    /// With --openings even: the model that judges whether they are, a model folder or the name of a released model.
    /// [default: universal]
    #[arg(long, value_name = "MODEL")]
    judge: Option<PathBuf>,
}

/// The pairs of games that are worth playing: deterministic players would play the same games again
/// from the same openings.
pub fn distinct_pairs(
    players: [&PlayerSpec; PLAYERS],
    rules: Rules,
    openings: Option<&Openings>,
    pairs: usize,
    seed: u64,
) -> usize {
    if !play_without_chance(players, &rules) {
        return pairs;
    }
    let drawn = || Openings::draw_enough(rules, pairs, seed).lines.len();
    pairs.min(openings.map_or_else(drawn, |given| given.lines.len()))
}

/// How openings are chosen.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Random,
    Even,
    None,
}

impl OpeningArguments {
    /// The openings; `None` if the match draws its own.
    pub fn draw(
        &self,
        rules: Rules,
        pairs: usize,
        seed: u64,
        settings: ServerSettings,
    ) -> Result<Option<Openings>> {
        ensure!(
            self.judge.is_none() || self.openings == Choice::Even,
            "--judge is for --openings even: nothing else is judged"
        );
        match self.openings {
            Choice::Random => Ok(None),
            Choice::None => Ok(Some(Openings::draw(rules, 0, 1, seed))),
            Choice::Even => {
                let judge = self.judge.as_deref().unwrap_or(Path::new(UNIVERSAL.name));
                let model = OpenModel::open(judge, Some(&rules), settings)?;
                eprintln!(
                    "looking for {pairs} even openings, which can take a few minutes without a GPU"
                );
                let openings =
                    Openings::draw_even(rules, pairs, seed, &mut model.client(), SIMULATIONS)?;
                ensure!(
                    !openings.lines.is_empty(),
                    "{} finds no even opening of {rules} on {:#}: change the compensation (komi), or leave out \
                     --openings even",
                    judge.display(),
                    rules.size
                );
                Ok(Some(openings))
            }
        }
    }
}
