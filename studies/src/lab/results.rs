//! What the games of a laboratory say.

use arena::Estimate;
use engine::Rules;

use crate::atlas::Atlas;
use crate::balance::{self, Candidate, Evidence, FairPoint, Level};
use crate::observe::Seen;
use crate::summary::{Observations, Statistic};

use super::Laboratory;
use super::calibration::Calibration;
use super::difference::{Difference, differences};
use super::networks::across;

/// Games of each network at every compensation without which nothing is said of the fair one.
const FEWEST_GAMES: usize = 8;

/// Everything about one rule set.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The rules.
    pub rules: Rules,
    /// Turns in the openings of each network.
    pub opening_plies: Vec<usize>,
    /// Black's chance on the empty board, by one search of each network.
    pub chances: Vec<f64>,
    /// First moves in these searches.
    pub atlases: Vec<Atlas>,
    /// Observations in the games at the rules' own compensation.
    pub observations: Observations,
    /// Black's share of the points from the empty board at the rules' own compensation: what the networks' searches give
    /// there, corrected by how far they were wrong in games. Its interval is that of the correction.
    pub black: Option<Estimate>,
    /// The same at each compensation.
    pub levels: Vec<(f64, Estimate)>,
    /// The compensation that makes the game even.
    pub fair: Fair,
    /// Whether the chances that the networks gave came true.
    pub calibration: Calibration,
}

/// The compensation that makes the game even.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fair {
    /// From all games; `None` before there are enough, or where more compensation helps Black.
    pub together: Option<FairPoint>,
    /// From the games of each network.
    pub networks: Vec<Option<FairPoint>>,
}

/// The results of a laboratory.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// The rule set in question, and those that it is compared with.
    pub columns: Vec<Column>,
    /// The first rule set against each of the others.
    pub differences: Vec<Vec<Difference>>,
    /// Networks.
    pub networks: usize,
}

impl Laboratory {
    /// What all games so far say.
    pub fn results(&self) -> Results {
        let networks = self.plan.networks.len();
        let by_network: Vec<Vec<Observations>> = (0..self.columns.len())
            .map(|column| {
                (0..networks).map(|network| self.observations(column, Some(network))).collect()
            })
            .collect();
        let columns: Vec<Column> = (0..self.columns.len())
            .map(|column| self.column(column, &by_network[column]))
            .collect();
        let statistics = |column: usize| -> Vec<&[Statistic]> {
            by_network[column].iter().map(|one| one.statistics.as_slice()).collect()
        };
        let differences = (1..columns.len())
            .map(|column| differences(&statistics(0), &statistics(column)))
            .collect();
        Results { columns, differences, networks }
    }

    fn column(&self, column: usize, by_network: &[Observations]) -> Column {
        let start = &self.columns[column];
        let levels = levels(&played(self, column));
        let own = f64::from(start.rules.compensated());
        Column {
            rules: start.rules,
            opening_plies: (0..self.plan.networks.len())
                .filter_map(|network| {
                    let games = self.games.iter();
                    let mut its =
                        games.filter(|one| (one.column, one.network) == (column, network));
                    its.next().map(|one| one.played.game.opening_plies)
                })
                .collect(),
            chances: start.atlases.iter().map(|atlas| atlas.black).collect(),
            atlases: start.atlases.clone(),
            observations: Observations::across(by_network, self.observations(column, None)),
            black: levels.iter().find(|(at, _)| *at == own).map(|(_, black)| *black),
            levels: if start.ladder.is_empty() { Vec::new() } else { levels },
            fair: fair(self, column),
            calibration: Calibration::of(self.seen_in(column, None)),
        }
    }

    /// What was seen in the games of a rule set, of one network or of all.
    fn seen_in(&self, column: usize, network: Option<usize>) -> impl Iterator<Item = &Seen> {
        self.own_games(column)
            .filter(move |(one, _)| network.is_none_or(|network| one.network == network))
            .map(|(_, seen)| seen)
    }

    fn observations(&self, column: usize, network: Option<usize>) -> Observations {
        let seen: Vec<&Seen> = self.seen_in(column, network).collect();
        Observations::of(&seen, &self.columns[column].rules)
    }
}

/// The compensations at which each network has played, from the smallest on.
fn played(lab: &Laboratory, column: usize) -> Vec<Vec<Level>> {
    let networks = 0..lab.plan.networks.len();
    let mut levels: Vec<(&Rules, &Vec<f64>)> = lab
        .empty
        .iter()
        .filter(|((of, _), _)| *of == column)
        .map(|((_, rules), chances)| (rules, chances))
        .collect();
    let at = |rules: &Rules| f64::from(rules.compensated());
    levels.sort_by(|a, b| at(a.0).total_cmp(&at(b.0)));
    networks
        .map(|network| {
            let level = |&(rules, chances): &(&Rules, &Vec<f64>)| {
                let games = lab.games.iter().filter(|one| {
                    (one.column, one.network, &one.played.game.rules) == (column, network, rules)
                });
                Level {
                    compensation: at(rules),
                    empty: chances[network],
                    games: games.map(|one| Evidence::of(&one.played)).collect(),
                }
            };
            levels.iter().map(level).collect()
        })
        .collect()
}

/// The corrected shares at each compensation in the games of all networks.
pub(crate) fn together(networks: &[Vec<Level>]) -> Vec<Candidate> {
    let Some(first) = networks.first() else { return Vec::new() };
    let all = |(index, level): (usize, &Level)| Candidate {
        compensation: level.compensation,
        shares: networks.iter().flat_map(|levels| levels[index].corrected()).collect(),
    };
    first.iter().enumerate().map(all).collect()
}

/// Black's share of the points from the empty board at each compensation.
fn levels(networks: &[Vec<Level>]) -> Vec<(f64, Estimate)> {
    together(networks)
        .iter()
        .enumerate()
        .filter_map(|(index, all)| {
            let each = networks
                .iter()
                .map(|levels| balance::black(&levels[index].corrected().collect::<Vec<_>>()));
            let each = each.collect::<Option<Vec<Estimate>>>()?;
            let black = across(&each, balance::black(&all.shares)?, [0.0, 1.0]);
            Some((all.compensation, black))
        })
        .collect()
}

/// See [`Column::fair`].
pub(crate) fn fair(lab: &Laboratory, column: usize) -> Fair {
    let networks = played(lab, column);
    let enough = |levels: &Vec<Level>| levels.iter().all(|level| level.games.len() >= FEWEST_GAMES);
    let all = together(&networks);
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return Fair::default() };
    if lab.columns[column].ladder.is_empty() || !networks.iter().all(enough) {
        return Fair::default();
    }
    let each: Vec<Option<FairPoint>> = networks
        .iter()
        .map(|levels| balance::fair_point(&together(std::slice::from_ref(levels))))
        .collect();
    let found: Vec<FairPoint> = each.iter().copied().flatten().collect();
    let tested = [first.compensation, last.compensation];
    let together = balance::fair_point(&all);
    let together = together.map(|together| FairPoint::across(&found, together, tested));
    Fair { together, networks: each }
}
