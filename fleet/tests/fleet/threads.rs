//! The whole path from threads that play to a learner, over a folder: swaps of weights, orders,
//! parking, status.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use fleet::blocking::{AsyncRuntime, Worker};
use fleet::{
    Exit, Learner, LearnerSettings, Liveness, Model, Observer, Orders, Parked, Player, Publication,
    RunError, Saved, Store, WorkerSettings, names,
};

use crate::simulation::{ENCODER, Seeds, claim, game, run, weights};

/// Notes the weights that it gets; cannot use those of step 13.
#[derive(Clone, Default)]
struct Player13(Arc<Mutex<Vec<u64>>>);

impl Player for Player13 {
    fn swap(&mut self, model: Model, simulations: u32) -> Result<(), String> {
        if model.step == 13 {
            return Err("unlucky".to_owned());
        }
        assert_eq!((model.weights, simulations), (weights(model.step), 8));
        self.0.lock().unwrap().push(model.step);
        Ok(())
    }
}

fn settings(nonce: &str) -> WorkerSettings {
    let mut settings = WorkerSettings::new("a".parse().unwrap(), ENCODER, claim(nonce));
    settings.timing.poll = Duration::from_millis(20);
    settings.timing.file = Duration::from_millis(20);
    settings.timing.successor = Duration::from_millis(50);
    settings
}

fn publish(runtime: &AsyncRuntime, learner: &mut Learner, step: u64) {
    let (card, weights) = (format!("step = {step}"), weights(step));
    let (simulations, phase, samples) = (8, step, step);
    let (kinds, samples_per_second) = (format!("known at step {step}"), Some(100.0));
    let new =
        Publication { step, weights, card, kinds, simulations, phase, samples, samples_per_second };
    runtime.wait(learner.publish(new)).unwrap();
}

/// Waits for what other threads do.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("in vain: {what}");
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let url = url::Url::from_directory_path(folder.path()).unwrap();
    let store = Store::open(url.as_str()).unwrap();
    (folder, store)
}

#[test]
fn games_go_one_way_and_weights_and_orders_the_other() {
    let (_folder, store) = store();
    let runtime = AsyncRuntime::start().unwrap();
    let absent = Worker::start(&runtime, store.clone(), settings("0"), Player13::default());
    assert_eq!(absent.unwrap_err().exit().code(), 75, "the learner may yet start");
    let mut learner =
        runtime.wait(Learner::open(store.clone(), run(), LearnerSettings::default())).unwrap();

    let player = Player13::default();
    let mut worker = Worker::start(&runtime, store.clone(), settings("1"), player.clone()).unwrap();
    assert_eq!((worker.generation(), worker.take_parked()), (0, Ok(None)));
    let outbox = worker.outbox();
    assert_eq!(outbox.orders(), Orders::Wait, "there are no weights yet");
    publish(&runtime, &mut learner, 1);
    assert_eq!(outbox.wait_for_orders(), Orders::Play);
    assert!(outbox.add(game(1, 1, true), 5) && outbox.add(game(2, 1, true), 7));

    let mut seeds = Vec::new();
    wait_until("games arrive", || {
        seeds.extend(runtime.wait(learner.take_in(&Seeds, 0)).unwrap().games);
        seeds.len() == 2
    });
    assert_eq!((seeds, learner.newest().evaluations), (vec![1, 2], 12));

    // Weights that cannot be used, or are not those announced, change nothing; the next ones do.
    publish(&runtime, &mut learner, 13);
    publish(&runtime, &mut learner, 14);
    wait_until("weights arrive", || player.0.lock().unwrap().contains(&14));
    assert!(!player.0.lock().unwrap().contains(&13));
    runtime.wait(learner.hold(true)).unwrap();
    wait_until("orders arrive", || outbox.orders() == Orders::Wait);
    runtime.wait(learner.hold(false)).unwrap();
    assert_eq!(outbox.wait_for_orders(), Orders::Play);

    let status = runtime.wait(Observer::new(store, Duration::from_secs(120), 3.0).look());
    let status = status.unwrap().unwrap();
    assert_eq!((status.commit.positions, status.commit.step(), status.slots.len()), (2, 14, 1));
    assert_ne!(status.slots[0].liveness, Liveness::Silent);

    runtime.wait(learner.end(true)).unwrap();
    wait_until("the end", || outbox.orders() == Orders::Stop);
    outbox.finish();
    assert_eq!(worker.wait(), Exit::Ended);
    assert!(!outbox.add(game(3, 14, true), 1), "nobody carries it");
}

