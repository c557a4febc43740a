//! The window of recent games that the learner draws its samples from.

use std::collections::VecDeque;

use engine::{Encoding, Position, Symmetry, actions};
use models::{TrainingBatch, TrainingSample};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use selfplay::{GameRecord, RecordError};

/// Games in order of recording, the oldest leaving as new ones come.
#[derive(Default)]
pub struct Window {
    games: VecDeque<WindowGame>,
    /// Every position that can be drawn: the game's running number and its turn.
    rows: VecDeque<(u64, u16)>,
    /// Running number of the oldest game.
    oldest: u64,
}

struct WindowGame {
    record: GameRecord,
    start: Position,
    end: Position,
    rows: usize,
}

impl Window {
    /// Takes a game in, once it has been played through with every rule checked.
    ///
    /// # Errors
    /// The record is not a game of its rules.
    pub fn add(&mut self, record: GameRecord) -> Result<(), RecordError> {
        let (start, end) = (record.start()?, record.replay()?);
        let number = self.oldest + self.games.len() as u64;
        let turns = record.turns.iter().enumerate();
        self.rows.extend(
            turns
                .filter(|(_, turn)| !turn.target.is_empty())
                .map(|(turn, _)| (number, turn as u16)),
        );
        let rows = record.rows();
        self.games.push_back(WindowGame { record, start, end, rows });
        Ok(())
    }

    /// Lets the oldest games go while more than `size` positions stay.
    pub fn shrink_to(&mut self, size: u64) {
        while let Some(game) = self.games.front() {
            if ((self.rows.len() - game.rows) as u64) < size {
                return;
            }
            self.rows.drain(..game.rows);
            self.games.pop_front();
            self.oldest += 1;
        }
    }

    /// Positions that can be drawn.
    pub fn positions(&self) -> usize {
        self.rows.len()
    }

    /// Draws `count` positions with replacement, each seen through a random symmetry. Equal windows and seeds give
    /// equal batches.
    ///
    /// # Panics
    /// The window is empty.
    pub fn draw(&self, count: usize, seed: u64) -> TrainingBatch {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let draws: Vec<(u64, u16, Symmetry)> = (0..count)
            .map(|_| {
                let (game, turn) = self.rows[random.random_range(0..self.rows.len())];
                (game, turn, Symmetry::ALL[random.random_range(0..Symmetry::ALL.len())])
            })
            .collect();
        let size = self.games[0].start.size();
        let samples = draws
            .into_par_iter()
            .map(|(game, turn, symmetry)| {
                sample(&self.games[(game - self.oldest) as usize], turn.into(), symmetry)
            })
            .collect();
        TrainingBatch::new(size, samples)
    }
}

/// One position of a game with everything there is to learn from it, from the view of the player to move.
fn sample(game: &WindowGame, turn: usize, symmetry: Symmetry) -> TrainingSample {
    let mut position = game.start.clone();
    for earlier in 0..turn {
        if let Ok(played) = game.record.played(earlier) {
            // The game was checked move by move when it was taken in.
            position.play_unchecked(played);
        }
    }
    let size = position.size();
    let mover = position.turn();
    let mut policy = vec![0.0; actions(size)];
    for &(action, weight) in &game.record.turns[turn].target {
        if let Some(target) = engine::Move::from_action(action.into(), size) {
            policy[symmetry.play(target, size).action(size)] = f32::from(weight) / 65535.0;
        }
    }
    let total: f32 = policy.iter().sum();
    policy.iter_mut().for_each(|weight| *weight /= total);

    let mut legal = vec![false; actions(size)];
    for possible in position.legal_moves() {
        legal[symmetry.play(possible, size).action(size)] = true;
    }
    let [black, white] = game.end.occupancy();
    let mut occupancy = vec![TrainingSample::NEITHER; size * size];
    for (set, owner) in [(black, engine::Color::Black), (white, engine::Color::White)] {
        let class = if owner == mover { TrainingSample::MINE } else { TrainingSample::THEIRS };
        for point in symmetry.board(&set, size).iter() {
            occupancy[point.index(size)] = class;
        }
    }
    let result = game.record.winner.map(|winner| winner == mover);
    TrainingSample {
        encoding: Encoding::of(&position).transformed(symmetry, size),
        policy,
        legal,
        result: match result {
            Some(true) => [1.0, 0.0, 0.0],
            None => [0.0, 1.0, 0.0],
            Some(false) => [0.0, 0.0, 1.0],
        },
        occupancy,
    }
}
