//! What a learner reads when it goes on with a long run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fleet::game_file::{self, Header};
use fleet::{FileName, Learner, LearnerSettings, Store, StoreError, names};

use crate::fault_store::{FaultStore, Faults, Handle};
use crate::simulation::{ENCODER, Seeds, claim, game, past_games, publish, run, simulate};

const COMMITS: u64 = 1000;
const GAMES: u32 = 100;
const TURNS: u64 = 10;
/// A commit reads this many others at once, at most, to find out which it needs.
const BATCH: u64 = 64;

/// A file with the games of one commit.
fn file(sequence: u64) -> bytes::Bytes {
    let name = FileName { slot: "a".parse().unwrap(), generation: 0, sequence };
    let header = Header {
        run: run().id,
        name,
        rules: run().rules,
        encoder: ENCODER,
        model: sequence,
        evaluations: 1,
        games: GAMES,
        parked: Vec::new(),
    };
    let games = (0..u64::from(GAMES)).map(|number| {
        let mut game = game(sequence * u64::from(GAMES) + number, sequence, true);
        game.turns = vec![game.turns[0].clone(); TURNS as usize];
        game
    });
    game_file::encode(&header, &games.collect::<Vec<_>>()).unwrap()
}

#[test]
fn of_a_million_positions_a_learner_that_goes_on_reads_those_of_its_window() {
    simulate(async {
        let faults = FaultStore::new(1, Faults::default());
        let quiet = Store::from_objects(faults.quiet());
        let settings = LearnerSettings::default;
        let mut learner = Learner::open(quiet.clone(), run(), settings()).await.unwrap();
        assert_eq!(claim("x").enter(&quiet, &"a".parse().unwrap()).await.unwrap(), 0);
        let positions = u64::from(GAMES) * TURNS;
        let window = 20 * positions;
        for sequence in 0..COMMITS {
            let name = FileName { slot: "a".parse().unwrap(), generation: 0, sequence };
            quiet.put(&name.in_inbox(), file(sequence)).await.unwrap();
            let oldest = sequence.saturating_sub(20);
            let taken = learner.take_in(&Seeds, oldest).await.unwrap();
            assert_eq!(taken.files, 1, "{sequence}: {taken:?}");
            publish(&mut learner, sequence + 1).await.unwrap();
        }
        assert_eq!(learner.newest().positions, COMMITS * positions);

        let store = Store::from_objects(Arc::new(Handle(Arc::clone(&faults))));
        let learner = Learner::open(store, run(), settings()).await.unwrap();
        let past = past_games(&learner, window, learner.newest().number).await;
        let games: usize = past.iter().map(|commit| commit.games.len()).sum();
        assert_eq!(games as u64 * TURNS, window);
        let made = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let requests = &faults.requests;
        println!("{requests:?}");
        // The segments of the window, twice the commits that may refer to them, and a few for the
        // start.
        assert!(made(&requests.gets) <= 20 + 2 * (40 + BATCH) + 10, "{requests:?}");
        assert!(made(&requests.lists) <= 5 && made(&requests.puts) <= 10, "{requests:?}");
    });
}

/// What has counted is in the commits: only the window misses what a checkpoint has counted.
#[test]
fn a_lost_segment_stops_a_learner_only_where_it_has_to_be_counted() {
    simulate(async {
        let store = Store::from_objects(FaultStore::new(1, Faults::default()).quiet());
        let settings = LearnerSettings::default();
        let mut learner = Learner::open(store.clone(), run(), settings).await.unwrap();
        assert_eq!(claim("x").enter(&store, &"a".parse().unwrap()).await.unwrap(), 0);
        for sequence in 0..3 {
            let name = FileName { slot: "a".parse().unwrap(), generation: 0, sequence };
            store.put(&name.in_inbox(), file(sequence)).await.unwrap();
            assert_eq!(learner.take_in(&Seeds, 0).await.unwrap().files, 1);
            publish(&mut learner, sequence + 1).await.unwrap();
        }
        let lost = store.list(&names::segments()).await.unwrap()[1].name.clone();
        let (commit, _) = names::segment_parts(&lost).unwrap();
        store.delete(vec![lost]).await.unwrap();

        let past = past_games(&learner, u64::MAX, commit + 1).await;
        let games: usize = past.iter().map(|past| past.games.len()).sum();
        assert_eq!(games, 2 * GAMES as usize);
        let damaged = past.iter().filter(|past| past.damage.is_some());
        assert_eq!(damaged.map(|past| past.commit).collect::<Vec<_>>(), [commit]);
        let counted = learner.archive().past_games(&Seeds, u64::MAX, commit, |_| ()).await;
        assert!(matches!(counted, Err(StoreError::Damaged { .. })));
    });
}
