//! The clients' side of the batching server: positions in, evaluations out.

use std::convert::Infallible;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded, select};
use engine::{Color, Encoding, Position, actions};
use search::{Evaluation, Evaluator, EvaluatorError};

use crate::ModelError;
use crate::input::Input;

/// A part of a client's batch on its way to the network.
pub(crate) struct Job {
    pub input: Input,
    /// Number of this part within the client's batch.
    pub part: usize,
    pub reply: Sender<Answer>,
}

/// What comes back: for each position its logits.
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

/// A channel without messages that closes when the server's last thread ends. Jobs that were still
/// in the queue then are never answered, and their clients must not wait for them.
pub(crate) type Alive = Receiver<Infallible>;

/// A batch that a server is working on. Dropping it is allowed.
#[must_use = "the evaluations come from `wait`"]
pub struct Pending {
    answers: Receiver<Answer>,
    alive: Alive,
    parts: Vec<Vec<Asked>>,
}

/// What is needed of a position to read the network's answer.
struct Asked {
    size: usize,
    mover: Color,
    /// Legal moves as action numbers, in the order of `legal_moves`.
    legal: Vec<u16>,
}

impl Client {
    pub(crate) fn new(jobs: Sender<Job>, alive: Alive, max_batch: usize) -> Client {
        Client { jobs, alive, max_batch }
    }

    /// Sends a batch off; meanwhile the caller can prepare another one. Encoding happens here, on
    /// the caller's thread.
    ///
    /// # Errors
    /// The server has stopped.
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
            let mut input = Input::new(positions[0].size(), positions.len());
            asked.push(positions.iter().map(|position| Asked::of(position)).collect());
            positions.iter().for_each(|position| input.push(&Encoding::of(position)));
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
            let width = rows.len() / asked.len();
            let rows = rows.chunks_exact(width);
            evaluations[answer.part] =
                asked.iter().zip(rows).map(|(asked, row)| asked.read(row)).collect();
        }
        Ok(evaluations.into_iter().flatten().collect())
    }
}

impl Evaluator for Client {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.submit(batch)?.wait()
    }
}

impl Asked {
    fn of(position: &Position) -> Asked {
        let size = position.size();
        let legal = position.legal_moves().iter().map(|m| m.action(size) as u16).collect();
        Asked { size, mover: position.turn(), legal }
    }

    /// Softmax over the legal moves, and the mover's result turned into Black's.
    fn read(&self, row: &[f32]) -> Evaluation {
        let (policy, result) = row.split_at(actions(self.size));
        let mut priors: Vec<f32> = self.legal.iter().map(|&a| policy[usize::from(a)]).collect();
        softmax(&mut priors);
        let mut result = [result[0], result[1], result[2]];
        softmax(&mut result);
        Evaluation { priors, value: self.mover.sign() * (result[0] - result[2]) }
    }
}

pub(crate) fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
        sum += *logit;
    }
    logits.iter_mut().for_each(|logit| *logit /= sum);
}

fn failed(error: ModelError) -> EvaluatorError {
    EvaluatorError::Failed(Box::new(error))
}
