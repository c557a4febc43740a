//! Many games advanced together, each with one evaluation at a time.

use std::sync::Arc;

use engine::Rules;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use search::{Evaluator, EvaluatorError, Leaf, SplitMix, check_count};

use crate::game::{FinishedGame, SelfPlayGame};
use crate::restarts::Archive;
use crate::{Mixture, ParkedGame, Phase, SelfPlaySettings, TrainingRecord, UnparkError};

/// Runs a fixed number of games on one thread.
///
/// ```
/// use engine::Rules;
/// use search::evaluators::Uniform;
/// use selfplay::{Phase, SelfPlaySettings, Worker};
///
/// let phase = Phase { simulations: 2, model: 0 };
/// let mut worker = Worker::new(Rules::parse("nogo", 3)?, SelfPlaySettings::default(), phase, 1, 7);
/// let game = loop {
///     let (_, mut finished) = worker.step(&mut Uniform)?;
///     if let Some(game) = finished.pop() {
///         break game;
///     }
/// };
/// assert_eq!(game.replay()?.outcome().map(|outcome| outcome.result), Some(game.result));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Worker {
    mixture: Arc<Mixture>,
    settings: SelfPlaySettings,
    phase: Phase,
    /// Games waiting for an evaluation, each with its leaf.
    games: Vec<(Box<SelfPlayGame>, Leaf)>,
    games_at_once: usize,
    /// Parked games that continue as soon as others end, the last one first.
    waiting: Vec<SelfPlayGame>,
    seeds: SplitMix,
    finished: Vec<FinishedGame>,
    archive: Archive,
}

impl Worker {
    /// A worker that plays `games` games of `rules` at once. `seed` determines all of them.
    pub fn new(
        rules: Rules,
        settings: SelfPlaySettings,
        phase: Phase,
        games: usize,
        seed: u64,
    ) -> Worker {
        Worker::with_mixture(Arc::new(Mixture::of(rules)), settings, phase, games, seed)
    }

    /// A worker that plays `games` games at once, with rules drawn from a mixture.
    pub(crate) fn with_mixture(
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
            games_at_once: games,
            waiting: Vec::new(),
            seeds: SplitMix::new(seed),
            finished: Vec::new(),
            archive: Archive::default(),
        }
    }

    /// Changes the settings of later searches; games in progress continue.
    pub(crate) fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// Changes the rules of new games, on the same size; games in progress continue.
    pub(crate) fn set_mixture(&mut self, mixture: Arc<Mixture>) {
        self.mixture = mixture;
    }

    /// All games in progress, which continue unaffected.
    pub(crate) fn parked(&self) -> impl Iterator<Item = ParkedGame> {
        let games = self.games.iter().map(|(game, _)| &**game);
        games.chain(&self.waiting).map(SelfPlayGame::parked)
    }

    /// Continues a parked game in place of a new one.
    pub(crate) fn unpark(&mut self, game: ParkedGame) -> Result<(), UnparkError> {
        let position = game.check(&self.mixture)?;
        let game = SelfPlayGame::unparked(game, position, &self.settings, self.phase);
        self.waiting.push(game);
        Ok(())
    }

    /// Number of parked games that have not continued yet.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Makes one batch: advances every game to its next leaf and evaluates the leaves together.
    /// Returns the number of evaluations and the games that ended on the way, each of which is
    /// replaced by a new one.
    ///
    /// # Errors
    /// The evaluator's error. The worker's games are then lost.
    pub fn step(
        &mut self,
        evaluator: &mut impl Evaluator,
    ) -> Result<(usize, Vec<TrainingRecord>), EvaluatorError> {
        let (evaluated, finished) = self.advance(evaluator)?;
        Ok((evaluated, finished.into_iter().map(|game| game.record).collect()))
    }

    /// Like `step`, but also returns what each game cost.
    pub(crate) fn advance(
        &mut self,
        evaluator: &mut impl Evaluator,
    ) -> Result<(usize, Vec<FinishedGame>), EvaluatorError> {
        while self.games.len() < self.games_at_once {
            let fresh = self.next_game();
            let ready = self.advance_to_leaf(fresh);
            self.games.push(ready);
        }
        let evaluations = {
            let batch: Vec<_> = self.games.iter().map(|(game, leaf)| game.position(leaf)).collect();
            evaluator.evaluate(&batch)?
        };
        let evaluated = evaluations.len();
        check_count(self.games.len(), evaluated)?;
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
                Err(finished) => self.finish(finished),
            }
            game = self.next_game();
        }
    }

    fn next_game(&mut self) -> Box<SelfPlayGame> {
        self.waiting.pop().map_or_else(|| self.fresh_game(), Box::new)
    }

    /// Boxed, because the game takes over a kilobyte and is moved at every leaf.
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

    fn finish(&mut self, game: FinishedGame) {
        if self.settings.restart_share > 0.0 {
            self.archive.offer(&game.record, self.settings.restart_archive);
        }
        self.finished.push(game);
    }
}
