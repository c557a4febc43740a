//! A learner and four workers.

use std::time::Duration;

use crate::process::Process;
use crate::run::Run;

/// The slots of the workers.
pub const SLOTS: [&str; 4] = ["a", "b", "c", "d"];

pub struct Crew {
    learner: Process,
    workers: Vec<Process>,
}

impl Crew {
    /// Begins a run with them.
    pub fn start(run: &Run) -> Crew {
        let learner = run.learner("learner");
        run.wait_until("the beginning", |newest| newest.model.is_some());
        Crew { learner, workers: SLOTS.iter().map(|slot| run.worker(slot)).collect() }
    }

    /// Kills each process this many times while it is at work, and starts it again.
    pub fn kill(&mut self, run: &Run, times: u64) {
        for kill in 0..times {
            for (slot, worker) in SLOTS.iter().zip(&mut self.workers) {
                // At another moment of its work each time.
                std::thread::sleep(Duration::from_millis(500 + 97 * (kill % 7)));
                std::mem::replace(worker, run.worker(slot)).kill();
            }
            let games = run.newest().unwrap().games;
            run.wait_until("progress", |newest| newest.games > games);
            std::thread::sleep(Duration::from_millis(131 * (kill % 11)));
            self.learner.kill();
            self.learner = run.learner(&format!("learner-{}", kill % 3));
        }
    }

    /// Has the run end soon, and waits until all have done their work.
    pub fn finish(mut self, run: &Run) {
        self.learner.kill();
        run.set_budget(run.newest().unwrap().positions + 500);
        assert_eq!(run.learner("last").code(), Some(0));
        for worker in self.workers {
            assert_eq!(worker.code(), Some(0));
        }
    }
}
