//! Statistics over many games, with intervals.

use std::collections::HashSet;

use engine::Rules;
use game::EndReason;

use arena::Estimate;

use crate::figures::{ANY_BAN, BANNED_PREFERENCE, FIGURES, MOVES, SHARE, ban_key, end_key};
use crate::observe::ObservedGame;
use crate::statistic::Statistic;

/// The number of legal moves in one turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breadth {
    /// The turn, from 0.
    pub turn: usize,
    /// Number of games still running.
    pub games: usize,
    /// Mean number of legal moves in them.
    pub moves: Estimate,
}

/// Observations in an agent's games against itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observations {
    /// Number of games.
    pub games: usize,
    /// Number of distinct games, up to symmetry.
    pub different: usize,
    /// Figures of the games.
    pub statistics: Vec<Statistic>,
    /// Fraction of games by what ended them, for every possible ending.
    pub ends: Vec<Statistic>,
    /// Mean fraction of a game's turns in which a rule beyond capture and suicide forbids at least
    /// one point.
    pub bans: Vec<Statistic>,
    /// Number of legal moves by turn, as long as at least a tenth of the games are still running.
    pub breadth: Vec<Breadth>,
}

impl Observations {
    /// The statistics of these games; no two may share an opening.
    pub(crate) fn of(games: &[&ObservedGame], rules: &Rules) -> Observations {
        Observations {
            games: games.len(),
            different: games.iter().map(|game| &game.turns_taken).collect::<HashSet<_>>().len(),
            statistics: FIGURES
                .iter()
                .map(|&(key, name, figure)| figure.measure(key, name, games, rules))
                .collect(),
            ends: ends(games, rules),
            bans: bans(games, rules),
            breadth: breadth(games, rules),
        }
    }

    /// The figure with this key; `None` if there is none under these rules.
    pub fn figure(&self, key: &str) -> Option<&Statistic> {
        let mut all = self.statistics.iter().chain(&self.ends).chain(&self.bans);
        all.find(|one| one.key == key)
    }
}

fn ends(games: &[&ObservedGame], rules: &Rules) -> Vec<Statistic> {
    rules
        .possible_ends()
        .into_iter()
        .map(|reason| {
            let happened = games.iter().map(|game| game.end == EndReason::Rules(reason));
            Statistic::share(&end_key(reason), &reason.to_string(), happened)
        })
        .collect()
}

/// Each ban, all bans together if there are several, and bans of the preferred move.
fn bans(games: &[&ObservedGame], rules: &Rules) -> Vec<Statistic> {
    let mean = |key: &str, name: &str, of: &dyn Fn(&ObservedGame) -> Option<f64>| {
        Statistic::mean(key, name, games.iter().filter_map(|game| of(game)), SHARE(rules))
    };
    let names = rules.possible_bans();
    let mut bans: Vec<Statistic> = names
        .iter()
        .enumerate()
        .map(|(index, name)| mean(&ban_key(name), name, &|game| game.bans.get(index).copied()))
        .collect();
    if names.len() > 1 {
        let (key, name) = ANY_BAN;
        bans.push(mean(key, name, &|game| Some(game.banned)));
    }
    let (key, name) = BANNED_PREFERENCE;
    // The preference is the network's.
    bans.push(Statistic { evaluated: true, ..mean(key, name, &|game| game.wanted) });
    bans
}

fn breadth(games: &[&ObservedGame], rules: &Rules) -> Vec<Breadth> {
    (0..=usize::from(rules.max_moves))
        .map(|turn| {
            let legal: Vec<f64> =
                games.iter().filter_map(|game| game.legal.get(turn).copied()).collect();
            (turn, legal)
        })
        .take_while(|(_, legal)| 10 * legal.len() >= games.len())
        .filter_map(|(turn, legal)| {
            let moves = Estimate::mean(&legal, MOVES(rules))?;
            Some(Breadth { turn, games: legal.len(), moves })
        })
        .collect()
}
