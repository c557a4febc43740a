//! What the games of a laboratory say.

use arena::{Estimate, Openings};
use engine::Rules;

use crate::atlas::Atlas;
use crate::balance::{self, FairPoint, Level, ScoredResult};
use crate::observe::Seen;
use crate::summary::{Observations, Statistic};

use super::calibration::Calibration;
use super::difference::{Difference, differences};
use super::networks::across;
use super::{LabGame, Laboratory};

/// Openings played at every compensation without which nothing is said of the fair one.
const FEWEST_OPENINGS: usize = 8;

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
    /// Black's share of the points at each compensation.
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
        Column {
            rules: start.rules,
            opening_plies: start
                .openings
                .iter()
                .map(|openings: &Openings| openings.plies)
                .collect(),
            chances: start.atlases.iter().map(|atlas| atlas.black).collect(),
            atlases: start.atlases.clone(),
            observations: Observations::across(by_network, self.observations(column, None)),
            levels: levels(self, column),
            fair: fair(self, column),
            calibration: Calibration::of(self.seen_in(column, None)),
        }
    }

    /// The observed games of a rule set, of one network or of all, by opening.
    fn seen_in(&self, column: usize, network: Option<usize>) -> impl Iterator<Item = &Seen> {
        self.games
            .iter()
            .zip(&self.seen)
            .filter(move |(one, _)| one.column == column)
            .filter(move |(one, _)| network.is_none_or(|network| one.network == network))
            .filter_map(|(_, seen)| seen.as_ref())
    }

    fn observations(&self, column: usize, network: Option<usize>) -> Observations {
        let seen: Vec<&Seen> = self.seen_in(column, network).collect();
        Observations::of(&seen, &self.columns[column].rules)
    }
}

/// The compensations that have been played, from the smallest on, each with the results of one network from the openings
/// that it has played at all of them.
fn played(lab: &Laboratory, column: usize, network: usize) -> Vec<Level> {
    let games: Vec<&LabGame> =
        lab.games.iter().filter(|one| (one.column, one.network) == (column, network)).collect();
    let at = |one: &LabGame| balance::compensation(&one.played.game.rules);
    let mut levels: Vec<f64> = games.iter().filter_map(|one| at(one)).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let mut by_level: Vec<Vec<&LabGame>> = levels
        .iter()
        .map(|&level| games.iter().copied().filter(|one| at(one) == Some(level)).collect())
        .collect();
    let mut common: Vec<usize> =
        by_level.first().into_iter().flatten().map(|g| g.opening).collect();
    for games in &by_level {
        common.retain(|&opening| games.iter().any(|one| one.opening == opening));
    }
    common.sort_unstable();
    for games in &mut by_level {
        games.retain(|one| common.contains(&one.opening));
        games.sort_by_key(|one| one.opening);
    }
    levels
        .into_iter()
        .zip(by_level)
        .map(|(compensation, games)| {
            let results = games.iter().map(|one| ScoredResult::of(&one.played.game)).collect();
            Level { compensation, results }
        })
        .collect()
}

/// The levels of all networks, one network's results after the other's.
fn together(networks: &[Vec<Level>]) -> Vec<Level> {
    let Some((first, others)) = networks.split_first() else { return Vec::new() };
    let mut all = first.clone();
    for (index, level) in all.iter_mut().enumerate() {
        level.results.extend(
            others.iter().filter_map(|one| one.get(index)).flat_map(|level| level.results.clone()),
        );
    }
    all
}

/// Black's share of the points at each compensation.
fn levels(lab: &Laboratory, column: usize) -> Vec<(f64, Estimate)> {
    let networks: Vec<Vec<Level>> =
        (0..lab.plan.networks.len()).map(|network| played(lab, column, network)).collect();
    together(&networks)
        .iter()
        .enumerate()
        .filter_map(|(index, level)| {
            let each: Option<Vec<Estimate>> =
                networks.iter().map(|levels| levels.get(index)?.black()).collect();
            Some((level.compensation, across(&each?, level.black()?, [0.0, 1.0])))
        })
        .collect()
}

/// See [`Column::fair`].
pub(crate) fn fair(lab: &Laboratory, column: usize) -> Fair {
    let kind = lab.columns[column].rules.compensation();
    let networks: Vec<Vec<Level>> =
        (0..lab.plan.networks.len()).map(|network| played(lab, column, network)).collect();
    let enough =
        |levels: &Vec<Level>| levels.iter().all(|level| level.results.len() >= FEWEST_OPENINGS);
    if networks.is_empty() || !networks.iter().all(enough) {
        return Fair::default();
    }
    let point = |levels: &[Level]| balance::fair_point(&balance::candidates(kind, levels));
    let all = together(&networks);
    let networks: Vec<Option<FairPoint>> = networks.iter().map(|levels| point(levels)).collect();
    let ends = all.first().zip(all.last());
    let found: Vec<FairPoint> = networks.iter().copied().flatten().collect();
    let together = point(&all).zip(ends).map(|(together, (first, last))| {
        FairPoint::across(&found, together, [first.compensation, last.compensation])
    });
    Fair { together, networks }
}
