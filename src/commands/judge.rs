//! `hotstone judge`

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use engine::{Rules, Size, join_with_spaces};
use indicatif::ProgressBar;
use search::Settings;
use solver::judge::{Choices, JudgePlan, Judgement, PlayedOut, RuleWorth, judge, judge_rule_worth};
use solver::{Effort, Solver};

use crate::arguments::{ComputeArguments, simulations};
use crate::model::{OpenModel, stored};
use crate::players::rules_of;

/// Compare a model with perfect play on a small board, position by position and in games.
#[derive(Args)]
pub struct JudgeArguments {
    /// A model folder, a run, or the name of a released model.
    model: PathBuf,
    /// The rules. [default: the model's own]
    #[arg(long)]
    rules: Option<String>,
    /// Side of the board.
    #[arg(long, default_value = "3")]
    size: Size,
    /// Judge only whether the model knows which player benefits from the rules in comparison with these, in positions that
    /// end differently under the two.
    #[arg(long, value_name = "RULES")]
    against: Option<String>,
    /// Positions to judge.
    #[arg(long, default_value_t = 200)]
    positions: usize,
    /// Simulations of the search.
    #[arg(long, default_value_t = 64, value_parser = simulations(1))]
    simulations: u32,
    /// Judge by who wins, not by how much: far less work for the solver, but its replies are perfect only in that sense.
    #[arg(long, conflicts_with = "against")]
    winners: bool,
    /// Positions that the solver may search for each question; harder questions are left out, but that of the empty board
    /// must be answered.
    #[arg(long, default_value_t = 20_000_000)]
    nodes: u64,
    /// Seed of the positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl JudgeArguments {
    /// Judges and prints how often and how much the model was wrong.
    pub fn execute(&self) -> Result<()> {
        ensure!(self.positions > 0, "--positions 0: expected at least 1");
        let spec = arena::PlayerSpec::Policy { path: self.model.clone() };
        let rules = rules_of(&[spec], self.rules.as_deref(), Some(self.size), &stored)?;
        let model = OpenModel::open(&self.model, Some(&rules), self.compute.settings()?)?;
        let effort = Effort { nodes: self.nodes, ..Effort::default() };
        let settings = Settings::to_win(self.simulations);
        let plan = JudgePlan { positions: self.positions, settings, seed: self.seed };
        let bar = ProgressBar::new(self.positions as u64);
        let progress = &mut |done: usize| bar.set_position(done as u64);
        if let Some(against) = &self.against {
            let other = Rules::parse(against, self.size)?;
            model.card.check(&self.model, Some(&other))?;
            let mut solvers =
                [rules, other].map(|rules| Solver::with_effort(rules, effort).winners_only(true));
            let found = judge_rule_worth(&plan, &mut model.client(), &mut solvers, progress)?;
            bar.finish_and_clear();
            self.tell_worth(&found);
            return Ok(());
        }
        let mut solver = Solver::with_effort(rules, effort).winners_only(self.winners);
        let judgement = judge(rules, &plan, &mut model.client(), &mut solver, progress)?;
        bar.finish_and_clear();
        if self.json {
            println!("{}", json(&judgement));
        } else {
            tell(&judgement);
        }
        Ok(())
    }

    fn tell_worth(&self, found: &RuleWorth) {
        let RuleWorth { positions, agreed, same, unsolved } = *found;
        if self.json {
            let told = serde_json::json!({
                "positions": positions, "agreed": agreed, "same": same, "unsolved": unsolved,
            });
            println!("{told}");
            return;
        }
        let share = arena::Estimate::share(agreed, positions);
        let percent = share.map_or("none differ".to_owned(), |share| {
            let [low, value, high] = share.parts().map(|part| 100.0 * part);
            format!("{value:.1} % ({low:.1} to {high:.1} %, as if positions were independent)")
        });
        println!(
            "positions that end differently  {positions} ({same} end alike, {unsolved} left out)"
        );
        println!("better rules named              {percent}");
    }
}

/// Prints a judgement for people.
fn tell(judgement: &Judgement) {
    let share = |count: usize| 100.0 * count as f64 / judgement.positions.max(1) as f64;
    println!("positions         {}, {} left out", judgement.positions, judgement.unsolved);
    println!("winner named      {:.1} %", share(judgement.winners));
    for (name, choices) in [("policy", judgement.policy), ("search", judgement.search)] {
        let loss = choices.loss / judgement.positions.max(1) as f64;
        println!(
            "{name}            best move {:.1} %, loss {loss:.3} a move, result thrown away {:.1} %",
            share(choices.best),
            share(choices.blunders)
        );
    }
    let [start, positions] = [judgement.from_the_start, judgement.from_positions];
    for (name, games) in [("from the start", start), ("from positions", positions)] {
        let PlayedOut { games, kept, unsolved } = games;
        println!(
            "{name}    kept {kept} of {games} games against perfect play, {unsolved} left out"
        );
    }
    for (moves, played, loss) in &judgement.worst {
        println!("  after {}: {played} loses {loss}", join_with_spaces(moves));
    }
}

/// The same for programs.
fn json(judgement: &Judgement) -> serde_json::Value {
    let choices = |choices: &Choices| serde_json::json!({"best": choices.best, "loss": choices.loss, "blunders": choices.blunders});
    let played_out = |games: &PlayedOut| serde_json::json!({"games": games.games, "kept": games.kept, "unsolved": games.unsolved});
    serde_json::json!({
        "positions": judgement.positions,
        "unsolved": judgement.unsolved,
        "winners": judgement.winners,
        "policy": choices(&judgement.policy),
        "search": choices(&judgement.search),
        "from_the_start": played_out(&judgement.from_the_start),
        "from_positions": played_out(&judgement.from_positions),
        "worst": judgement.worst.iter().map(|(moves, played, loss)| serde_json::json!({
            "moves": moves.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "played": played.to_string(),
            "loss": loss,
        })).collect::<Vec<_>>(),
    })
}
