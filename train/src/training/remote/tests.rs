//! Tests a learner whose games come from a source that plays at a chosen speed.

use std::path::Path;
use std::sync::{Arc, Mutex};

use engine::Rules;
use models::{Device, Precision};
use search::evaluators::Uniform;
use selfplay::{Phase, SelfPlaySettings, TrainingRecord, Worker};

use super::*;
use crate::run::LEARNER;
use crate::{Archive, Counted, Intake, RunError, SourceError};

const SMALL: &str = "\
    rules = 'go'\nsize = 3\n[budget]\npositions = 12000\n[network]\nblocks = 1\nchannels = 8\n\
    [learning]\nbatch = 16\nreuse = 3.0\npositions_per_phase = 100\nphases_owed = 2.0\nwindow = 500\n\
    [evaluation]\nevery = 0.0\n[fleet]\ntake = 0.01\npoll = 0.01\npublish = 0.0\n";

/// What those who play have been told.
#[derive(Default)]
struct Received {
    holds: bool,
    held: u32,
    /// How often in a row the learner has looked for games of workers that wait.
    looked_in_vain: u32,
    /// Positions and samples at each publication.
    published: Vec<(u64, u64)>,
    ended: bool,
}

/// Others that play while the learner learns, at `speed` times the speed at which it can learn from
/// every position as often as configured; they pause while told to wait.
struct SimulatedWorkers {
    speed: f64,
    worker: Worker,
    intake: Intake,
    counted: Counted,
    commits: u64,
    /// Positions played so far, the last of them in games still in progress.
    played: f64,
    /// Samples of the newest weights.
    learnt: u64,
    received: Arc<Mutex<Received>>,
}

impl SimulatedWorkers {
    /// Positions played between two checks by a learner that has nothing to learn.
    const MEANWHILE: f64 = 20.0;

    fn new(speed: f64) -> SimulatedWorkers {
        let config = config();
        let settings = SelfPlaySettings { komi_share: 0.0, ..SelfPlaySettings::default() };
        let rules = Rules::parse("go", 3).unwrap();
        SimulatedWorkers {
            speed,
            worker: Worker::new(rules, settings, Phase { simulations: 2, model: 0 }, 8, 3),
            intake: Intake::new(&config).unwrap(),
            counted: Counted::default(),
            commits: 0,
            played: 0.0,
            learnt: 0,
            received: Arc::default(),
        }
    }
}

impl Archive for SimulatedWorkers {
    fn counted(&self) -> Counted {
        self.counted
    }

    fn past(&mut self, _: u64, _: u64, _: &mut dyn FnMut(Arrived)) -> Result<(), SourceError> {
        Ok(())
    }

    fn saved(&self) -> Vec<u64> {
        Vec::new()
    }

    fn read_saved(&mut self, _: usize, _: &str) -> Result<Option<Vec<u8>>, SourceError> {
        Ok(None)
    }
}

impl Source for SimulatedWorkers {
    fn archive(&mut self) -> &mut dyn Archive {
        self
    }

    fn evaluations(&self) -> u64 {
        self.counted.evaluations
    }

    fn take(&mut self, _: u64) -> Result<Arrived, SourceError> {
        {
            let mut received = self.received.lock().unwrap();
            if received.holds {
                received.looked_in_vain += 1;
                if received.looked_in_vain > 100 {
                    return Err("the learner waits for workers that it has told to wait".into());
                }
            } else {
                received.looked_in_vain = 0;
                self.played += SimulatedWorkers::MEANWHILE;
            }
        }
        let mut games = Vec::new();
        while (self.counted.positions as f64) < self.played {
            let (evaluations, finished) = self.worker.step(&mut Uniform)?;
            self.counted.evaluations += evaluations as u64;
            for game in finished {
                self.counted.positions += game.rows() as u64;
                games.push(self.intake.examine(game)?);
            }
        }
        self.commits += 1;
        Ok(Arrived { below: self.commits, games, is_more_left: false, refusals: Vec::new() })
    }

    fn published(&self) -> u64 {
        0
    }

    fn publish(&mut self, weights: Published) -> Result<(), SourceError> {
        let mut received = self.received.lock().unwrap();
        received.published.push((self.counted.positions, weights.samples));
        if !received.holds {
            let reuse = f64::from(config().learning.reuse);
            self.played += self.speed * (weights.samples - self.learnt) as f64 / reuse;
        }
        self.learnt = weights.samples;
        Ok(())
    }

    fn save(&mut self, _: u64, files: Vec<SavedFile>) -> Result<(), SourceError> {
        assert!(FILES.iter().all(|name| files.iter().any(|file| file.name == *name)));
        Ok(())
    }

