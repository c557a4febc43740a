//! The figures of a study: their names for people and programs, and how they are computed from
//! individual games.

use arena::Estimate;
use engine::{Reason, Rules};

use crate::events::{ConquestEvents, HotStoneEvents, KoFight, TileEvents};
use crate::observe::Seen;
use crate::statistic::Statistic;

/// How a figure is computed from individual games.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
    /// The fraction of games with a property; games with `None` are not counted.
    Share(fn(&Seen) -> Option<bool>),
    /// The mean, with the range in which a game's value lies.
    Mean(fn(&Seen) -> Option<f64>, fn(&Rules) -> [f64; 2]),
    /// A quantile of the number of turns.
    Turns(f64),
}

pub(crate) const SHARE: fn(&Rules) -> [f64; 2] = |_| [0.0, 1.0];
pub(crate) const MOVES: fn(&Rules) -> [f64; 2] = |rules| [1.0, points(rules) + 1.0];
const TURNS: fn(&Rules) -> [f64; 2] = |rules| [0.0, f64::from(rules.max_moves)];
/// The usual range of event counts, which games may exceed.
const EVENTS: fn(&Rules) -> [f64; 2] = |rules| [0.0, points(rules)];
const MAGNITUDE: fn(&Rules) -> [f64; 2] =
    |rules| [0.0, f64::from(rules.max_moves) * (points(rules) + 1.0).log10()];
const STACK: fn(&Rules) -> [f64; 2] = |rules| [0.0, f64::from(rules.tile_limit)];

fn points(rules: &Rules) -> f64 {
    rules.size.area() as f64
}

