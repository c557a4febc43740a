//! Examines the rule set in question move by move: where its rule decides, and what other rules
//! would make of the same positions.

use std::collections::HashMap;

use arena::{MatchGame, Pentanomial};
use engine::{DistinctivePart, Point, Rules, Size};
use search::Evaluator;

use crate::agent::{self, each_network};
use crate::decisive_bans::{DecisiveBan, DecisiveBanPlan, decisive_bans};
use crate::opening_lines::{OpeningLine, opening_lines};
use crate::other_rules::{OtherRulesError, OtherRulesStudy, study_other_rules};
use crate::restricted::{RestrictedPlan, restricted_play};
use crate::rule_ablations::{ablation_pairs, rule_ablations};
use crate::skill::{Doubling, MIN_SIMULATIONS, doubling, strength};

use super::budget::Budget;
use super::comparisons::Comparison;
use super::folder::LabGame;
use super::laboratory::Laboratory;
use super::plan::{LabError, LabPlan};
use super::solved::{Solved, solved};

/// Number of positions of each game that are examined under other rules.
const POSITIONS: usize = 20;

/// Number of diagrams on the page.
const DIAGRAMS: usize = 10;

/// By how much a ban must lower the winning probability of the player to move in order to count.
const MIN_COST: f64 = 0.05;

/// Number of the laboratory's openings per pair of games against the reference player.
const OPENINGS_PER_PAIR: usize = 5;

/// Number of doublings of the simulations.
const DOUBLINGS: u32 = 4;

/// Number of positions searched per diagram.
const CANDIDATES_FOR_ONE: usize = 6;

/// The results of an examination of the games, made with the first network.
#[derive(Debug, Clone)]
pub struct Examination {
    /// The games that were examined.
    pub games: Vec<MatchGame>,
    /// How games begin, by the first network's searches.
    pub openings: Vec<OpeningLine>,
    /// Where a ban decides.
    pub decisive_bans: Vec<DecisiveBan>,
    /// Parts of the rules without which some network does not know the rules: their cost is not
    /// examined.
    pub unknown_parts: Vec<&'static str>,
    /// The positions of the games under each of the other rule sets.
    pub under: Vec<OtherRulesStudy>,
    /// Each network against the reference player under the rules in question.
    pub strengths: Vec<Pentanomial>,
    /// What doubling the simulations is worth to the first network; empty in a quick study.
    pub doublings: Vec<Doubling>,
    /// What using the rules' own part is worth: pairs by the points of the player who may use it.
    /// `None` in a quick study, and where the rules have no such part.
    pub restricted: Option<Pentanomial>,
    /// What running into a ban costs, in games continued from where the preferred move is first
    /// forbidden: pairs by the points of the player who continues without the part of the rules
    /// that forbids it. `None` in a quick study, and if there is no part without which the networks
    /// know the rules.
    pub ablation_pairs: Option<Pentanomial>,
    /// Perfect play, where the board is small enough for it to be known.
    pub solved: Vec<Solved>,
    /// How often in a game something happened at each point because of the rules, with its name;
    /// omits what never happened.
    pub places: Vec<(&'static str, Vec<f64>)>,
}

impl Laboratory {
    /// Examines the games of the rule set in question at its own compensation. `knows` says whether
    /// the networks have learnt a rule set.
    ///
    /// # Errors
    /// An error of the evaluator.
    pub fn examine<E: Evaluator + Send>(
        &mut self,
        evaluators: &mut [E],
        knows: &dyn Fn(&Rules) -> bool,
    ) -> Result<Examination, LabError> {
        let Some(&rules) = self.plan.rules.first() else { return Err(LabError::Empty) };
        let strengths = self.strengths(rules, evaluators)?;
        let Some(evaluator) = evaluators.first_mut() else { return Err(LabError::Empty) };
        let games: Vec<MatchGame> =
            self.own_games(0).map(|(one, _)| one.played.game.clone()).collect();
        let plan = DecisiveBanPlan {
            count: DIAGRAMS,
            candidates: CANDIDATES_FOR_ONE * DIAGRAMS,
            simulations: self.plan.simulations.saturating_mul(4),
        };
        let (parts, unknown): (Vec<DistinctivePart>, Vec<DistinctivePart>) =
            parts_with_bans(rules).partition(|part| knows(&part.without));
        let mut decisive_bans =
            decisive_bans(&games, &parts, &plan, evaluator).map_err(agent::failure)?;
        decisive_bans.retain(|one| one.cost() >= MIN_COST);
        let under = self.under_other_rules(&games, evaluator)?;
        let is_deep = self.plan.budget >= Budget::DEEP;
        let doublings = if is_deep { self.doublings(rules, evaluator)? } else { Vec::new() };
        let restricted = if is_deep { self.restricted(rules, evaluator)? } else { None };
        let ablation_pairs = match is_deep && !parts.is_empty() {
            true => Some(self.rule_ablations(&games, &parts, evaluator)?),
            false => None,
        };
        let places = self.places(rules.size, games.len());
        let openings = opening_lines(rules, plan.simulations, evaluator)?;
        Ok(Examination {
            games,
            openings,
            decisive_bans,
            unknown_parts: unknown.into_iter().map(|part| part.name).collect(),
            under,
            strengths,
            doublings,
            restricted,
            ablation_pairs,
            solved: solved(&self.plan.rules),
            places,
        })
    }

