//! A run whose games are played by others: collect, learn, publish.

use std::time::{Duration, Instant};

use models::{CARD, Device, Learner, Precision, WEIGHTS};
use selfplay::PhaseReport;

mod fetching;

pub use self::fetching::fetch_run;

use self::fetching::{FILES, RATED, import_checkpoint, read};
use super::learn::LearningStats;
use super::play::PlayedPhase;
use super::state::{Training, TrainingOptions};
use crate::clock::Clock;
use crate::progress::duration;
use crate::run::KINDS;
use crate::source::{Arrived, Published, SavedFile, Source};
use crate::statistics::GameStatistics;
use crate::{RunConfig, RunFolder, RunState, StartingModel, TrainError};

/// Number of polling intervals that workers get to send the rest when a run ends.
const LAST_POLLS: f64 = 3.0;
/// How often a line says that the learner is waiting, if there is no progress bar.
const REMINDER: Duration = Duration::from_secs(60);

/// A run that learns from games played by others. Its folder holds logs, and checkpoints that the
/// source has or will have, so it may be lost.
pub struct RemoteTraining {
    training: Training,
    source: Box<dyn Source>,
    /// When weights were last published, and their step and number of simulations.
    published: Option<(Instant, (u64, u32))>,
    saved: Option<Instant>,
    reminded: Instant,
    /// When the last phase had been collected: others play while this process learns.
    collected: Instant,
    /// Samples per second during the last learning.
    samples_per_second: Option<f64>,
}

impl RemoteTraining {
    /// Continues from what the source has counted, or starts a run if that is nothing. The folder
    /// must have been opened for the run ([`RunFolder::serve`]) before the source could send
    /// another learner away.
    ///
    /// # Errors
    /// The model does not fit, or the source fails.
    pub fn open(
        folder: RunFolder,
        config: RunConfig,
        options: TrainingOptions,
        starting_model: Option<StartingModel>,
        mut source: Box<dyn Source>,
    ) -> Result<RemoteTraining, TrainError> {
        let tell = |line: &str| {
            if !options.quiet {
                eprintln!("{line}");
            }
        };
        import_checkpoint(&folder, &config, source.archive(), tell)?;
        let (mut training, _) = Training::prepare(folder, config, options, starting_model)?;
        // Workers may already be playing with the weights that it would take back.
        training.may_revert = false;
        let (published, saved, now) = (None, None, Instant::now());
        let mut remote = RemoteTraining {
            training,
            source,
            published,
            saved,
            reminded: now,
            collected: now,
            samples_per_second: None,
        };
        remote.load()?;
        Ok(remote)
    }

    /// Checks that a run with this configuration can start from a model. To be called before a
    /// store is told about the run.
    ///
    /// # Errors
    /// The model does not fit.
    pub fn check(config: &RunConfig, starting_model: &StartingModel) -> Result<(), TrainError> {
        let network = &config.network;
        // Where it will run does not matter here.
        let (device, precision) = (Device::Cpu, Precision::F32);
        let settings = config.learning.learner();
        let mut learner = Learner::new(network, device, precision, settings, config.seed)?;
        Ok(learner.continue_from(starting_model.model())?)
    }

    /// Adds the newest games to the windows, and counts those that are newer than the checkpoint.
    fn load(&mut self) -> Result<(), TrainError> {
        let Training { games, state, progress, config, .. } = &mut self.training;
        let counted = self.source.archive().counted();
        let (capacity, mark) = (config.learning.capacity(counted.positions), state.used_below);
        let mut take = |Arrived { below, games: arrived, refusals, .. }: Arrived| {
            refusals.iter().for_each(|refusal| progress.line(refusal));
            if below <= mark {
                arrived.into_iter().for_each(|game| games.add_counted(game));
            } else {
                arrived.into_iter().for_each(|game| games.count(game, state));
                state.used_below = below;
            }
            // Many more may have been counted since the checkpoint than fit.
            games.shrink(counted.positions);
        };
        self.source.archive().past(capacity, mark, &mut take).map_err(TrainError::Source)?;
        state.evaluations = counted.evaluations;
        if state.positions == counted.positions {
            Ok(())
        } else {
            Err(TrainError::Miscounted { found: state.positions, counted: counted.positions })
        }
    }

