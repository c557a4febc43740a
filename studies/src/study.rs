//! The games of a study, and their measurements.

use std::ops::ControlFlow;

use arena::{Match, MatchError, Openings, self_play};
use engine::Rules;
use search::Evaluator;

use crate::agent::{self, NAME, agent, player};
use crate::atlas::atlas;
use crate::balance::{self, Level, ScoredResult};
use crate::findings::{Doubling, Findings};
use crate::observe::Seen;
use crate::summary::Observations;

/// The size of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StudyPlan {
    /// Games for each measurement, each with its own opening; half as many openings where two agents play both sides.
    pub games: usize,
    /// Simulations a move.
    pub simulations: u32,
    /// Number of doublings of simulations for the depth of skill, from [`FEWEST_SIMULATIONS`] on.
    pub doublings: u32,
    /// Levels of compensation to either side of the rules' own.
    pub levels: i16,
    /// Seed of everything random.
    pub seed: u64,
}

/// Simulations of the weakest agent whose strength is measured; fewer hardly suffice for the moves.
pub const FEWEST_SIMULATIONS: u32 = 16;

/// Plays the games and measures. `progress` is told the current step.
///
/// ```
/// use engine::Rules;
/// use search::evaluators::Uniform;
/// use studies::{StudyPlan, page, study};
///
/// let plan = StudyPlan { games: 8, simulations: 2, doublings: 0, levels: 0, seed: 1 };
/// let findings = study(Rules::parse("nogo", 4)?, &plan, Uniform, &mut |_| {})?;
/// assert_eq!(findings.observations.games, 8);
/// assert!(page("uniform", &[findings]).contains("nogo"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of a match.
pub fn study<E: Evaluator>(
    rules: Rules,
    plan: &StudyPlan,
    evaluator: E,
    progress: &mut dyn FnMut(&str),
) -> Result<Findings, MatchError> {
    let mut evaluators = [evaluator];
    let [evaluator] = &mut evaluators;
    let openings =
        Openings::from_policy(rules, plan.games, plan.seed, evaluator).map_err(agent::failure)?;
    if openings.lines.is_empty() {
        return Err(MatchError::NoOpening { plies: openings.plies });
    }
    progress("games of the agent against itself");
    let games = self_play(rules, NAME, agent(plan.simulations), &openings, evaluator)?;
    progress("evaluating every position");
    let seen: Vec<Seen> = games
        .iter()
        .map(|game| Seen::look_at(game, evaluator))
        .collect::<Result<_, _>>()
        .map_err(agent::failure)?;
    let atlas = atlas(rules, plan.simulations, plan.seed, evaluator)?;
    let kind = rules.compensation();
    let mut levels = Vec::new();
    for (compensation, level) in balance::levels(&rules, plan.levels) {
        progress(&format!("games with {compensation} {}", kind.name()));
        let results = if level == rules {
            games.iter().map(ScoredResult::of).collect()
        } else {
            let games = self_play(level, NAME, agent(plan.simulations), &openings, evaluator)?;
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
    plan: &StudyPlan,
    openings: &Openings,
    evaluators: &mut [E; 1],
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Doubling>, MatchError> {
    let pairs = plan.games.div_ceil(2).min(openings.lines.len());
    (0..plan.doublings)
        .map(|times| {
            let simulations = FEWEST_SIMULATIONS << times;
            progress(&format!("{} simulations against {simulations}", 2 * simulations));
            let players = [2 * simulations, simulations].map(player);
            let openings = Some(openings.clone());
            let game = Match { pairs, openings, seed: plan.seed, ..Match::new(rules, players) };
            let report = game.play(evaluators, &mut |_| ControlFlow::Continue(()))?;
            Ok(Doubling { simulations, elo: report.tally.pairs.elo() })
        })
        .collect()
}
