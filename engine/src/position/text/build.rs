//! Builds a position from its text.

use std::str::FromStr;

use super::error::PositionError;
use super::read::Draft;
use crate::alter_igo;
use crate::conquest::ConquestState;
use crate::go::{self, Effect, GoState};
use crate::history::Change;
use crate::position::setup::check_stones;
use crate::position::state::{FamilyState, Position};
use crate::{Bitboard, Color, HistoryDependence, Point, Rules, zobrist};

impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Position, PositionError> {
        Position::parse(text)
    }
}

impl Position {
    /// Reads a position written by its `Display` or by hand.
    ///
    /// ```
    /// use engine::Position;
    ///
    /// let text = "rules stoical\nsize 3\n.X.\nXO.\nO..\nblack to move\nlast capture\n";
    /// let position = Position::parse(text)?;
    /// assert!(position.check_move("B1".parse()?).is_err(), "no capture right after a capture");
    /// assert_eq!(Position::parse(&position.to_string())?.hash(), position.hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong, with the line number where one line is at fault.
    pub fn parse(text: &str) -> Result<Position, PositionError> {
        let draft = Draft::read(text)?;
        let (line, rules) = draft.rules.as_ref().ok_or(PositionError::Missing("rules"))?;
        let size = draft.size.ok_or(PositionError::Missing("size"))?;
        let rules = Rules::parse(rules, size)
            .map_err(|error| PositionError::Rules { line: *line, error })?;
        draft.build(rules)
    }

    /// Reads a position under these rules, whatever rules the text names.
    ///
    /// # Errors
    /// As for [`Position::parse`], or if the board has another size.
    pub fn parse_under(text: &str, rules: Rules) -> Result<Position, PositionError> {
        let draft = Draft::read(text)?;
        let given = draft.size.ok_or(PositionError::Missing("size"))?;
        if given != rules.size {
            return Err(PositionError::OtherSize { given, wanted: rules.size });
        }
        draft.build(rules)
    }

    /// The same stones and player to move under other rules, keeping as much of the game so far as
    /// these rules depend on. A history that they would not have allowed is dropped. The game is
    /// over where passes, captures, legal moves or the number of turns would have ended it under
    /// these rules; repetitions are not looked for, but one that has ended it still does where these
    /// rules know that end.
    ///
    /// # Errors
    /// The board has another size, or its stones cannot stand like this under these rules.
    pub fn under(&self, rules: Rules) -> Result<Position, PositionError> {
        if *self.rules() == rules {
            return Ok(self.clone());
        }
        if self.size() != rules.size {
            return Err(PositionError::OtherSize { given: self.size(), wanted: rules.size });
        }
        let text = self.to_string();
        let draft = |with_history| -> Result<Draft, PositionError> {
            let mut draft = Draft::read(&text)?;
            self.add_unrecorded(&rules, &mut draft);
            draft.drop_unused(&rules, with_history);
            Ok(draft)
        };
        let mut position =
            draft(true)?.assemble(rules).or_else(|_| draft(false)?.assemble(rules))?;
        position.end_if_over();
        Ok(position)
    }
}

impl Draft {
    /// Drops values that do not apply under these rules, and limits those that these rules limit.
    fn drop_unused(&mut self, rules: &Rules, with_history: bool) {
        let (is_go, is_conquest) = (rules.captures_as_go(), rules.has_owners());
        let looks_back = rules.depends_on_positions() || rules.has_hot_stones();
        if !is_conquest {
            (self.owned, self.fixed) = Default::default();
        }
        if is_go || is_conquest {
            self.white_passes = None;
        }
        // Where nobody passes, returned prisoners would not end the row.
        self.passes.take_if(|_| !rules.has_pass());
        if !is_go {
            (self.last, self.prisoners, self.taken, self.left) = Default::default();
        }
        self.placement_incursion &= rules.has_incursions();
        self.tiles.take_if(|_| !rules.has_tiles());
        // A point with more tiles is full, and a player who has passed more often has no pass left.
        for (_, tiles) in self.tiles.iter_mut().flatten() {
            *tiles = (*tiles).min(rules.tile_limit);
        }
        self.white_passes = self.white_passes.map(|passes| passes.min(rules.white_passes));
        self.hot.take_if(|_| !rules.has_hot_stones());
        if !with_history || !looks_back {
            self.history.clear();
        }
        // Other ends are looked for in the position, with the result that they have here.
        self.result.take_if(|end| {
            end.reason.shows_in_position() || !rules.possible_ends().contains(&end.reason)
        });
    }