#[test]
fn a_process_goes_on_where_the_last_one_was_interrupted() {
    let (_folder, store) = store();
    let runtime = AsyncRuntime::start().unwrap();
    let mut learner =
        runtime.wait(Learner::open(store.clone(), run(), LearnerSettings::default())).unwrap();
    publish(&runtime, &mut learner, 1);
    let worker =
        Worker::start(&runtime, store.clone(), settings("1"), Player13::default()).unwrap();
    let outbox = worker.outbox();
    assert_eq!(outbox.wait_for_orders(), Orders::Play);
    let parked = Parked { seeds: vec![7], games: Bytes::from("a game in progress") };
    assert!(outbox.add(game(5, 1, true), 1));
    outbox.interrupt();
    assert_eq!(outbox.wait_for_orders(), Orders::Stop);
    // What is finished and parked now is in time.
    assert!(!outbox.add(game(6, 1, true), 1));
    outbox.park(parked.clone());
    outbox.finish();
    assert_eq!(worker.wait().code(), 75);
    assert_eq!(outbox.delivered().games, 2, "what was finished has been sent");

    let mut second =
        Worker::start(&runtime, store.clone(), settings("2"), Player13::default()).unwrap();
    assert_eq!((second.generation(), second.take_parked()), (1, Ok(Some(parked))));
    // A third one, beside it: the second stops, and is not to be started again.
    let third = Worker::start(&runtime, store.clone(), settings("3"), Player13::default()).unwrap();
    assert_eq!((second.outbox().wait_for_orders(), third.generation()), (Orders::Play, 2));
    assert!(second.outbox().add(game(7, 1, true), 1) && third.outbox().add(game(7, 1, true), 1));
    wait_until("the second sees it", || second.outbox().orders() == Orders::Stop);
    let others = Parked { seeds: vec![8], games: Bytes::from("what nobody needs") };
    second.outbox().park(others);
    second.outbox().finish();
    assert_eq!((Exit::Superseded, 0), (second.wait(), Exit::Superseded.code()));
    let kept = runtime.wait(Parked::get(&store, &run().id, &"a".parse().unwrap())).unwrap();
    assert_eq!(kept.unwrap().unwrap().seeds, [7], "a process that was replaced parks nothing");
    third.outbox().finish();
    third.wait();
    let taken = runtime.wait(learner.take_in(&Seeds, 0)).unwrap();
    assert_eq!(taken.games, [5, 6, 7], "both have finished it, and it counts once");
    assert_eq!(learner.newest().refused.late, 1);
}

#[test]
fn a_learner_finds_what_the_last_one_left() {
    let (_folder, store) = store();
    let runtime = AsyncRuntime::start().unwrap();
    let open = |run| runtime.wait(Learner::open(store.clone(), run, LearnerSettings::default()));
    let mut learner = open(run()).unwrap();
    publish(&runtime, &mut learner, 1);
    for step in 1..=3 {
        let object = Saved { name: "learner.safetensors".to_owned(), bytes: weights(step) };
        runtime.wait(learner.save(step, vec![object])).unwrap();
    }
    let second = open(run()).unwrap();
    let steps: Vec<u64> = second.newest().checkpoints.iter().map(|it| it.step).collect();
    assert_eq!(steps, [3, 2], "the newest two");
    let newest = &second.newest().checkpoints[0];
    let archive = second.archive();
    let saved = runtime.wait(archive.saved(newest, "learner.safetensors"));
    assert_eq!(saved.unwrap(), Some(weights(3)));
    let left = runtime.wait(store.list(&names::checkpoints())).unwrap();
    assert_eq!(left.len(), 2);

    let fenced = runtime.wait(learner.hold(true)).unwrap_err();
    assert_eq!(fenced.exit().code(), 75);
    let mut other = run();
    other.id = "other".to_owned();
    let error = open(other).unwrap_err();
    assert_eq!(error.exit().code(), 64);
    let mut settings = settings("1");
    settings.encoder += 1;
    let error = Worker::start(&runtime, store.clone(), settings, Player13::default()).unwrap_err();
    assert!(matches!(error, RunError::Version { .. }));
    assert_eq!(error.exit().code(), 64);
}
