//! A running laboratory: chooses what to play next, and plays it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use arena::{MatchError, self_play};
use engine::Rules;
use search::Evaluator;

use crate::agent::{self, each_network, self_player};
use crate::balance::{self, CompensationLevel, Evidence, TestedCompensation};
use crate::empty_board::{EmptyBoardResult, black_by_short_search, search_empty_board};
use crate::observe::ObservedGame;

use super::budget::{Budget, OPENINGS_AT_ONCE};
use super::comparisons::Comparisons;
use super::fair::fair_points;
use super::folder::{Folder, LabGame};
use super::openings::{Judgement, LabOpenings};
use super::plan::{LabError, LabPlan};

/// Games to be played together: by every network, from the same number of openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The index of the rule set for which they are played.
    pub rule_set: usize,
    /// Its rules, possibly with another compensation.
    pub rules: Rules,
    openings: Range<usize>,
}

/// A running laboratory. Its methods take one evaluator for each network of the plan.
#[derive(Debug)]
pub struct Laboratory {
    pub(super) plan: LabPlan,
    folder: Folder,
    pub(super) comparisons: Comparisons,
    pub(super) rule_sets: Vec<PreparedRuleSet>,
    pub(super) games: Vec<LabGame>,
    /// Number of games that already existed when it was opened.
    found: usize,
    /// The first moves on the empty board, and Black's winning probability there, by one search of
    /// each network, for the rules in question and all rules with games.
    pub(super) empty_board: HashMap<Rules, Vec<EmptyBoardResult>>,
    /// Observations in the games, where needed.
    pub(super) observed: Vec<Option<ObservedGame>>,
}

/// What is known about a rule set before games are played.
#[derive(Debug)]
pub(super) struct PreparedRuleSet {
    pub(super) rules: Rules,
    pub(super) openings: LabOpenings,
    /// The compensations that may be played, smallest first.
    pub(super) compensations: Vec<Rules>,
    /// The index of the compensation that the networks consider fair.
    fair: usize,
}

impl Laboratory {
    /// Opens or creates a laboratory. `knows` says whether the networks have learnt a rule set.
    ///
    /// # Errors
    /// The folder belongs to another laboratory or cannot be read or written, or an evaluator
    /// fails.
    pub fn open<E: Evaluator + Send>(
        mut plan: LabPlan,
        folder: &Path,
        evaluators: &mut [E],
        knows: &dyn Fn(&Rules) -> bool,
    ) -> Result<Laboratory, LabError> {
        let (opened, games) = Folder::open(folder, &plan)?;
        // Everything else is then as if all of them had been asked for.
        let there = games.iter().map(|one| one.opening + 1).max().and_then(Budget::new);
        plan.budget = there.map_or(plan.budget, |there| there.max(plan.budget));
        let comparisons = Comparisons::open(folder, &plan)?;
        let mut empty_board = HashMap::new();
        let rule_sets = plan
            .rules
            .iter()
            .map(|rules| PreparedRuleSet::prepare(*rules, &plan, evaluators, knows))
            .collect::<Result<_, _>>()?;
        // The others follow with their games, so that the first sentence need not wait for them.
        if let Some(rules) = plan.rules.first() {
            search_empty_board_once(rules, &plan, evaluators, &mut empty_board)?;
        }
        let (found, observed) = (games.len(), Vec::new());
        let mut lab = Laboratory {
            observed,
            empty_board,
            plan,
            folder: opened,
            comparisons,
            rule_sets,
            games,
            found,
        };
        for rule_set in 0..lab.rule_sets.len() {
            let games = lab.games.iter().filter(|one| one.rule_set == rule_set);
            lab.rule_sets[rule_set].openings =
                LabOpenings::of_games(games, lab.plan.networks.len());
            let drawn = lab.rule_sets[rule_set].openings.drawn();
            // There may be no more, so that no games are missing.
            if (1..lab.plan.budget.openings()).contains(&drawn) {
                lab.draw_openings(rule_set, drawn + 1, evaluators)?;
            }
        }
        lab.observe_new_games(evaluators)?;
        Ok(lab)
    }

    /// The next games; `None` when the plan's budget is used up.
    pub fn next(&self) -> Option<Batch> {
        self.missing().into_iter().next()
    }

    /// The number of games: more than planned if the folder contained more.
    pub fn budget(&self) -> Budget {
        self.plan.budget
    }

    /// Games that have been played since the laboratory was opened.
    pub fn games_played_here(&self) -> usize {
        self.games.len() - self.found
    }

    /// Number of games still to be played, as far as can be told now.
    pub fn games_left(&self) -> usize {
        self.missing().iter().map(|batch| batch.openings.len() * self.plan.networks.len()).sum()
    }

