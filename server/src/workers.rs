//! The search threads and their queue.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};
use interface::Catalogue;
use search::Evaluator;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::client_counter::ClientPermit;

/// The evaluators of one thread, opened on first use.
pub(crate) struct Evaluators {
    catalogue: Arc<Catalogue>,
    open: HashMap<usize, Box<dyn Evaluator + Send>>,
}

impl Evaluators {
    /// This thread's evaluator of a model.
    pub fn of(&mut self, model: usize) -> &mut (dyn Evaluator + Send) {
        let source = &self.catalogue.model(model).source;
        &mut **self.open.entry(model).or_insert_with(|| source.evaluator())
    }
}

type Task = Box<dyn FnOnce(&mut Evaluators) + Send>;

/// A task with its place in the queue.
struct Job {
    task: Task,
    _held: (OwnedSemaphorePermit, ClientPermit),
}

/// Threads with a bounded queue, so that searches cannot overload the machine.
pub(crate) struct Workers {
    /// Bounded by the number of places.
    jobs: Mutex<Option<Sender<Job>>>,
    places: Arc<Semaphore>,
    stopping: Arc<AtomicBool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// A place in the queue, released when dropped.
pub(crate) struct QueuePlace {
    jobs: Sender<Job>,
    held: (OwnedSemaphorePermit, ClientPermit),
}

impl Workers {
    /// Starts `threads` threads; `waiting` more searches than that may wait in the queue.
    pub fn start(
        catalogue: &Arc<Catalogue>,
        threads: usize,
        waiting: usize,
    ) -> std::io::Result<Workers> {
        let (jobs, queue) = unbounded();
        let stopping = Arc::new(AtomicBool::new(false));
        let spawn = |index: usize| {
            let evaluators = Evaluators { catalogue: Arc::clone(catalogue), open: HashMap::new() };
            let (queue, stopping) = (queue.clone(), Arc::clone(&stopping));
            std::thread::Builder::new()
                .name(format!("search-{index}"))
                .spawn(move || work(&queue, evaluators, &stopping))
        };
        let threads = threads.max(1);
        let handles = (0..threads).map(spawn).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Workers {
            jobs: Mutex::new(Some(jobs)),
            places: Arc::new(Semaphore::new(threads + waiting)),
            stopping,
            threads: Mutex::new(handles),
        })
    }

    /// A place in the queue that uses a client's permit; `None` when the queue is full or the
    /// threads are stopping.
    pub fn reserve(&self, client_permit: ClientPermit) -> Option<QueuePlace> {
        let permit = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(QueuePlace { jobs, held: (permit, client_permit) })
    }

    /// Lets every thread finish its task, and drops the queue.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        let threads: Vec<_> =
            self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for thread in threads {
            // A thread that panicked has already reported it.
            let _ = thread.join();
        }
    }
}

impl QueuePlace {
    /// Puts a task into the queue.
    pub fn submit(self, task: impl FnOnce(&mut Evaluators) + Send + 'static) {
        // It is refused only when the threads have ended, and then no client waits for the answer.
        let _ = self.jobs.send(Job { task: Box::new(task), _held: self.held });
    }
}

fn work(queue: &Receiver<Job>, mut evaluators: Evaluators, stopping: &AtomicBool) {
    while let Ok(Job { task, _held }) = queue.recv() {
        if stopping.load(Ordering::Relaxed) {
            continue;
        }
        // A panicking search must not end the thread; its evaluators may be in any state.
        if catch_unwind(AssertUnwindSafe(|| task(&mut evaluators))).is_err() {
            evaluators.open.clear();
        }
    }
}
