//! A network on the caller's own thread.

use engine::Position;
use search::{Evaluation, Evaluator, EvaluatorError};

use crate::answer_decoder::{AnswerDecoder, evaluator_error};
use crate::inference::{Inference, MAX_BATCH};
use crate::{Device, ModelError, Network, Precision};

/// Evaluates on the caller's thread, for a single search without other threads, as in a browser. A
/// [`Server`](crate::Server) serves many at once.
pub struct Direct(Inference);

impl Direct {
    /// Evaluates on the CPU, in f32.
    ///
    /// # Errors
    /// None in practice: only other devices and precisions can fail.
    pub fn new(network: &Network) -> Result<Direct, ModelError> {
        Inference::new(network, Device::Cpu, Precision::F32).map(Direct)
    }
}

impl Evaluator for Direct {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = Vec::with_capacity(batch.len());
        for positions in AnswerDecoder::parts(batch, MAX_BATCH) {
            let (decoder, mut input) = AnswerDecoder::encode(positions)?;
            let rows = self.0.run(&mut input).map_err(evaluator_error)?;
            evaluations.extend(decoder.decode(&rows));
        }
        Ok(evaluations)
    }
}