/// Key, name and computation of every figure of the games. Keys are for programs, in lower case
/// with hyphens, and never change. A game that lacks a figure gives `None`.
pub(crate) const FIGURES: [(&str, &str, Figure); 48] = [
    (
        "black",
        "Black's share of the points after the openings",
        Figure::Mean(|seen| Some(seen.black), SHARE),
    ),
    (
        "margin",
        "points by which Black is ahead before komi after the openings, where the score decides",
        Figure::Mean(|seen| seen.margin, |rules| [-points(rules), points(rules)]),
    ),
    (
        "black-after-openings",
        "Black's chance after the openings, by search",
        Figure::Mean(|seen| Some(seen.story.beginning), SHARE),
    ),
    ("draws", "draws", Figure::Share(|seen| Some(seen.black == 0.5))),
    ("turns", "turns", Figure::Mean(|seen| Some(seen.turns as f64), TURNS)),
    ("turns-low", "turns, 5th percentile", Figure::Turns(0.05)),
    ("turns-median", "turns, median", Figure::Turns(0.5)),
    ("turns-high", "turns, 95th percentile", Figure::Turns(0.95)),
    (
        "captured",
        "stones captured by both players",
        Figure::Mean(|seen| Some(seen.captured? as f64), EVENTS),
    ),
    (
        "legal-moves",
        "legal moves",
        Figure::Mean(|seen| Some(seen.legal.iter().sum::<f64>() / seen.legal.len() as f64), MOVES),
    ),
    (
        "effective-moves",
        "effective moves (e to the entropy of the policy)",
        Figure::Mean(|seen| Some(seen.effective), MOVES),
    ),
    (
        "tree-size",
        "log10 of the product of legal moves",
        Figure::Mean(|seen| Some(seen.legal.iter().map(|moves| moves.log10()).sum()), MAGNITUDE),
    ),
    (
        "undecided",
        "games never decided before their end",
        Figure::Share(|seen| Some(seen.story.decided.is_none())),
    ),
    (
        "decided-turn",
        "turn from which the others are decided",
        Figure::Mean(|seen| Some(turn_number(seen.story.decided?)), TURNS),
    ),
    (
        "decided-rest",
        "share of the turns that are left when a game is decided",
        Figure::Mean(
            |seen| Some(1.0 - seen.story.decided? as f64 / seen.turns.max(1) as f64),
            SHARE,
        ),
    ),
    (
        "lead-changes",
        "changes of the lead",
        Figure::Mean(|seen| Some(seen.story.lead_changes as f64), EVENTS),
    ),
    (
        "volatility",
        "volatility (mean change of Black's chance from turn to turn)",
        Figure::Mean(|seen| Some(seen.story.volatility), SHARE),
    ),
    (
        "drama",
        "drama (how much smaller the winner's chance was when it was smaller)",
        Figure::Mean(|seen| seen.story.drama, SHARE),
    ),
    (
        "comebacks",
        "games won from behind (from a chance below a quarter), of those won",
        Figure::Share(|seen| seen.story.comeback),
    ),
    (
        "larger-area",
        "games won by the player with the larger area halfway, of those won in which one has it",
        Figure::Share(|seen| seen.larger_area),
    ),
    (
        "passes",
        "passes before those that end the game",
        Figure::Mean(|seen| Some(seen.events.passes? as f64), EVENTS),
    ),
    ("ko-fights", "ko fights", Figure::Mean(|seen| Some(fights(seen)?.len() as f64), EVENTS)),
    (
        "ko-fight-games",
        "games with a ko fight",
        Figure::Share(|seen| Some(!fights(seen)?.is_empty())),
    ),
    (
        "ko-fight-turns",
        "turns in a ko fight",
        Figure::Mean(|seen| mean(fights(seen)?, |fight| fight.turns() as f64), TURNS),
    ),
    (
        "ko-threats",
        "threats in a ko fight",
        Figure::Mean(|seen| mean(fights(seen)?, |fight| fight.threats as f64), EVENTS),
    ),
    (
        "ko-fight-bans",
        "share of the turns with a ban that fall in ko fights",
        Figure::Mean(
            |seen| {
                let banned = seen.events.banned_turns().filter(|&turns| turns > 0)?;
                let inside: usize = fights(seen)?.iter().map(|fight| fight.banned).sum();
                Some(inside.min(banned) as f64 / banned as f64)
            },
            SHARE,
        ),
    ),
    ("tiles", "tiles", Figure::Mean(|seen| Some(tiles(seen)?.tiles.len() as f64), EVENTS)),
    ("tile-games", "games with a tile", Figure::Share(|seen| Some(!tiles(seen)?.tiles.is_empty()))),
    (
        "tile-bans",
        "games in which a tile forbids a move",
        Figure::Share(|seen| Some(!tiles(seen)?.forbidding.is_empty())),
    ),
    (
        "tile-stack",
        "highest stack of tiles",
        Figure::Mean(
            |seen| tiles(seen).filter(|it| it.limit > 1).map(|it| f64::from(it.highest())),
            STACK,
        ),
    ),
    (
        "first-tile",
        "turn of the first tile, in games with one",
        Figure::Mean(|seen| Some(turn_number(tiles(seen)?.tiles.first()?.turn)), TURNS),
    ),
    (
        "prisoners-returned",
        "prisoners returned",
        Figure::Mean(|seen| Some(seen.events.returned? as f64), EVENTS),
    ),
    ("hot-stones", "hot stones", Figure::Mean(|seen| Some(hot(seen)?.stones.len() as f64), EVENTS)),
    (
        "hot-stone-games",
        "games with a hot stone",
        Figure::Share(|seen| Some(!hot(seen)?.stones.is_empty())),
    ),
    (
        "first-hot-stone",
        "turn of the first hot stone, in games with one",
        Figure::Mean(|seen| Some(turn_number(hot(seen)?.stones.first()?.turn)), TURNS),
    ),
    (
        "unusual-hot-stones",
        "share of the hot stones whose play does not have the shape of a simple ko",
        Figure::Mean(
            |seen| mean(&hot(seen)?.stones, |stone| f64::from(u8::from(!stone.is_simple))),
            SHARE,
        ),
    ),
    (
        "unusual-hot-stone-bans",
        "games in which a hot stone forbids a play that does not have the shape of a simple ko",
        Figure::Share(|seen| Some(!hot(seen)?.unusual_bans.is_empty())),
    ),
    ("odd-cycles", "odd cycles", Figure::Mean(|seen| Some(hot(seen)?.odd_cycles as f64), EVENTS)),
    (
        "conquests",
        "conquests",
        Figure::Mean(|seen| Some(conquests(seen)?.conquests.len() as f64), EVENTS),
    ),
    (
        "reconquests",
        "conquests that take points from the opponent's territory",
        Figure::Mean(
            |seen| {
                let all = &conquests(seen)?.conquests;
                Some(all.iter().filter(|one| one.reconquered > 0).count() as f64)
            },
            EVENTS,
        ),
    ),
    (
        "conquest-points",
        "points of a conquest",
        Figure::Mean(|seen| mean(&conquests(seen)?.conquests, |one| one.points as f64), EVENTS),
    ),
    (
        "largest-conquest",
        "points of the largest conquest",
        Figure::Mean(|seen| Some(conquests(seen)?.largest()?.points as f64), EVENTS),
    ),
    (
        "largest-conquest-turn",
        "share of the game before its largest conquest",
        Figure::Mean(
            |seen| Some(conquests(seen)?.largest()?.turn as f64 / seen.turns.max(1) as f64),
            SHARE,
        ),
    ),
    (
        "two-wall-points",
        "share of the conquered points at the end that were won with two walls",
        Figure::Mean(
            |seen| {
                let [.., two] = conquests(seen)?.kept;
                let all: usize = conquests(seen)?.kept.iter().sum();
                (all > 0).then(|| two as f64 / all as f64)
            },
            SHARE,
        ),
    ),
    (
        "last-point",
        "points that the last placement is worth, against the opponent's at the same point",
        Figure::Mean(
            |seen| Some(conquests(seen)?.last?.worth as f64),
            |rules| [0.0, 2.0 * points(rules)],
        ),
    ),
    (
        "last-point-worthless",
        "games whose last point is worth nothing to either player",
        Figure::Share(|seen| Some(conquests(seen)?.last?.worth == 0)),
    ),
    (
        "last-point-decides",
        "games whose last point decides who wins",
        Figure::Share(|seen| Some(conquests(seen)?.last?.decides)),
    ),
    (
        "other-scoring",
        "games with another result by the other way of scoring, territory or pure",
        Figure::Share(|seen| conquests(seen)?.other_result),
    ),
];

