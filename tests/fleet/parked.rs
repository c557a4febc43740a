//! Games in progress that outlive the processes that play them.

use std::fs;
use std::time::Duration;

use fleet::game_file::GameFile;
use fleet::{FileName, Parked};
use selfplay::format::{self, LIMITS};
use selfplay::{ParkedGame, TrainingRecord};

use crate::arrivals::Arrivals;
use crate::folder::in_folder;
use crate::run::Run;

/// Few games with hundreds of turns, parked so often that a process plays few of these; without
/// passes no game is short. And a window for which no game is too old.
const LONG_GAMES: [&str; 7] = [
    "rules='nogo'",
    "size=19",
    "self_play.games=2",
    "self_play.workers=1",
    "self_play.simulations=[[0.0, 24]]",
    "fleet.park=0.05",
    "learning.window=100000",
];

impl Run {
    /// The games in progress that a slot's process has left, or has parked in case it is killed.
    fn parked(&self, slot: &str) -> Vec<ParkedGame> {
        let (run, slot) = (self.run().id, slot.parse().unwrap());
        let parked = Parked::get(&self.store, &run, &slot);
        let parked = self.runtime.wait(parked).unwrap().unwrap();
        parked.map_or_else(Vec::new, |it| format::decode(it.games.as_ref(), LIMITS).unwrap())
    }

    /// Waits for such a game in progress.
    fn wait_for_parked(&self, slot: &str, is_it: impl Fn(&ParkedGame) -> bool) -> TrainingRecord {
        for _ in 0..15_000 {
            if let Some(game) = self.parked(slot).into_iter().find(&is_it) {
                return game.record().clone();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("in vain: {:?} is parked", self.parked(slot).iter().map(ParkedGame::seed));
    }
}

#[test]
fn a_game_outlives_its_processes_and_counts_once_although_a_zombie_finishes_it_too() {
    let (run, store) = in_folder();
    let run = run.with(&LONG_GAMES);
    let arrived = Arrivals::watch(&store);
    let mut learner = run.learner("here");
    run.wait_until("the beginning", |newest| newest.model.is_some());

    // Six lives, each a few turns of the game long.
    let mut record: Option<TrainingRecord> = None;
    let mut zombie = None;
    for life in 0..6 {
        // What the last process left when it was told to end is further along than what was seen of
        // it.
        let left = run.parked("a").into_iter().map(|game| game.record().turns.len()).max();
        let turns = 4 + left.unwrap_or(0);
        let mut worker = run.worker("a");
        let further = run.wait_for_parked("a", |game| {
            let is_it = record.as_ref().is_none_or(|record| record.seed == game.seed());
            is_it && game.record().turns.len() >= turns
        });
        if let Some(before) = record {
            assert_eq!(before.turns, further.turns[..before.turns.len()]);
        }
        record = Some(further);
        match life {
            5 => {
                worker.signal("-STOP");
                zombie = Some(worker);
            }
            1 | 3 => {
                worker.signal("-TERM");
                assert_eq!(worker.code(), Some(75));
            }
            _ => worker.kill(),
        }
    }
    let (record, zombie) = (record.unwrap(), zombie.unwrap());
    let last = run.worker("a");
    run.wait_until("the end of the game", |_| {
        run.counted().iter().any(|game| game.seed == record.seed)
    });

    // The zombie does not see that it has been replaced, and finishes the game too.
    let (claim, hidden) = (store.join("workers/a/6.json"), run.folder("hidden"));
    fs::rename(&claim, &hidden).unwrap();
    zombie.signal("-CONT");
    let has_it = |(name, _, file): &(FileName, Vec<u32>, GameFile)| {
        name.generation == 5 && file.games.iter().any(|game| game.seed == record.seed)
    };
    run.wait_until("the other end", |_| run.taken(&run.commits()).iter().any(has_it));
    fs::rename(&hidden, &claim).unwrap();

    learner.kill();
    run.set_budget(run.newest().unwrap().positions);
    assert_eq!(run.learner("there").code(), Some(0));
    assert_eq!((zombie.code(), last.code()), (Some(0), Some(0)));
    let counted = run.counted();
    let counted: Vec<_> = counted.iter().filter(|game| game.seed == record.seed).collect();
    assert_eq!(counted.len(), 1);
    assert_eq!(counted[0].turns[..record.turns.len()], record.turns, "with all its rows");
    assert!(counted[0].rows() > record.rows() && run.newest().unwrap().refused.late > 0);
    run.check_commit_log(arrived.stop());
}
