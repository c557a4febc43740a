//! Self-play of a phase, alternating with learning or in parallel with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use models::{Client, ServerStats};
use selfplay::{
    GameKey, GameStore, Mixture, Phase, PhaseReport, SelfPlay, SelfPlaySettings, TrainingRecord,
};

use super::learn::LearningStats;
use super::state::Training;
use crate::TrainError;
use crate::progress::Progress;
use crate::statistics::GameStatistics;

/// The most games written to disk together.
const GAMES_PER_FILE: usize = 512;

/// The longest that a finished game waits to be written: short enough that a kill loses little,
/// long enough that there are few files.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Approximate limit on a file's size before compression; readers refuse larger files.
const BYTES_PER_FILE: usize = 64 << 20;

/// A phase of self-play and everything it needs, independent of the run, which may be learning
/// meanwhile.
pub(super) struct SelfPlayPhase {
    phase: Phase,
    settings: SelfPlaySettings,
    mixture: Mixture,
    /// Positions to record.
    wanted: u64,
    /// When the minutes of the run are over, if it has any.
    deadline: Option<Instant>,
    store: GameStore,
    next_key: GameKey,
    client: Client,
    progress: Progress,
    /// Fraction of the run that is complete.
    done: f32,
}

/// What a phase has recorded, all of it on disk.
pub(super) struct PlayedPhase {
    pub report: PhaseReport,
    pub statistics: GameStatistics,
    pub simulations: u32,
    /// Mean number of positions that the network evaluated at once; `None` where others play, or
    /// nothing was evaluated.
    pub mean_batch: Option<f64>,
}

/// Finished games that are not on disk yet.
struct UnwrittenGames {
    games: Vec<TrainingRecord>,
    bytes: usize,
    /// When games were last taken from here.
    taken: Instant,
    max_wait: Duration,
}

impl UnwrittenGames {
    fn new(max_wait: Duration) -> UnwrittenGames {
        UnwrittenGames { games: Vec::new(), bytes: 0, taken: Instant::now(), max_wait }
    }

    fn add(&mut self, game: TrainingRecord) {
        self.bytes += game.max_bytes();
        self.games.push(game);
    }

    /// Whether there are enough for a file, or any that have waited for long enough.
    fn are_due(&self) -> bool {
        let is_full = self.games.len() >= GAMES_PER_FILE || self.bytes >= BYTES_PER_FILE;
        is_full || (!self.games.is_empty() && self.taken.elapsed() >= self.max_wait)
    }

    fn take(&mut self) -> Vec<TrainingRecord> {
        (self.bytes, self.taken) = (0, Instant::now());
        std::mem::take(&mut self.games)
    }
}

/// Games by the file in which they were written.
type GameFiles = Vec<(GameKey, Vec<TrainingRecord>)>;

impl SelfPlayPhase {
    fn new(training: &Training) -> Result<SelfPlayPhase, TrainError> {
        let done = training.done();
        let simulations = training.config.self_play.simulations_at(done);
        let minutes = training.config.budget.minutes;
        Ok(SelfPlayPhase {
            phase: Phase { simulations, model: training.state.step },
            settings: training.config.self_play.clone(),
            mixture: training.next_mixture(),
            wanted: training.positions_wanted(),
            deadline: minutes.and_then(|minutes| training.clock.end_of(60.0 * minutes)),
            store: training.games.store.clone(),
            next_key: training.next_key()?,
            client: training.server.client(),
            progress: training.progress.clone(),
            done,
        })
    }

    /// Plays until enough positions have been recorded, the minutes of the run are over, or `stop`
    /// is set. On a large board, a phase may take longer than the rest of the run.
    fn run(
        mut self,
        self_play: &mut SelfPlay,
        stop: &AtomicBool,
    ) -> Result<(PlayedPhase, GameFiles), TrainError> {
        let mut statistics = GameStatistics::default();
        let mut unwritten = UnwrittenGames::new(MAX_WAIT);
        let mut files = GameFiles::new();
        let mut stored = Ok(());
        let client = self.client.clone();
        let mixture = self.mixture.clone();
        let report = self_play.play(
            &mixture,
            self.phase,
            || client.clone(),
            |game, report| {
                if let Some(game) = game {
                    statistics.add(&game, &self.settings);
                    unwritten.add(game);
                } else {
                    self.show(report, statistics.rows());
                }
                // After a batch too: the next game may be long in coming.
                if stored.is_ok() && unwritten.are_due() {
                    stored = self.write(unwritten.take(), &mut files);
                }
                let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
                    || stop.load(Ordering::Relaxed);
                stored.is_ok() && statistics.rows() < self.wanted && !is_over
            },
        );
        // Finished games are kept, however the phase ended.
        stored.and_then(|()| self.write(unwritten.take(), &mut files))?;
        let simulations = self.phase.simulations;
        Ok((PlayedPhase { report: report?, statistics, simulations, mean_batch: None }, files))
    }

