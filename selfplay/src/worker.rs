//! Many games advanced together, one evaluation each at a time.

use std::sync::Arc;

use engine::Rules;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use search::{Evaluator, EvaluatorError, Leaf, SplitMix};

use crate::game::SelfPlayGame;
use crate::restarts::Archive;
use crate::{Mixture, Phase, SelfPlaySettings, TrainingRecord};

/// Keeps a fixed number of games going on one thread.
pub struct Worker {
    mixture: Arc<Mixture>,
    settings: SelfPlaySettings,
    phase: Phase,
    /// Games that wait for an evaluation, with the leaf that they wait for.
    games: Vec<(Box<SelfPlayGame>, Leaf)>,
    size: usize,
    seeds: SplitMix,
    finished: Vec<TrainingRecord>,
    archive: Archive,
}

impl Worker {
    /// A worker for `games` games of `rules` at once. `seed` decides all of them.
    pub fn new(
        rules: Rules,
        settings: SelfPlaySettings,
        phase: Phase,
        games: usize,
        seed: u64,
    ) -> Worker {
        Worker::mixed(Arc::new(Mixture::of(rules)), settings, phase, games, seed)
    }

    /// A worker for `games` games at once whose rules are drawn from a mixture.
    pub(crate) fn mixed(
        mixture: Arc<Mixture>,
        settings: SelfPlaySettings,
        phase: Phase,
        games: usize,
        seed: u64,
    ) -> Worker {
        Worker {
            mixture,
            settings,
            phase,
            games: Vec::with_capacity(games),
            size: games,
            seeds: SplitMix::new(seed),
            finished: Vec::new(),
            archive: Archive::default(),
        }
    }

    /// Changes what later searches do; games in progress go on.
    pub fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// Changes what fresh games are played by, on the same size; games in progress go on.
    pub fn set_mixture(&mut self, mixture: Arc<Mixture>) {
        self.mixture = mixture;
    }

    /// One batch: brings every game to its next leaf, has them evaluated together, and hands back the games that
    /// ended on the way, each replaced by a new one. Returns the number of evaluations too.
    ///
    /// # Errors
    /// The evaluator's. The worker's games are lost then.
    pub fn step(
        &mut self,
        evaluator: &mut impl Evaluator,
    ) -> Result<(usize, Vec<TrainingRecord>), EvaluatorError> {
        while self.games.len() < self.size {
            let fresh = self.fresh_game();
            let ready = self.advance_to_leaf(fresh);
            self.games.push(ready);
        }
        let evaluations = {
            let batch: Vec<_> = self.games.iter().map(|(game, leaf)| game.position(leaf)).collect();
            evaluator.evaluate(&batch)?
        };
        let evaluated = evaluations.len();
        let waiting = std::mem::take(&mut self.games);
        for ((mut game, leaf), evaluation) in waiting.into_iter().zip(&evaluations) {
            game.expand(leaf, evaluation)?;
            let ready = self.advance_to_leaf(game);
            self.games.push(ready);
        }
        Ok((evaluated, std::mem::take(&mut self.finished)))
    }

    fn advance_to_leaf(&mut self, mut game: Box<SelfPlayGame>) -> (Box<SelfPlayGame>, Leaf) {
        loop {
            match game.into_leaf(&self.settings, self.phase) {
                Ok(ready) => return ready,
                Err(record) => self.finish(record),
            }
            game = self.fresh_game();
        }
    }

    /// In a box, because a game of more than a kilobyte changes hands at every leaf.
    fn fresh_game(&mut self) -> Box<SelfPlayGame> {
        let seed = self.seeds.bits();
        let restarted = self.restarted_game(seed);
        Box::new(
            restarted.unwrap_or_else(|| {
                SelfPlayGame::new(&self.mixture, seed, &self.settings, self.phase)
            }),
        )
    }

    fn restarted_game(&mut self, seed: u64) -> Option<SelfPlayGame> {
        if self.settings.restart_share == 0.0 {
            return None;
        }
        let mut random = ChaCha8Rng::seed_from_u64(!seed);
        let restarts = random.random::<f32>() < self.settings.restart_share;
        let restart = restarts.then(|| self.archive.draw(&mut random)).flatten()?;
        SelfPlayGame::restarted(restart, seed, &self.settings, self.phase)
    }

    fn finish(&mut self, game: TrainingRecord) {
        if self.settings.restart_share > 0.0 {
            self.archive.offer(&game, self.settings.restart_archive);
        }
        self.finished.push(game);
    }
}
