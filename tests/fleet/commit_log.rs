//! What must be true of a finished run.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use fleet::{Commit, CommitLog, FileName, game_file, names, segment};
use selfplay::TrainingRecord;
use train::{RunConfig, RunFolder, RunState};

use crate::run::Run;

impl Run {
    /// The files of games of all commits, with the games of each that do not count.
    pub fn taken(&self, commits: &[Commit]) -> Vec<(FileName, Vec<u32>, game_file::GameFile)> {
        let mut taken = Vec::new();
        for commit in commits.iter().filter(|commit| commit.segment.is_some()) {
            let name = names::segment(commit.number, &commit.nonce);
            for (entry, file) in segment::decode(&self.read(&name).into()).unwrap() {
                taken.push((entry.name, entry.left_out, game_file::decode(&file).unwrap()));
            }
        }
        taken
    }

    /// The games that have counted.
    pub fn counted(&self) -> Vec<TrainingRecord> {
        let counts = |(_, left_out, file): (FileName, Vec<u32>, game_file::GameFile)| {
            let games = (0..).zip(file.games);
            games.filter(move |(index, _)| !left_out.contains(index)).map(|(_, game)| game)
        };
        self.taken(&self.commits()).into_iter().flat_map(counts).collect()
    }

    /// The files in the inbox that no commit has taken, with their numbers of games.
    fn waiting(&self, newest: &Commit) -> BTreeMap<String, u64> {
        let listed = self.runtime.wait(self.store.list(&names::inbox())).unwrap();
        let mut files: Vec<FileName> =
            listed.iter().filter_map(|it| FileName::from_inbox(&it.name)).collect();
        files.sort_unstable();
        let (mut marks, mut waiting) = (newest.marks.clone(), BTreeMap::new());
        for name in files {
            let known = marks.of(&name.slot).iter().find(|it| it.generation == name.generation);
            let next = known.map_or(0, |mark| mark.next);
            if name.sequence >= next {
                assert_eq!(name.sequence, next, "{name} waits for one that is lost");
                marks.take(&name);
                let header = game_file::header(&self.read(&name.in_inbox())).unwrap();
                waiting.insert(name.to_string(), u64::from(header.games));
            }
        }
        waiting
    }

    pub fn commits(&self) -> Vec<Commit> {
        let newest = self.newest().unwrap().number;
        self.runtime.wait(CommitLog::new(self.store.clone()).read_all(0..=newest)).unwrap()
    }

    /// Asserts that the commit log of a finished run agrees with what has arrived (files with their
    /// numbers of games) and with what has been learnt.
    pub fn check_commit_log(&self, mut games: BTreeMap<String, u64>) {
        let newest = self.newest().unwrap();
        assert!(newest.ended);
        let commits = self.commits();
        let taken = self.taken(&commits);

        // One after another, each by somebody who knew the one before.
        for pair in commits.windows(2) {
            assert_eq!(pair[1].number, pair[0].number + 1);
            assert_eq!(pair[1].previous.as_ref(), Some(&pair[0].nonce));
        }

        // Every file once, and of each process all from the first on.
        let mut sequences: BTreeMap<(String, u64), Vec<u64>> = BTreeMap::new();
        for (name, ..) in &taken {
            let process = (name.slot.to_string(), name.generation);
            sequences.entry(process).or_default().push(name.sequence);
        }
        for (process, found) in &sequences {
            assert!(found.iter().copied().eq(0..found.len() as u64), "{process:?}: {found:?}");
        }

        games.extend(
            taken.iter().map(|(name, _, file)| (name.to_string(), u64::from(file.header.games))),
        );
        // What arrives when the last learner has gone waits for one that goes on with the run.
        let waiting = self.waiting(&newest);
        games.extend(waiting.iter().map(|(name, games)| (name.clone(), *games)));
        let waiting: u64 = waiting.values().sum();
        let refused = newest.refused;
        assert_eq!(
            games.values().sum::<u64>(),
            newest.games + refused.stale + refused.invalid + refused.late + waiting,
            "games that arrived are not those that are accounted for: {refused:?}"
        );
        assert_eq!((refused.invalid, refused.strange_files), (0, 0));

        let counted = self.counted();
        assert_eq!(counted.len() as u64, newest.games);
        let rows: usize = counted.iter().map(|game| game.rows()).sum();
        assert_eq!(rows as u64, newest.positions);
        let seeds: HashSet<u64> = counted.iter().map(|game| game.seed).collect();
        assert_eq!(seeds.len(), counted.len(), "a game has counted twice");

        let (state, config) = (self.state(&newest), self.config());
        assert_eq!((state.positions, state.games), (newest.positions, newest.games));
        assert_eq!(state.evaluations, newest.evaluations);
        assert!(state.positions >= config.budget.positions.unwrap());
        let called_for = config.learning.steps_at(state.positions);
        assert_eq!(state.step + state.skipped_steps, called_for, "the final step count");
        assert_eq!(newest.step(), state.step, "the newest weights are published");
        // Nothing was ever learnt from more often than it was to be.
        let most = config.learning.reuse as f64;
        assert!(commits.iter().all(|it| it.samples as f64 <= most * it.positions as f64));
    }

    /// The state in the newest checkpoint.
    pub fn state(&self, newest: &Commit) -> RunState {
        let saved = &newest.checkpoints[0];
        let folder = names::checkpoint(saved.step, &saved.nonce);
        let copy = tempfile::tempdir().unwrap();
        for listed in self.runtime.wait(self.store.list(&folder)).unwrap() {
            let name = listed.name.filename().unwrap();
            fs::write(copy.path().join(name), self.read(&listed.name)).unwrap();
        }
        RunFolder::state(copy.path()).unwrap()
    }

    /// What the store says of the run itself.
    pub fn run(&self) -> fleet::Run {
        let text = String::from_utf8(self.read(&names::run())).unwrap();
        toml::from_str(&text).unwrap()
    }

    fn config(&self) -> RunConfig {
        RunConfig::from_table(self.run().config, "run.toml").unwrap()
    }
}
