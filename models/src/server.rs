//! The batching server: each of its threads owns a network and evaluates whatever is waiting.
//!
//! Each thread computes on one core. Several networks on one core each achieve 1.2 times as much as
//! one network on several cores, and far more when the machine has other work: threads that share a
//! batch wait for the slowest of them after every layer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, select};

use crate::client::{Alive, Answer, Capacity, Client, Job};
use crate::device::{self, Device, Precision};
use crate::inference::{Inference, MAX_BATCH};
use crate::input::Input;
use crate::{ModelError, Network};

/// How a server computes.
#[derive(Debug, Clone, Copy)]
pub struct ServerSettings {
    /// Where the network runs.
    pub device: Device,
    /// Its arithmetic.
    pub precision: Precision,
    /// Number of networks, each on its own thread. On a CPU, one per core. On a GPU, two: while one
    /// waits for its batch, the work of the other is already queued on the device.
    pub threads: usize,
    /// The most positions that one network evaluates at once; larger requests are split.
    pub max_batch: usize,
}

impl ServerSettings {
    /// Defaults for a device. 64 positions of 9×9 fill the second-level cache of current CPUs;
    /// larger batches were slower.
    pub fn new(device: Device, precision: Precision) -> ServerSettings {
        let (threads, max_batch) = match device {
            Device::Cpu => (device::available_threads(), 64),
            Device::Cuda => (2, MAX_BATCH),
        };
        ServerSettings { device, precision, threads, max_batch }
    }
}

/// A server's statistics.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ServerStats {
    /// Positions evaluated.
    pub evaluations: u64,
    /// Batches evaluated.
    pub batches: u64,
    /// Time that the networks spent working, summed over threads.
    pub busy: Duration,
}

#[derive(Default)]
struct Counters {
    evaluations: AtomicU64,
    batches: AtomicU64,
    busy_nanoseconds: AtomicU64,
    /// Number of threads waiting for a job.
    idle: Arc<AtomicUsize>,
}

/// Evaluates positions for any number of clients. When it is dropped, its clients get errors.
///
/// ```
/// use engine::{Position, Rules};
/// use models::{Architecture, Device, Network, Precision, Server, ServerSettings};
/// use search::Evaluator;
///
/// let network = Network::new(&Architecture { blocks: 1, channels: 8 }, 1)?;
/// let server = Server::start(network, ServerSettings::new(Device::Cpu, Precision::F32))?;
/// let start = Position::new(Rules::parse("tile", 5)?);
/// let evaluation = server.client().evaluate(&[&start])?.remove(0);
/// evaluation.check(&start)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server {
    settings: ServerSettings,
    jobs: Sender<Job>,
    alive: Alive,
    replicas: Vec<Replica>,
    counters: Arc<Counters>,
}

/// A new network, and the channel that reports when it is in use.
type Replacement = (Network, Sender<Result<(), ModelError>>);

struct Replica {
    networks: Option<Sender<Replacement>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts the threads.
    ///
    /// # Errors
    /// The device cannot run the network.
    pub fn start(network: Network, settings: ServerSettings) -> Result<Server, ModelError> {
        let threads = settings.threads.max(1);
        let max_batch = settings.max_batch.clamp(1, MAX_BATCH);
        let settings = ServerSettings { threads, max_batch, ..settings };
        let (jobs, waiting) = bounded(8 * threads);
        let (living, alive) = bounded(0);
        let counters = Arc::new(Counters::default());
        let mut replicas = Vec::new();
        for index in 0..threads {
            let (networks, fresh) = bounded(1);
            let (waiting, living) = (waiting.clone(), living.clone());
            let counters = Arc::clone(&counters);
            let thread = std::thread::Builder::new()
                .name(format!("network-{index}"))
                .spawn(move || {
                    let _living = living;
                    serve(settings, &waiting, &fresh, &counters);
                })
                .map_err(|error| ModelError::Device(format!("no thread: {error}")))?;
            replicas.push(Replica { networks: Some(networks), thread: Some(thread) });
        }
        let server = Server { settings, jobs, alive, replicas, counters };
        server.replace(network)?;
        Ok(server)
    }

    /// A client of this server.
    pub fn client(&self) -> Client {
        let capacity = Capacity {
            max_batch: self.settings.max_batch,
            // A search sends its leaves in two groups, each of which may use half of the networks.
            max_networks: (self.settings.threads / 2).max(1),
            idle: Arc::clone(&self.counters.idle),
        };
        Client::new(self.jobs.clone(), self.alive.clone(), capacity)
    }

    /// Replaces the network. Requests that begin after this has returned are answered by the new
    /// one.
    ///
    /// # Errors
    /// The device cannot run it, or the server has stopped.
    pub fn replace(&self, network: Network) -> Result<(), ModelError> {
        let mut answers = Vec::new();
        for replica in &self.replicas {
            let (done, answer) = bounded(1);
            let networks = replica.networks.as_ref().ok_or(ModelError::Stopped)?;
            networks.send((network.clone(), done)).map_err(|_| ModelError::Stopped)?;
            answers.push(answer);
        }
        answers.into_iter().try_for_each(|answer| answer.recv().unwrap_or(Err(ModelError::Stopped)))
    }

    /// Number of networks that run in parallel.
    pub fn threads(&self) -> usize {
        self.settings.threads
    }