    /// All missing batches, in the order in which they will be played.
    fn missing(&self) -> Vec<Batch> {
        let levels: Vec<Vec<Rules>> =
            (0..self.rule_sets.len()).map(|rule_set| self.levels(rule_set)).collect();
        let most = levels.iter().map(Vec::len).max().unwrap_or_default();
        let known: HashSet<(usize, usize, usize, Rules)> = self
            .games
            .iter()
            .map(|one| (one.rule_set, one.network, one.opening, one.played.game.rules))
            .collect();
        let mut batches = Vec::new();
        for first in (0..self.plan.budget.openings()).step_by(OPENINGS_AT_ONCE) {
            let openings = first..(first + OPENINGS_AT_ONCE).min(self.plan.budget.openings());
            for level in 0..most {
                for (rule_set, levels) in levels.iter().enumerate() {
                    let Some(&rules) = levels.get(level) else { continue };
                    let there = self.rule_sets[rule_set].openings.count();
                    let end = openings.end.min(there.unwrap_or(openings.end));
                    let missing = |network: usize| {
                        (openings.start..end)
                            .any(|opening| !known.contains(&(rule_set, network, opening, rules)))
                    };
                    if (0..self.plan.networks.len()).any(missing) {
                        batches.push(Batch { rule_set, rules, openings: openings.start..end });
                    }
                }
            }
        }
        batches
    }

    /// The compensations of a rule set to play: its own first, then those around the one that seems
    /// fair, and further ones as long as the fair one lies beyond them.
    fn levels(&self, rule_set: usize) -> Vec<Rules> {
        let PreparedRuleSet { rules, compensations, fair, .. } = &self.rule_sets[rule_set];
        let first = fair.saturating_sub(1)..(fair + 2).min(compensations.len());
        let games = || self.games.iter().filter(|one| one.rule_set == rule_set);
        let played = || games().map(|one| one.played.game.rules);
        let mut levels = vec![*rules];
        for level in compensations[first].iter().copied().chain(played()) {
            if !levels.contains(&level) {
                levels.push(level);
            }
        }
        // Until all of these have games, what seems to lie beyond them may be chance.
        if levels.iter().all(|level| played().any(|rules| rules == *level)) {
            levels.extend(self.further(rule_set, &levels));
        }
        levels
    }

    /// The games of each network at each compensation, from the smallest on.
    pub(super) fn played(&self, rule_set: usize) -> Vec<Vec<CompensationLevel>> {
        let games = || self.games.iter().filter(|one| one.rule_set == rule_set);
        let mut levels: Vec<Rules> = games().map(|one| one.played.game.rules).collect();
        levels.sort_by(|a, b| a.compensation_amount().total_cmp(&b.compensation_amount()));
        levels.dedup();
        let level = |rules: &Rules, network: usize| {
            let games =
                games().filter(|one| (one.network, &one.played.game.rules) == (network, rules));
            let searched = &self.empty_board[rules][network];
            CompensationLevel {
                compensation: rules.compensation_amount().into(),
                empty: searched.black,
                doubt: searched.doubt(),
                games: games.map(|one| Evidence::of(&one.played)).collect(),
            }
        };
        (0..self.plan.networks.len())
            .map(|network| levels.iter().map(|rules| level(rules, network)).collect())
            .collect()
    }

    /// The next compensation beyond those played, if any network's fair one lies there.
    fn further(&self, rule_set: usize, levels: &[Rules]) -> Option<Rules> {
        let compensations = &self.rule_sets[rule_set].compensations;
        let at = Rules::compensation_amount;
        if compensations.is_empty() {
            return None;
        }
        let fair = fair_points(&self.played(rule_set));
        let each = || fair.networks.iter().copied().chain([fair.together]).flatten();
        if each().any(|fair| matches!(fair.value, TestedCompensation::Below(_))) {
            let least = levels.iter().map(at).reduce(f32::min)?;
            let below = compensations.iter().rev().find(|rules| at(rules) < least);
            if below.is_some() {
                return below.copied();
            }
        }
        if each().any(|fair| matches!(fair.value, TestedCompensation::Above(_))) {
            let most = levels.iter().map(at).reduce(f32::max)?;
            return compensations.iter().find(|rules| at(rules) > most).copied();
        }
        None
    }

