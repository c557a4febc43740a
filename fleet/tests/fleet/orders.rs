//! What workers are told when requests arrive late, or when what they announce is not there.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use fleet::{
    Exit, Learner, LearnerSettings, Model, Orders, Player, Store, Worker, WorkerSettings, names,
};
use tokio::time::sleep;

use crate::simulation::{ENCODER, claim, publish, run, simulate};

#[derive(Clone, Default)]
struct Steps(Arc<Mutex<Vec<u64>>>);

impl Player for Steps {
    fn swap(&mut self, model: Model, _: u32) -> Result<(), String> {
        self.0.lock().unwrap().push(model.step);
        Ok(())
    }
}

async fn latest(store: &Store) -> Bytes {
    store.get(&names::latest(), 1 << 10).await.unwrap().unwrap()
}

async fn a_run() -> (Store, Learner, Worker) {
    let store = Store::open("memory://").unwrap();
    let learner = Learner::open(store.clone(), run(), LearnerSettings::default()).await.unwrap();
    let settings = WorkerSettings::new("a".parse().unwrap(), ENCODER, claim("x"));
    let worker = Worker::join(store.clone(), settings).await.unwrap();
    (store, learner, worker)
}

#[test]
fn an_old_order_that_arrives_late_changes_nothing() {
    simulate(async {
        let (store, mut learner, worker) = a_run().await;
        let (steps, outbox) = (Steps::default(), worker.outbox());
        tokio::spawn(worker.carry(steps.clone()));
        publish(&mut learner, 1).await.unwrap();
        learner.hold(true).await.unwrap();
        let old = latest(&store).await;
        publish(&mut learner, 2).await.unwrap();
        learner.hold(false).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert_eq!((outbox.orders(), steps.0.lock().unwrap().last()), (Orders::Play, Some(&2)));
        store.put(&names::latest(), old.clone()).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert_eq!((outbox.orders(), steps.0.lock().unwrap().last()), (Orders::Play, Some(&2)));
        // A worker that starts now would believe it, so the learner puts it right.
        learner.take_in(&crate::simulation::Seeds, 0).await.unwrap();
        assert_ne!(latest(&store).await, old);
    });
}

#[test]
fn weights_that_are_not_those_announced_are_not_played_with() {
    simulate(async {
        let (store, mut learner, worker) = a_run().await;
        let (steps, outbox) = (Steps::default(), worker.outbox());
        tokio::spawn(worker.carry(steps.clone()));
        publish(&mut learner, 1).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        publish(&mut learner, 2).await.unwrap();
        let sha256 = learner.newest().model.clone().unwrap().sha256;
        let (name, most) = (names::weights(2, &sha256), 1 << 10);
        let right = store.get(&name, most).await.unwrap().unwrap();
        store.put(&name, Bytes::from("others")).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert_eq!((outbox.orders(), steps.0.lock().unwrap().as_slice()), (Orders::Play, &[1][..]));
        store.put(&name, right).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert_eq!(steps.0.lock().unwrap().as_slice(), [1, 2]);
    });
}

#[test]
fn a_worker_that_waits_for_long_gives_its_machine_back_until_it_is_started_again() {
    simulate(async {
        let (_store, mut learner, worker) = a_run().await;
        publish(&mut learner, 1).await.unwrap();
        learner.hold(true).await.unwrap();
        let exit = worker.carry(Steps::default()).await;
        assert_eq!((exit, exit.code()), (Exit::Spare, 75));
    });
}

#[test]
fn a_worker_that_waits_for_the_first_weights_is_started_again() {
    simulate(async {
        let (_store, _learner, worker) = a_run().await;
        let exit = worker.carry(Steps::default()).await;
        assert_eq!((exit, exit.code()), (Exit::Spare, 75));
    });
}

#[test]
fn a_worker_without_a_run_is_done_when_there_is_nothing_to_do() {
    simulate(async {
        let store = Store::open("memory://").unwrap();
        let settings = WorkerSettings::new("a".parse().unwrap(), ENCODER, claim("x"));
        let worker = Worker::join_without_run(store, settings).await.unwrap();
        let exit = worker.carry(()).await;
        assert_eq!((exit, exit.code()), (Exit::Idle, 0));
    });
}
