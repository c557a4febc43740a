//! Encodes positions for a network, and decodes its answers.

use engine::{Color, Encoding, Move, Position, Size, actions};
use search::{Evaluation, EvaluatorError, softmax};

use crate::ModelError;
use crate::input::Input;

/// What is needed to interpret the network's answers for some positions of one size.
pub(crate) struct AnswerDecoder {
    size: Size,
    /// The player to move in each position, and where its legal moves end in `legal`.
    positions: Vec<(Color, usize)>,
    /// Legal moves, one position after another.
    legal: Vec<Move>,
}

impl AnswerDecoder {
    /// Splits a batch into parts of at most `largest` consecutive positions of one size.
    pub fn parts<'a>(batch: &'a [&'a Position], largest: usize) -> Vec<&'a [&'a Position]> {
        let same = batch.chunk_by(|a, b| a.size() == b.size());
        same.flat_map(|same| same.chunks(same.len().div_ceil(same.len().div_ceil(largest))))
            .collect()
    }

    /// Encodes positions of one size; the decoder is for the network's answers to this input.
    ///
    /// # Errors
    /// The board is not square.
    pub fn encode(positions: &[&Position]) -> Result<(AnswerDecoder, Input), EvaluatorError> {
        let size = positions[0].size();
        if size.side().is_none() {
            return Err(evaluator_error(ModelError::NotSquare(size)));
        }
        let mut input = Input::new(size, positions.len());
        let mut decoder = AnswerDecoder::new(size, positions.len());
        for position in positions {
            let encoding = Encoding::of(position);
            input.push(&encoding);
            decoder.push(position, &encoding);
        }
        Ok((decoder, input))
    }

    fn new(size: Size, count: usize) -> AnswerDecoder {
        let legal = Vec::with_capacity(count * (size.area() + 1));
        AnswerDecoder { size, positions: Vec::with_capacity(count), legal }
    }

    fn push(&mut self, position: &Position, encoding: &Encoding) {
        self.legal.extend_from_slice(&encoding.legal_moves());
        self.positions.push((position.turn(), self.legal.len()));
    }

    /// Decodes the network's row for each position: applies a softmax over the legal moves, and
    /// converts the mover's result and margin to Black's.
    pub fn decode(&self, rows: &[f32]) -> Vec<Evaluation> {
        let width = rows.len() / self.positions.len();
        let mut start = 0;
        let mut priors = Vec::new();
        let decode = |(&(mover, end), row): (&(Color, usize), &[f32])| {
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
        self.positions.iter().zip(rows.chunks_exact(width)).map(decode).collect()
    }
}

pub(crate) fn evaluator_error(error: ModelError) -> EvaluatorError {
    EvaluatorError::Failed(Box::new(error))
}