    fn hold(&mut self, hold: bool) -> Result<(), SourceError> {
        let mut received = self.received.lock().unwrap();
        received.held += u32::from(hold && !received.holds);
        received.holds = hold;
        Ok(())
    }

    fn end(&mut self, ended: bool) -> Result<(), SourceError> {
        self.received.lock().unwrap().ended = ended;
        Ok(())
    }
}

fn config() -> RunConfig {
    RunConfig::parse(SMALL, "small", &[]).unwrap()
}

fn options() -> TrainingOptions {
    TrainingOptions { device: Device::Cpu, precision: Precision::F32, quiet: true }
}

fn opened(root: &Path, workers: SimulatedWorkers) -> Result<RemoteTraining, TrainError> {
    let folder = RunFolder::serve(root, &config()).unwrap();
    RemoteTraining::open(folder, config(), options(), None, Box::new(workers))
}

/// A whole run at this speed: its end, and what those who play have been told.
fn run_at(speed: f64) -> (RunState, Received) {
    let folder = tempfile::tempdir().unwrap();
    let workers = SimulatedWorkers::new(speed);
    let received = Arc::clone(&workers.received);
    let remote = opened(folder.path(), workers).unwrap();
    let state = remote.run().unwrap();
    assert_eq!(state.steps_owed(&config().learning), 0);
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    assert!(log.contains("speed/games_per_s") && !log.contains("speed/mean_batch"));
    let received = std::mem::take(&mut *received.lock().unwrap());
    assert!(received.ended);
    (state, received)
}

/// Samples of each period of learning except the first and those at the end.
fn stretches(received: &Received) -> Vec<u64> {
    let samples = received.published.windows(2).map(|pair| pair[1].1 - pair[0].1);
    let stretches: Vec<u64> = samples.filter(|&samples| samples > 0).collect();
    stretches[1..stretches.len() - 2].to_vec()
}

#[test]
fn a_flood_of_games_is_learnt_from_less_often_in_stretches_of_equal_length_and_then_held_back() {
    for (speed, is_held) in [(2.5, false), (6.0, true)] {
        let (state, received) = run_at(speed);
        let reuse = state.reuse(&config().learning);
        let least = if is_held { 1.0 } else { 3.0 / speed };
        assert!((reuse / least - 1.0).abs() < 0.1, "each position is learnt from {reuse} times");
        assert_eq!(received.held > 0, is_held, "{speed}: {}", received.held);
        let stretches = stretches(&received);
        let longest = config().learning.max_steps() * config().learning.batch as u64;
        assert!(stretches.iter().all(|&samples| samples <= longest), "{stretches:?}");
        // Whoever waits now and then leaves less to learn after that.
        let is_equal = |&samples: &u64| samples as f64 >= 0.8 * longest as f64;
        assert!(
            is_held || stretches.len() >= 20 && stretches.iter().all(is_equal),
            "{stretches:?}"
        );
    }
}

#[test]
fn nobody_waits_for_workers_that_are_told_to_wait() {
    let folder = tempfile::tempdir().unwrap();
    // Little may be owed, so that workers wait while less than a phase of learning is.
    let changes = ["learning.phases_owed=1.0", "budget.positions=4000"].map(str::to_owned);
    let config = RunConfig::parse(SMALL, "small", &changes).unwrap();
    let workers = SimulatedWorkers::new(6.0);
    let received = Arc::clone(&workers.received);
    let folder = RunFolder::serve(folder.path(), &config).unwrap();
    let remote = RemoteTraining::open(folder, config, options(), None, Box::new(workers)).unwrap();
    let state = remote.run().unwrap();
    assert!(state.positions >= 4000 && received.lock().unwrap().held > 0);
}

#[test]
fn the_minutes_of_a_run_begin_with_its_first_games() {
    let folder = tempfile::tempdir().unwrap();
    let config = RunConfig::parse(SMALL, "small", &["budget={minutes=0.005}".to_owned()]).unwrap();
    let mut workers = SimulatedWorkers::new(1.0);
    // Nobody plays until the learner has looked a hundred times, which takes three times as long.
    workers.played = -100.0 * SimulatedWorkers::MEANWHILE;
    let folder = RunFolder::serve(folder.path(), &config).unwrap();
    let remote = RemoteTraining::open(folder, config, options(), None, Box::new(workers)).unwrap();
    assert!(remote.run().unwrap().positions > 0);
}