    /// Runs until the budget is spent, and returns the final state.
    ///
    /// # Errors
    /// An error that stops the run, which can be resumed.
    pub fn run(mut self) -> Result<RunState, TrainError> {
        self.training.announce();
        let is_over = self.training.done() >= 1.0;
        self.source.end(is_over).map_err(TrainError::Source)?;
        self.catch_up()?;
        if let Some(learnt) = self.learn()? {
            self.training.report_learning(&learnt)?;
        }
        self.publish_and_save(true)?;
        while self.training.done() < 1.0 {
            let played = self.collect_phase()?;
            let learnt = self.learn()?;
            self.publish_and_save(false)?;
            self.training.report(&played, learnt.as_ref())?;
            self.training.rate_if_due(false)?;
        }
        self.end()?;
        self.training.progress.finish();
        Ok(self.training.state)
    }

    /// Takes what workers still have, and learns from it.
    fn end(&mut self) -> Result<(), TrainError> {
        self.source.end(true).map_err(TrainError::Source)?;
        let last = Duration::from_secs_f64(LAST_POLLS * self.training.config.fleet.poll);
        let wait = duration(last.as_secs_f64());
        self.training
            .progress
            .line(&format!("the run is over; workers have {wait} to deliver what they have"));
        let (began, mut statistics) = (Instant::now(), GameStatistics::default());
        while self.take(&mut statistics)? || began.elapsed() < last {
            self.pause();
        }
        self.learn_all()?;
        self.training.rate_if_due(true)?;
        self.publish_and_save(true)
    }

    /// Repeats what the previous learner had learnt and published since its checkpoint. None of it
    /// may be skipped: games with weights from later steps than the newest would be impossible.
    fn catch_up(&mut self) -> Result<(), TrainError> {
        self.training.min_reuse = self.training.config.learning.reuse;
        while self.training.state.step < self.source.published() {
            self.throttle_workers()?;
            if self.learn()?.is_none() {
                break;
            }
            self.training.checkpoint()?;
            self.save_if_due()?;
        }
        let config = &self.training.config;
        self.training.min_reuse = config.fleet.reuse_least.min(config.learning.reuse);
        Ok(())
    }

    /// Takes the steps that are due, and records the speed.
    fn learn(&mut self) -> Result<Option<LearningStats>, TrainError> {
        let learnt = self.training.learn_and_publish()?;
        if let Some(learnt) = &learnt {
            let batch = self.training.config.learning.batch as f64;
            let speed = batch / learnt.step.as_secs_f64();
            self.samples_per_second = speed.is_finite().then_some(speed);
        }
        Ok(learnt)
    }

    fn learn_all(&mut self) -> Result<(), TrainError> {
        while self.training.state.steps_owed(&self.training.config.learning) > 0 {
            // Nothing is learnt if there are no samples.
            let Some(learnt) = self.learn()? else { break };
            self.training.report_learning(&learnt)?;
            self.publish_and_save(false)?;
        }
        Ok(())
    }

    /// Waits for the games of a phase.
    fn collect_phase(&mut self) -> Result<PlayedPhase, TrainError> {
        let training = &self.training;
        let wanted = training.positions_wanted();
        let simulations = training.config.self_play.simulations_at(training.done());
        let learning = &training.config.learning;
        // Workers that wait bring no games until no more than half the limit is owed.
        let enough = learning.steps_at(learning.positions_per_phase).min(learning.max_steps() / 2);
        let before = self.training.state.clone();
        let mut statistics = GameStatistics::default();
        loop {
            let is_more_left = self.take(&mut statistics)?;
            if self.training.state.games == 0 {
                // Workers may be queued for hours: the minutes of a run begin with its first games.
                self.training.clock = Clock::after(self.training.state.seconds);
                self.collected = Instant::now();
            }
            self.throttle_workers()?;
            let owed = self.training.state.steps_owed(&self.training.config.learning);
            // Learn what is already owed first: waiting for more games would not help.
            let is_enough = statistics.rows() >= wanted || owed > enough;
            if is_enough || self.training.done() >= 1.0 {
                break;
            }
            self.tell_waiting(statistics.rows(), wanted);
            if !is_more_left {
                self.pause();
            }
        }
        let state = &self.training.state;
        let evaluations = state.evaluations.saturating_sub(before.evaluations);
        let games = state.games - before.games;
        let time = self.collected.elapsed();
        self.collected = Instant::now();
        let report = PhaseReport { evaluations, games, time, ..PhaseReport::default() };
        Ok(PlayedPhase { report, statistics, simulations, mean_batch: None })
    }