/// The number of a turn as players count it, given the number of turns before it.
fn turn_number(turns_before: usize) -> f64 {
    turns_before as f64 + 1.0
}

fn fights(seen: &Seen) -> Option<&Vec<KoFight>> {
    seen.events.ko_fights.as_ref()
}

fn tiles(seen: &Seen) -> Option<&TileEvents> {
    seen.events.tiles.as_ref()
}

fn hot(seen: &Seen) -> Option<&HotStoneEvents> {
    seen.events.hot_stones.as_ref()
}

fn conquests(seen: &Seen) -> Option<&ConquestEvents> {
    seen.events.conquests.as_ref()
}

/// The mean over the items of one game; `None` if there are none.
fn mean<T>(things: &[T], of: fn(&T) -> f64) -> Option<f64> {
    let sum: f64 = things.iter().map(of).sum();
    (!things.is_empty()).then(|| sum / things.len() as f64)
}

impl Figure {
    /// The figure of these games.
    pub(crate) fn measure(self, key: &str, name: &str, seen: &[&Seen], rules: &Rules) -> Statistic {
        let statistic = match self {
            Figure::Share(of) => {
                Statistic::share(key, name, seen.iter().filter_map(|seen| of(seen)))
            }
            Figure::Mean(of, range) => {
                Statistic::mean(key, name, seen.iter().filter_map(|seen| of(seen)), range(rules))
            }
            Figure::Turns(share) => {
                let turns: Vec<f64> = seen.iter().map(|seen| seen.turns as f64).collect();
                let range = TURNS(rules);
                let estimate = Estimate::quantile(&turns, share, range);
                Statistic::new(key, name, turns.len(), estimate, range, Vec::new())
            }
        };
        Statistic { evaluated: EVALUATED.contains(&key), ..statistic }
    }
}

/// The figures that depend on the agent's evaluations, not only on what happened.
const EVALUATED: [&str; 9] = [
    "black-after-openings",
    "effective-moves",
    "undecided",
    "decided-turn",
    "decided-rest",
    "lead-changes",
    "volatility",
    "drama",
    "comebacks",
];

/// The key for the fraction of games that end for a reason.
pub(crate) fn end_key(reason: Reason) -> String {
    format!("end-{}", reason.to_string().replace(' ', "-"))
}

/// The key for the fraction of turns with a ban of this name.
pub(crate) fn ban_key(name: &str) -> String {
    format!("ban-{}", name.replace(' ', "-"))
}

/// The fraction of turns with any ban, where there are several kinds.
pub(crate) const ANY_BAN: (&str, &str) = ("bans", "any of them");
/// The fraction of turns in which the preferred move is banned.
pub(crate) const BANNED_PREFERENCE: (&str, &str) =
    ("preferred-banned", "the preferred move is banned");

/// The keys of all figures that a study of games under these rules has: those of
/// [`crate::Observations::figure`].
pub(crate) fn figure_keys(rules: &Rules) -> Vec<String> {
    let bans = rules.possible_bans();
    let any = (bans.len() > 1).then_some(ANY_BAN);
    let of_games = FIGURES.iter().map(|&(key, ..)| key.to_owned());
    let of_ends = rules.possible_ends().into_iter().map(end_key);
    let of_bans = bans.iter().map(|name| ban_key(name));
    let of_all = any.into_iter().chain([BANNED_PREFERENCE]).map(|(key, _)| key.to_owned());
    of_games.chain(of_ends).chain(of_bans).chain(of_all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rests_on_evaluations_is_a_figure() {
        for key in EVALUATED {
            assert!(FIGURES.iter().any(|(known, ..)| *known == key), "{key}");
        }
    }
}