    /// The position that the lines describe, under these rules.
    fn build(&self, rules: Rules) -> Result<Position, PositionError> {
        let mut position = self.assemble(rules)?;
        self.check_end(&rules, &position)?;
        position.end_stuck_turn();
        position.end_if_no_legal_move();
        Ok(position)
    }

    /// The same, without asking whether the game would have ended.
    fn assemble(&self, rules: Rules) -> Result<Position, PositionError> {
        let turn = self.turn.ok_or(PositionError::Missing("black to move"))?;
        check_stones(&rules, &self.stones)?;
        self.check_points(&rules)?;
        self.check_players(&rules, turn)?;
        let mut position = self.replay_history(rules)?;
        let common = &mut position.common;
        common.turn = turn;
        common.passes = self.passes()?;
        let points = |change: &Change| change.placed.map(|(_, point)| point);
        let recent = match &self.recent {
            Some(recent) if recent.len() > common.recent.len() => {
                return contradiction("recent", "at most five turns are recorded");
            }
            Some(recent) => recent.clone(),
            None => self.history.iter().map(points).collect(),
        };
        let known = recent.len().max(self.history.len());
        common.turns = self.turns.unwrap_or(known as u16);
        if known > usize::from(common.turns) {
            return contradiction("turns", "fewer turns than the text records");
        }
        common.unrecorded_turns = common.turns - known as u16;
        for (slot, point) in common.recent.iter_mut().zip(recent.into_iter().rev()) {
            *slot = point;
        }
        common.outcome = self.result;
        self.fill_in_family(&mut position)?;
        Ok(position)
    }

    fn passes(&self) -> Result<u8, PositionError> {
        let passes = self.passes.unwrap_or(0);
        u8::try_from(passes).or_else(|_| contradiction("passes", "the game would have ended"))
    }

    /// Checks that every named point is on the board and can hold what the text puts there.
    fn check_points(&self, rules: &Rules) -> Result<(), PositionError> {
        let board = rules.size.board();
        let stones = self.stones[0] | self.stones[1];
        let recent = self.recent.iter().flatten().filter_map(|point| *point);
        let tiles = self.tiles.iter().flatten().map(|(point, _)| *point);
        let history = self.history.iter().flat_map(|change| {
            let removed = change.removed[0] | change.removed[1];
            change.placed.map(|(_, point)| point).into_iter().chain(removed.without(&board).first())
        });
        let ko = self.last.iter().filter_map(|last| last.ko);
        for point in recent.chain(tiles).chain(history).chain(ko) {
            if !board.contains(point) {
                return impossible(point, "it is not on this board");
            }
        }
        if let Some(point) = self.hot.and_then(|hot| hot.without(&stones).first()) {
            return impossible(point, "there is no stone that could be hot");
        }
        let mut tiled = Bitboard::EMPTY;
        for &(point, tiles) in self.tiles.iter().flatten() {
            if tiles == 0 || tiles > rules.tile_limit || tiled.contains(point) {
                return impossible(point, "too many tiles for one point");
            }
            tiled.insert(point);
        }
        Ok(())
    }

    /// Checks that the players of the history alternate up to the one to move, where the rules tell
    /// from the number of a turn whose it was.
    fn check_players(&self, rules: &Rules, turn: Color) -> Result<(), PositionError> {
        match rules.history_dependence() {
            HistoryDependence::StonesAndMover => {}
            HistoryDependence::Nothing
            | HistoryDependence::Stones
            | HistoryDependence::Counts
            | HistoryDependence::Plays => return Ok(()),
        }
        let mut player = turn;
        for (index, change) in self.history.iter().enumerate().rev() {
            player = player.opponent();
            if change.placed.is_some_and(|(color, _)| color != player) {
                let problem = "it was the other player's turn";
                return Err(PositionError::History { turn: index + 1, problem });
            }
        }
        Ok(())
    }

