//! A learner whose games come from a source that plays as fast as a test wants.

use std::sync::{Arc, Mutex};

use engine::Rules;
use models::{Device, Precision};
use search::evaluators::Uniform;
use selfplay::{Phase, SelfPlaySettings, Worker};

use super::*;
use crate::{Archive, Counted, Intake, SourceError};

const SMALL: &str = "\
    rules = 'go'\nsize = 3\n[budget]\npositions = 12000\n[network]\nblocks = 1\nchannels = 8\n\
    [learning]\nbatch = 16\nreuse = 3.0\npositions_per_phase = 100\nphases_owed = 2.0\nwindow = 500\n\
    [evaluation]\nevery = 0.0\n[fleet]\ntake = 0.01\npoll = 0.01\npublish = 0.0\n";

/// What those who play have been told.
#[derive(Default)]
struct Told {
    holds: bool,
    held: u32,
    /// Positions and samples at each publication.
    published: Vec<(u64, u64)>,
    ended: bool,
}

/// Others that play while the learner learns, at `pace` times the rate at which it can learn from every position as
/// often as it is set to; and not while they are to wait.
struct Company {
    pace: f64,
    worker: Worker,
    intake: Intake,
    counted: Counted,
    commits: u64,
    /// Positions that have been played, of which the last are those of games in progress.
    played: f64,
    /// Samples of the newest weights.
    learnt: u64,
    told: Arc<Mutex<Told>>,
}

impl Company {
    /// Positions that are played between two looks of a learner that has nothing to learn.
    const MEANWHILE: f64 = 20.0;

    fn new(pace: f64) -> Company {
        let config = config();
        let settings = SelfPlaySettings { komi_share: 0.0, ..SelfPlaySettings::default() };
        let rules = Rules::parse("go", 3).unwrap();
        Company {
            pace,
            worker: Worker::new(rules, settings, Phase { simulations: 2, model: 0 }, 8, 3),
            intake: Intake::new(&config).unwrap(),
            counted: Counted::default(),
            commits: 0,
            played: 0.0,
            learnt: 0,
            told: Arc::default(),
        }
    }
}

impl Archive for Company {
    fn counted(&self) -> Counted {
        self.counted
    }

    fn past(&mut self, _: u64, _: u64, _: &mut dyn FnMut(Arrived)) -> Result<(), SourceError> {
        Ok(())
    }

    fn saved(&self) -> Option<u64> {
        None
    }

    fn read_saved(&mut self, _: &str) -> Result<Option<Vec<u8>>, SourceError> {
        Ok(None)
    }
}

impl Source for Company {
    fn archive(&mut self) -> &mut dyn Archive {
        self
    }

    fn evaluations(&self) -> u64 {
        self.counted.evaluations
    }

    fn take(&mut self, _: u64) -> Result<Arrived, SourceError> {
        if !self.told.lock().unwrap().holds {
            self.played += Company::MEANWHILE;
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
        let mut told = self.told.lock().unwrap();
        told.published.push((self.counted.positions, weights.samples));
        if !told.holds {
            let reuse = f64::from(config().learning.reuse);
            self.played += self.pace * (weights.samples - self.learnt) as f64 / reuse;
        }
        self.learnt = weights.samples;
        Ok(())
    }

    fn save(&mut self, _: u64, files: Vec<SavedFile>) -> Result<(), SourceError> {
        assert!(FILES.iter().all(|name| files.iter().any(|file| file.name == *name)));
        Ok(())
    }

    fn hold(&mut self, hold: bool) -> Result<(), SourceError> {
        let mut told = self.told.lock().unwrap();
        told.held += u32::from(hold && !told.holds);
        told.holds = hold;
        Ok(())
    }

    fn end(&mut self, ended: bool) -> Result<(), SourceError> {
        self.told.lock().unwrap().ended = ended;
        Ok(())
    }
}

fn config() -> RunConfig {
    RunConfig::parse(SMALL, "small", &[]).unwrap()
}

fn options() -> TrainingOptions {
    TrainingOptions { device: Device::Cpu, precision: Precision::F32, quiet: true }
}

fn opened(root: &Path, company: Company) -> Result<Gathering, TrainError> {
    let folder = RunFolder::serve(root, &config()).unwrap();
    Gathering::open(folder, config(), options(), None, Box::new(company))
}

/// A whole run at this pace: its end, and what those who play have been told.
fn run_at(pace: f64) -> (RunState, Told) {
    let folder = tempfile::tempdir().unwrap();
    let company = Company::new(pace);
    let told = Arc::clone(&company.told);
    let gathering = opened(folder.path(), company).unwrap();
    let state = gathering.run().unwrap();
    assert_eq!(state.steps_owed(&config().learning), 0);
    let told = std::mem::take(&mut *told.lock().unwrap());
    assert!(told.ended);
    (state, told)
}

/// Samples of each stretch of learning but the first and those of the end.
fn stretches(told: &Told) -> Vec<u64> {
    let samples = told.published.windows(2).map(|pair| pair[1].1 - pair[0].1);
    let stretches: Vec<u64> = samples.filter(|&samples| samples > 0).collect();
    stretches[1..stretches.len() - 2].to_vec()
}

#[test]
fn a_flood_of_games_is_learnt_from_less_often_in_stretches_of_equal_length_and_then_held_back() {
    for (pace, is_held) in [(2.5, false), (6.0, true)] {
        let (state, told) = run_at(pace);
        let reuse = state.reuse(&config().learning);
        let least = if is_held { 1.0 } else { 3.0 / pace };
        assert!((reuse / least - 1.0).abs() < 0.1, "each position is learnt from {reuse} times");
        assert_eq!(told.held > 0, is_held, "{pace}: {}", told.held);
        let stretches = stretches(&told);
        let longest = config().learning.most_steps() * config().learning.batch as u64;
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
fn few_games_are_not_learnt_from_more_often() {
    let (state, told) = run_at(0.1);
    assert_eq!(told.held, 0);
    for &(positions, samples) in &told.published {
        assert!(samples <= 3 * positions, "{samples} samples of {positions} positions");
    }
    let reuse = state.reuse(&config().learning);
    assert!((2.9..=3.0).contains(&reuse), "each position is learnt from {reuse} times");
}

#[test]
fn a_checkpoint_that_does_not_fit_the_books_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut company = Company::new(1.0);
    company.counted.positions = 7;
    assert!(matches!(
        opened(folder.path(), company),
        Err(TrainError::Miscounted { found: 0, counted: 7 })
    ));
}

#[test]
fn thousands_stand_apart() {
    let texts = [0, 412, 8_192, 65_536, 1_234_567].map(grouped);
    assert_eq!(texts, ["0", "412", "8,192", "65,536", "1,234,567"]);
}
