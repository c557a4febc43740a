//! The models that a server can play with.

use std::collections::HashSet;

use engine::Rules;
use search::Evaluator;

use crate::Repertoire;

/// Makes evaluators of one model: each searching thread gets its own.
pub trait EvaluatorSource: Send + Sync {
    /// Another evaluator of the same model.
    fn evaluator(&self) -> Box<dyn Evaluator + Send>;
}

impl<F, E> EvaluatorSource for F
where
    F: Fn() -> E + Send + Sync,
    E: Evaluator + Send + 'static,
{
    fn evaluator(&self) -> Box<dyn Evaluator + Send> {
        Box::new(self())
    }
}

/// A model with the name that people choose it by.
pub struct Model {
    /// Its name.
    pub name: String,
    /// The rules that it knows, on each of its sizes. Other komi and move limits are played as well.
    pub repertoire: Repertoire,
    /// Where its evaluators come from.
    pub source: Box<dyn EvaluatorSource>,
}

/// All models of a server; there may be none, and people then play each other.
pub struct Catalogue {
    models: Vec<Model>,
}

/// Two models of one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two models are called '{0}': give each its own name")]
pub struct SameName(String);

impl Catalogue {
    /// These models, the preferred ones first.
    ///
    /// # Errors
    /// Two of them have the same name.
    pub fn new(models: Vec<Model>) -> Result<Catalogue, SameName> {
        let mut names = HashSet::new();
        match models.iter().find(|model| !names.insert(&model.name)) {
            Some(second) => Err(SameName(second.name.clone())),
            None => Ok(Catalogue { models }),
        }
    }

    pub(crate) fn models(&self) -> &[Model] {
        &self.models
    }

    /// The number of the model of that name.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.models.iter().position(|model| model.name == name)
    }

    /// The number of the first model that knows these rules on their size.
    pub(crate) fn knowing(&self, rules: &Rules) -> Option<usize> {
        self.models.iter().position(|model| model.knows(rules))
    }
}

impl Model {
    /// Whether it has learnt these rules on their size.
    pub(crate) fn knows(&self, rules: &Rules) -> bool {
        self.repertoire
            .rules(rules.size.into())
            .is_ok_and(|known| known.kind_hash() == rules.kind_hash())
    }
}
