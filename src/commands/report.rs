//! `hotstone report`

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use engine::{Rules, Size};
use indicatif::ProgressBar;
use studies::{StudyPlan, page, study};

use crate::arguments::ComputeArguments;
use crate::model::OpenModel;
use crate::released::UNIVERSAL;

/// Measure rule sets as games, by games of a model against itself.
#[derive(Args)]
pub struct ReportArguments {
    /// Rule sets: a variant's name, and changes to it.
    #[arg(required = true)]
    rules: Vec<String>,
    /// A model folder, a run, or the name of a released model; one for all rule sets, or one for each. [default:
    /// universal]
    #[arg(long)]
    model: Vec<PathBuf>,
    /// Side of the board.
    #[arg(long)]
    size: Size,
    /// Games of each measurement, each from its own opening.
    #[arg(long, default_value_t = 400)]
    games: usize,
    /// Simulations a move.
    #[arg(long, default_value_t = 64)]
    simulations: u32,
    /// Doublings of the simulations to measure, from 16 against 32 on.
    #[arg(long, default_value_t = 3)]
    doublings: u32,
    /// Levels of compensation to either side of the rules' own.
    #[arg(long, default_value_t = 2)]
    levels: i16,
    /// Seed of openings and everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The page; a JSON file of the same name lies beside it.
    #[arg(long, default_value = "report.html")]
    output: PathBuf,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl ReportArguments {
    /// The model for one of the rule sets.
    fn model_of(&self, index: usize, rules: &Rules) -> Result<PathBuf> {
        ensure!(
            [0, 1, self.rules.len()].contains(&self.model.len()),
            "expected one --model for all rule sets, or one for each"
        );
        if let Some(path) = self.model.get(index).or(self.model.first()) {
            return Ok(path.clone());
        }
        ensure!(
            UNIVERSAL.plays(rules),
            "the released model has not learnt {rules} on {:#}: choose one with --model",
            rules.size
        );
        Ok(UNIVERSAL.name.into())
    }

    /// Plays, and writes the page and the numbers.
    pub fn execute(&self) -> Result<()> {
        let rules: Vec<Rules> = self
            .rules
            .iter()
            .map(|text| Rules::parse(text, self.size))
            .collect::<Result<_, _>>()?;
        let models = rules
            .iter()
            .enumerate()
            .map(|(index, rules)| self.model_of(index, rules))
            .collect::<Result<Vec<PathBuf>>>()?;
        let plan = StudyPlan {
            games: self.games,
            simulations: self.simulations,
            doublings: self.doublings,
            levels: self.levels,
            seed: self.seed,
        };
        let mut findings = Vec::new();
        for (index, rules) in rules.into_iter().enumerate() {
            let model = OpenModel::open(&models[index], Some(&rules), self.compute.settings()?)?;
            let spinner = ProgressBar::new_spinner();
            let progress = &mut |doing: &str| {
                spinner.set_message(format!("{rules}: {doing}"));
                spinner.tick();
            };
            findings.push(study(rules, &plan, model.client(), progress)?);
            spinner.finish_and_clear();
        }
        let mut names: Vec<String> = models.iter().map(|path| path.display().to_string()).collect();
        names.dedup();
        let agent = format!("{} with {} simulations a move", names.join(", "), self.simulations);
        let json = serde_json::json!({
            "agent": agent,
            "rule_sets": findings.iter().map(|one| one.json()).collect::<Vec<_>>(),
        });
        let numbers = self.output.with_extension("json");
        std::fs::write(&self.output, page(&agent, &findings))
            .with_context(|| format!("cannot write {}", self.output.display()))?;
        std::fs::write(&numbers, format!("{json:#}\n"))
            .with_context(|| format!("cannot write {}", numbers.display()))?;
        println!("{} and {}", self.output.display(), numbers.display());
        Ok(())
    }
}
