//! The rule set in question looked at move by move: where its rule decides, and what other rules would make of the same
//! positions.

use std::collections::HashMap;

use arena::MatchGame;
use engine::Point;
use search::Evaluator;

use crate::agent;
use crate::deciding::{Deciding, DecidingPlan, deciding};
use crate::other_rules::{OtherRulesError, UnderOtherRules, under_other_rules};

use super::folder::LabGame;
use super::laboratory::Laboratory;
use super::plan::LabError;

/// Positions of each game that are looked at under other rules.
const POSITIONS: usize = 20;

/// Diagrams of the page.
const DIAGRAMS: usize = 10;

/// Positions that are searched for a diagram.
const CANDIDATES_FOR_ONE: usize = 6;

/// What a closer look at the games found. The first network looks.
#[derive(Debug, Clone)]
pub struct Examination {
    /// Where a ban decides.
    pub deciding: Vec<Deciding>,
    /// The positions of the games under each of the other rule sets.
    pub under: Vec<UnderOtherRules>,
    /// How often in a game each point saw something happen by the rules, with what that is; nothing that never happened.
    pub places: Vec<(&'static str, Vec<f64>)>,
}

impl Laboratory {
    /// Looks closer at the games of the rule set in question at its own compensation.
    ///
    /// # Errors
    /// An error of the evaluator.
    pub fn examine<E: Evaluator>(&self, evaluator: &mut E) -> Result<Examination, LabError> {
        let games: Vec<MatchGame> =
            self.own_games(0).map(|(one, _)| one.played.game.clone()).collect();
        let plan = DecidingPlan {
            count: DIAGRAMS,
            candidates: CANDIDATES_FOR_ONE * DIAGRAMS,
            simulations: 4 * self.plan.simulations,
        };
        let deciding = deciding(&games, &plan, evaluator).map_err(agent::failure)?;
        let under = self.plan.rules.iter().skip(1).map(|&other| {
            under_other_rules(&games, other, POSITIONS, Some(evaluator)).map_err(
                |error| match error {
                    OtherRulesError::Evaluator(source) => LabError::Match(agent::failure(source)),
                    OtherRulesError::Size { .. } => LabError::Sizes,
                },
            )
        });
        let under = under.collect::<Result<_, _>>()?;
        Ok(Examination { deciding, under, places: self.places(games.len()) })
    }

    /// The games of a rule set at its own compensation, with what was seen in them.
    pub(super) fn own_games(
        &self,
        column: usize,
    ) -> impl Iterator<Item = (&LabGame, &crate::observe::Seen)> {
        self.games
            .iter()
            .zip(&self.seen)
            .filter(move |(one, _)| one.column == column)
            .filter_map(|(one, seen)| Some((one, seen.as_ref()?)))
    }

    fn places(&self, games: usize) -> Vec<(&'static str, Vec<f64>)> {
        let Some(size) = self.plan.rules.first().map(|rules| rules.size) else { return Vec::new() };
        let mut counts: HashMap<&'static str, Vec<f64>> = HashMap::new();
        let mut count = |what: &'static str, point: Point| {
            let board = counts.entry(what).or_insert_with(|| vec![0.0; size.area()]);
            board[point.index(size)] += 1.0 / games as f64;
        };
        for (_, seen) in self.own_games(0) {
            let events = &seen.events;
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
