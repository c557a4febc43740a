//! What a rule set is like as a game: balance, length, breadth, how often its special rule matters, depth of skill.
//!
//! The outputs are those of the balance studies (Tomašev et al., *Assessing game balance with AlphaZero*, 2020) with 95 %
//! intervals. Every game of a measurement comes from an opening of its own, drawn from the policy; the openings are the
//! unit of all intervals, and whatever is compared shares them.

mod atlas;
mod balance;
#[cfg(test)]
mod coverage;
mod html;
mod json;
mod observe;
mod play;
mod summary;

use std::ops::ControlFlow;

use engine::Rules;
use search::{Evaluator, EvaluatorError};

pub use atlas::{Atlas, Opening};
pub use balance::{FairPoint, Tested};
pub use html::page;
pub use summary::{Breadth, Observations, Statistic};

use balance::{Level, ScoredResult};
use observe::Seen;

use crate::{Elo, Estimate, Match, MatchError, Openings};

/// How much is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SciencePlan {
    /// Games for each measurement, an opening for each; half as many openings where two agents play both sides of them.
    pub games: usize,
    /// Simulations a move.
    pub simulations: u32,
    /// How many times simulations are doubled for the depth of skill, from [`FEWEST_SIMULATIONS`] on.
    pub doublings: u32,
    /// Levels of compensation to either side of the rules' own.
    pub levels: i16,
    /// Decides everything random.
    pub seed: u64,
}

/// Simulations of the weakest agent whose strength is measured: fewer can hardly be shared out among moves.
pub const FEWEST_SIMULATIONS: u32 = 16;

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
    /// Turns in each opening.
    pub opening_plies: usize,
    /// What the games of the agent against itself show.
    pub observations: Observations,
    /// Black's share of the points at each level of compensation.
    pub levels: Vec<(f64, Estimate)>,
    /// The compensation that makes the game even; `None` where more of it does Black good.
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
    let [evaluator] = &mut evaluators;
    let openings =
        Openings::from_policy(rules, plan.games, plan.seed, evaluator).map_err(of_the_agent)?;
    if openings.lines.is_empty() {
        return Err(MatchError::NoOpening { plies: openings.plies });
    }
    progress("games of the agent against itself");
    let games = play::self_play(rules, plan.simulations, &openings, evaluator)?;
    progress("looking at every position");
    let seen: Vec<Seen> = games
        .iter()
        .map(|game| Seen::look_at(game, evaluator))
        .collect::<Result<_, _>>()
        .map_err(of_the_agent)?;
    let atlas = atlas::atlas(rules, plan.simulations, plan.seed, evaluator)?;
    let kind = rules.compensation();
    let mut levels = Vec::new();
    for (compensation, level) in balance::levels(&rules, plan.levels) {
        progress(&format!("games with {compensation} {}", kind.name()));
        let results = if level == rules {
            games.iter().map(ScoredResult::of).collect()
        } else {
            let games = play::self_play(level, plan.simulations, &openings, evaluator)?;
            games.iter().map(ScoredResult::of).collect()
        };
        levels.push(Level { compensation, results });
    }
    let shares = levels.iter().filter_map(|level| Some((level.compensation, level.black()?)));
    Ok(Findings {
        rules,
        opening_plies: openings.plies,
        observations: Observations::of(&seen, &rules),
        levels: shares.collect(),
        fair: balance::fair_point(&balance::candidates(kind, &levels)),
        doublings: doublings(rules, plan, &openings, &mut evaluators, progress)?,
        atlas,
    })
}

fn doublings<E: Evaluator>(
    rules: Rules,
    plan: &SciencePlan,
    openings: &Openings,
    evaluators: &mut [E; 1],
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Doubling>, MatchError> {
    let pairs = plan.games.div_ceil(2).min(openings.lines.len());
    (0..plan.doublings)
        .map(|times| {
            let simulations = FEWEST_SIMULATIONS << times;
            progress(&format!("{} simulations against {simulations}", 2 * simulations));
            let players = [2 * simulations, simulations].map(play::player);
            let openings = Some(openings.clone());
            let game = Match { pairs, openings, seed: plan.seed, ..Match::new(rules, players) };
            let report = game.play(evaluators, &mut |_| ControlFlow::Continue(()))?;
            Ok(Doubling { simulations, elo: report.tally.pairs.elo() })
        })
        .collect()
}

fn of_the_agent(source: EvaluatorError) -> MatchError {
    MatchError::Evaluator { player: "agent".to_owned(), source }
}
