//! The client side of the batching server: positions in, evaluations out.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crossbeam_channel::{Receiver, Sender, bounded, select};
use engine::Position;
use search::{Evaluation, Evaluator, EvaluatorError, Ticket};

use crate::ModelError;
use crate::answer_decoder::{AnswerDecoder, evaluator_error};
use crate::input::Input;

/// A part of a client's batch, queued for the network.
pub(crate) struct Job {
    pub input: Input,
    /// Index of this part within the client's batch.
    pub part: usize,
    pub reply: Sender<Answer>,
}

/// The answer to a job: the output row of each position.
pub(crate) struct Answer {
    pub part: usize,
    pub rows: Result<Vec<f32>, Arc<ModelError>>,
}

/// Asks a server for evaluations. Clones are cheap; give each thread its own.
#[derive(Clone)]
pub struct Client {
    jobs: Sender<Job>,
    alive: Alive,
    capacity: Capacity,
}

/// What a server can handle at once; it determines how requests are divided.
#[derive(Clone)]
pub(crate) struct Capacity {
    /// The most positions that one network evaluates at once.
    pub max_batch: usize,
    /// The most networks among which a request may be divided; at least one.
    pub max_networks: usize,
    /// Networks waiting for a job.
    pub idle: Arc<AtomicUsize>,
}

/// Smallest number of positions worth a network of their own: in f32, four run at nine tenths of
/// the speed of a full batch, one at two thirds.
const MIN_PART: usize = 4;

impl Capacity {
    /// The largest part of a request for `count` positions. It is divided among the networks that
    /// would otherwise be idle: a single search sends few positions at a time and waits for them.
    fn largest_part(&self, count: usize) -> usize {
        let networks = self.idle.load(Relaxed).clamp(1, self.max_networks);
        count.div_ceil(networks).max(MIN_PART).min(self.max_batch)
    }
}

/// A channel without messages that closes when the server's last thread ends. Jobs still in the
/// queue are then never answered, so their clients must not wait for them.
pub(crate) type Alive = Receiver<Infallible>;

/// A batch that a server is working on. May be dropped.
#[must_use = "the evaluations come from `wait`"]
pub struct Pending {
    answers: Receiver<Answer>,
    alive: Alive,
    /// One for each part of the batch.
    decoders: Vec<AnswerDecoder>,
}

impl Client {
    pub(crate) fn new(jobs: Sender<Job>, alive: Alive, capacity: Capacity) -> Client {
        Client { jobs, alive, capacity }
    }

    /// Sends a batch, so that the caller can prepare another one meanwhile. Encoding happens here,
    /// on the caller's thread.
    ///
    /// # Errors
    /// The server has stopped, or a board is not square.
    pub fn submit(&self, batch: &[&Position]) -> Result<Pending, EvaluatorError> {
        let parts = AnswerDecoder::parts(batch, self.capacity.largest_part(batch.len()));
        let (reply, answers) = bounded(parts.len());
        let mut decoders = Vec::with_capacity(parts.len());
        for (part, positions) in parts.into_iter().enumerate() {
            let (decoder, input) = AnswerDecoder::encode(positions)?;
            decoders.push(decoder);
            let job = Job { input, part, reply: reply.clone() };
            self.jobs.send(job).map_err(|_| evaluator_error(ModelError::Stopped))?;
        }
        Ok(Pending { answers, alive: self.alive.clone(), decoders })
    }
}

impl Pending {
    /// Waits for the evaluations.
    ///
    /// # Errors
    /// The network failed or the server has stopped.
    pub fn wait(self) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations: Vec<Vec<Evaluation>> = Vec::new();
        evaluations.resize_with(self.decoders.len(), Vec::new);
        for _ in 0..self.decoders.len() {
            let answer = select! {
                recv(self.answers) -> answer => answer.ok(),
                recv(self.alive) -> _ => self.answers.try_recv().ok(),
            };
            let answer = answer.ok_or_else(|| evaluator_error(ModelError::Stopped))?;
            let rows = answer.rows.map_err(|error| EvaluatorError::Failed(Box::new(error)))?;
            evaluations[answer.part] = self.decoders[answer.part].decode(&rows);
        }
        Ok(match evaluations.len() {
            1 => evaluations.remove(0),
            _ => evaluations.into_iter().flatten().collect(),
        })
    }
}

impl Evaluator for Client {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.submit(batch)?.wait()
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        let pending = self.submit(batch);
        Ticket::new(move || pending?.wait())
    }
}
