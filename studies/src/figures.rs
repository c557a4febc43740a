//! The figures of a study: their names for people and programs, and how they are computed from
//! individual games.

use arena::Estimate;
use engine::{Reason, Rules};

use crate::events::{ConquestEvents, HotStoneEvents, KoFight, TileEvents};
use crate::observe::ObservedGame;
use crate::statistic::Statistic;

/// How a figure is computed from individual games.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
    /// The fraction of games with a property; games with `None` are not counted.
    Share(fn(&ObservedGame) -> Option<bool>),
    /// The mean, with the range in which a game's value lies.
    Mean(fn(&ObservedGame) -> Option<f64>, fn(&Rules) -> [f64; 2]),
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
        Figure::Mean(|game| Some(game.black), SHARE),
    ),
    (
        "margin",
        "points by which Black is ahead before komi after the openings, where the score decides",
        Figure::Mean(|game| game.margin, |rules| [-points(rules), points(rules)]),
    ),
    (
        "black-after-openings",
        "Black's chance after the openings, by search",
        Figure::Mean(|game| Some(game.trajectory.beginning), SHARE),
    ),
    ("draws", "draws", Figure::Share(|game| Some(game.black == 0.5))),
    ("turns", "turns", Figure::Mean(|game| Some(game.turns as f64), TURNS)),
    ("turns-low", "turns, 5th percentile", Figure::Turns(0.05)),
    ("turns-median", "turns, median", Figure::Turns(0.5)),
    ("turns-high", "turns, 95th percentile", Figure::Turns(0.95)),
    (
        "captured",
        "stones captured by both players",
        Figure::Mean(|game| Some(game.captured? as f64), EVENTS),
    ),
    (
        "legal-moves",
        "legal moves",
        Figure::Mean(|game| Some(game.legal.iter().sum::<f64>() / game.legal.len() as f64), MOVES),
    ),
    (
        "effective-moves",
        "effective moves (e to the entropy of the policy)",
        Figure::Mean(|game| Some(game.effective), MOVES),
    ),
    (
        "tree-size",
        "log10 of the product of legal moves",
        Figure::Mean(|game| Some(game.legal.iter().map(|moves| moves.log10()).sum()), MAGNITUDE),
    ),
    (
        "undecided",
        "games never decided before their end",
        Figure::Share(|game| Some(game.trajectory.decided.is_none())),
    ),
    (
        "decided-turn",
        "turn from which the others are decided",
        Figure::Mean(|game| Some(turn_number(game.trajectory.decided?)), TURNS),
    ),
    (
        "decided-rest",
        "share of the turns that are left when a game is decided",
        Figure::Mean(
            |game| Some(1.0 - game.trajectory.decided? as f64 / game.turns.max(1) as f64),
            SHARE,
        ),
    ),
    (
        "lead-changes",
        "changes of the lead",
        Figure::Mean(|game| Some(game.trajectory.lead_changes as f64), EVENTS),
    ),
    (
        "volatility",
        "volatility (mean change of Black's chance from turn to turn)",
        Figure::Mean(|game| Some(game.trajectory.volatility), SHARE),
    ),
    (
        "drama",
        "drama (how much smaller the winner's chance was when it was smaller)",
        Figure::Mean(|game| game.trajectory.drama, SHARE),
    ),
    (
        "comebacks",
        "games won from behind (from a chance below a quarter), of those won",
        Figure::Share(|game| game.trajectory.comeback),
    ),
    (
        "larger-area",
        "games won by the player with the larger area halfway, of those won in which one has it",
        Figure::Share(|game| game.larger_area),
    ),
    (
        "passes",
        "passes before those that end the game",
        Figure::Mean(|game| Some(game.events.passes? as f64), EVENTS),
    ),
    ("ko-fights", "ko fights", Figure::Mean(|game| Some(fights(game)?.len() as f64), EVENTS)),
    (
        "ko-fight-games",
        "games with a ko fight",
        Figure::Share(|game| Some(!fights(game)?.is_empty())),
    ),
    (
        "ko-fight-turns",
        "turns in a ko fight",
        Figure::Mean(|game| mean(fights(game)?, |fight| fight.turns() as f64), TURNS),
    ),
    (
        "ko-threats",
        "threats in a ko fight",
        Figure::Mean(|game| mean(fights(game)?, |fight| fight.threats as f64), EVENTS),
    ),
    (
        "ko-fight-bans",
        "share of the turns with a ban that fall in ko fights",
        Figure::Mean(
            |game| {
                let banned = game.events.banned_turns().filter(|&turns| turns > 0)?;
                let inside: usize = fights(game)?.iter().map(|fight| fight.banned).sum();
                Some(inside.min(banned) as f64 / banned as f64)
            },
            SHARE,
        ),
    ),
    ("tiles", "tiles", Figure::Mean(|game| Some(tiles(game)?.tiles.len() as f64), EVENTS)),
    ("tile-games", "games with a tile", Figure::Share(|game| Some(!tiles(game)?.tiles.is_empty()))),
    (
        "tile-bans",
        "games in which a tile forbids a move",
        Figure::Share(|game| Some(!tiles(game)?.forbidding.is_empty())),
    ),
    (
        "tile-stack",
        "highest stack of tiles",
        Figure::Mean(
            |game| tiles(game).filter(|it| it.limit > 1).map(|it| f64::from(it.highest())),
            STACK,
        ),
    ),
    (
        "first-tile",
        "turn of the first tile, in games with one",
        Figure::Mean(|game| Some(turn_number(tiles(game)?.tiles.first()?.turn)), TURNS),
    ),
    (
        "prisoners-returned",
        "prisoners returned",
        Figure::Mean(|game| Some(game.events.returned? as f64), EVENTS),
    ),
    ("hot-stones", "hot stones", Figure::Mean(|game| Some(hot(game)?.stones.len() as f64), EVENTS)),
    (
        "hot-stone-games",
        "games with a hot stone",
        Figure::Share(|game| Some(!hot(game)?.stones.is_empty())),
    ),
    (
        "first-hot-stone",
        "turn of the first hot stone, in games with one",
        Figure::Mean(|game| Some(turn_number(hot(game)?.stones.first()?.turn)), TURNS),
    ),
    (
        "unusual-hot-stones",
        "share of the hot stones whose play does not have the shape of a simple ko",
        Figure::Mean(
            |game| mean(&hot(game)?.stones, |stone| f64::from(u8::from(!stone.is_simple))),
            SHARE,
        ),
    ),
    (
        "unusual-hot-stone-bans",
        "games in which a hot stone forbids a play that does not have the shape of a simple ko",
        Figure::Share(|game| Some(!hot(game)?.unusual_bans.is_empty())),
    ),
    ("odd-cycles", "odd cycles", Figure::Mean(|game| Some(hot(game)?.odd_cycles as f64), EVENTS)),
    (
        "conquests",
        "conquests",
        Figure::Mean(|game| Some(conquests(game)?.conquests.len() as f64), EVENTS),
    ),
    (
        "reconquests",
        "conquests that take points from the opponent's territory",
        Figure::Mean(
            |game| {
                let all = &conquests(game)?.conquests;
                Some(all.iter().filter(|one| one.reconquered > 0).count() as f64)
            },
            EVENTS,
        ),
    ),
    (
        "conquest-points",
        "points of a conquest",
        Figure::Mean(|game| mean(&conquests(game)?.conquests, |one| one.points as f64), EVENTS),
    ),
    (
        "largest-conquest",
        "points of the largest conquest",
        Figure::Mean(|game| Some(conquests(game)?.largest()?.points as f64), EVENTS),
    ),
    (
        "largest-conquest-turn",
        "share of the game before its largest conquest",
        Figure::Mean(
            |game| Some(conquests(game)?.largest()?.turn as f64 / game.turns.max(1) as f64),
            SHARE,
        ),
    ),
    (
        "two-wall-points",
        "share of the conquered points at the end that were won with two walls",
        Figure::Mean(
            |game| {
                let [.., two] = conquests(game)?.kept;
                let all: usize = conquests(game)?.kept.iter().sum();
                (all > 0).then(|| two as f64 / all as f64)
            },
            SHARE,
        ),
    ),
    (
        "last-point",
        "points that the last placement is worth, against the opponent's at the same point",
        Figure::Mean(
            |game| Some(conquests(game)?.last?.worth as f64),
            |rules| [0.0, 2.0 * points(rules)],
        ),
    ),
    (
        "last-point-worthless",
        "games whose last point is worth nothing to either player",
        Figure::Share(|game| Some(conquests(game)?.last?.worth == 0)),
    ),
    (
        "last-point-decides",
        "games whose last point decides who wins",
        Figure::Share(|game| Some(conquests(game)?.last?.decides)),
    ),
    (
        "other-scoring",
        "games with another result by the other way of scoring, territory or pure",
        Figure::Share(|game| conquests(game)?.other_result),
    ),
];

