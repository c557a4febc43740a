//! The windows of recent games from which the learner draws its samples, one per board size.

use std::collections::{BTreeMap, VecDeque};

use crate::targets::FinishedGame;
use engine::{Size, Symmetry};
use models::TrainingBatch;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Upper bound of a position's sampling weight, relative to the mean.
const MAX_WEIGHT: f32 = 4.0;

/// Surprise is summed in integer units, this many per nat, so that sums do not depend on the order.
const PARTS_PER_NAT: f32 = 4096.0;

/// Recent games of all sizes of a run.
#[derive(Default)]
pub struct Windows {
    by_size: BTreeMap<Size, Window>,
}

impl Windows {
    /// Adds a game, which must be newer than all others of its size.
    pub(crate) fn add(&mut self, game: FinishedGame) {
        self.by_size.entry(game.record.size).or_default().add(game);
    }

    /// Adds a game, which must be older than all others of its size.
    pub(crate) fn add_older(&mut self, game: FinishedGame) {
        self.by_size.entry(game.record.size).or_default().add_older(game);
    }

    /// Drops the oldest games as long as at least `size` positions remain. Board sizes share the
    /// limit in proportion to their positions in the windows.
    pub fn shrink_to(&mut self, size: u64) {
        let total = self.positions().max(1) as f64;
        for window in self.by_size.values_mut() {
            window.shrink_to((size as f64 * window.positions() as f64 / total).ceil() as u64);
        }
    }

    /// Drops the oldest games of one board size as long as at least `positions` of its positions
    /// remain.
    pub(crate) fn shrink_on(&mut self, size: Size, positions: u64) {
        if let Some(window) = self.by_size.get_mut(&size) {
            window.shrink_to(positions);
        }
    }

    /// Number of positions that can be drawn.
    pub fn positions(&self) -> usize {
        self.by_size.values().map(Window::positions).sum()
    }

    /// Training step of the weights with which the oldest game of any size began; `None` if there
    /// are no games.
    pub(crate) fn oldest_model(&self) -> Option<u64> {
        let oldest = |window: &Window| window.games.front().map(|it| it.game.record.model);
        self.by_size.values().filter_map(oldest).min()
    }

    /// Number of positions on boards of one size that can be drawn.
    pub fn positions_on(&self, size: Size) -> usize {
        self.by_size.get(&size).map_or(0, Window::positions)
    }

    /// Draws a batch of one size, each size with probability proportional to its positions. Equal
    /// windows and seeds give equal batches.
    ///
    /// `surprise` is the part of a position's probability that is proportional to how much its
    /// search surprised the network. `None` if there is nothing to draw.
    pub fn draw(&self, count: usize, surprise: f32, seed: u64) -> Option<TrainingBatch> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let total = self.positions();
        let mut place = if total > 0 { random.random_range(0..total) } else { return None };
        for window in self.by_size.values() {
            if place < window.positions() {
                return Some(window.draw(count, surprise, &mut random));
            }
            place -= window.positions();
        }
        None
    }

    /// Draws positions of one size uniformly. `None` if there are none.
    pub fn sample(&self, size: Size, count: usize, seed: u64) -> Option<TrainingBatch> {
        let window = self.by_size.get(&size).filter(|window| window.positions() > 0)?;
        Some(window.draw(count, 0.0, &mut ChaCha8Rng::seed_from_u64(seed)))
    }
}

/// Gives every position the targets and legal moves of another one: a control that can learn only
/// averages.
pub(crate) fn shuffle_targets(batch: &mut TrainingBatch) {
    let encodings: Vec<_> = batch.samples.iter().map(|sample| sample.encoding.clone()).collect();
    for (sample, other) in batch.samples.iter_mut().zip(encodings.into_iter().cycle().skip(1)) {
        sample.encoding = other;
    }
}

/// Games of one size in order of recording; the oldest are dropped as new ones arrive.
#[derive(Default)]
struct Window {
    games: VecDeque<WindowGame>,
    /// Every position that can be drawn.
    rows: VecDeque<Row>,
    /// Number of the oldest game; negative once games older than the first one have been added.
    oldest: i64,
    /// Total surprise of all rows, in parts of a nat.
    surprise: u64,
}