#[test]
fn few_games_are_not_learnt_from_more_often() {
    let (state, received) = run_at(0.1);
    assert_eq!(received.held, 0);
    for &(positions, samples) in &received.published {
        assert!(samples <= 3 * positions, "{samples} samples of {positions} positions");
    }
    let reuse = state.reuse(&config().learning);
    assert!((2.9..=3.0).contains(&reuse), "each position is learnt from {reuse} times");
}

/// A run played elsewhere, as its last learner left it.
struct Left {
    counted: Counted,
    /// Checkpoints with their steps, newest first.
    saved: Vec<(u64, Vec<SavedFile>)>,
    past: Vec<Vec<TrainingRecord>>,
    intake: Intake,
}

impl Archive for Left {
    fn counted(&self) -> Counted {
        self.counted
    }

    fn past(&mut self, _: u64, _: u64, take: &mut dyn FnMut(Arrived)) -> Result<(), SourceError> {
        for (below, games) in (1..).zip(&self.past) {
            let games = games.iter().map(|game| self.intake.examine(game.clone()));
            let games = games.collect::<Result<Vec<_>, _>>()?;
            take(Arrived { below, games, is_more_left: false, refusals: Vec::new() });
        }
        Ok(())
    }

    fn saved(&self) -> Vec<u64> {
        self.saved.iter().map(|(step, _)| *step).collect()
    }

    fn read_saved(&mut self, place: usize, name: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let mut files = self.saved[place].1.iter();
        Ok(files.find(|file| file.name == name).map(|file| file.bytes.clone()))
    }
}

/// A run that has counted this many games in each of its commits.
fn left(home: &Path, commits: &[usize]) -> Left {
    let training = Training::begin(home, config(), options(), None).unwrap();
    let mut worker = SimulatedWorkers::new(1.0).worker;
    let mut games = Vec::new();
    while games.len() < commits.iter().sum::<usize>() {
        games.extend(worker.step(&mut Uniform).unwrap().1);
    }
    let mut games = games.into_iter();
    let past: Vec<Vec<_>> =
        commits.iter().map(|&count| games.by_ref().take(count).collect()).collect();
    let mut state = training.state.clone();
    state.used_below = commits.len() as u64;
    state.positions = past.iter().flatten().map(|game| game.rows() as u64).sum();
    state.games = past.iter().flatten().count() as u64;
    let checkpoint = training.folder.checkpoint(state.step);
    let file = |name: &&str| match *name {
        models::STATE => toml::to_string(&state).unwrap().into_bytes(),
        name => std::fs::read(checkpoint.join(name)).unwrap(),
    };
    let saved = |name: &&str| SavedFile { name: (*name).to_owned(), bytes: file(name) };
    let files = FILES.iter().map(saved).collect();
    let counted = Counted { positions: state.positions, evaluations: 0 };
    let saved = vec![(state.step, files)];
    Left { counted, saved, past, intake: Intake::new(&config()).unwrap() }
}

#[test]
fn a_run_is_fetched_in_files_that_can_be_read_however_much_counted_together() {
    let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut run = left(home.path(), &[1, 7, 3]);
    let most = selfplay::format::Limits { games: 3, bytes: 1 << 20 };
    let state = fetching::fetch_in_files(root.path(), &config(), &mut run, most).unwrap();
    let games = selfplay::GameStore::open(&root.path().join("games")).unwrap();
    let files: Vec<_> = (0..5).map(|key| games.read(key).unwrap()).collect();
    assert_eq!(files.iter().map(Vec::len).collect::<Vec<_>>(), [1, 3, 3, 1, 3]);
    assert_eq!(files.concat(), run.past.concat());
    assert_eq!((games.next_key().unwrap(), state.used_below), (5, 5));
    // Nothing is counted again when the run continues.
    let training = Training::resume(root.path(), options()).unwrap();
    assert_eq!((training.state.used_below, training.state.games), (5, 11));
    assert_eq!(training.state.positions, run.counted.positions);
}

#[test]
fn a_fetched_file_holds_no_more_bytes_than_can_be_read() {
    let home = tempfile::tempdir().unwrap();
    let mut run = left(home.path(), &[6]);
    let sizes: Vec<u64> =
        run.past[0].iter().map(|game| selfplay::format::framed(game).len() as u64).collect();
    // Just enough for the largest, without the magic word.
    let most = selfplay::format::Limits { games: 100, bytes: 8 + sizes.iter().max().unwrap() };
    let root = tempfile::tempdir().unwrap();
    let state = fetching::fetch_in_files(root.path(), &config(), &mut run, most).unwrap();
    assert!(state.used_below >= 3, "{sizes:?}");
    for key in 0..state.used_below {
        let bytes = std::fs::read(root.path().join(format!("games/{key:010}.games"))).unwrap();
        let games = selfplay::format::decode::<TrainingRecord>(bytes.as_slice(), most).unwrap();
        assert!(!games.is_empty());
    }
}

