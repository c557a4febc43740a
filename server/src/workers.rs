//! The search threads and their queue.

use std::collections::{BTreeMap, HashMap};
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

/// What a search is for, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// A program's move, for which a game waits.
    Reply,
    /// What somebody wants to know besides.
    Analysis,
}

/// The order in which searches begin: replies first, then by turn, then the oldest.
type Rank = (Purpose, u64, u64);

/// A search waits as if, for each one that its client already had, this many others had been
/// requested before it. So a client with many searches does not hold up the others, but they cannot
/// overtake it without end either, however many of them ask.
const OVERTAKING: u64 = 64;

/// What a search holds until it ends: one of the places, and one of its client's searches.
pub(crate) type Held = (OwnedSemaphorePermit, ClientPermit);

type Task = Box<dyn FnOnce(&mut Evaluators, Held) + Send>;

/// A task with its place in the queue.
struct Job {
    task: Task,
    held: Held,
}

/// The jobs that no thread has begun.
#[derive(Default)]
struct Waiting {
    jobs: BTreeMap<Rank, Job>,
    /// Number of jobs so far.
    count: u64,
}

impl Waiting {
    fn add(&mut self, purpose: Purpose, job: Job) {
        let (_, client_permit) = &job.held;
        let turn = self.count + OVERTAKING * client_permit.before() as u64;
        self.jobs.insert((purpose, turn, self.count), job);
        self.count += 1;
    }
}

/// Threads with a bounded queue, so that searches cannot overload the machine.
pub(crate) struct Workers {
    waiting: Arc<Mutex<Waiting>>,
    /// Receives something for each job that waits. Bounded by the number of places.
    ready: Mutex<Option<Sender<()>>>,
    places: Arc<Semaphore>,
    stopping: Arc<AtomicBool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// A place in the queue, released when dropped.
pub(crate) struct QueuePlace {
    waiting: Arc<Mutex<Waiting>>,
    ready: Sender<()>,
    purpose: Purpose,
    held: Held,
}

impl Workers {
    /// Starts `threads` threads; `waiting_places` more searches than that may wait in the queue.
    pub fn start(
        catalogue: &Arc<Catalogue>,
        threads: usize,
        waiting_places: usize,
    ) -> std::io::Result<Workers> {
        let (ready, queue) = unbounded();
        let waiting: Arc<Mutex<Waiting>> = Arc::default();
        let stopping = Arc::new(AtomicBool::new(false));
        let spawn = |index: usize| {
            let evaluators = Evaluators { catalogue: Arc::clone(catalogue), open: HashMap::new() };
            let (queue, waiting, stopping) =
                (queue.clone(), Arc::clone(&waiting), Arc::clone(&stopping));
            std::thread::Builder::new()
                .name(format!("search-{index}"))
                .spawn(move || work(&queue, &waiting, evaluators, &stopping))
        };
        let threads = threads.max(1);
        let handles = (0..threads).map(spawn).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Workers {
            waiting,
            ready: Mutex::new(Some(ready)),
            places: Arc::new(Semaphore::new(threads + waiting_places)),
            stopping,
            threads: Mutex::new(handles),
        })
    }

    /// A place in the queue that uses a client's permit; `None` when the queue is full or the
    /// threads are stopping.
    pub fn reserve(&self, client_permit: ClientPermit, purpose: Purpose) -> Option<QueuePlace> {
        let permit = Arc::clone(&self.places).try_acquire_owned().ok()?;
        self.pass_on((permit, client_permit), purpose)
    }

    /// A place for what follows a search, which passes on what it holds; `None` when the threads are
    /// stopping.
    pub fn pass_on(&self, held: Held, purpose: Purpose) -> Option<QueuePlace> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(QueuePlace { waiting: Arc::clone(&self.waiting), ready, purpose, held })
    }

    /// Lets every thread finish its task, and drops the queue.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        drop(self.ready.lock().unwrap_or_else(PoisonError::into_inner).take());
        let threads: Vec<_> =
            self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for thread in threads {
            // A thread that panicked has already reported it.
            let _ = thread.join();
        }
    }
}

impl QueuePlace {
    /// Puts a task into the queue; it holds its place until it drops it.
    pub fn submit(self, task: impl FnOnce(&mut Evaluators, Held) + Send + 'static) {
        let job = Job { task: Box::new(task), held: self.held };
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).add(self.purpose, job);
        // This cannot fail: threads end only when all senders are gone.
        let _ = self.ready.send(());
    }
}

