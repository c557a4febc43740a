//! Recorded games on their way into the windows. They come from a disk, on which anything may lie: what is not a game of
//! this run, or cannot have been played, is left out with its reason and stops nothing.

use std::collections::BTreeMap;

use engine::Size;
use rayon::prelude::*;
use selfplay::{GameKey, Mixture, RecordError, StoreError, TrainingRecord};
use thiserror::Error;

use super::{TrainError, Training};
use crate::Windows;
use crate::progress::Progress;
use crate::targets::{FinishedGame, is_held_out};

/// Why a recorded game is not learnt from.
#[derive(Debug, Error)]
enum Refusal {
    /// The run plays other rules, or other boards.
    #[error("{rules} on {size:#}")]
    Foreign { rules: String, size: Size },
    /// Nobody can have played or searched it like that.
    #[error(transparent)]
    Unsound(#[from] RecordError),
}

impl Refusal {
    /// What such games have in common.
    fn kind(&self) -> &'static str {
        match self {
            Refusal::Foreign { .. } => "of rules that this run does not play",
            Refusal::Unsound(_) => "that are not as games are recorded",
        }
    }
}

/// Recorded games that are left out: of each kind how many, and what the first one was.
#[derive(Debug, Default)]
struct LeftOut(BTreeMap<&'static str, (usize, String)>);

impl LeftOut {
    fn add(&mut self, refusal: &Refusal) {
        // A text out of a file may be long, and hold what a terminal obeys.
        let text = || refusal.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        let (count, _) = self.0.entry(refusal.kind()).or_insert_with(|| (0, text()));
        *count += 1;
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let line = |(kind, (count, first)): (&&str, &(usize, String))| {
            format!("recorded games {kind}, left out: {count} (the first: {first})")
        };
        self.0.iter().map(line)
    }

    fn tell(&self, progress: &Progress) {
        self.lines().for_each(|line| progress.line(&line));
    }
}

/// Plays a record through, if it is of a game that the run may have played.
fn accept(record: TrainingRecord, mixtures: &[(Mixture, f32)]) -> Result<FinishedGame, Refusal> {
    let rules = record.rule_set()?;
    if mixtures.iter().any(|(mixture, _)| mixture.plays(&rules)) {
        Ok(FinishedGame::new(record)?)
    } else {
        Err(Refusal::Foreign { rules: record.rules, size: record.size })
    }
}

/// The games that can be learnt from, in their order.
fn sift(
    games: Vec<TrainingRecord>,
    mixtures: &[(Mixture, f32)],
    left_out: &mut LeftOut,
) -> Vec<FinishedGame> {
    let sifted: Vec<_> = games.into_par_iter().map(|game| accept(game, mixtures)).collect();
    sifted
        .into_iter()
        .filter_map(|game| game.map_err(|refusal| left_out.add(&refusal)).ok())
        .collect()
}

impl Training {
    /// Takes recorded games into the windows: all that no checkpoint has counted, which count now, and of the others the
    /// newest that there is room for.
    pub(super) fn load_games(&mut self) -> Result<(), TrainError> {
        let mut counted = self.store.keys()?;
        let new = counted.split_off(counted.partition_point(|&key| key < self.state.used_below));
        for key in new {
            let games = self.read(key)?;
            self.admit(key, games);
        }
        self.load_counted(&counted)?;
        self.shrink_windows();
        Ok(())
    }

    /// The games of a file; none if it is damaged, and it is set aside.
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

    /// Counts the games of a file that is newer than all others, and takes them into the windows.
    pub(super) fn admit(&mut self, key: GameKey, games: Vec<TrainingRecord>) {
        let mut left_out = LeftOut::default();
        for game in sift(games, &self.mixtures, &mut left_out) {
            self.state.positions += game.record.rows() as u64;
            self.state.games += 1;
            let step = self.config.self_play.komi_step;
            self.state.kinds.see(&game.record, game.end.rules(), step);
            self.windows_of(&game.record).add(game);
        }
        self.state.used_below = key + 1;
        left_out.tell(&self.progress);
    }

    fn windows_of(&mut self, game: &TrainingRecord) -> &mut Windows {
        let held_out = is_held_out(game, self.config.learning.held_out);
        if held_out { &mut self.held_out } else { &mut self.windows }
    }

    /// Fills the windows from the newest file that has been counted back to where they are full.
    fn load_counted(&mut self, keys: &[GameKey]) -> Result<(), TrainError> {
        let share = self.config.learning.held_out;
        let room = self.room();
        let mut left_out = LeftOut::default();
        for &key in keys.iter().rev() {
            let full: Vec<(Size, bool)> = room
                .iter()
                .filter(|&&(size, held_out, positions)| {
                    let windows = if held_out { &self.held_out } else { &self.windows };
                    windows.positions_on(size) as u64 >= positions
                })
                .map(|&(size, held_out, _)| (size, held_out))
                .collect();
            if full.len() == room.len() {
                break;
            }
            let mut games = self.read(key)?;
            games.retain(|game| !full.contains(&(game.size, is_held_out(game, share))));
            for game in sift(games, &self.mixtures, &mut left_out).into_iter().rev() {
                self.windows_of(&game.record).add_older(game);
            }
        }
        for (size, held_out, positions) in room {
            let windows = if held_out { &mut self.held_out } else { &mut self.windows };
            windows.shrink_on(size, positions);
        }
        left_out.tell(&self.progress);
        Ok(())
    }

    /// Of each board the positions that the windows are full with, to learn from and held out: its share of all that have
    /// been recorded. Where those were not counted by kinds, as in earlier versions, each may fill the windows.
    fn room(&self) -> Vec<(Size, bool, u64)> {
        let (window, held_out) = self.window_sizes();
        let rows = |size: Size| self.state.kinds.rows_on(size) as f64;
        let all: f64 = self.sizes.iter().map(|&size| rows(size)).sum();
        let share = |size: Size| if all > 0.0 { rows(size) / all } else { 1.0 };
        let of = |positions: u64, size: Size| (positions as f64 * share(size)).ceil() as u64;
        let both =
            |&size: &Size| [(size, false, of(window, size)), (size, true, of(held_out, size))];
        self.sizes.iter().flat_map(both).collect()
    }

    /// Positions to learn from, and positions held out.
    fn window_sizes(&self) -> (u64, u64) {
        let size = self.config.learning.window_at(self.state.positions);
        let share = f64::from(self.config.learning.held_out);
        (size, (size as f64 * share).ceil() as u64)
    }

    /// Lets the oldest games go for which the windows have become too small.
    pub(super) fn shrink_windows(&mut self) {
        let (window, held_out) = self.window_sizes();
        self.windows.shrink_to(window);
        self.held_out.shrink_to(held_out);
    }
}

#[cfg(test)]
mod tests {
    use engine::{Color, GameResult, Rules};
    use search::evaluators::Scripted;
    use selfplay::{Component, Phase, SelfPlaySettings, Worker};

    use super::*;

    fn game(rules: &str, size: u8) -> TrainingRecord {
        let rules = Rules::parse(rules, size).unwrap();
        let settings = SelfPlaySettings { komi_share: 0.0, ..SelfPlaySettings::default() };
        let mut worker = Worker::new(rules, settings, Phase { simulations: 4, model: 0 }, 4, 5);
        loop {
            if let Some(game) = worker.step(&mut Scripted { seed: 1 }).unwrap().1.pop() {
                return game;
            }
        }
    }

    #[test]
    fn only_sound_games_of_the_runs_rules_are_learnt_from() {
        let go = Rules::parse("go", 4).unwrap();
        let one = vec![(Mixture::of(go), 1.0)];
        let mut wrong = game("go", 4);
        wrong.result = match wrong.result {
            GameResult::Draw => GameResult::Won(Color::Black),
            GameResult::Won(_) => GameResult::Draw,
        };
        let mut nonsense = game("go", 4);
        nonsense.rules = "og".to_owned();
        let own = [game("go", 4), game("go,komi=3", 4)];
        let foreign = [game("go", 5), game("tile", 4), game("go,suicide=false", 4)];
        let all = own.iter().chain(&foreign).chain([&wrong, &nonsense]).cloned().collect();
        let mut left_out = LeftOut::default();
        let sound = sift(all, &one, &mut left_out);
        assert!(sound.iter().map(|game| &game.record).eq(&own));
        let lines: Vec<String> = left_out.lines().collect();
        assert_eq!(
            lines[0],
            "recorded games of rules that this run does not play, left out: 3 (the first: go on 5×5)"
        );
        assert!(lines[1].contains("left out: 2 (the first: the recorded result is"), "{lines:?}");
        for repeats in [100, 1 << 20] {
            nonsense.rules = "\x1b[2J".repeat(repeats);
            let mut left_out = LeftOut::default();
            assert!(sift(vec![nonsense.clone()], &one, &mut left_out).is_empty());
            let line: String = left_out.lines().collect();
            assert!(line.len() < 400 && !line.contains('\x1b'), "{line}");
        }

        let combined = vec![(Mixture::new(go.size, vec![(Component::Combined, 1.0)], 0), 1.0)];
        assert!(accept(game("tile,komi=2", 4), &combined).is_ok());
        assert!(accept(game("tile,tile_limit=4", 4), &combined).is_err());
    }
}