    /// A position with the history, whose stones are those of the text: the turns are undone from
    /// the final stones, then replayed.
    fn replay_history(&self, rules: Rules) -> Result<Position, PositionError> {
        let looks_back = rules.depends_on_positions() || rules.has_hot_stones();
        if !self.history.is_empty() && !looks_back {
            return Err(PositionError::Unused("history"));
        }
        let mut stones = self.stones;
        for (index, change) in self.history.iter().enumerate().rev() {
            take_back(change, &mut stones)
                .map_err(|problem| PositionError::History { turn: index + 1, problem })?;
        }
        let mut position = Position::with_board(rules, stones, Color::Black);
        for (index, change) in self.history.iter().enumerate() {
            replay_turn(&mut position, change)
                .map_err(|problem| PositionError::History { turn: index + 1, problem })?;
        }
        Ok(position)
    }

    fn fill_in_family(&self, position: &mut Position) -> Result<(), PositionError> {
        let rules = *position.rules();
        let is_first = position.turns() == 0;
        match &mut position.family {
            FamilyState::Go(state) => self.fill_in_go(&rules, is_first, state)?,
            FamilyState::AlterIgo(state) => {
                state.white_passes = self.white_passes.unwrap_or(0);
                if state.white_passes > rules.white_passes {
                    return contradiction("white-passes", "more passes than the rules give White");
                }
            }
            FamilyState::Conquest(state) => {
                let is_bare = self.owned.iter().all(Bitboard::is_empty) && self.fixed.is_none();
                if is_bare {
                    state.set_up(&mut position.common);
                } else {
                    self.fill_in_conquest(&rules, state)?;
                }
            }
        }
        self.check_use(&rules)
    }

    fn fill_in_go(
        &self,
        rules: &Rules,
        is_first: bool,
        state: &mut GoState,
    ) -> Result<(), PositionError> {
        state.last = self.last.unwrap_or(state.last);
        state.last_placement_incursion = self.placement_incursion;
        state.prisoners = self.prisoners.unwrap_or(state.prisoners);
        state.taken = self.taken.unwrap_or(state.taken);
        for &(point, tiles) in self.tiles.iter().flatten() {
            (0..tiles).for_each(|_| state.add_tile(point));
        }
        if let (Some(stones), Some(hot)) = (self.hot, &mut state.hot) {
            hot.set_stones(stones);
        }
        let usual = if is_first { 1 } else { rules.stones_per_turn };
        (state.placements_left, state.mid_turn) = self.left.unwrap_or((usual, false));
        if !(1..=rules.stones_per_turn).contains(&state.placements_left) {
            return contradiction("left", "more stones than the rules allow in a turn");
        }
        if state.mid_turn && state.placements_left == rules.stones_per_turn {
            return contradiction(
                "left",
                "a turn in which nothing has been placed yet has not begun",
            );
        }
        Ok(())
    }

    fn fill_in_conquest(
        &self,
        rules: &Rules,
        state: &mut ConquestState,
    ) -> Result<(), PositionError> {
        state.owner = self.owned;
        for &(stone, side) in self.fixed.iter().flatten() {
            if !(self.stones[0] | self.stones[1]).contains(stone) {
                return impossible(stone, "there is no stone that could be fixed");
            }
            if !state.fix(rules.size, stone, side) {
                return impossible(
                    stone,
                    "expected a stone in the middle of an edge and its neighbour along that edge",
                );
            }
        }
        Ok(())
    }