    /// Plays a batch, with each network on its own thread.
    ///
    /// # Errors
    /// The errors of a match, or of the folder.
    pub fn play<E: Evaluator + Send>(
        &mut self,
        batch: &Batch,
        evaluators: &mut [E],
    ) -> Result<(), LabError> {
        self.draw_openings(batch.rule_set, batch.openings.end, evaluators)?;
        let openings = &self.rule_sets[batch.rule_set].openings;
        let player = self_player(self.plan.simulations);
        let played = each_network(evaluators, |network, evaluator| {
            self_play(batch.rules, &player, openings.of(network, &batch.openings), evaluator)
        })?;
        let mut new = Vec::new();
        for (network, games) in played.into_iter().enumerate() {
            for (index, mut played) in games.into_iter().enumerate() {
                // Rounded as stored on disk.
                let rounded = |value: &mut f32| *value = (*value * 1e3).round() / 1e3;
                played.values.iter_mut().for_each(rounded);
                let opening = batch.openings.start + index;
                let game = LabGame { rule_set: batch.rule_set, network, opening, played };
                let known = |other: &LabGame| {
                    (other.rule_set, other.network, other.opening)
                        == (game.rule_set, network, opening)
                        && other.played.game.rules == game.played.game.rules
                };
                if !self.games.iter().any(known) {
                    new.push(game);
                }
            }
        }
        self.folder.append(&new)?;
        self.games.extend(new);
        self.observe_new_games(evaluators)
    }

    /// Draws openings of a rule set until each network has `wanted`, or all there are.
    fn draw_openings<E: Evaluator + Send>(
        &mut self,
        rule_set: usize,
        wanted: usize,
        evaluators: &mut [E],
    ) -> Result<(), LabError> {
        let judged = self.nearest_to_even(rule_set, evaluators)?;
        let judgement = Judgement { rules: judged, empty_board: &self.empty_board[&judged] };
        let PreparedRuleSet { rules, openings, .. } = &mut self.rule_sets[rule_set];
        openings.draw(wanted, *rules, &self.plan, &judgement, evaluators)?;
        Ok(())
    }

    /// The rules, or the same with the compensation that seems fair, whichever the networks think
    /// nearer to even on the empty board.
    fn nearest_to_even<E: Evaluator + Send>(
        &mut self,
        rule_set: usize,
        evaluators: &mut [E],
    ) -> Result<Rules, LabError> {
        let PreparedRuleSet { rules, compensations, fair, .. } = &self.rule_sets[rule_set];
        let (mut nearest, mut distance) = (*rules, f64::INFINITY);
        for at in [rules].into_iter().chain(compensations.get(*fair)) {
            search_empty_board_once(at, &self.plan, evaluators, &mut self.empty_board)?;
            let each = self.empty_board[at].iter();
            let from_even = each.map(|found| (found.black - 0.5).abs()).sum();
            if from_even < distance {
                (nearest, distance) = (*at, from_even);
            }
        }
        Ok(nearest)
    }

    /// Observes those games at the rules' own compensation that have not been observed yet.
    fn observe_new_games<E: Evaluator + Send>(
        &mut self,
        evaluators: &mut [E],
    ) -> Result<(), LabError> {
        for one in &self.games[self.observed.len()..] {
            let rules = one.played.game.rules;
            search_empty_board_once(&rules, &self.plan, evaluators, &mut self.empty_board)?;
            let own = rules == self.rule_sets[one.rule_set].rules;
            let observed =
                own.then(|| ObservedGame::observe(&one.played, &mut evaluators[one.network]));
            self.observed.push(observed.transpose().map_err(agent::failure)?);
        }
        Ok(())
    }
}

impl PreparedRuleSet {
    fn prepare<E: Evaluator + Send>(
        rules: Rules,
        plan: &LabPlan,
        evaluators: &mut [E],
        knows: &dyn Fn(&Rules) -> bool,
    ) -> Result<PreparedRuleSet, LabError> {
        let (compensations, fair) = balance::compensations(&rules, knows, &mut |rules| {
            let each = each_network(evaluators, |_, evaluator| {
                black_by_short_search(*rules, plan.simulations, plan.seed, evaluator)
            })?;
            Ok::<f64, LabError>(each.iter().sum::<f64>() / each.len().max(1) as f64)
        })?;
        Ok(PreparedRuleSet { rules, openings: LabOpenings::default(), compensations, fair })
    }
}

/// The first moves and Black's winning probability by one search of the empty board by each
/// network; made only once for each rule set.
fn search_empty_board_once<E: Evaluator + Send>(
    rules: &Rules,
    plan: &LabPlan,
    evaluators: &mut [E],
    known: &mut HashMap<Rules, Vec<EmptyBoardResult>>,
) -> Result<(), MatchError> {
    if let Entry::Vacant(place) = known.entry(*rules) {
        place.insert(each_network(evaluators, |_, evaluator| {
            search_empty_board(*rules, plan.simulations, plan.seed, evaluator)
        })?);
    }
    Ok(())
}