    /// How many threads should prepare positions so that `games` games, with one leaf each at a
    /// time, keep every network busy: while a network works on a batch, at least two more are being
    /// prepared. Each thread's share of the games makes up one batch, if possible a full one.
    pub fn workers_for(&self, games: usize) -> usize {
        let threads = self.settings.threads;
        let ahead = (threads / 4).max(2);
        let workers = match self.settings.device {
            Device::Cpu => games.div_ceil(self.settings.max_batch).max(threads + ahead),
            // One large batch is gathered from many workers: as many as there are other cores.
            Device::Cuda => device::available_threads().saturating_sub(1).max(ahead),
        };
        workers.min(games).max(1)
    }

    /// Its settings.
    pub fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    /// Its statistics since it was started.
    pub fn stats(&self) -> ServerStats {
        ServerStats {
            evaluations: self.counters.evaluations.load(Relaxed),
            batches: self.counters.batches.load(Relaxed),
            busy: Duration::from_nanos(self.counters.busy_nanoseconds.load(Relaxed)),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Closing the channel of networks stops the threads, even if clients still exist.
        self.replicas.iter_mut().for_each(|replica| replica.networks = None);
        for replica in &mut self.replicas {
            if let Some(thread) = replica.thread.take() {
                let _ = thread.join();
            }
        }
    }
}

/// An event that a thread waits for.
enum Message {
    Network(Replacement),
    Job(Job),
}

/// Waits for the next event; `None` once a channel is closed.
fn wait(
    networks: &Receiver<Replacement>,
    jobs: &Receiver<Job>,
    idle: &AtomicUsize,
) -> Option<Message> {
    idle.fetch_add(1, Relaxed);
    let message = select! {
        recv(networks) -> network => network.map(Message::Network),
        recv(jobs) -> job => job.map(Message::Job),
    };
    idle.fetch_sub(1, Relaxed);
    message.ok()
}

/// A thread's main loop.
fn serve(
    settings: ServerSettings,
    jobs: &Receiver<Job>,
    networks: &Receiver<Replacement>,
    counters: &Counters,
) {
    // The first network arrives before any job, because `start` waits for it.
    let mut inference: Option<Inference> = None;
    let mut left_over: Option<Job> = None;
    loop {
        // Before a job that is left over: under constant load there may always be one.
        let next = match networks.try_recv() {
            Ok(replacement) => Some(Message::Network(replacement)),
            Err(TryRecvError::Empty) => left_over.take().map(Message::Job),
            Err(TryRecvError::Disconnected) => return,
        };
        match next.or_else(|| wait(networks, jobs, &counters.idle)) {
            Some(Message::Network((network, done))) => {
                let built = Inference::new(&network, settings.device, settings.precision);
                let _ = done.send(built.map(|built| inference = Some(built)));
            }
            Some(Message::Job(first)) => {
                let (batch, other) = gather(first, jobs, settings.max_batch, &counters.idle);
                left_over = other;
                let begun = Instant::now();
                // Updated before the answers are sent, so that clients find their own positions
                // counted.
                let evaluated = batch.iter().map(|job| job.input.count as u64).sum();
                counters.evaluations.fetch_add(evaluated, Relaxed);
                counters.batches.fetch_add(1, Relaxed);
                evaluate(inference.as_mut(), batch);
                let busy = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
                counters.busy_nanoseconds.fetch_add(busy, Relaxed);
            }
            None => return,
        }
    }
}

/// Takes waiting jobs as long as they fit into one batch; a job that does not fit is returned. A
/// job is left for an idle thread if there is one: two jobs sent in a row belong on two cores, even
/// if the first thread to wake up finds both.
fn gather(
    first: Job,
    jobs: &Receiver<Job>,
    max_batch: usize,
    idle: &AtomicUsize,
) -> (Vec<Job>, Option<Job>) {
    let (size, mut count) = (first.input.size, first.input.count);
    let mut batch = vec![first];
    while count < max_batch && idle.load(Relaxed) == 0 {
        let Ok(job) = jobs.try_recv() else { break };
        if job.input.size != size || count + job.input.count > max_batch {
            return (batch, Some(job));
        }
        count += job.input.count;
        batch.push(job);
    }
    (batch, None)
}

/// Evaluates jobs together and answers each, ignoring clients that are gone.
fn evaluate(inference: Option<&mut Inference>, mut batch: Vec<Job>) {
    let empty = Input::new(batch[0].input.size, 0);
    let mut input = std::mem::replace(&mut batch[0].input, empty);
    let mut counts = vec![input.count];
    for job in &batch[1..] {
        input.append(&job.input);
        counts.push(job.input.count);
    }
    let all: usize = counts.iter().sum();
    let result = match inference {
        Some(inference) => inference.run(&mut input),
        None => Err(ModelError::Stopped),
    };
    match result {
        Ok(rows) => {
            let width = rows.len() / all.max(1);
            let mut rest = &rows[..];
            for (job, count) in batch.into_iter().zip(counts) {
                let (mine, others) = rest.split_at(count * width);
                rest = others;
                let _ = job.reply.send(Answer { part: job.part, rows: Ok(mine.to_vec()) });
            }
        }
        Err(error) => {
            let error = Arc::new(error);
            for job in batch {
                let rows = Err(Arc::clone(&error));
                let _ = job.reply.send(Answer { part: job.part, rows });
            }
        }
    }
}
