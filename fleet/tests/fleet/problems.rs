//! What goes wrong at a learner's door without stopping it.

use std::sync::Arc;
use std::time::Duration;

use fleet::game_file::{self, Header};
use fleet::{FileName, Learner, LearnerSettings, Slot, Store, Taken, names};
use object_store::path::Path;
use tokio::time::sleep;

use crate::fault_store::{FaultStore, Faults, Handle};
use crate::simulation::{ENCODER, Seeds, claim, game, run, simulate};

struct Fixture {
    faults: Arc<FaultStore>,
    store: Store,
    learner: Learner,
}

impl Fixture {
    /// A learner, and slots that somebody has.
    async fn new(slots: &[&str]) -> Fixture {
        let faults = FaultStore::new(1, Faults::default());
        let store = Store::from_objects(Arc::new(Handle(Arc::clone(&faults))));
        let settings = LearnerSettings { seed: 1, ..LearnerSettings::default() };
        let learner = Learner::open(store.clone(), run(), settings).await.unwrap();
        for slot in slots {
            claim(slot).enter(&store, &slot.parse().unwrap()).await.unwrap();
        }
        Fixture { faults, store, learner }
    }

    /// Puts a file of one game into the inbox.
    async fn put(&self, slot: &str, sequence: u64) -> Path {
        let slot: Slot = slot.parse().unwrap();
        let name = FileName { slot, generation: 0, sequence };
        let header = Header {
            run: run().id,
            name: name.clone(),
            rules: run().rules,
            encoder: ENCODER,
            model: 0,
            evaluations: 1,
            games: 1,
            parked: Vec::new(),
        };
        let bytes = game_file::encode(&header, &[game(sequence, 0, true)]).unwrap();
        self.store.put(&name.in_inbox(), bytes).await.unwrap();
        name.in_inbox()
    }

    async fn take(&mut self) -> Taken<u64> {
        self.learner.take_in(&Seeds, 0).await.unwrap()
    }
}

#[test]
fn a_file_that_may_not_be_read_keeps_only_its_slot_waiting() {
    simulate(async {
        let mut door = Fixture::new(&["a", "b"]).await;
        let mut forbidden = Vec::new();
        for sequence in 0..2 {
            forbidden.push(door.put("a", sequence).await);
            door.put("b", sequence).await;
        }
        door.faults.forbid(&forbidden[..1]);
        let taken = door.take().await;
        assert_eq!((taken.files, taken.problems.len()), (2, 1));
        assert!(taken.problems[0].contains("refuses to read inbox/a/0-0.games"), "{taken:?}");
        let again = door.take().await;
        assert_eq!((again.files, again.problems), (0, vec![]), "it has been told");
        sleep(Duration::from_secs(3600)).await;
        let again = door.take().await;
        assert_eq!((again.files, again.problems.len()), (0, 1), "it goes on");
        door.faults.forbid(&[]);
        assert_eq!(door.take().await.files, 2);
        assert_eq!(door.learner.newest().refused, Default::default());
    });
}

#[test]
fn a_slot_that_may_not_be_looked_at_keeps_only_itself_waiting() {
    simulate(async {
        let mut door = Fixture::new(&["a", "b"]).await;
        door.put("a", 0).await;
        door.put("b", 0).await;
        door.faults.forbid(&[names::claim(&"a".parse().unwrap(), 0)]);
        let taken = door.take().await;
        assert_eq!((taken.files, taken.problems.len()), (1, 1), "{taken:?}");
        door.faults.forbid(&[]);
        assert_eq!(door.take().await.files, 1);
    });
}

#[test]
fn what_cannot_be_deleted_is_told_of_and_counts_once() {
    simulate(async {
        let mut door = Fixture::new(&["a"]).await;
        let file = door.put("a", 0).await;
        let strange = Path::from("inbox/strange");
        door.store.put(&strange, "?".into()).await.unwrap();
        door.take().await;
        // Both return, and now stay.
        door.put("a", 0).await;
        door.store.put(&strange, "?".into()).await.unwrap();
        door.faults.forbid(&[file, strange]);
        let mut problems = Vec::new();
        for _ in 0..10 {
            problems.extend(door.take().await.problems);
        }
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems.iter().all(|it| it.contains("refuses to delete")), "{problems:?}");
        let newest = door.learner.newest();
        assert_eq!((newest.games, newest.refused.strange_files), (1, 2));
        let number = newest.number;
        door.faults.forbid(&[]);
        door.take().await;
        assert_eq!(door.learner.newest().number, number);
        assert!(door.store.list(&names::inbox()).await.unwrap().is_empty());
    });
}

#[test]
fn what_comes_after_a_file_that_is_gone_does_not_wait_for_ever() {
    simulate(async {
        let mut door = Fixture::new(&["a"]).await;
        for sequence in [0, 2, 3] {
            door.put("a", sequence).await;
        }
        let taken = door.take().await;
        assert_eq!((taken.files, taken.left, taken.problems), (1, 2, vec![]));
        assert_eq!(door.take().await.problems, Vec::<String>::new(), "it may be a moment's");
        sleep(Duration::from_secs(400)).await;
        let taken = door.take().await;
        assert_eq!(taken.files, 0);
        assert!(taken.problems[0].starts_with("a/0-1 is missing"), "{:?}", taken.problems);
        sleep(Duration::from_secs(3600)).await;
        let taken = door.take().await;
        assert_eq!((taken.files, taken.left), (2, 0));
        assert_eq!(taken.problems, ["a/0-1 is gone: a/0-2 is taken without it"]);
        // It was not gone after all, but has been given up.
        door.put("a", 1).await;
        assert_eq!(door.take().await.files, 0);
        let newest = door.learner.newest();
        assert_eq!((newest.games, newest.refused.lost_files), (3, 1));
        assert!(door.store.list(&names::inbox()).await.unwrap().is_empty());
    });
}
