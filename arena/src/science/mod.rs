//! What a rule set is like as a game: balance, length, breadth, how often its special rule matters, depth of skill.
//!
//! The outputs are those of the balance studies (Tomašev et al., *Assessing game balance with AlphaZero*, 2020) with
//! intervals: 95 %, by resampling pairs of games from the same opening.

mod atlas;
mod balance;
mod html;
mod observe;

use std::ops::ControlFlow;

use engine::Rules;
use search::Evaluator;
use serde_json::{Value, json};

pub use atlas::{Atlas, Opening};
pub use balance::{Compensation, FairPoint};
pub use html::page;
pub use observe::{Observations, Statistic};

use crate::{Elo, Match, MatchError, Player, PlayerSetup, Random};

/// How much is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SciencePlan {
    /// Pairs of games for each measurement.
    pub pairs: usize,
    /// Simulations a move.
    pub simulations: u32,
    /// How many times simulations are doubled, up to `simulations`, for the depth of skill.
    pub doublings: u32,
    /// Levels of compensation to either side of the rules' own.
    pub levels: i16,
    /// Decides everything random.
    pub seed: u64,
}

/// Twice as many simulations against once as many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubling {
    /// Simulations of the weaker player.
    pub simulations: u32,
    /// What twice as many are worth.
    pub elo: Elo,
}

/// Everything about one rule set.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The rules.
    pub rules: Rules,
    /// What the games of the agent against itself show.
    pub observations: Observations,
    /// Black's score at each level of compensation.
    pub levels: Vec<(f64, f64)>,
    /// The compensation that makes the game even.
    pub fair: Option<FairPoint>,
    /// What simulations are worth.
    pub doublings: Vec<Doubling>,
    /// First moves up to symmetry.
    pub atlas: Atlas,
}

/// Plays the games and measures. `progress` hears what is being done.
///
/// # Errors
/// Those of a match.
pub fn study<E: Evaluator>(
    rules: Rules,
    plan: &SciencePlan,
    evaluator: E,
    progress: &mut dyn FnMut(&str),
) -> Result<Findings, MatchError> {
    let mut evaluators = [evaluator];
    progress("games of the agent against itself");
    let report = contest(rules, plan, [plan.simulations; 2], &mut evaluators)?;
    progress("looking at every position");
    let [evaluator] = &mut evaluators;
    let mut random = Random::new(plan.seed);
    let observations = observe::observe(&report, evaluator, &mut random)?;
    let atlas = atlas::atlas(rules, plan.simulations, plan.seed, evaluator)?;
    progress("games with other compensation");
    let compensation = Compensation::of(&rules);
    let mut levels = Vec::new();
    let mut results = Vec::new();
    for (level, rules) in compensation.levels(&rules, plan.levels) {
        let report = contest(rules, plan, [plan.simulations; 2], &mut evaluators)?;
        let black: Vec<f64> = report.games.chunks_exact(2).map(balance::black_share).collect();
        levels.push((level, black.iter().sum::<f64>() / black.len().max(1) as f64));
        results.push((level, black));
    }
    let fair = balance::fair_point(&results, &mut random);
    let mut doublings = Vec::new();
    for simulations in (1..=plan.doublings).rev().map(|times| (plan.simulations >> times).max(1)) {
        progress(&format!("{} simulations against {simulations}", 2 * simulations));
        let report = contest(rules, plan, [2 * simulations, simulations], &mut evaluators)?;
        doublings.push(Doubling { simulations, elo: report.tally.pairs.elo() });
    }
    Ok(Findings { rules, observations, levels, fair, doublings, atlas })
}

fn contest<E: Evaluator>(
    rules: Rules,
    plan: &SciencePlan,
    simulations: [u32; 2],
    evaluators: &mut [E],
) -> Result<crate::MatchReport, MatchError> {
    let players =
        simulations.map(|n| PlayerSetup::new(format!("agent@{n}"), Player::searching(0, n)));
    let game = Match { pairs: plan.pairs, seed: plan.seed, ..Match::new(rules, players) };
    game.play(evaluators, &mut |_| ControlFlow::Continue(()))
}

impl Findings {
    /// Everything for machines.
    pub fn json(&self) -> Value {
        let statistics: serde_json::Map<String, Value> = self
            .observations
            .statistics
            .iter()
            .map(|s| {
                (
                    s.name.to_owned(),
                    json!({"low": s.values[0], "mean": s.values[1], "high": s.values[2]}),
                )
            })
            .collect();
        json!({
            "rules": self.rules.to_string(),
            "size": self.rules.size,
            "games": self.observations.games,
            "statistics": statistics,
            "ends": self.observations.ends.iter().map(|(end, share)| (end.clone(), json!(share))).collect::<serde_json::Map<_, _>>(),
            "bans": self.observations.bans.iter().map(|(rule, share)| (rule.clone(), json!(share))).collect::<serde_json::Map<_, _>>(),
            "legal_moves_by_turn": self.observations.breadth,
            "compensation": Compensation::of(&self.rules).name(),
            "levels": self.levels,
            "fair": self.fair.map(|fair| json!({"low": fair.values[0], "value": fair.values[1], "high": fair.values[2]})),
            "elo_of_doubling": self.doublings.iter().map(|d| json!({
                "simulations": d.simulations, "elo": d.elo.difference, "low": d.elo.low, "high": d.elo.high,
            })).collect::<Vec<_>>(),
            "openings": self.atlas.openings.iter().map(|opening| json!({
                "moves": opening.moves.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "share": opening.share, "value": opening.value,
            })).collect::<Vec<_>>(),
            "effective_openings": self.atlas.effective,
        })
    }
}
