//! Parts of a match that can be played independently, by different machines.

use std::ops::{ControlFlow, Range};

use game::EndReason;
use search::Evaluator;

use crate::journal::{from_json, to_json};
use crate::matches::opening_of;
use crate::{Match, MatchError, MatchGame, PLAYERS, Player};

/// Number of games in a unit. They are always played together: the number of parallel searches
/// determines how each of them batches its leaves, and so what it finds.
pub const UNIT_GAMES: usize = 32;

impl Match {
    /// The number of units.
    pub fn units(&self) -> usize {
        (PLAYERS * self.pairs).div_ceil(UNIT_GAMES)
    }

    /// The indices of a unit's games.
    fn unit(&self, unit: usize) -> Range<usize> {
        let all = PLAYERS * self.pairs;
        let first = unit.saturating_mul(UNIT_GAMES).min(all);
        first..(first + UNIT_GAMES).min(all)
    }

    /// Plays a unit, and returns its games as text, one per line; `None` if `should_continue`,
    /// which is called after each round of turns, has stopped it. The text does not depend on who
    /// plays it, as long as the evaluations are the same.
    ///
    /// # Errors
    /// Those of [`Match::play`].
    pub fn play_unit<E: Evaluator>(
        &self,
        unit: usize,
        evaluators: &mut [E],
        should_continue: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, MatchError> {
        self.check(evaluators.len())?;
        let mut finished: Vec<(usize, MatchGame)> = Vec::new();
        let mut is_stopped = false;
        self.play_games(self.unit(unit), &self.openings()?, evaluators, &mut |games| {
            finished.extend(games);
            is_stopped = !should_continue();
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        // The last game may end in the very round after which the unit is stopped.
        if is_stopped && finished.len() < self.unit(unit).len() {
            return Ok(None);
        }
        finished.sort_by_key(|(index, _)| *index);
        let lines = finished.iter().map(|(index, game)| format!("{}\n", to_json(*index, game)));
        Ok(Some(lines.collect()))
    }

    /// Reads a unit that was played elsewhere, and replays its games.
    ///
    /// # Errors
    /// A description of why these are not the games of this unit, from the match's openings and
    /// between its players, or how they contradict the rules.
    pub fn read_unit(&self, unit: usize, text: &[u8]) -> Result<Vec<(usize, MatchGame)>, String> {
        let text = str::from_utf8(text).map_err(|error| error.to_string())?;
        let openings = self.openings().map_err(|error| error.to_string())?;
        let has_engine =
            self.players.iter().any(|setup| matches!(setup.player, Player::External { .. }));
        let numbers = self.unit(unit);
        let count = text.lines().count();
        if count != numbers.len() {
            return Err(format!("it has {count} games: expected {}", numbers.len()));
        }
        let mut games = Vec::with_capacity(count);
        for (number, line) in numbers.zip(text.lines()) {
            let wrong = |what: &str| format!("game {number}: {what}");
            let line = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
            let (index, game) = from_json(&line, self).map_err(|problem| wrong(&problem))?;
            let opening = opening_of(number, &openings);
            if index != number {
                return Err(wrong(&format!("game {index} is in its place")));
            }
            if game.players != self.names(number) {
                return Err(wrong("the players are others"));
            }
            if game.opening_plies != opening.len() || !game.moves.starts_with(opening) {
                return Err(wrong("the opening is another"));
            }
            if !has_engine && !matches!(game.end.reason, EndReason::Rules(_)) {
                return Err(wrong("it does not end by the rules"));
            }
            games.push((index, game));
        }
        Ok(games)
    }
}