/// The number of a turn as players count it, given the number of turns before it.
fn turn_number(turns_before: usize) -> f64 {
    turns_before as f64 + 1.0
}

fn fights(game: &ObservedGame) -> Option<&Vec<KoFight>> {
    game.events.ko_fights.as_ref()
}

fn tiles(game: &ObservedGame) -> Option<&TileEvents> {
    game.events.tiles.as_ref()
}

fn hot(game: &ObservedGame) -> Option<&HotStoneEvents> {
    game.events.hot_stones.as_ref()
}

fn conquests(game: &ObservedGame) -> Option<&ConquestEvents> {
    game.events.conquests.as_ref()
}

/// The mean over the items of one game; `None` if there are none.
fn mean<T>(things: &[T], of: fn(&T) -> f64) -> Option<f64> {
    let sum: f64 = things.iter().map(of).sum();
    (!things.is_empty()).then(|| sum / things.len() as f64)
}

impl Figure {
    /// The figure of these games.
    pub(crate) fn measure(
        self,
        key: &str,
        name: &str,
        games: &[&ObservedGame],
        rules: &Rules,
    ) -> Statistic {
        let statistic = match self {
            Figure::Share(of) => {
                Statistic::share(key, name, games.iter().filter_map(|game| of(game)))
            }
            Figure::Mean(of, range) => {
                Statistic::mean(key, name, games.iter().filter_map(|game| of(game)), range(rules))
            }
            Figure::Turns(share) => {
                let turns: Vec<f64> = games.iter().map(|game| game.turns as f64).collect();
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