struct WindowGame {
    game: FinishedGame,
    rows: usize,
}

/// A position that can be drawn: the game's number, the turn, and its surprise in parts of a nat.
#[derive(Clone, Copy)]
struct Row {
    game: i64,
    turn: u16,
    surprise: u32,
}

/// The positions of a game that can be drawn.
fn rows_of(game: &FinishedGame, number: i64) -> Vec<Row> {
    let turns = game.record.turns.iter().enumerate();
    let taught = turns.filter(|(_, recorded)| !recorded.target.is_empty());
    taught
        .map(|(turn, recorded)| {
            let surprise = (recorded.surprise.clamp(0.0, 100.0) * PARTS_PER_NAT) as u32;
            Row { game: number, turn: turn as u16, surprise }
        })
        .collect()
}

impl Window {
    fn add(&mut self, game: FinishedGame) {
        let rows = rows_of(&game, self.oldest + self.games.len() as i64);
        self.surprise += rows.iter().map(|row| u64::from(row.surprise)).sum::<u64>();
        self.games.push_back(WindowGame { game, rows: rows.len() });
        self.rows.extend(rows);
    }

    fn add_older(&mut self, game: FinishedGame) {
        self.oldest -= 1;
        let rows = rows_of(&game, self.oldest);
        self.surprise += rows.iter().map(|row| u64::from(row.surprise)).sum::<u64>();
        self.games.push_front(WindowGame { game, rows: rows.len() });
        rows.into_iter().rev().for_each(|row| self.rows.push_front(row));
    }

    fn shrink_to(&mut self, size: u64) {
        while let Some(game) = self.games.front() {
            if ((self.rows.len() - game.rows) as u64) < size {
                return;
            }
            for row in self.rows.drain(..game.rows) {
                self.surprise -= u64::from(row.surprise);
            }
            self.games.pop_front();
            self.oldest += 1;
        }
    }

    fn positions(&self) -> usize {
        self.rows.len()
    }

    /// Draws with replacement, each position under a random symmetry. There must be at least one
    /// row.
    fn draw(&self, count: usize, surprise: f32, random: &mut ChaCha8Rng) -> TrainingBatch {
        let size = self.games[0].game.record.size;
        let symmetries = Symmetry::of(size);
        let draws: Vec<(Row, Symmetry)> = (0..count)
            .map(|_| {
                let row = self.draw_row(surprise, random);
                (row, symmetries[random.random_range(0..symmetries.len())])
            })
            .collect();
        let samples = draws
            .into_par_iter()
            .map(|(row, symmetry)| {
                let game = &self.games[(row.game - self.oldest) as usize].game;
                game.sample(row.turn.into(), symmetry)
            })
            .collect();
        TrainingBatch::new(size, samples)
    }

