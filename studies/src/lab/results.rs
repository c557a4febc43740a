//! The results of a laboratory's games.

use arena::Estimate;
use engine::Rules;

use crate::empty_board::EmptyBoardResult;
use crate::observe::ObservedGame;
use crate::statistic::Statistic;
use crate::summary::Observations;

use super::calibration::{Calibration, Reliability};
use super::difference::{Difference, differences};
use super::fair::{FairPoints, fair_points, levels};
use super::laboratory::{Laboratory, PreparedRuleSet};

/// The results of one rule set.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleSetResults {
    /// The rules.
    pub rules: Rules,
    /// Number of turns in the openings of each network.
    pub opening_plies: Vec<usize>,
    /// The first moves on the empty board, and Black's winning probability there, by searches of
    /// each network; empty before there are games, except for the rule set in question.
    pub empty_board: Vec<EmptyBoardResult>,
    /// Observations in the games at the rules' own compensation.
    pub observations: Observations,
    /// Black's share of the points from the empty board at the rules' own compensation: that from
    /// which the games, each moved by its opening as the networks' searches say, come out as they
    /// did. Its interval is extended by [`EmptyBoardResult::doubt`].
    pub black: Option<Estimate>,
    /// The same at each compensation.
    pub levels: Vec<(f64, Estimate)>,
    /// The compensation that makes the game even.
    pub fair: FairPoints,
    /// The SGF file and the turn of a game in which a tile forbids a move.
    pub tile_example: Option<(String, usize)>,
    /// How many times as many games there could be, since each needs its own opening.
    pub most_times: f64,
    /// The number of openings of each network, where there are fewer than were asked for.
    pub only_openings: Option<usize>,
    /// Whether the probabilities given by the networks came true.
    pub calibration: Calibration,
    /// The same for each network.
    pub network_calibrations: Vec<Calibration>,
}

impl RuleSetResults {
    /// Whether figures that depend on the networks' probabilities may be shown, because these came
    /// true.
    pub fn is_believed(&self) -> bool {
        self.reliability() == Reliability::Holds
    }

    /// Whether the networks' probabilities came true: those of all games, unless those of one
    /// network alone did not. Where one says too much and another too little, together they may
    /// seem right.
    pub fn reliability(&self) -> Reliability {
        let fails = |one: &Calibration| one.reliability() == Reliability::Fails;
        match self.network_calibrations.iter().any(fails) {
            true => Reliability::Fails,
            false => self.calibration.reliability(),
        }
    }
}

/// The results of a laboratory.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// The rule set in question, and those that it is compared with.
    pub rule_sets: Vec<RuleSetResults>,
    /// The first rule set compared with each of the others.
    pub differences: Vec<Vec<Difference>>,
    /// Number of networks.
    pub networks: usize,
}

impl Laboratory {
    /// The results of all games so far.
    pub fn results(&self) -> Results {
        let networks = self.plan.networks.len();
        let by_network: Vec<Vec<Observations>> = (0..self.rule_sets.len())
            .map(|rule_set| {
                (0..networks).map(|network| self.observations(rule_set, Some(network))).collect()
            })
            .collect();
        let rule_sets: Vec<RuleSetResults> = (0..self.rule_sets.len())
            .map(|rule_set| self.rule_set_results(rule_set, &by_network[rule_set]))
            .collect();
        let statistics = |rule_set: usize| -> Vec<&[Statistic]> {
            by_network[rule_set].iter().map(|one| one.statistics.as_slice()).collect()
        };
        let figures: Vec<Vec<&[Statistic]>> = (0..rule_sets.len()).map(statistics).collect();
        let differences = match figures.as_slice() {
            [] => Vec::new(),
            [first, others @ ..] => {
                differences(first, &others.iter().map(Vec::as_slice).collect::<Vec<_>>())
            }
        };
        Results { rule_sets, differences, networks }
    }

    fn rule_set_results(&self, rule_set: usize, by_network: &[Observations]) -> RuleSetResults {
        let prepared = &self.rule_sets[rule_set];
        let networks = self.played(rule_set);
        let levels = levels(&networks);
        let own = f64::from(prepared.rules.compensation_amount());
        RuleSetResults {
            rules: prepared.rules,
            opening_plies: (0..self.plan.networks.len())
                .filter_map(|network| {
                    let games = self.games.iter();
                    let mut its =
                        games.filter(|one| (one.rule_set, one.network) == (rule_set, network));
                    its.next().map(|one| one.played.game.opening_plies)
                })
                .collect(),
            empty_board: self.empty_board.get(&prepared.rules).cloned().unwrap_or_default(),
            observations: Observations::across(by_network, self.observations(rule_set, None)),
            black: levels.iter().find(|(at, _)| *at == own).map(|(_, black)| *black),
            levels: if prepared.compensations.is_empty() { Vec::new() } else { levels },
            fair: if prepared.compensations.is_empty() {
                FairPoints::default()
            } else {
                fair_points(&networks)
            },
            tile_example: self.tile_example(rule_set),
            most_times: self.most_times(rule_set),
            only_openings: prepared.openings.count(),
            calibration: Calibration::of(self.observed_games(rule_set, None)),
            network_calibrations: (0..self.plan.networks.len())
                .map(|network| Calibration::of(self.observed_games(rule_set, Some(network))))
                .collect(),
        }
    }

    /// See [`RuleSetResults::most_times`].
    fn most_times(&self, rule_set: usize) -> f64 {
        let PreparedRuleSet { rules, openings, .. } = &self.rule_sets[rule_set];
        let played = self.observed_games(rule_set, Some(0)).count();
        openings.most(*rules) as f64 / played.max(1) as f64
    }

    /// The observations in the games of a rule set, for one network or for all.
    fn observed_games(
        &self,
        rule_set: usize,
        network: Option<usize>,
    ) -> impl Iterator<Item = &ObservedGame> {
        self.own_games(rule_set)
            .filter(move |(one, _)| network.is_none_or(|network| one.network == network))
            .map(|(_, observed)| observed)
    }

    fn observations(&self, rule_set: usize, network: Option<usize>) -> Observations {
        let observed: Vec<&ObservedGame> = self.observed_games(rule_set, network).collect();
        Observations::of(&observed, &self.rule_sets[rule_set].rules)
    }
}
