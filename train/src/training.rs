//! The loop: play, record, learn, publish.

mod games;
mod intake;
mod learn;
mod matches;
mod play;
mod recovery;
mod remote;
mod repertoire;
mod report;
mod rules;
mod skip_notice;
mod state;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use models::{Learner, Rated, Server, ServerSettings};
use selfplay::{GameKey, GameStore};

use self::games::Games;
pub use self::intake::Intake;
pub use self::remote::{RemoteTraining, fetch_run};
pub use self::repertoire::{Repertoire, encoding_version};
use self::rules::RunRules;
use self::skip_notice::SkipNotice;
pub use self::state::{Training, TrainingOptions};
use crate::clock::Clock;
use crate::curves::Curves;
use crate::progress::Progress;
use crate::{RunConfig, RunError, RunFolder, RunState, StartingModel, TrainError};

impl Training {
    /// Begins a run, from nothing or from the weights of a model.
    ///
    /// # Errors
    /// The folder already holds a run, the model does not fit, or something cannot be opened or
    /// written.
    pub fn begin(
        root: &Path,
        config: RunConfig,
        options: TrainingOptions,
        starting_model: Option<StartingModel>,
    ) -> Result<Training, TrainError> {
        let folder = RunFolder::prepare(root)?;
        // Of a fork that was interrupted, perhaps; games that are there would count as the run's own,
        // and what a log says as its progress.
        if folder.has_checkpoint()? || folder.has_games()? || folder.has_log() {
            return Err(RunError::Leftover(root.to_owned()).into());
        }
        folder.mark_beginning()?;
        let begun = Training::open(folder, config, options, starting_model)?;
        // The configuration comes last: a run that was stopped before its first checkpoint would
        // resume from nothing, whatever it was meant to start from.
        begun.folder.begin(&begun.config)?;
        Ok(begun)
    }

    /// Resumes a run.
    ///
    /// # Errors
    /// There is no run, it is in use, its games are elsewhere, or something cannot be read.
    pub fn resume(root: &Path, options: TrainingOptions) -> Result<Training, TrainError> {
        let folder = RunFolder::resume(root)?;
        let config = RunConfig::load(&folder.config(), &[])?;
        Training::open(folder, config, options, None)
    }

    fn open(
        folder: RunFolder,
        config: RunConfig,
        options: TrainingOptions,
        starting_model: Option<StartingModel>,
    ) -> Result<Training, TrainError> {
        let (mut training, begins) = Training::prepare(folder, config, options, starting_model)?;
        training.folder.expect_games(&training.state)?;
        training.games.load(&mut training.state)?;
        if begins {
            training.checkpoint()?;
        }
        Ok(training)
    }

    /// A run as of its newest checkpoint but without its games, and whether it begins.
    fn prepare(
        folder: RunFolder,
        config: RunConfig,
        options: TrainingOptions,
        starting_model: Option<StartingModel>,
    ) -> Result<(Training, bool), TrainError> {
        let rules = Arc::new(RunRules::new(&config)?);
        let mut learner = Learner::new(
            &config.network,
            options.device,
            options.precision,
            config.learning.learner(),
            config.seed,
        )?;
        let progress = Progress::new(options.quiet);
        let saved = recovery::restore_newest(&folder, &mut learner, &progress)?;
        let begins = saved.is_none();
        // The first checkpoint of a fork is that of its run, and counts no time.
        let is_resumed = saved.as_ref().is_some_and(|saved| saved.seconds > 0.0);
        let state = match saved {
            Some(saved) => saved,
            None => first_state(&mut learner, starting_model)?,
        };
        let store = GameStore::open(&folder.games())?;
        let curves = Curves::open(&folder.tensorboard(), &folder.log())?;
        let server = Server::start(
            learner.playing_network()?,
            ServerSettings::new(options.device, options.precision),
        )?;
        let next_key = store.next_key()?.max(state.used_below);
        let seed = session_seed(&config, curves.session(), next_key, &state);
        let self_play = rules.self_play(&config, &server, state.step, seed);
        let clock = Clock::after(state.seconds);
        let games = Games::new(store, &config, Arc::clone(&rules), progress.clone());
        let training = Training {
            folder,
            config,
            options,
            is_resumed,
            rules,
            state,
            games,
            self_play,
            learner,
            server,
            curves,
            progress,
            clock,
            min_reuse: 0.0,
            skip_notice: SkipNotice::default(),
            may_revert: true,
        };
        Ok((training, begins))
    }

    /// Runs until the budget is spent, and returns the final state.
    ///
    /// # Errors
    /// An error that stops the run. Recorded games and checkpoints stay.
    pub fn run(mut self) -> Result<RunState, TrainError> {
        self.announce();
        // Games recorded by a killed session are learnt from before new ones are played.
        self.learn_and_publish()?;
        while self.done() < 1.0 {
            let (played, learnt) = self.play_and_learn()?;
            // Before the match too, which may take long, and cannot be played if a file is damaged.
            self.checkpoint()?;
            if self.rate_if_due(false)? {
                self.checkpoint()?;
            }
            self.report(&played, learnt.as_ref())?;
        }
        // If self-play ran beside learning, the last games are still to be learnt from.
        if let Some(learnt) = self.learn_and_publish()? {
            self.report_learning(&learnt)?;
        }
        self.checkpoint()?;
        if self.rate_if_due(true)? {
            self.checkpoint()?;
        }
        self.progress.finish();
        Ok(self.state)
    }

    fn announce(&self) {
        self.progress.line(&self.announcement());
    }

    /// The line that says what a session begins or goes on with.
    fn announcement(&self) -> String {
        let begun = if self.is_resumed { "resumed" } else { "begun" };
        let mixed = if self.config.mixture.is_empty() { "" } else { " and others, mixed," };
        let sizes: Vec<String> =
            self.rules.sizes().iter().map(|size| format!("{size:#}")).collect();
        format!(
            "run {} {begun}: {}{mixed} on {}, {} blocks × {} channels, {} on {}",
            self.folder.root().display(),
            self.rules.own,
            sizes.join(", "),
            self.config.network.blocks,
            self.config.network.channels,
            self.options.precision,
            self.options.device,
        )
    }
}

/// The state of a run that begins, from nothing or from the weights of a model.
fn first_state(
    learner: &mut Learner,
    starting_model: Option<StartingModel>,
) -> Result<RunState, TrainError> {
    let first = Rated { step: 0, progress: 0.0, elo: 0.0, error: 0.0 };
    let mut state = RunState { rated: vec![first], ..RunState::default() };
    if let Some(StartingModel { model, kinds }) = starting_model {
        learner.continue_from(&model)?;
        state.kinds = kinds;
        state.kinds.forget_rows();
    }
    Ok(state)
}

/// The seed of a session's games, whose first file will have the number `next_key`. A new session
/// plays new games, not those that the last one may have recorded, even if somebody has removed the
/// curves, by which sessions are counted; and a fork does not play those of its run.
fn session_seed(config: &RunConfig, session: u64, next_key: GameKey, state: &RunState) -> u64 {
    config.seed
        ^ session.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ next_key.wrapping_mul(0x2545_f491_4f6c_dd1d)
        ^ state.forked.step.wrapping_mul(0xd1b5_4a32_d192_ed03)
}