#[test]
fn the_rated_model_is_that_of_the_store_whatever_the_folder_has() {
    let home = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(&home.path().join("run"), &config()).unwrap();
    folder.import(3, &[(WEIGHTS, b"another learner's".to_vec())]).unwrap();
    let rated = models::Rated { step: 3, progress: 0.5, elo: 100.0, error: 20.0 };
    let state = RunState { step: 5, rated: vec![rated], ..RunState::default() };
    let state = toml::to_string(&state).unwrap();
    let saved = |name: &str, text: &str| SavedFile {
        name: name.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    // Whole files, with nothing in them.
    let mut files: Vec<SavedFile> = FILES.map(|name| saved(name, "\n")).into();
    files.retain(|file| file.name != models::STATE);
    files.push(saved(models::STATE, &state));
    files.extend(RATED.map(|(name, _)| saved(name, "the store's")));
    let (counted, past, intake) = (Counted::default(), Vec::new(), Intake::new(&config()).unwrap());
    let mut run = Left { counted, saved: vec![(5, files)], past, intake };
    fetching::import_saved(&folder, &mut run, 0, 5).unwrap();
    let weights = std::fs::read(folder.checkpoint(3).join(WEIGHTS)).unwrap();
    assert_eq!(weights, b"the store's");
}

#[test]
fn a_run_that_has_its_games_itself_keeps_its_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let training = Training::begin(folder.path(), config(), options(), None).unwrap();
    let (mut worker, mut games) = (SimulatedWorkers::new(1.0).worker, Vec::new());
    while games.is_empty() {
        games = worker.step(&mut Uniform).unwrap().1;
    }
    training.games.store.write(0, &games).unwrap();
    drop(training);
    let refused = RunFolder::serve(folder.path(), &config()).err().unwrap();
    assert!(matches!(refused, TrainError::Run(RunError::OwnGames(_))), "{refused}");
}

/// The store's checkpoints would replace those of an interrupted fork, and the learner's next start
/// would find a run with games of its own.
#[test]
fn a_part_of_another_run_is_no_folder_for_a_learner() {
    let folder = tempfile::tempdir().unwrap();
    drop(Training::begin(folder.path(), config(), options(), None).unwrap());
    std::fs::remove_file(RunFolder::config_of(folder.path())).unwrap();
    let refused = RunFolder::serve(folder.path(), &config()).err().unwrap();
    assert!(matches!(refused, TrainError::Run(RunError::Leftover(_))), "{refused}");
    assert_eq!(models::checkpoint_steps(folder.path()).unwrap(), [0], "it is still there");
}

#[test]
fn a_checkpoint_without_one_of_its_files_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut left = left(&home.path().join("run"), &[3]);
    left.saved[0].1.retain(|file| file.name != KINDS);
    let fetched = fetch_run(&home.path().join("copy"), &config(), &mut left);
    assert!(matches!(fetched, Err(TrainError::Incomplete { name: KINDS, .. })));
}

#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before() {
    let home = tempfile::tempdir().unwrap();
    let mut run = left(&home.path().join("run"), &[3]);
    let (step, intact) = run.saved[0].clone();
    for spoilt in [LEARNER, KINDS, models::STATE] {
        let mut damaged = intact.clone();
        for file in damaged.iter_mut().filter(|file| file.name == spoilt) {
            file.bytes = b"nothing".to_vec();
        }
        run.saved = vec![(step + 9, damaged), (step, intact.clone())];
        let root = home.path().join(spoilt);
        assert_eq!(fetch_run(&root, &config(), &mut run).unwrap().step, step, "{spoilt}");
        assert_eq!(models::checkpoint_steps(&root).unwrap(), [step], "{spoilt}");
        run.saved.truncate(1);
        let refused = fetch_run(&home.path().join("none"), &config(), &mut run);
        assert!(refused.is_err(), "{spoilt}");
    }
}

#[test]
fn a_checkpoint_that_does_not_fit_the_books_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut workers = SimulatedWorkers::new(1.0);
    workers.counted.positions = 7;
    assert!(matches!(
        opened(folder.path(), workers),
        Err(TrainError::Miscounted { found: 0, counted: 7 })
    ));
}

#[test]
fn thousands_stand_apart() {
    let texts = [0, 412, 8_192, 65_536, 1_234_567].map(grouped);
    assert_eq!(texts, ["0", "412", "8,192", "65,536", "1,234,567"]);
}