    /// Draws a row with probability proportional to 1 − s + s · surprise / mean surprise, at most
    /// [`MAX_WEIGHT`]: KataGo's policy surprise weighting, by rejection sampling.
    fn draw_row(&self, share: f32, random: &mut ChaCha8Rng) -> Row {
        let mean = self.surprise as f32 / self.rows.len() as f32;
        loop {
            let row = self.rows[random.random_range(0..self.rows.len())];
            let relative = if mean > 0.0 { row.surprise as f32 / mean } else { 1.0 };
            let weight = (1.0 - share + share * relative).min(MAX_WEIGHT);
            if random.random::<f32>() * MAX_WEIGHT < weight {
                return row;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use models::TrainingSample;
    use search::evaluators::Scripted;
    use selfplay::{Phase, SelfPlaySettings, TrainingRecord, Worker};

    use super::*;

    fn games(size: u8, count: usize) -> Vec<TrainingRecord> {
        let rules = Variant::Go.rules(size).unwrap();
        let phase = Phase { simulations: 4, model: 0 };
        let mut worker = Worker::new(rules, SelfPlaySettings::default(), phase, 4, 5);
        let mut games = Vec::new();
        while games.len() < count {
            games.extend(worker.step(&mut Scripted { seed: 1 }).unwrap().1);
        }
        games
    }

    #[test]
    fn a_batch_holds_one_size_and_all_sizes_come() {
        let mut windows = Windows::default();
        assert!(windows.draw(4, 0.5, 1).is_none());
        for game in games(3, 10).into_iter().chain(games(5, 10)) {
            windows.add(FinishedGame::new(game).unwrap());
        }
        let sizes: Vec<usize> =
            (0..40).filter_map(|seed| Some(windows.draw(4, 0.5, seed)?.size.width())).collect();
        assert_eq!(sizes.len(), 40);
        assert!(sizes.contains(&3) && sizes.contains(&5));
        let all = windows.positions();
        windows.shrink_to(all as u64 / 2);
        assert!(windows.positions() < all && windows.positions() >= all / 2);
        assert_eq!(windows.draw(4, 0.5, 3), windows.draw(4, 0.5, 3));
    }

    /// A turn in the middle of the game looks different under each symmetry.
    #[test]
    fn positions_are_drawn_in_all_eight_symmetries() {
        let mut window = Window::default();
        window.add(FinishedGame::new(games(5, 1).remove(0)).unwrap());
        let middle = window.rows[window.rows.len() / 2];
        window.rows = [middle].into();
        let batch = window.draw(200, 0.0, &mut ChaCha8Rng::seed_from_u64(1));
        let mut different: Vec<&TrainingSample> = Vec::new();
        for sample in &batch.samples {
            if !different.iter().any(|other| other.encoding == sample.encoding) {
                different.push(sample);
            }
        }
        assert_eq!(different.len(), 8);
    }

    #[test]
    fn a_window_filled_from_its_newest_game_back_is_the_same() {
        let (mut forwards, mut backwards) = (Windows::default(), Windows::default());
        let all = games(3, 20);
        for game in &all {
            forwards.add(FinishedGame::new(game.clone()).unwrap());
        }
        for game in all[10..].iter().chain(all[..10].iter().rev()) {
            let is_older = all[..10].contains(game);
            let game = FinishedGame::new(game.clone()).unwrap();
            if is_older { backwards.add_older(game) } else { backwards.add(game) }
        }
        for positions in [u64::MAX, 40, 10] {
            forwards.shrink_to(positions);
            backwards.shrink_on(all[0].size, positions);
            assert_eq!(forwards.positions(), backwards.positions_on(all[0].size));
            assert_eq!(forwards.draw(8, 0.5, 3), backwards.draw(8, 0.5, 3), "{positions}");
        }
    }

    #[test]
    fn shuffled_targets_are_all_there_and_none_is_where_it_was() {
        let mut windows = Windows::default();
        for game in games(5, 10) {
            windows.add(FinishedGame::new(game).unwrap());
        }
        let batch = windows.draw(16, 0.5, 1).unwrap();
        let mut shuffled = batch.clone();
        shuffle_targets(&mut shuffled);
        for (index, sample) in shuffled.samples.iter().enumerate() {
            let place = (index + 1) % batch.samples.len();
            assert_eq!(sample.encoding, batch.samples[place].encoding);
            let own = &batch.samples[index];
            assert_eq!((&sample.policy, &sample.legal), (&own.policy, &own.legal));
            assert_eq!(sample.targets, own.targets);
        }
    }

    #[test]
    fn surprising_positions_are_drawn_more_often() {
        let mut window = Window::default();
        for mut game in games(3, 30) {
            for (index, turn) in game.turns.iter_mut().enumerate() {
                turn.surprise = if index % 2 == 0 { 0.3 } else { 0.1 };
            }
            window.add(FinishedGame::new(game).unwrap());
        }
        let share_of_surprising = |surprise: f32| {
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let drawn = (0..4000).filter(|_| window.draw_row(surprise, &mut random).turn % 2 == 0);
            drawn.count() as f32 / 4000.0
        };
        let (even, weighted) = (share_of_surprising(0.0), share_of_surprising(1.0));
        let expected = 3.0 * even / (3.0 * even + 1.0 - even);
        assert!((weighted - expected).abs() < 0.03, "{even}: {weighted} for {expected}");
        window.shrink_to(0);
        assert_eq!(window.surprise, 0);
    }
}