    /// Approximately how many of the laboratory's games take as long as [`Laboratory::examine`].
    pub fn examination_in_games(&self) -> usize {
        let LabPlan { simulations, budget, ref networks, ref rules, .. } = self.plan;
        // All networks play games at once, but apart from the strengths, only one network examines.
        let share =
            |searched: u32| networks.len() as f64 * f64::from(searched) / f64::from(simulations);
        let strengths = 2 * self.strength_pairs() * networks.len();
        let turns = rules.first().map_or(1, |rules| rules.size.area());
        let searched = 2 * CANDIDATES_FOR_ONE * DIAGRAMS / turns.max(1);
        let mut games = strengths as f64 + searched as f64 * share(simulations.saturating_mul(4));
        if budget >= Budget::DEEP {
            let played = (2 * self.deep_pairs()) as f64;
            let both = |times: u32| share(3 * (MIN_SIMULATIONS << times)) / 2.0;
            games += (0..DOUBLINGS).map(both).sum::<f64>() * played;
            let own = rules.first().is_some_and(|rules| !rules.distinctive_parts().is_empty());
            games += if own { 2.0 * share(simulations) * played } else { 0.0 };
            // A ban is met in about half of the games, with half of the game left, and two games
            // are played.
            let continued = (budget.openings() * networks.len()) as f64 / 2.0;
            games += if own { share(simulations) * continued } else { 0.0 };
        }
        games as usize
    }

    /// Pairs of games of each network against the reference player.
    fn strength_pairs(&self) -> usize {
        self.plan.budget.openings().div_ceil(OPENINGS_PER_PAIR)
    }

    /// Number of pairs of games for a comparison in a deepened laboratory.
    fn deep_pairs(&self) -> usize {
        self.plan.budget.openings() / 4
    }

    fn strengths<E: Evaluator + Send>(
        &mut self,
        rules: Rules,
        evaluators: &mut [E],
    ) -> Result<Vec<Pentanomial>, LabError> {
        let LabPlan { simulations, seed, .. } = self.plan;
        let pairs = self.strength_pairs();
        let of = |network| Comparison::Strength { network };
        let networks = 0..evaluators.len();
        let known = networks.map(|network| self.comparisons.find(of(network), pairs));
        if let Some(known) = known.collect() {
            return Ok(known);
        }
        let each = each_network(evaluators, |_, evaluator| {
            strength(rules, simulations, pairs, seed, evaluator)
        })?;
        for (network, &played) in each.iter().enumerate() {
            self.comparisons.add(of(network), pairs, played)?;
        }
        Ok(each)
    }

