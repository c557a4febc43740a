//! The loop: play, record, learn, publish.

mod safety;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Instant;

use engine::Rules;
use models::{
    Card, Device, Learner, LearnerSettings, Losses, ModelError, Precision, Server, ServerSettings,
};
use search::EvaluatorError;
use selfplay::{GameRecord, GameStore, Phase, SelfPlay, StoreError};
use thiserror::Error;

use crate::curves::Curves;
use crate::progress::{Progress, duration};
use crate::statistics::GameStatistics;
use crate::{Budget, ConfigError, Rated, RunConfig, RunError, RunFolder, RunState, Windows};

/// Games written to disk together: often enough that a kill loses seconds, seldom enough that files stay few.
const GAMES_A_FILE: usize = 512;

/// Where a run computes, and what it shows. None of it changes what is learnt.
#[derive(Debug, Clone, Copy)]
pub struct TrainingOptions {
    /// Where the network runs.
    pub device: Device,
    /// Arithmetic of the network in self-play and learning.
    pub precision: Precision,
    /// Show nothing.
    pub quiet: bool,
}

/// What ends a run before its budget.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The run folder.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The game records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The network or its files.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Self-play.
    #[error("self-play: {0}")]
    Evaluator(#[from] EvaluatorError),
    /// A rating match.
    #[error("rating: {0}")]
    Match(#[from] arena::MatchError),
    /// Losses that were no numbers, time and again.
    #[error(
        "learning fails even after going back {times} times ({error}): begin again with a smaller learning.learning_rate"
    )]
    Diverged {
        /// Times that the run has gone back.
        times: u32,
        /// The last failure.
        error: ModelError,
    },
    /// The curves.
    #[error("the log cannot be written: {0}")]
    Log(std::io::Error),
}

/// A run in progress.
pub struct Training {
    folder: RunFolder,
    config: RunConfig,
    options: TrainingOptions,
    /// The rules on the largest board, on which matches are played.
    rules: Rules,
    /// Of all boards.
    sizes: Vec<u8>,
    state: RunState,
    learner: Learner,
    server: Server,
    self_play: SelfPlay,
    windows: Windows,
    store: GameStore,
    curves: Curves,
    progress: Progress,
    /// When this sitting began, less the seconds of earlier ones.
    clock: Clock,
}

/// Seconds at work, over all sittings. Monotonic: the wall clock may jump.
struct Clock {
    before: f64,
    began: Instant,
}

impl Clock {
    fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }
}

impl Training {
    /// Begins a run.
    ///
    /// # Errors
    /// A run is there already, or something cannot be opened or written.
    pub fn begin(
        root: &Path,
        config: RunConfig,
        options: TrainingOptions,
    ) -> Result<Training, TrainError> {
        let folder = RunFolder::create(root, &config)?;
        Training::open(folder, config, options)
    }

    /// Goes on with a run.
    ///
    /// # Errors
    /// No run is there, it is in use, or something cannot be read.
    pub fn resume(root: &Path, options: TrainingOptions) -> Result<Training, TrainError> {
        let folder = RunFolder::resume(root)?;
        let config = RunConfig::load(&folder.config(), &[])?;
        Training::open(folder, config, options)
    }

    fn open(
        folder: RunFolder,
        config: RunConfig,
        options: TrainingOptions,
    ) -> Result<Training, TrainError> {
        let tables = config.tables()?;
        let sizes: Vec<u8> = tables.iter().map(|(rules, _)| rules.size).collect();
        let Some(&(rules, _)) = tables.last() else {
            return Err(ConfigError::Value("sizes is empty").into());
        };
        let settings = LearnerSettings {
            losses: config.learning.losses,
            weight_decay: config.learning.weight_decay,
            average_half_life: config.learning.average_half_life,
            ..LearnerSettings::default()
        };
        let mut learner = Learner::new(
            &config.network,
            options.device,
            options.precision,
            settings,
            config.seed,
        )?;
        let mut state = RunState::default();
        let saved = folder.latest()?;
        if let Some((checkpoint, latest)) = &saved {
            learner.restore(&RunFolder::learner_file(checkpoint))?;
            state = latest.clone();
        }
        let store = GameStore::open(&folder.games())?;
        let curves = Curves::open(&folder.tensorboard(), &folder.log()).map_err(TrainError::Log)?;
        let server = Server::start(
            learner.playing_network()?,
            ServerSettings::new(options.device, options.precision),
        )?;
        let clock = Clock { before: state.seconds, began: Instant::now() };
        let phase = Phase { simulations: 1, model: state.step };
        let workers = match config.self_play.workers {
            0 => server.workers_for(config.self_play.games),
            given => given,
        };
        // A new sitting plays new games, not those again that the last one may have recorded.
        let seed = config.seed ^ curves.sitting().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let self_play = SelfPlay::new(&tables, &config.self_play, phase, workers, seed);
        let mut training = Training {
            folder,
            config,
            options,
            rules,
            sizes,
            state,
            learner,
            server,
            self_play,
            windows: Windows::default(),
            store,
            curves,
            progress: Progress::new(options.quiet),
            clock,
        };
        training.load_games()?;
        if saved.is_none() {
            training.state.rated = vec![Rated { step: 0, progress: 0.0, elo: 0.0 }];
            training.checkpoint()?;
        }
        Ok(training)
    }