    /// Counts what has arrived. Returns whether more is waiting.
    fn take(&mut self, statistics: &mut GameStatistics) -> Result<bool, TrainError> {
        let Training { games, state, progress, config, .. } = &mut self.training;
        // As long as nothing has dropped out of the windows, every game is new enough.
        let is_full = config.learning.capacity(state.positions) < state.positions;
        let oldest = if is_full { games.windows.oldest_model().unwrap_or(0) } else { 0 };
        let Arrived { below, games: arrived, is_more_left, refusals } =
            self.source.take(oldest).map_err(TrainError::Source)?;
        refusals.iter().for_each(|refusal| progress.line(refusal));
        for game in arrived {
            statistics.add(&game.record, &config.self_play);
            games.count(game, state);
        }
        games.shrink(state.positions);
        state.used_below = below;
        state.evaluations = self.source.evaluations();
        Ok(is_more_left)
    }

    /// Makes workers wait while more learning is owed than one period of it takes, even after
    /// skipping all that may be skipped.
    fn throttle_workers(&mut self) -> Result<(), TrainError> {
        self.training.skip_excess_steps();
        let learning = &self.training.config.learning;
        let (owed, most) = (self.training.state.steps_owed(learning), learning.max_steps());
        if owed > most {
            self.source.hold(true).map_err(TrainError::Source)?;
        } else if owed <= most / 2 {
            self.source.hold(false).map_err(TrainError::Source)?;
        }
        Ok(())
    }

    fn tell_waiting(&mut self, rows: u64, wanted: u64) {
        let text = format!("{} of {} positions", grouped(rows), grouped(wanted));
        let Training { progress, .. } = &self.training;
        progress.show(self.training.done(), &format!("waiting for games: {text}"));
        if !progress.has_bar() && self.reminded.elapsed() >= REMINDER {
            progress.line(&format!("waiting for games: {text}"));
            self.reminded = Instant::now();
        }
    }

    fn pause(&self) {
        std::thread::sleep(Duration::from_secs_f64(self.training.config.fleet.take));
    }

    /// Saves the run in its folder, and passes weights and checkpoints to the source: everything if
    /// `all`, otherwise what is due.
    fn publish_and_save(&mut self, all: bool) -> Result<(), TrainError> {
        self.throttle_workers()?;
        self.training.checkpoint()?;
        let fleet = &self.training.config.fleet;
        let is_due = |last: Instant, seconds: f64| last.elapsed().as_secs_f64() >= seconds;
        let simulations = self.training.config.self_play.simulations_at(self.training.done());
        let weights = (self.training.state.step, simulations);
        let publishes = self.published.is_none_or(|(last, earlier)| {
            weights != earlier && (all || is_due(last, fleet.publish))
        });
        if publishes {
            self.publish(simulations)?;
            self.published = Some((Instant::now(), weights));
        }
        if all { self.save() } else { self.save_if_due() }
    }

    fn save_if_due(&mut self) -> Result<(), TrainError> {
        let pause = self.training.config.fleet.checkpoint;
        let is_due = |last: Instant| last.elapsed().as_secs_f64() >= pause;
        if self.saved.is_none_or(is_due) { self.save() } else { Ok(()) }
    }

    fn publish(&mut self, simulations: u32) -> Result<(), TrainError> {
        let Training { folder, state, config, .. } = &self.training;
        let checkpoint = folder.checkpoint(state.step);
        let text = |name| -> Result<String, TrainError> {
            Ok(String::from_utf8_lossy(&read(&checkpoint.join(name))?).into_owned())
        };
        let weights = Published {
            step: state.step,
            weights: read(&checkpoint.join(WEIGHTS))?,
            card: text(CARD)?,
            kinds: text(KINDS)?,
            simulations,
            phase: state.positions / config.learning.positions_per_phase,
            samples: state.step * config.learning.batch as u64,
            samples_per_second: self.samples_per_second,
        };
        self.source.publish(weights).map_err(TrainError::Source)
    }

    fn save(&mut self) -> Result<(), TrainError> {
        let Training { folder, state, .. } = &self.training;
        let own = folder.checkpoint(state.step);
        let mut files = Vec::new();
        for name in FILES {
            files.push(SavedFile { name: name.to_owned(), bytes: read(&own.join(name))? });
        }
        if let Some(rated) = state.rated.last().filter(|rated| rated.step != state.step) {
            let rated = folder.checkpoint(rated.step);
            for (name, file) in RATED {
                files.push(SavedFile { name: name.to_owned(), bytes: read(&rated.join(file))? });
            }
        }
        self.source.save(state.step, files).map_err(TrainError::Source)?;
        self.saved = Some(Instant::now());
        Ok(())
    }
}

/// A number with thousands separators: `8,192`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
