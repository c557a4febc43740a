//! The interface between the search and any evaluator of positions.

use engine::{Color, Move, Position};

/// The legal moves of a position, in the order of [`Position::legal_moves`], each with its
/// probability; they sum to 1.
pub type Policy = Vec<(Move, f32)>;

/// What an evaluator says about one position of a running game.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The legal moves with their prior probabilities. The search takes the moves from here.
    pub policy: Policy,
    /// Expected result for *Black*, even when White is to move: 1 is a Black win, −1 a White win.
    pub value: f32,
    /// Black's expected lead in points, compensation included. Under rules without a score, what
    /// the winner is expected to have left: prisoners where they decide, otherwise empty points.
    /// `None` if the evaluator does not predict it.
    pub lead: Option<f32>,
}

/// A player's winning probability from 0 to 1, given Black's expected result `value` from −1 to 1.
/// A draw counts as half a win.
pub fn winrate(value: f32, player: Color) -> f32 {
    0.5 + 0.5 * player.sign() * value
}

/// Evaluates positions: a network, a cache in front of one, a test's fixed answers.
///
/// ```
/// use engine::{Position, Rules};
/// use search::{Evaluation, Evaluator, EvaluatorError};
///
/// struct Even;
///
/// impl Evaluator for Even {
///     fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
///         let even = |position: &&Position| {
///             let moves = position.legal_moves();
///             let prior = 1.0 / moves.len() as f32;
///             let policy = moves.iter().map(|&played| (played, prior)).collect();
///             Evaluation { policy, value: 0.0, lead: None }
///         };
///         Ok(batch.iter().map(even).collect())
///     }
/// }
///
/// let start = Position::new(Rules::parse("go", 3)?);
/// assert_eq!(Even.evaluate(&[&start])?[0].policy.len(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Evaluator {
    /// Evaluates all positions of a batch, in its order. None of them is a finished game.
    ///
    /// # Errors
    /// The whole batch failed; there are no partial answers.
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError>;

    /// Only the policies of all positions of a batch, for evaluators that find them more cheaply
    /// than values.
    ///
    /// # Errors
    /// As for [`Evaluator::evaluate`].
    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        let evaluations = self.evaluate(batch)?;
        Ok(evaluations.into_iter().map(|evaluation| evaluation.policy).collect())
    }

    /// Begins to evaluate a batch, so that the caller can prepare another one meanwhile. Evaluators
    /// that cannot work in the background have finished when this returns.
    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        let answer = self.evaluate(batch);
        Ticket::new(move || answer)
    }
}

/// Evaluations in progress. It may be dropped.
#[must_use = "the evaluations come from `wait`"]
pub struct Ticket(Box<dyn FnOnce() -> Result<Vec<Evaluation>, EvaluatorError>>);

impl Ticket {
    /// A ticket that calls `wait` to wait for the evaluations and return them.
    pub fn new(wait: impl FnOnce() -> Result<Vec<Evaluation>, EvaluatorError> + 'static) -> Ticket {
        Ticket(Box::new(wait))
    }

    /// Waits for the evaluations.
    ///
    /// # Errors
    /// As for [`Evaluator::evaluate`].
    pub fn wait(self) -> Result<Vec<Evaluation>, EvaluatorError> {
        (self.0)()
    }
}

impl<E: Evaluator + ?Sized> Evaluator for &mut E {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        (**self).evaluate(batch)
    }

    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        (**self).policies(batch)
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        (**self).begin(batch)
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        (**self).evaluate(batch)
    }

    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        (**self).policies(batch)
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        (**self).begin(batch)
    }
}

/// Why there is no usable evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluatorError {
    /// The number of evaluations differs from the batch size.
    #[error("the evaluator returned {found} evaluations for a batch of {expected} positions")]
    AnswerCount {
        /// Positions asked for.
        expected: usize,
        /// Evaluations received.
        found: usize,
    },
    /// The priors do not match the legal moves one to one.
    #[error("{found} priors for {expected} legal moves")]
    PriorCount {
        /// Legal moves of the position.
        expected: usize,
        /// Priors received.
        found: usize,
    },
    /// A prior is negative, infinite or not a number.
    #[error("the prior of legal move {index} is {prior}, not a number from 0 to 1")]
    Prior {
        /// Index of the move among the legal moves.
        index: usize,
        /// What was received.
        prior: f32,
    },
    /// The priors are not a probability distribution.
    #[error("the priors sum to {sum}, not to 1")]
    PriorSum {
        /// Their sum.
        sum: f32,
    },
    /// The value is outside \[−1, 1\] or not a number.
    #[error("the value is {value}, not a number from -1 to 1")]
    Value {
        /// What was received.
        value: f32,
    },
    /// The evaluator itself failed: its network, its server, its connection.
    #[error("the evaluator failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Priors and values may be off by this much, about the rounding error that bf16 arithmetic leaves
/// in a sum.
const TOLERANCE: f32 = 0.01;

impl Evaluation {
    /// The move with the highest prior; the last one if several are equal.
    pub fn likeliest(&self) -> Option<Move> {
        let likeliest = self.policy.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
        likeliest.map(|&(played, _)| played)
    }

    /// Checks that this is a valid evaluation of `position`.
    ///
    /// # Errors
    /// The first problem found.
    pub fn check(&self, position: &Position) -> Result<(), EvaluatorError> {
        check_policy(&self.policy, position)?;
        if self.value.is_nan() || self.value.abs() > 1.0 + TOLERANCE {
            return Err(EvaluatorError::Value { value: self.value });
        }
        Ok(())
    }
}

/// Checks that this is a valid policy for `position`. It must have as many moves as are legal; that
/// they are the same moves is checked only with debug assertions.
///
/// # Errors
/// The first problem found.
pub fn check_policy(policy: &[(Move, f32)], position: &Position) -> Result<(), EvaluatorError> {
    let (found, expected) = (policy.len(), position.count_legal_moves());
    if found != expected {
        return Err(EvaluatorError::PriorCount { expected, found });
    }
    debug_assert!(policy.iter().map(|(played, _)| *played).eq(position.legal_moves()));
    let mut sum = 0.0;
    for (index, &(_, prior)) in policy.iter().enumerate() {
        if !(prior.is_finite() && prior >= 0.0) {
            return Err(EvaluatorError::Prior { index, prior });
        }
        sum += prior;
    }
    if (sum - 1.0).abs() > TOLERANCE {
        return Err(EvaluatorError::PriorSum { sum });
    }
    Ok(())
}

/// The evaluation of a single position.
///
/// # Errors
/// The evaluator's, or that it did not return exactly one evaluation.
pub fn evaluate_one<E: Evaluator + ?Sized>(
    evaluator: &mut E,
    position: &Position,
) -> Result<Evaluation, EvaluatorError> {
    let mut evaluations = evaluator.evaluate(&[position])?;
    check_count(1, evaluations.len())?;
    Ok(evaluations.remove(0))
}

/// Checks that a batch got one evaluation per position.
///
/// # Errors
/// It got more or fewer.
pub fn check_count(expected: usize, found: usize) -> Result<(), EvaluatorError> {
    if expected == found { Ok(()) } else { Err(EvaluatorError::AnswerCount { expected, found }) }
}
