//! The loop: play, record, learn, publish.

mod intake;
mod learn;
mod play;
mod report;
mod safety;
#[cfg(test)]
mod tests;

use std::path::Path;

use engine::{Rules, Scope, Size};
use models::{Card, Device, Learner, ModelError, Precision, Server, ServerSettings};
use search::EvaluatorError;
use selfplay::{Component, GameStore, Mixture, Phase, SelfPlay, StoreError, disk_advice};
use thiserror::Error;

use self::learn::Learnt;
use crate::clock::Clock;
use crate::curves::Curves;
use crate::progress::Progress;
use crate::{
    Beginning, Budget, ConfigError, Rated, RunConfig, RunError, RunFolder, RunState, Windows,
};

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
    #[error("the log or table cannot be written: {0}{advice}", advice = disk_advice(.0))]
    Log(std::io::Error),
}

/// A run in progress.
pub struct Training {
    folder: RunFolder,
    config: RunConfig,
    options: TrainingOptions,
    /// The run's own rules on the largest board.
    rules: Rules,
    /// What is played on each board, with its share of the positions.
    mixtures: Vec<(Mixture, f32)>,
    /// The rules of its matches.
    panel: Vec<Rules>,
    /// Of all boards.
    sizes: Vec<Size>,
    state: RunState,
    learner: Learner,
    server: Server,
    self_play: SelfPlay,
    windows: Windows,
    /// Games that are never learnt from.
    held_out: Windows,
    store: GameStore,
    curves: Curves,
    progress: Progress,
    clock: Clock,
}

impl Training {
    /// Begins a run, from nothing or from the weights of a model.
    ///
    /// # Errors
    /// A run is there already, the model does not fit, or something cannot be opened or written.
    pub fn begin(
        root: &Path,
        config: RunConfig,
        options: TrainingOptions,
        beginning: Option<Beginning>,
    ) -> Result<Training, TrainError> {
        let folder = RunFolder::create(root, &config)?;
        let had_model = beginning.is_some();
        let begun = Training::open(folder, config, options, beginning);
        if begun.is_err() && had_model {
            // Resumed without a checkpoint it would begin from nothing: the folder is free for another attempt.
            let _ = std::fs::remove_file(RunFolder::config_of(root));
        }
        begun
    }

    /// Goes on with a run.
    ///
    /// # Errors
    /// No run is there, it is in use, or something cannot be read.
    pub fn resume(root: &Path, options: TrainingOptions) -> Result<Training, TrainError> {
        let folder = RunFolder::resume(root)?;
        let config = RunConfig::load(&folder.config(), &[])?;
        Training::open(folder, config, options, None)
    }

    fn open(
        folder: RunFolder,
        config: RunConfig,
        options: TrainingOptions,
        beginning: Option<Beginning>,
    ) -> Result<Training, TrainError> {
        let (rules, panel, mixtures) = (config.largest()?, config.panel()?, config.mixtures()?);
        let sizes: Vec<Size> = mixtures.iter().map(|(mixture, _)| mixture.size()).collect();
        let mut learner = Learner::new(
            &config.network,
            options.device,
            options.precision,
            config.learning.learner(),
            config.seed,
        )?;
        let progress = Progress::new(options.quiet);
        let saved = safety::restore_newest(&folder, &mut learner, &progress)?;
        let begins = saved.is_none();
        let mut state = saved.unwrap_or_default();
        if let Some(Beginning { model, kinds }) = beginning.filter(|_| begins) {
            learner.go_on_from(&model)?;
            state.kinds = kinds;
            state.kinds.forget_rows();
        }
        let store = GameStore::open(&folder.games())?;
        let curves = Curves::open(&folder.tensorboard(), &folder.log()).map_err(TrainError::Log)?;
        let server = Server::start(
            learner.playing_network()?,
            ServerSettings::new(options.device, options.precision),
        )?;
        let clock = Clock::after(state.seconds);
        let phase = Phase { simulations: 1, model: state.step };
        let workers = match config.self_play.workers {
            0 => server.workers_for(config.self_play.games),
            given => given,
        };
        // A new sitting plays new games, not those again that the last one may have recorded.
        let seed = config.seed ^ curves.sitting().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let boards: Vec<Mixture> = mixtures.iter().map(|(mixture, _)| mixture.clone()).collect();
        let self_play = SelfPlay::new(&boards, &config.self_play, phase, workers, seed);
        let mut training = Training {
            folder,
            config,
            options,
            rules,
            mixtures,
            panel,
            sizes,
            state,
            learner,
            server,
            self_play,
            windows: Windows::default(),
            held_out: Windows::default(),
            store,
            curves,
            progress,
            clock,
        };
        training.load_games()?;
        if begins {
            training.state.rated = vec![Rated { step: 0, progress: 0.0, elo: 0.0, error: 0.0 }];
            training.checkpoint()?;
        }
        Ok(training)
    }

