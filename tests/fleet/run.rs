//! A run whose learner and workers are processes that share nothing but a store.

use std::path::PathBuf;
use std::time::Duration;

use fleet::blocking::AsyncRuntime;
use fleet::{Commit, CommitLog, Store, names};
use tempfile::TempDir;

use crate::process::Process;

/// Everything as often as possible, much play and little learning, so that little waits; and no end
/// before [`Run::set_budget`].
pub const CHANGES: [&str; 10] = [
    "fleet.take=0.2",
    "fleet.publish=0.0",
    "fleet.checkpoint=1.0",
    "fleet.poll=0.3",
    "fleet.file=0.2",
    "fleet.beat=0.5",
    "fleet.reuse_least=0.02",
    "learning.reuse=0.05",
    "self_play.simulations=[[0.0, 64]]",
    "budget.positions=100000000",
];

/// A run in a store.
pub struct Run {
    /// The folders of learners.
    home: TempDir,
    pub url: String,
    /// How processes reach the store.
    variables: Vec<(String, String)>,
    /// What is different from the smallest configuration.
    changes: Vec<&'static str>,
    pub runtime: AsyncRuntime,
    pub store: Store,
}

impl Run {
    /// A run in a store that is to be reached in the same way by its processes and by the test.
    pub fn new(home: TempDir, url: &str, variables: Vec<(String, String)>) -> Run {
        let store = Store::open_with(url, variables.clone()).unwrap();
        let (url, runtime) = (url.to_owned(), AsyncRuntime::start().unwrap());
        Run { home, url, variables, changes: CHANGES.to_vec(), runtime, store }
    }

    /// The same run, whose processes reach the store in another way.
    pub fn reached_by(self, variables: Vec<(String, String)>) -> Run {
        Run { variables, ..self }
    }

    /// The same run, with further changes of its configuration.
    pub fn with(mut self, changes: &[&'static str]) -> Run {
        self.changes.extend(changes);
        self
    }

    /// A folder of a learner, or for something else.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Starts a learner with a folder of its own, which begins the run or goes on with it.
    pub fn learner(&self, folder: &str) -> Process {
        self.learner_with(folder, &[])
    }

    pub fn learner_with(&self, folder: &str, arguments: &[&str]) -> Process {
        let words = ["train", "--quiet", "--device", "cpu", "--precision", "f32", "--store"];
        let mut list: Vec<String> = words.map(str::to_owned).to_vec();
        list.push(self.url.clone());
        list.extend(["--run".to_owned(), self.folder(folder).display().to_string()]);
        if self.runtime.wait(self.store.exists(&names::run())).unwrap() {
            list.push("--resume".to_owned());
        } else {
            list.extend(["--config".to_owned(), "smoke".to_owned()]);
            let set = |&it: &&str| ["--set".to_owned(), it.to_owned()];
            list.extend(self.changes.iter().flat_map(set));
        }
        list.extend(arguments.iter().map(|&it| it.to_owned()));
        Process::start(&list, &self.variables)
    }

    pub fn worker(&self, slot: &str) -> Process {
        self.worker_with(slot, &[])
    }

    pub fn worker_with(&self, slot: &str, arguments: &[&str]) -> Process {
        let words = ["worker", "--quiet", "--device", "cpu", "--precision", "f32", "--store"];
        let mut list: Vec<String> = words.map(str::to_owned).to_vec();
        list.extend([self.url.clone(), "--slot".to_owned(), slot.to_owned()]);
        list.extend(arguments.iter().map(|&it| it.to_owned()));
        Process::start(&list, &self.variables)
    }

    pub fn newest(&self) -> Option<Commit> {
        self.runtime.wait(CommitLog::new(self.store.clone()).newest()).unwrap()
    }

    /// Waits until the commit log says something.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&Commit) -> bool) {
        for _ in 0..3000 {
            if self.newest().as_ref().is_some_and(&is_so) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{what} has not happened: {:?}", self.newest());
    }

    /// An object that there is.
    pub fn read(&self, name: &names::Path) -> Vec<u8> {
        self.runtime.wait(self.store.get(name, u64::MAX)).unwrap().unwrap().into()
    }

    /// Has the run end after this many positions, as if it had begun that way.
    pub fn set_budget(&self, positions: u64) {
        let text = String::from_utf8(self.read(&names::run())).unwrap();
        let line = text.lines().find(|line| line.starts_with("positions = ")).unwrap();
        let text = text.replace(line, &format!("positions = {positions}"));
        self.runtime.wait(self.store.put(&names::run(), text.into())).unwrap();
    }
}