    /// Takes all recorded games into the window; those that no checkpoint has used count as new.
    fn load_games(&mut self) -> Result<(), TrainError> {
        for key in self.store.keys()? {
            let games = match self.store.read(key) {
                Ok(games) => games,
                Err(error @ StoreError::Damaged { .. }) => {
                    let aside = self.store.quarantine(key)?;
                    self.progress.line(&format!("{error}: set aside as {}", aside.display()));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if self.state.used.contains(&key) {
                games.into_iter().for_each(|game| self.admit(game, false));
            } else {
                self.state.used.push(key);
                games.into_iter().for_each(|game| self.admit(game, true));
            }
        }
        self.shrink_window();
        Ok(())
    }

    /// Takes a game into the window, if it is one of this run's rules.
    fn admit(&mut self, game: GameRecord, new: bool) {
        let rows = game.rows() as u64;
        if !self.sizes.contains(&game.size) {
            self.progress.line("a recorded game has another board size: left out");
            return;
        }
        match self.windows.add(game) {
            Ok(()) if new => {
                self.state.positions += rows;
                self.state.games += 1;
            }
            Ok(()) => {}
            Err(error) => self.progress.line(&format!("a recorded game is left out: {error}")),
        }
    }

    fn shrink_window(&mut self) {
        self.windows.shrink_to(self.config.learning.window_at(self.state.positions));
    }

    /// Share of the run that is done.
    fn done(&self) -> f32 {
        let budget: Budget = self.config.budget;
        budget.progress(self.state.positions, self.clock.seconds())
    }

    /// Works until the budget is spent, and returns the final state.
    ///
    /// # Errors
    /// Whatever keeps the run from going on. What has been recorded and checkpointed stays.
    pub fn run(mut self) -> Result<RunState, TrainError> {
        self.announce();
        // Games that a killed sitting recorded are learnt from before new ones are played.
        self.learn()?;
        while self.done() < 1.0 {
            let played = self.play()?;
            let losses = self.learn()?;
            self.publish()?;
            self.report(&played, losses.as_ref())?;
        }
        self.rate(true)?;
        self.checkpoint()?;
        self.progress.finish();
        Ok(self.state)
    }

    fn announce(&self) {
        let begun = if self.curves.sitting() > 1 { "resumed" } else { "begun" };
        let sizes: Vec<String> = self.sizes.iter().map(|size| format!("{size}×{size}")).collect();
        self.progress.line(&format!(
            "run {} {begun}: {} on {}, {} blocks × {} channels, {} on {}",
            self.folder.root().display(),
            self.rules,
            sizes.join(", "),
            self.config.network.blocks,
            self.config.network.channels,
            self.options.precision,
            self.options.device,
        ));
    }

    /// Plays until enough positions are recorded, all of them on disk.
    fn play(&mut self) -> Result<Played, TrainError> {
        let progress = self.done();
        let phase = Phase {
            simulations: self.config.self_play.simulations_at(progress),
            model: self.state.step,
        };
        let wanted = self.positions_wanted();
        let mut statistics = GameStatistics::default();
        let mut waiting: Vec<GameRecord> = Vec::new();
        let mut full: Vec<Vec<GameRecord>> = Vec::new();
        let mut next_key = self.store.keys()?.last().map_or(0, |key| key + 1);
        let (server, store, bar) = (&self.server, &self.store, &self.progress);
        let mut stored = Ok(());
        let report = self.self_play.play(
            phase,
            || server.client(),
            |game, report| {
                if let Some(game) = game {
                    statistics.add(&game);
                    waiting.push(game);
                    if waiting.len() >= GAMES_A_FILE && stored.is_ok() {
                        stored = store.write(next_key, &waiting);
                        next_key += 1;
                        full.push(std::mem::take(&mut waiting));
                    }
                } else {
                    let rate = report.evaluations as f64 / report.time.as_secs_f64().max(1e-9);
                    bar.show(
                        progress,
                        &format!(
                            "playing: {} of {wanted} positions, {rate:.0} evaluations/s",
                            statistics.rows()
                        ),
                    );
                }
                stored.is_ok() && statistics.rows() < wanted
            },
        )?;
        stored?;
        if !waiting.is_empty() {
            store.write(next_key, &waiting)?;
            next_key += 1;
            full.push(waiting);
        }
        let first_key = next_key - full.len() as u64;
        for (key, games) in (first_key..).zip(full) {
            self.state.used.push(key);
            games.into_iter().for_each(|game| self.admit(game, true));
        }
        self.shrink_window();
        self.state.evaluations += report.evaluations;
        Ok(Played { report, statistics, simulations: phase.simulations })
    }

    /// Positions of the next phase: a whole one, or what the budget leaves.
    fn positions_wanted(&self) -> u64 {
        let whole = self.config.learning.positions_per_phase;
        let left = self
            .config
            .budget
            .positions
            .map_or(whole, |all| all.saturating_sub(self.state.positions));
        whole.min(left.max(1))
    }

    /// Takes the learning steps that the recorded positions call for, from an earlier checkpoint if they fail.
    fn learn(&mut self) -> Result<Option<Losses>, TrainError> {
        loop {
            match self.try_to_learn() {
                Err(TrainError::Model(error @ ModelError::NotFinite { .. })) => {
                    self.roll_back(error)?;
                }
                other => return other,
            }
        }
    }

    fn try_to_learn(&mut self) -> Result<Option<Losses>, TrainError> {
        let learning = &self.config.learning;
        let due = learning.steps_at(self.state.positions);
        let first = self.state.step;
        let mut mean = Losses::default();
        let rate = learning.rate_at(self.done()) * self.rate_left();
        while self.state.step < due {
            let order = self.state.step + 1 + (u64::from(self.state.rollbacks) << 40);
            let seed = self.config.seed ^ order.wrapping_mul(0x2545_f491_4f6c_dd1d);
            let Some(batch) = self.windows.draw(learning.batch, learning.surprise, seed) else {
                break;
            };
            let losses = self.learner.step(&batch, rate)?;
            self.state.step += 1;
            mean.add(&losses);
            let done = self.state.step - first;
            if done.is_multiple_of(8) {
                self.progress
                    .show(self.done(), &format!("learning: step {done} of {}", due - first));
            }
        }
        let steps = self.state.step - first;
        if steps == 0 {
            return Ok(None);
        }
        self.learner.check()?;
        mean.scale(1.0 / steps as f32);
        Ok(Some(mean))
    }

    /// Lets the averaged weights play, saves them, and rates them if it is time.
    fn publish(&mut self) -> Result<(), TrainError> {
        self.server.replace(self.learner.playing_network()?)?;
        self.rate(false)?;
        self.checkpoint()
    }

    fn checkpoint(&mut self) -> Result<(), TrainError> {
        self.state.seconds = self.clock.seconds();
        let card = Card {
            sizes: self.sizes.clone(),
            ..Card::new(&self.rules, &self.config.network, self.state.step)
        };
        let learner = &self.learner;
        self.folder.save(&self.state, |folder| -> Result<(), TrainError> {
            learner.export(folder, &card)?;
            learner.save(&RunFolder::learner_file(folder))?;
            Ok(())
        })
    }

    /// One line for people, all figures for the curves.
    fn report(&mut self, played: &Played, losses: Option<&Losses>) -> Result<(), TrainError> {
        let seconds = played.report.time.as_secs_f64().max(1e-9);
        let rate = played.report.evaluations as f64 / seconds;
        let done = self.done();
        let mut values = played.statistics.curves();
        values.extend([
            ("speed/evaluations_per_s", rate),
            ("speed/games_per_s", played.report.games as f64 / seconds),
            (
                "speed/mean_batch",
                played.report.evaluations as f64 / played.report.batches.max(1) as f64,
            ),
            ("run/positions", self.state.positions as f64),
            ("run/evaluations", self.state.evaluations as f64),
            ("run/window", self.windows.positions() as f64),
            ("run/simulations", f64::from(played.simulations)),
            ("run/learning_rate", self.config.learning.rate_at(done) * self.rate_left()),
            ("run/rollbacks", f64::from(self.state.rollbacks)),
            ("run/seconds", self.clock.seconds()),
        ]);
        if let Some(losses) = losses {
            values.extend(losses.named().map(|(name, value)| (name, f64::from(value))));
        }
        self.curves.write(self.state.step, &values).map_err(TrainError::Log)?;
        let left = self.clock.seconds() * f64::from(1.0 - done) / f64::from(done.max(1e-3));
        let losses = losses.map_or_else(String::new, |l| {
            format!("policy loss {:.2}, value loss {:.2}, ", l.policy, l.value)
        });
        self.progress.line(&format!(
            "{:3.0} %  step {:>6}  {} positions, {} games, {losses}{rate:.0} evaluations/s, {} left",
            100.0 * done,
            self.state.step,
            self.state.positions,
            self.state.games,
            duration(left),
        ));
        self.progress.show(done, "");
        Ok(())
    }
}

/// A phase of self-play, as far as it is reported.
struct Played {
    report: selfplay::PhaseReport,
    statistics: GameStatistics,
    simulations: u32,
}
