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
    /// Whether it rests on the agent's evaluations and not on what happened alone.
    pub evaluated: bool,
    /// Range of the values of single games.
    pub(crate) range: [f64; 2],
    /// The values of the games; none if the estimate is not their mean.
    pub(crate) values: Vec<f64>,
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

/// What is measured: its name, whether the agent's evaluations enter into it, and how it is computed.
const FIGURES: [(&str, bool, Figure); 17] = [
    ("Black's share of the points", false, Figure::Mean(|seen| Some(seen.black), SHARE)),
    (
        "Black's chance after the openings, by search",
        true,
        Figure::Mean(|seen| Some(seen.story.beginning), SHARE),
    ),
    ("draws", false, Figure::Share(|seen| Some(seen.black == 0.5))),
    ("turns", false, Figure::Mean(|seen| Some(seen.turns as f64), TURNS)),
    ("turns, 5th percentile", false, Figure::Turns(0.05)),
    ("turns, median", false, Figure::Turns(0.5)),
    ("turns, 95th percentile", false, Figure::Turns(0.95)),
    (
        "stones captured by both players",
        false,
        Figure::Mean(|seen| Some(seen.captured as f64), EVENTS),
    ),
    (
        "legal moves",
        false,
        Figure::Mean(|seen| Some(seen.legal.iter().sum::<f64>() / seen.legal.len() as f64), MOVES),
    ),
    (
        "effective moves (e to the entropy of the policy)",
        true,
        Figure::Mean(|seen| Some(seen.effective), MOVES),
    ),
    (
        "log10 of the product of legal moves",
        false,
        Figure::Mean(|seen| Some(seen.legal.iter().map(|moves| moves.log10()).sum()), MAGNITUDE),
    ),
    (
        "games never decided before their end",
        true,
        Figure::Share(|seen| Some(seen.story.decided.is_none())),
    ),
    (
        "turn from which the others are decided",
        true,
        Figure::Mean(|seen| Some(seen.story.decided? as f64), TURNS),
    ),
    (
        "changes of the lead",
        true,
        Figure::Mean(|seen| Some(seen.story.lead_changes as f64), EVENTS),
    ),
    (
        "volatility (mean change of Black's chance from turn to turn)",
        true,
        Figure::Mean(|seen| Some(seen.story.volatility), SHARE),
    ),
    (
        "drama (how much smaller the winner's chance was when it was smaller)",
        true,
        Figure::Mean(|seen| seen.story.drama, SHARE),
    ),
    (
        "games won from behind (from a chance below a quarter), of those won",
        true,
        Figure::Share(|seen| seen.story.comeback),
    ),
];

impl Statistic {
    fn new(
        name: &str,
        games: usize,
        estimate: Option<Estimate>,
        range: [f64; 2],
        values: Vec<f64>,
    ) -> Statistic {
        Statistic { name: name.to_owned(), games, estimate, evaluated: false, range, values }
    }

    /// How often something happened in games.
    fn share(name: &str, happened: impl Iterator<Item = bool>) -> Statistic {
        let values: Vec<f64> = happened.map(|yes| f64::from(u8::from(yes))).collect();
        let count = values.iter().filter(|&&value| value == 1.0).count();
        let estimate = Estimate::share(count, values.len());
        Statistic::new(name, values.len(), estimate, [0.0, 1.0], values)
    }

    /// The mean over games.
    fn mean(name: &str, values: impl Iterator<Item = f64>, range: [f64; 2]) -> Statistic {
        let values: Vec<f64> = values.collect();
        Statistic::new(name, values.len(), Estimate::mean(&values, range), range, values)
    }
}

impl Figure {
    fn measure(self, name: &str, evaluated: bool, seen: &[&Seen], rules: &Rules) -> Statistic {
        let statistic = match self {
            Figure::Share(of) => Statistic::share(name, seen.iter().filter_map(|seen| of(seen))),
            Figure::Mean(of, range) => {
                Statistic::mean(name, seen.iter().filter_map(|seen| of(seen)), range(rules))
            }
            Figure::Turns(share) => {
                let turns: Vec<f64> = seen.iter().map(|seen| seen.turns as f64).collect();
                let range = TURNS(rules);
                let estimate = Estimate::quantile(&turns, share, range);
                Statistic::new(name, turns.len(), estimate, range, Vec::new())
            }
        };
        Statistic { evaluated, ..statistic }
    }
}

impl Observations {
    /// The statistics of these games; no two may share an opening.
    pub(crate) fn of(seen: &[&Seen], rules: &Rules) -> Observations {
        Observations {
            games: seen.len(),
            different: seen.iter().map(|seen| seen.last).collect::<HashSet<_>>().len(),
            statistics: FIGURES
                .iter()
                .map(|(name, evaluated, figure)| figure.measure(name, *evaluated, seen, rules))
                .collect(),
            ends: ends(seen, rules),
            bans: bans(seen, rules),
            breadth: breadth(seen, rules),
        }
    }
}

fn ends(seen: &[&Seen], rules: &Rules) -> Vec<Statistic> {
    rules
        .possible_ends()
        .into_iter()
        .map(|reason| {
            let happened = seen.iter().map(|seen| seen.end == EndReason::Rules(reason));
            Statistic::share(&reason.to_string(), happened)
        })
        .collect()
}

/// Each ban; all together if there are several; and bans of the preferred move.
fn bans(seen: &[&Seen], rules: &Rules) -> Vec<Statistic> {
    let mean = |name: &str, of: &dyn Fn(&Seen) -> Option<f64>| {
        Statistic::mean(name, seen.iter().filter_map(|seen| of(seen)), SHARE(rules))
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

fn breadth(seen: &[&Seen], rules: &Rules) -> Vec<Breadth> {
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
