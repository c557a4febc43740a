//! Statistics over many games, with intervals.

use std::collections::HashSet;

use engine::Rules;
use game::EndReason;

use arena::Estimate;

use crate::observe::Seen;

/// Something measured over games.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistic {
    /// What it is.
    pub name: String,
    /// Games that it was measured in.
    pub games: usize,
    /// Its value with its interval; `None` where it does not apply to the rules or to any of the games.
    pub estimate: Option<Estimate>,
}

/// Legal moves in one turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breadth {
    /// The turn, from 0.
    pub turn: usize,
    /// Games still running.
    pub games: usize,
    /// Mean number of legal moves in them.
    pub moves: Estimate,
}

/// Observations in an agent's games against itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observations {
    /// Games.
    pub games: usize,
    /// Number of distinct games: those that differ from all before them in their final stones, up to symmetry, or their
    /// length.
    pub different: usize,
    /// Figures of the games.
    pub statistics: Vec<Statistic>,
    /// Share of games by what ended them, for every possible ending.
    pub ends: Vec<Statistic>,
    /// Mean share of a game's turns in which a rule beyond capture and suicide forbids at least one point.
    pub bans: Vec<Statistic>,
    /// Legal moves by turn, as long as at least a tenth of the games last.
    pub breadth: Vec<Breadth>,
}

/// How a figure is computed from single games.
#[derive(Clone, Copy)]
enum Figure {
    /// Share of games with a property; `None` does not count.
    Share(fn(&Seen) -> Option<bool>),
    /// The mean, with the range that a game's value lies in.
    Mean(fn(&Seen) -> Option<f64>, fn(&Rules) -> [f64; 2]),
    /// A quantile of the numbers of turns.
    Turns(f64),
}

const SHARE: fn(&Rules) -> [f64; 2] = |_| [0.0, 1.0];
const TURNS: fn(&Rules) -> [f64; 2] = |rules| [0.0, f64::from(rules.max_moves)];
/// Upper bound of event counts, which only outlying games exceed.
const EVENTS: fn(&Rules) -> [f64; 2] = |rules| [0.0, points(rules)];
const MOVES: fn(&Rules) -> [f64; 2] = |rules| [1.0, points(rules) + 1.0];
const MAGNITUDE: fn(&Rules) -> [f64; 2] =
    |rules| [0.0, f64::from(rules.max_moves) * (points(rules) + 1.0).log10()];

fn points(rules: &Rules) -> f64 {
    rules.size.area() as f64
}

const FIGURES: [(&str, Figure); 17] = [
    ("Black's share of the points", Figure::Mean(|seen| Some(seen.black), SHARE)),
    (
        "Black's chance after the openings, by the network",
        Figure::Mean(|seen| Some(seen.story.beginning), SHARE),
    ),
    ("draws", Figure::Share(|seen| Some(seen.black == 0.5))),
    ("turns", Figure::Mean(|seen| Some(seen.turns as f64), TURNS)),
    ("turns, 5th percentile", Figure::Turns(0.05)),
    ("turns, median", Figure::Turns(0.5)),
    ("turns, 95th percentile", Figure::Turns(0.95)),
    ("stones captured by both players", Figure::Mean(|seen| Some(seen.captured as f64), EVENTS)),
    (
        "legal moves",
        Figure::Mean(|seen| Some(seen.legal.iter().sum::<f64>() / seen.legal.len() as f64), MOVES),
    ),
    (
        "effective moves (e to the entropy of the policy)",
        Figure::Mean(|seen| Some(seen.effective), MOVES),
    ),
    (
        "log10 of the product of legal moves",
        Figure::Mean(|seen| Some(seen.legal.iter().map(|moves| moves.log10()).sum()), MAGNITUDE),
    ),
    (
        "games never decided before their end",
        Figure::Share(|seen| Some(seen.story.decided.is_none())),
    ),
    (
        "turn from which the others are decided",
        Figure::Mean(|seen| Some(seen.story.decided? as f64), TURNS),
    ),
    ("changes of the lead", Figure::Mean(|seen| Some(seen.story.lead_changes as f64), EVENTS)),
    (
        "volatility (mean change of Black's chance from turn to turn)",
        Figure::Mean(|seen| Some(seen.story.volatility), SHARE),
    ),
    (
        "drama (how much smaller the winner's chance was when it was smaller)",
        Figure::Mean(|seen| seen.story.drama, SHARE),
    ),
    (
        "games won from behind (from a chance below a quarter), of those won",
        Figure::Share(|seen| seen.story.comeback),
    ),
];