fn work(
    queue: &Receiver<()>,
    waiting: &Mutex<Waiting>,
    mut evaluators: Evaluators,
    stopping: &AtomicBool,
) {
    while queue.recv().is_ok() {
        let first = waiting.lock().unwrap_or_else(PoisonError::into_inner).jobs.pop_first();
        let Some((_, Job { task, held })) = first else { continue };
        if stopping.load(Ordering::Relaxed) {
            continue;
        }
        // A panicking search must not end the thread; its evaluators may be in any state.
        if catch_unwind(AssertUnwindSafe(|| task(&mut evaluators, held))).is_err() {
            evaluators.open.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::client_counter::ClientCounter;
    use crate::rate_limiter::Client;

    /// One thread, which is busy until something is sent, and the counter of its clients.
    fn busy_thread() -> (Workers, ClientCounter, mpsc::Sender<()>) {
        let catalogue = Arc::new(Catalogue::new(Vec::new()).unwrap());
        let workers = Workers::start(&catalogue, 1, 999).unwrap();
        let counter = ClientCounter::default();
        let (begin, begun) = mpsc::channel();
        let (go, held) = mpsc::channel::<()>();
        let first = Client::at([10, 0, 0, 1].into());
        place(&workers, &counter, first, Purpose::Analysis).submit(move |_, _| {
            begin.send(()).unwrap();
            held.recv().unwrap();
        });
        begun.recv().unwrap();
        (workers, counter, go)
    }

    fn place(
        workers: &Workers,
        counter: &ClientCounter,
        client: Client,
        purpose: Purpose,
    ) -> QueuePlace {
        let permit = counter.admit(client, usize::MAX).unwrap();
        workers.reserve(permit, purpose).unwrap()
    }

    /// The order in which named searches begin that all wait.
    fn order<T: Send + 'static>(searches: Vec<(T, Client, Purpose)>) -> Vec<T> {
        let (workers, counter, go) = busy_thread();
        let (done, order) = mpsc::channel();
        for (name, client, purpose) in searches {
            let done = done.clone();
            place(&workers, &counter, client, purpose).submit(move |_, _| done.send(name).unwrap());
        }
        drop(done);
        go.send(()).unwrap();
        let order = order.iter().collect();
        workers.stop();
        order
    }

    #[test]
    fn a_place_that_is_passed_on_is_not_free_in_between() {
        let catalogue = Arc::new(Catalogue::new(Vec::new()).unwrap());
        let workers = Workers::start(&catalogue, 1, 0).unwrap();
        let counter = ClientCounter::default();
        let client = Client::at([10, 0, 0, 1].into());
        let held = place(&workers, &counter, client, Purpose::Reply).held;
        let next = workers.pass_on(held, Purpose::Reply).unwrap();
        let other = || workers.reserve(counter.admit(client, 2).unwrap(), Purpose::Reply);
        assert!(other().is_none() && counter.admit(client, 1).is_none());
        drop(next);
        assert!(other().is_some());
        workers.stop();
    }

    #[test]
    fn moves_go_first_and_nobodys_second_search_goes_before_anothers_first() {
        let [busy, other] = [2, 3].map(|last| Client::at([10, 0, 0, last].into()));
        let order = order(vec![
            ("its first analysis", busy, Purpose::Analysis),
            ("its second analysis", busy, Purpose::Analysis),
            ("its move", busy, Purpose::Reply),
            ("another's analysis", other, Purpose::Analysis),
            ("another's move", other, Purpose::Reply),
        ]);
        assert_eq!(
            order,
            [
                "another's move",
                "its move",
                "its first analysis",
                "another's analysis",
                "its second analysis",
            ]
        );
    }

    #[test]
    fn a_second_search_is_not_overtaken_without_end() {
        let busy = Client::at([10, 0, 0, 2].into());
        let others = (0..2 * OVERTAKING as u8).map(|last| Client::at([10, 0, 1, last].into()));
        let searches = [(1, busy), (2, busy)].into_iter().chain(others.map(|other| (0, other)));
        let order =
            order(searches.map(|(number, client)| (number, client, Purpose::Analysis)).collect());
        let second = order.iter().position(|&number| number == 2).unwrap();
        assert!(order.len() > 2 * OVERTAKING as usize && order[0] == 1);
        assert!((2..=OVERTAKING as usize).contains(&second), "{second} go before it");
    }
}