    fn write(
        &mut self,
        games: Vec<TrainingRecord>,
        files: &mut GameFiles,
    ) -> Result<(), TrainError> {
        if !games.is_empty() {
            self.store.write(self.next_key, &games)?;
            files.push((self.next_key, games));
            self.next_key += 1;
        }
        Ok(())
    }

    fn show(&self, report: &PhaseReport, rows: u64) {
        let rate = report.evaluations as f64 / report.time.as_secs_f64().max(1e-9);
        let wanted = self.wanted;
        self.progress.show(
            self.done,
            &format!("playing: {rows} of {wanted} positions, {rate:.0} evaluations/s"),
        );
    }
}

impl Training {
    /// Plays a phase and learns from what has been recorded: either in turn, or both at once, with
    /// the phase played by the previous network. Its games are added only when both are done, so
    /// that every position is learnt from equally often.
    pub(super) fn play_and_learn(
        &mut self,
    ) -> Result<(PlayedPhase, Option<LearningStats>), TrainError> {
        if !self.config.overlap {
            let played = self.play()?;
            return Ok((played, self.learn_and_publish()?));
        }
        let playing = SelfPlayPhase::new(self)?;
        let (before, stop) = (self.server.stats(), AtomicBool::new(false));
        let mut self_play = std::mem::take(&mut self.self_play);
        let (played, learnt) = std::thread::scope(|scope| {
            let thread = scope.spawn(|| playing.run(&mut self_play, &stop));
            let learnt = self.learn_and_publish();
            if learnt.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            let played = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (played, learnt)
        });
        self.self_play = self_play;
        let played = self.add_played(played?, before);
        Ok((played, learnt?))
    }

    /// Plays a phase, and adds what has been recorded to the window.
    pub(super) fn play(&mut self) -> Result<PlayedPhase, TrainError> {
        let playing = SelfPlayPhase::new(self)?;
        let before = self.server.stats();
        let played = playing.run(&mut self.self_play, &AtomicBool::new(false))?;
        Ok(self.add_played(played, before))
    }

    /// Adds what a phase has recorded, given the server's statistics `before` it.
    fn add_played(
        &mut self,
        (played, files): (PlayedPhase, GameFiles),
        before: ServerStats,
    ) -> PlayedPhase {
        for (key, games) in files {
            self.games.admit(key, games, &mut self.state);
        }
        self.games.shrink(self.state.positions);
        self.state.evaluations += played.report.evaluations;
        PlayedPhase { mean_batch: mean_batch(before, self.server.stats()), ..played }
    }

    /// A key that no game file of the run has ever had: games under a used key would not be learnt
    /// from.
    fn next_key(&self) -> Result<GameKey, TrainError> {
        Ok(self.games.store.next_key()?.max(self.state.used_below))
    }

    /// The rules of the next phase.
    fn next_mixture(&self) -> Mixture {
        self.rules.new_games(&self.config, &self.state.kinds, self.state.positions)
    }

    /// Number of positions in the next phase: a full phase, or what the budget leaves.
    pub(super) fn positions_wanted(&self) -> u64 {
        let whole = self.config.learning.positions_per_phase;
        let left = self
            .config
            .budget
            .positions
            .map_or(whole, |all| all.saturating_sub(self.state.positions));
        whole.min(left.max(1))
    }
}

/// The mean size of the batches that a server evaluated between two times. The threads that play
/// ask for others, which it divides or joins.
fn mean_batch(before: ServerStats, after: ServerStats) -> Option<f64> {
    let batches = after.batches - before.batches;
    let evaluations = after.evaluations - before.evaluations;
    (batches > 0).then(|| evaluations as f64 / batches as f64)
}

#[cfg(test)]
mod tests {
    use engine::Size;

    use super::*;

    #[test]
    fn games_that_have_waited_are_written_whether_others_follow_or_not() {
        let size = Size::try_from(5).unwrap();
        let game = || TrainingRecord::begun("go", size, 0, 0, Vec::new());
        let mut patient = UnwrittenGames::new(Duration::MAX);
        (1..GAMES_PER_FILE).for_each(|_| patient.add(game()));
        assert!(!patient.are_due());
        patient.add(game());
        assert!(patient.are_due(), "a file is full");
        assert_eq!(patient.take().len(), GAMES_PER_FILE);
        assert!(!patient.are_due());
        let mut impatient = UnwrittenGames::new(Duration::ZERO);
        assert!(!impatient.are_due(), "there is nothing to write");
        impatient.add(game());
        assert!(impatient.are_due());
    }
}
