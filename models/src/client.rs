//! The clients' side of the batching server: positions in, evaluations out.

use std::convert::Infallible;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded, select};
use engine::{Color, Encoding, Move, Position, Size, actions};
use search::{Evaluation, Evaluator, EvaluatorError, Ticket, softmax};

use crate::ModelError;
use crate::input::Input;

/// A part of a client's batch, queued for the network.
pub(crate) struct Job {
    pub input: Input,
    /// Number of this part within the client's batch.
    pub part: usize,
    pub reply: Sender<Answer>,
}

/// The answer: the logits of each position.
pub(crate) struct Answer {
    pub part: usize,
    pub rows: Result<Vec<f32>, Arc<ModelError>>,
}

/// Asks a server for evaluations. Clones are cheap; give each thread its own.
#[derive(Clone)]
pub struct Client {
    jobs: Sender<Job>,
    alive: Alive,
    max_batch: usize,
}

/// A channel without messages that closes when the server's last thread ends. Jobs still
/// in the queue are then never answered, and their clients must not wait for them.
pub(crate) type Alive = Receiver<Infallible>;

/// A batch that a server is working on. It may be dropped.
#[must_use = "the evaluations come from `wait`"]
pub struct Pending {
    answers: Receiver<Answer>,
    alive: Alive,
    parts: Vec<Asked>,
}

/// What reading the network's answers needs of some positions of one size.
struct Asked {
    size: Size,
    /// The player to move in each position, and where its legal moves end in `legal`.
    positions: Vec<(Color, usize)>,
    /// Legal moves, one position after the other.
    legal: Vec<Move>,
}

impl Client {
    pub(crate) fn new(jobs: Sender<Job>, alive: Alive, max_batch: usize) -> Client {
        Client { jobs, alive, max_batch }
    }

    /// Sends a batch; meanwhile the caller can prepare another one. Encoding happens here, on
    /// the caller's thread.
    ///
    /// # Errors
    /// The server has stopped, or a board is not square.
    pub fn submit(&self, batch: &[&Position]) -> Result<Pending, EvaluatorError> {
        let parts: Vec<&[&Position]> = batch
            .chunk_by(|a, b| a.size() == b.size())
            .flat_map(|same| {
                let parts = same.len().div_ceil(self.max_batch);
                same.chunks(same.len().div_ceil(parts))
            })
            .collect();
        let (reply, answers) = bounded(parts.len());
        let mut asked = Vec::with_capacity(parts.len());
        for (part, positions) in parts.into_iter().enumerate() {
            let size = positions[0].size();
            if size.side().is_none() {
                return Err(failed(ModelError::NotSquare(size)));
            }
            let mut input = Input::new(size, positions.len());
            let mut questions = Asked::new(size, positions.len());
            for position in positions {
                let encoding = Encoding::of(position);
                input.push(&encoding);
                questions.push(position, &encoding);
            }
            asked.push(questions);
            let job = Job { input, part, reply: reply.clone() };
            self.jobs.send(job).map_err(|_| failed(ModelError::Stopped))?;
        }
        Ok(Pending { answers, alive: self.alive.clone(), parts: asked })
    }
}

impl Pending {
    /// Waits for the network.
    ///
    /// # Errors
    /// The network failed or the server has stopped.
    pub fn wait(self) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations: Vec<Vec<Evaluation>> = Vec::new();
        evaluations.resize_with(self.parts.len(), Vec::new);
        for _ in 0..self.parts.len() {
            let answer = select! {
                recv(self.answers) -> answer => answer.ok(),
                recv(self.alive) -> _ => self.answers.try_recv().ok(),
            };
            let answer = answer.ok_or_else(|| failed(ModelError::Stopped))?;
            let rows = answer.rows.map_err(|error| EvaluatorError::Failed(Box::new(error)))?;
            let asked = &self.parts[answer.part];
            evaluations[answer.part] = asked.read(&rows);
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

impl Asked {
    fn new(size: Size, count: usize) -> Asked {
        let legal = Vec::with_capacity(count * (size.area() + 1));
        Asked { size, positions: Vec::with_capacity(count), legal }
    }

    fn push(&mut self, position: &Position, encoding: &Encoding) {
        self.legal.extend_from_slice(&encoding.legal_moves());
        self.positions.push((position.turn(), self.legal.len()));
    }

    /// Softmax over the legal moves, and the mover's result and margin turned into Black's.
    fn read(&self, rows: &[f32]) -> Vec<Evaluation> {
        let width = rows.len() / self.positions.len();
        let mut start = 0;
        let mut priors = Vec::new();
        let read = |(&(mover, end), row): (&(Color, usize), &[f32])| {
            let (logits, result) = row.split_at(actions(self.size));
            let legal = &self.legal[start..end];
            start = end;
            priors.clear();
            priors.extend(legal.iter().map(|played| logits[played.action(self.size)]));
            softmax(&mut priors);
            let policy = legal.iter().copied().zip(priors.iter().copied()).collect();
            let margin = result[3];
            let mut result = [result[0], result[1], result[2]];
            softmax(&mut result);
            let value = mover.sign() * (result[0] - result[2]);
            let lead = mover.sign() * margin.clamp(-1.0, 1.0) * self.size.area() as f32;
            Evaluation { policy, value, lead: margin.is_finite().then_some(lead) }
        };
        self.positions.iter().zip(rows.chunks_exact(width)).map(read).collect()
    }
}

fn failed(error: ModelError) -> EvaluatorError {
    EvaluatorError::Failed(Box::new(error))
}