    /// The positions of the games under each of the rule sets with which the one in question is
    /// compared.
    fn under_other_rules<E: Evaluator>(
        &self,
        games: &[MatchGame],
        evaluator: &mut E,
    ) -> Result<Vec<OtherRulesStudy>, LabError> {
        let failure = |error: OtherRulesError| match error {
            OtherRulesError::Evaluator(source) => LabError::Match(agent::failure(source)),
            OtherRulesError::Size { .. } => LabError::Sizes,
        };
        let others = self.plan.rules.iter().skip(1);
        let each = others.map(|&other| {
            study_other_rules(games, other, POSITIONS, Some(evaluator)).map_err(failure)
        });
        each.collect()
    }

    fn doublings<E: Evaluator>(
        &mut self,
        rules: Rules,
        evaluator: &mut E,
    ) -> Result<Vec<Doubling>, LabError> {
        let (asked, seed) = (self.deep_pairs(), self.plan.seed);
        let each = (0..DOUBLINGS).map(|times| {
            let simulations = MIN_SIMULATIONS << times;
            let play = || doubling(rules, simulations, asked, seed, evaluator);
            let comparison = Comparison::Doubling { simulations };
            let pairs = self.comparisons.find_or_play(comparison, asked, play)?;
            Ok(Doubling { simulations, pairs })
        });
        each.collect()
    }

    fn restricted<E: Evaluator>(
        &mut self,
        rules: Rules,
        evaluator: &mut E,
    ) -> Result<Option<Pentanomial>, LabError> {
        if rules.distinctive_parts().is_empty() {
            return Ok(None);
        }
        let LabPlan { simulations, seed, .. } = self.plan;
        let pairs = self.deep_pairs();
        let plan = RestrictedPlan { pairs, simulations, seed };
        let play = || restricted_play(rules, &plan, evaluator);
        self.comparisons.find_or_play(Comparison::Restricted, pairs, play).map(Some)
    }

    fn rule_ablations<E: Evaluator>(
        &mut self,
        games: &[MatchGame],
        parts: &[DistinctivePart],
        evaluator: &mut E,
    ) -> Result<Pentanomial, LabError> {
        let simulations = self.plan.simulations;
        let play = || {
            let played = rule_ablations(games, parts, simulations, evaluator);
            Ok(ablation_pairs(&played.map_err(agent::failure)?))
        };
        self.comparisons.find_or_play(Comparison::AblationPair, games.len(), play)
    }

    /// The games of a rule set at its own compensation, with the observations in them.
    pub(super) fn own_games(
        &self,
        rule_set: usize,
    ) -> impl Iterator<Item = (&LabGame, &crate::observe::ObservedGame)> {
        self.games
            .iter()
            .zip(&self.observed)
            .filter(move |(one, _)| one.rule_set == rule_set)
            .filter_map(|(one, observed)| Some((one, observed.as_ref()?)))
    }

    fn places(&self, size: Size, games: usize) -> Vec<(&'static str, Vec<f64>)> {
        let mut counts: HashMap<&'static str, Vec<f64>> = HashMap::new();
        let mut count = |what: &'static str, point: Point| {
            let board = counts.entry(what).or_insert_with(|| vec![0.0; size.area()]);
            board[point.index(size)] += 1.0 / games as f64;
        };
        for (_, observed) in self.own_games(0) {
            let events = &observed.events;
            events.bans.iter().flatten().for_each(|ban| count("bans", ban.point));
            let tiles = events.tiles.iter().flat_map(|tiles| &tiles.tiles);
            tiles.for_each(|tile| count("tiles", tile.point));
            let hot = events.hot_stones.iter().flat_map(|hot| &hot.stones);
            hot.for_each(|stone| count("hot stones", stone.point));
        }
        let mut places: Vec<_> = counts.into_iter().collect();
        places.sort_by_key(|(what, _)| *what);
        places
    }
}

/// The parts of a rule set that forbid moves.
fn parts_with_bans(rules: Rules) -> impl Iterator<Item = DistinctivePart> {
    let bans = rules.possible_bans().len();
    let parts = rules.distinctive_parts().into_iter();
    parts.filter(move |part| bans > part.without.possible_bans().len())
}
