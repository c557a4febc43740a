//! The programs that can play.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arena::CachedPlayoutEvaluator;
use bot::SupportedRules;
use engine::Position;
use interface::{Catalogue, Knowledge, Model};
use models::{Direct, ModelError, StoredModel};
use search::{Cached, Evaluation, Evaluator, EvaluatorError, Policy};

const CARD: &[u8] = include_bytes!("../../models/released/universal/card.toml");
const WEIGHTS: &[u8] = include_bytes!("../../models/released/universal/weights.safetensors");

const BEGINNER_CARD: &[u8] = include_bytes!("../../models/released/beginner/card.toml");
const BEGINNER_WEIGHTS: &[u8] =
    include_bytes!("../../models/released/beginner/weights.safetensors");

/// Number of cached evaluations per program: a game's searches, in a few megabytes.
const CACHED_EVALUATIONS: usize = 4_096;

/// Why the programs are not available: an embedded model is damaged.
#[derive(Debug, thiserror::Error)]
pub enum ProgramsError {
    /// Its network cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Its card names rules that do not exist.
    #[error(transparent)]
    Rules(#[from] bot::SupportedRulesError),
    /// Two programs have the same name.
    #[error(transparent)]
    Names(#[from] interface::DuplicateName),
}

/// The universal network, random playouts for what it has not learnt, and a small network for the
/// weak levels.
///
/// # Errors
/// A network in this program is damaged.
pub fn programs() -> Result<Catalogue, ProgramsError> {
    let universal = network("universal", CARD, WEIGHTS)?;
    let playouts = CachedPlayoutEvaluator::with_capacity(CACHED_EVALUATIONS);
    let playouts = model("playouts", Knowledge::AnyRules, playouts);
    let beginner = network("beginner", BEGINNER_CARD, BEGINNER_WEIGHTS)?;
    Ok(Catalogue::new(vec![universal, playouts])?.with_beginner(beginner))
}

fn network(
    name: &str,
    card: &'static [u8],
    weights: &'static [u8],
) -> Result<Model, ProgramsError> {
    let stored = StoredModel::built_in(PathBuf::from(name), card, weights)?;
    let card = stored.card();
    let learnt = SupportedRules::learnt(&card.rules, &card.sizes, card.scope.clone())?;
    let network = Cached::new(Direct::new(&stored.network(None)?)?, CACHED_EVALUATIONS);
    Ok(model(name, Knowledge::Learnt(learnt), network))
}

/// A model whose searches all use one evaluator: they take turns on a single thread.
fn model(name: &str, knowledge: Knowledge, evaluator: impl Evaluator + Send + 'static) -> Model {
    let shared = Shared(Arc::new(Mutex::new(evaluator)));
    Model { name: name.to_owned(), knowledge, source: Box::new(move || shared.clone()) }
}

struct Shared<E>(Arc<Mutex<E>>);

impl<E> Clone for Shared<E> {
    fn clone(&self) -> Shared<E> {
        Shared(Arc::clone(&self.0))
    }
}

impl<E: Evaluator> Evaluator for Shared<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).evaluate(batch)
    }

    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).policies(batch)
    }
}