impl Figure {
    fn measure(self, name: &str, seen: &[Seen], rules: &Rules) -> Statistic {
        let (games, estimate) = match self {
            Figure::Share(of) => {
                let such: Vec<bool> = seen.iter().filter_map(of).collect();
                let count = such.iter().filter(|&&yes| yes).count();
                (such.len(), Estimate::share(count, such.len()))
            }
            Figure::Mean(of, range) => {
                let values: Vec<f64> = seen.iter().filter_map(of).collect();
                (values.len(), Estimate::mean(&values, range(rules)))
            }
            Figure::Turns(share) => {
                let turns: Vec<f64> = seen.iter().map(|seen| seen.turns as f64).collect();
                (turns.len(), Estimate::quantile(&turns, share, TURNS(rules)))
            }
        };
        Statistic { name: name.to_owned(), games, estimate }
    }
}

impl Observations {
    /// The statistics of these games; no two may share an opening.
    pub(crate) fn of(seen: &[Seen], rules: &Rules) -> Observations {
        Observations {
            games: seen.len(),
            different: seen.iter().map(|seen| seen.last).collect::<HashSet<_>>().len(),
            statistics: FIGURES
                .iter()
                .map(|(name, figure)| figure.measure(name, seen, rules))
                .collect(),
            ends: ends(seen, rules),
            bans: bans(seen, rules),
            breadth: breadth(seen, rules),
        }
    }
}

fn ends(seen: &[Seen], rules: &Rules) -> Vec<Statistic> {
    rules
        .possible_ends()
        .into_iter()
        .map(|reason| {
            let count = seen.iter().filter(|seen| seen.end == EndReason::Rules(reason)).count();
            Statistic {
                name: reason.to_string(),
                games: seen.len(),
                estimate: Estimate::share(count, seen.len()),
            }
        })
        .collect()
}

/// Each ban; all together if there are several; and bans of the preferred move.
fn bans(seen: &[Seen], rules: &Rules) -> Vec<Statistic> {
    let mean = |name: &str, of: &dyn Fn(&Seen) -> Option<f64>| {
        let shares: Vec<f64> = seen.iter().filter_map(of).collect();
        let estimate = Estimate::mean(&shares, SHARE(rules));
        Statistic { name: name.to_owned(), games: shares.len(), estimate }
    };
    let names = rules.possible_bans();
    let mut bans: Vec<Statistic> = names
        .iter()
        .enumerate()
        .map(|(index, name)| mean(name, &|seen| seen.bans.get(index).copied()))
        .collect();
    if names.len() > 1 {
        bans.push(mean("any of them", &|seen| Some(seen.banned)));
    }
    bans.push(mean("the preferred move is banned", &|seen| seen.wanted));
    bans
}

fn breadth(seen: &[Seen], rules: &Rules) -> Vec<Breadth> {
    (0..=usize::from(rules.max_moves))
        .map(|turn| {
            let legal: Vec<f64> =
                seen.iter().filter_map(|seen| seen.legal.get(turn).copied()).collect();
            (turn, legal)
        })
        .take_while(|(_, legal)| 10 * legal.len() >= seen.len())
        .filter_map(|(turn, legal)| {
            let moves = Estimate::mean(&legal, MOVES(rules))?;
            Some(Breadth { turn, games: legal.len(), moves })
        })
        .collect()
}
