//! The recorded games of a run: all of them on disk, the newest in windows.

use std::sync::Arc;

use engine::Size;
use selfplay::{GameKey, GameStore, StoreError, TrainingRecord};

use super::intake::{LeftOut, accept_sound};
use super::rules::RunRules;
use crate::progress::Progress;
use crate::replay::Windows;
use crate::targets::{FinishedGame, is_held_out};
use crate::{LearningSettings, RunConfig, RunState, TrainError};

/// The games of a run; their counts are in its [`RunState`].
pub(super) struct Games {
    pub store: GameStore,
    /// Games to learn from.
    pub windows: Windows,
    /// Games that are never learnt from.
    pub held_out: Windows,
    rules: Arc<RunRules>,
    learning: LearningSettings,
    komi_step: f32,
    progress: Progress,
}

/// A board size's part of the windows.
struct WindowShare {
    size: Size,
    held_out: bool,
    /// Its capacity.
    positions: u64,
}

/// An estimate of the evaluations spent on a game whose process was killed before counting them:
/// one for each simulation, although some of those reach positions that are known already. If the
/// game was restarted from a turn of an earlier one, the turns before it are counted as well,
/// although the earlier game's count includes them.
fn estimated_evaluations(game: &TrainingRecord) -> u64 {
    game.turns.iter().map(|turn| u64::from(turn.simulations)).sum()
}

impl Games {
    pub fn new(
        store: GameStore,
        config: &RunConfig,
        rules: Arc<RunRules>,
        progress: Progress,
    ) -> Games {
        Games {
            store,
            windows: Windows::default(),
            held_out: Windows::default(),
            rules,
            learning: config.learning.clone(),
            komi_step: config.self_play.komi_step,
            progress,
        }
    }

    /// Adds recorded games to the windows: all that no checkpoint has counted, which are counted
    /// now, and as many of the newest others as fit.
    pub fn load(&mut self, state: &mut RunState) -> Result<(), TrainError> {
        let mut counted = self.store.keys()?;
        let new = counted.split_off(counted.partition_point(|&key| key < state.used_below));
        for key in new {
            let games = self.read(key)?;
            for game in self.sound(games) {
                state.evaluations += estimated_evaluations(&game.record);
                self.count(game, state);
            }
            state.used_below = key + 1;
        }
        self.load_counted(&counted, state)?;
        self.shrink(state.positions);
        Ok(())
    }

    /// The games of a file; none if it is damaged, in which case it is set aside.
    fn read(&self, key: GameKey) -> Result<Vec<TrainingRecord>, TrainError> {
        match self.store.read(key) {
            Err(error @ StoreError::Damaged { .. }) => {
                let aside = self.store.quarantine(key)?;
                self.progress.line(&format!("{error}: set aside as {}", aside.display()));
                Ok(Vec::new())
            }
            read => Ok(read?),
        }
    }

    /// Counts the games of a file, which must be newer than all others, and adds them to the
    /// windows.
    pub fn admit(&mut self, key: GameKey, games: Vec<TrainingRecord>, state: &mut RunState) {
        for game in self.sound(games) {
            self.count(game, state);
        }
        state.used_below = key + 1;
    }

    /// The games that can be learnt from; reports the others.
    fn sound(&self, games: Vec<TrainingRecord>) -> Vec<FinishedGame> {
        let mut left_out = LeftOut::default();
        let sound = accept_sound(games, &self.rules.mixtures, &mut left_out);
        left_out.report(&self.progress);
        sound
    }

    /// Counts a game, which must be newer than all others, and adds it to the windows.
    pub fn count(&mut self, game: FinishedGame, state: &mut RunState) {
        state.positions += game.record.rows() as u64;
        state.games += 1;
        let rules = game.end.rules();
        state.kinds.add_game(
            &game.record,
            rules,
            self.rules.usual_compensation(rules),
            self.komi_step,
        );
        self.add_counted(game);
    }

    /// Adds an already counted game to the windows; it must be newer than all others in them.
    pub fn add_counted(&mut self, game: FinishedGame) {
        self.windows_mut(self.holds_out(&game.record)).add(game);
    }

    /// Fills the windows from the counted files, going back from the newest one until they are
    /// full.
    fn load_counted(&mut self, keys: &[GameKey], state: &RunState) -> Result<(), TrainError> {
        let shares = self.window_shares(state);
        let mut left_out = LeftOut::default();
        for &key in keys.iter().rev() {
            let is_full = |share: &&WindowShare| {
                let windows = if share.held_out { &self.held_out } else { &self.windows };
                windows.positions_on(share.size) as u64 >= share.positions
            };
            let full: Vec<_> =
                shares.iter().filter(is_full).map(|share| (share.size, share.held_out)).collect();
            if full.len() == shares.len() {
                break;
            }
            let mut games = self.read(key)?;
            games.retain(|game| !full.contains(&(game.size, self.holds_out(game))));
            for game in accept_sound(games, &self.rules.mixtures, &mut left_out).into_iter().rev() {
                self.windows_mut(self.holds_out(&game.record)).add_older(game);
            }
        }
        for WindowShare { size, held_out, positions } in shares {
            self.windows_mut(held_out).shrink_on(size, positions);
        }
        left_out.report(&self.progress);
        Ok(())
    }

    /// Each board size gets a part in proportion to its positions among the newest ones that would
    /// fill the window: in a fork, those of the run that it was forked from count only as long as
    /// its own do not fill it. If positions were not counted by kind, as in earlier versions, each
    /// size may fill the windows.
    fn window_shares(&self, state: &RunState) -> Vec<WindowShare> {
        let (window, held_out) = self.learning.windows_at(state.positions);
        let sizes = self.rules.sizes();
        let newest = state.kinds.newest_on(&sizes, window);
        let all: f64 = newest.iter().sum();
        let window_share = |size: Size, held_out: bool, part: f64| WindowShare {
            size,
            held_out,
            positions: part.ceil() as u64,
        };
        let both = |(size, rows): (Size, f64)| {
            let share = if all > 0.0 { rows / all } else { 1.0 };
            [
                window_share(size, false, window as f64 * share),
                window_share(size, true, held_out as f64 * share),
            ]
        };
        sizes.into_iter().zip(newest).flat_map(both).collect()
    }

    /// Drops the oldest games that do not fit into the windows when `positions` have been counted.
    pub fn shrink(&mut self, positions: u64) {
        let (window, held_out) = self.learning.windows_at(positions);
        self.windows.shrink_to(window);
        self.held_out.shrink_to(held_out);
    }

    fn holds_out(&self, game: &TrainingRecord) -> bool {
        is_held_out(game, self.learning.held_out)
    }

    fn windows_mut(&mut self, held_out: bool) -> &mut Windows {
        if held_out { &mut self.held_out } else { &mut self.windows }
    }
}