    /// What the next phase is played on: the size that lacks most of its share of the positions.
    fn next_mixture(&self) -> Mixture {
        let total: f32 = self.mixtures.iter().map(|(_, share)| share).sum();
        let rows = |mixture: &Mixture| self.state.kinds.rows_on(mixture.size()) as f32;
        let all: f32 = self.mixtures.iter().map(|(mixture, _)| rows(mixture)).sum();
        let phase = self.config.learning.positions_per_phase as f32;
        let lacks =
            |(mixture, share): &(Mixture, f32)| (all + phase) * share / total - rows(mixture);
        let (mixture, _) = self
            .mixtures
            .iter()
            .max_by(|a, b| lacks(a).total_cmp(&lacks(b)))
            .unwrap_or(&self.mixtures[0]);
        let variation = self.config.self_play.variation_at(self.state.positions);
        self.state.kinds.refine(mixture.clone(), variation)
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
        self.learn_and_replace()?;
        while self.done() < 1.0 {
            let (played, learnt) = if self.config.overlap {
                self.play_beside(Training::learn_and_replace)?
            } else {
                let played = self.play()?;
                (played, self.learn_and_replace()?)
            };
            self.rate(false)?;
            self.checkpoint()?;
            self.report(&played, learnt.as_ref())?;
        }
        // Where self-play went on beside learning, the last games are still to be learnt from.
        if let Some(learnt) = self.learn_and_replace()? {
            self.report_learning(&learnt)?;
        }
        self.rate(true)?;
        self.checkpoint()?;
        self.progress.finish();
        Ok(self.state)
    }

    fn announce(&self) {
        let begun = if self.curves.sitting() > 1 { "resumed" } else { "begun" };
        let mixed = if self.config.mixture.is_empty() { "" } else { " and others, mixed," };
        let sizes: Vec<String> = self.sizes.iter().map(|size| format!("{size:#}")).collect();
        self.progress.line(&format!(
            "run {} {begun}: {}{mixed} on {}, {} blocks × {} channels, {} on {}",
            self.folder.root().display(),
            self.rules,
            sizes.join(", "),
            self.config.network.blocks,
            self.config.network.channels,
            self.options.precision,
            self.options.device,
        ));
    }

    /// Learns what is to be learnt, and lets the averaged weights play.
    fn learn_and_replace(&mut self) -> Result<Option<Learnt>, TrainError> {
        let learnt = self.learn()?;
        self.server.replace(self.learner.playing_network()?)?;
        Ok(learnt)
    }

    /// The rules that a mixture teaches; nothing where there is one rule set only.
    fn scope(&self) -> Option<Scope> {
        if self.config.mixture.is_empty() {
            return None;
        }
        let mut scope = Scope::default();
        for (component, _) in self.mixtures.iter().flat_map(|(mixture, _)| mixture.components()) {
            match component {
                Component::Named(rules) => scope.add(rules),
                Component::Combined => scope.add_combined(),
            }
        }
        Some(scope)
    }

    fn checkpoint(&mut self) -> Result<(), TrainError> {
        self.state.seconds = self.clock.seconds();
        let card = Card {
            sizes: self.sizes.clone(),
            scope: self.scope(),
            ..Card::new(&self.rules, &self.config.network, self.state.step)
        };
        let learner = &self.learner;
        self.folder.save(&self.state, |folder| -> Result<(), TrainError> {
            learner.export(folder, &card)?;
            learner.save(&RunFolder::learner_file(folder))?;
            Ok(())
        })
    }
}