    /// Refuses lines that do not apply under these rules.
    fn check_use(&self, rules: &Rules) -> Result<(), PositionError> {
        let (is_go, is_alter_igo, is_conquest) = match rules.family {
            crate::Family::Go => (true, false, false),
            crate::Family::AlterIgo => (false, true, false),
            crate::Family::Conquest => (false, false, true),
        };
        for (word, is_given, is_used) in [
            ("conquered points", self.owned.iter().any(|set| !set.is_empty()), is_conquest),
            ("fixed", self.fixed.is_some(), is_conquest),
            ("white-passes", self.white_passes.is_some(), is_alter_igo),
            ("last", self.last.is_some(), is_go),
            ("placement", self.placement_incursion, rules.has_incursions()),
            ("prisoners", self.prisoners.is_some(), is_go),
            ("taken", self.taken.is_some(), is_go),
            ("left", self.left.is_some(), is_go),
            ("tiles", self.tiles.is_some(), rules.has_tiles()),
            ("hot", self.hot.is_some(), rules.has_hot_stones()),
        ] {
            if is_given && !is_used {
                return Err(PositionError::Unused(word));
            }
        }
        Ok(())
    }

    /// Checks that a game that has reached its end has a result, and that it can have this one.
    fn check_end(&self, rules: &Rules, position: &Position) -> Result<(), PositionError> {
        if let Some(end) = self.result {
            let is_possible = if end.reason.shows_in_position() {
                position.shown_end() == Some(end)
            } else {
                rules.possible_ends().contains(&end.reason)
            };
            return match is_possible {
                true => Ok(()),
                false => contradiction("result", "the game does not end like this here"),
            };
        }
        if rules.is_scored_by_area() && position.passes() >= rules.passes_to_end {
            return contradiction("passes", "the game has ended: missing line 'result'");
        }
        if position.turns() >= rules.max_moves {
            return contradiction("turns", "the game has ended: missing line 'result'");
        }
        let has_reached = |color| position.taken(color) >= rules.capture_goal;
        if rules.has_capture_goal() && Color::BOTH.into_iter().any(has_reached) {
            return contradiction("taken", "the game has ended: missing line 'result'");
        }
        Ok(())
    }
}

fn contradiction<T>(word: &'static str, problem: &'static str) -> Result<T, PositionError> {
    Err(PositionError::Contradiction { word, problem })
}

fn impossible<T>(point: Point, problem: &'static str) -> Result<T, PositionError> {
    Err(PositionError::Impossible { point, problem })
}

fn take_back(change: &Change, stones: &mut [Bitboard; 2]) -> Result<(), &'static str> {
    let standing = stones[0] | stones[1];
    let removed = change.removed[0] | change.removed[1];
    if standing.intersects(&removed) || change.removed[0].intersects(&change.removed[1]) {
        return Err("a stone that it removes is still there afterwards");
    }
    if let Some((color, point)) = change.placed
        && !(stones[color.index()] | change.removed[color.index()]).contains(point)
    {
        return Err("the stone that it places is not there afterwards");
    }
    change.take_back(stones);
    Ok(())
}

/// Replays one turn of the history.
fn replay_turn(position: &mut Position, change: &Change) -> Result<(), &'static str> {
    let Position { common, family, .. } = position;
    let Some((color, point)) = change.placed else {
        match family {
            FamilyState::Go(_) | FamilyState::Conquest(_) => common.record_turn(&Change::NONE),
            FamilyState::AlterIgo(_) => common.record_pass(),
        }
        return Ok(());
    };
    common.turn = color;
    if !common.empty().contains(point) {
        return Err("the point is already occupied");
    }
    let removed = match family {
        FamilyState::Go(state) => {
            let effect: Effect = go::effect(common, point);
            if let Some(hot) = &mut state.hot {
                hot.record_play(common, point, &effect);
            }
            effect.change(color, point).removed
        }
        FamilyState::AlterIgo(_) => alter_igo::removed_by(common, color, point),
        FamilyState::Conquest(_) => change.removed,
    };
    if removed != change.removed {
        return Err("under these rules it removes other stones");
    }
    change.make(&mut common.stones);
    common.stones_key = zobrist::key(&common.stones);
    common.ever_occupied[color.index()].insert(point);
    common.record_turn(change);
    Ok(())
}
