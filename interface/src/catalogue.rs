//! The programs that can be played against: models, and possibly a player without a network.

use std::collections::HashSet;

use engine::{MAX_SIZE, Rules, Size};
use search::Evaluator;

use bot::{EvaluatorChoice, Level, Strength, SupportedRules};

/// Opens evaluators of one model: each search thread gets its own.
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

/// The games that a program can play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Knowledge {
    /// A network that has learnt these rules. Other komi and move limits are also played.
    Learnt(SupportedRules),
    /// There is no network, so any rule set is possible.
    AnyRules,
}

/// A program and its displayed name.
pub struct Model {
    /// Its name.
    pub name: String,
    /// What it plays.
    pub knowledge: Knowledge,
    /// The source of its evaluators.
    pub source: Box<dyn EvaluatorSource>,
}

/// All models; without any, people can only play each other.
pub struct Catalogue {
    /// The offered models, followed by the beginner if there is one.
    models: Vec<Model>,
    beginner: Option<usize>,
}

/// Two models with the same name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two models are named '{0}': give each its own name")]
pub struct DuplicateName(String);

impl Catalogue {
    /// These models, preferred ones first.
    ///
    /// # Errors
    /// Two of them have the same name.
    pub fn new(models: Vec<Model>) -> Result<Catalogue, DuplicateName> {
        let mut names = HashSet::new();
        match models.iter().find(|model| !names.insert(&model.name)) {
            Some(second) => Err(DuplicateName(second.name.clone())),
            None => Ok(Catalogue { models, beginner: None }),
        }
    }

    /// The same catalogue with a network that has learnt little, which plays the weak levels of all
    /// others that use a network.
    #[must_use]
    pub fn with_beginner(mut self, beginner: Model) -> Catalogue {
        self.beginner = Some(self.models.len());
        self.models.push(beginner);
        self
    }

    /// The offered models.
    pub fn models(&self) -> &[Model] {
        &self.models[..self.beginner.unwrap_or(self.models.len())]
    }

    /// The index of the network that has learnt little, if it plays the weak levels of a model
    /// under these rules.
    fn beginner_for(&self, model: usize, rules: &Rules) -> Option<usize> {
        let plays = |&beginner: &usize| {
            self.models[model].has_network() && self.models[beginner].knows(rules)
        };
        self.beginner.filter(plays)
    }

    /// The square boards on which a network that has learnt little plays the weak levels of a model
    /// under these rules.
    pub fn beginner_sizes(&self, model: usize, rules: &Rules) -> Vec<Size> {
        let mut sizes = self.models[model].sizes(rules);
        sizes.retain(|&size| self.beginner_for(model, &Rules { size, ..*rules }).is_some());
        sizes
    }

    /// The model with this index.
    pub fn model(&self, number: usize) -> &Model {
        &self.models[number]
    }

    /// How a model plays these rules at a level, and the index of the model whose evaluator it
    /// uses.
    pub fn strength(&self, model: usize, rules: &Rules, level: Level) -> (usize, Strength) {
        let beginner = self.beginner_for(model, rules);
        let strength = level.strength(rules.size, beginner.is_some());
        match (strength.evaluator, beginner) {
            (EvaluatorChoice::Beginner, Some(beginner)) => (beginner, strength),
            (EvaluatorChoice::Beginner, None) | (EvaluatorChoice::Model, _) => (model, strength),
        }
    }

    /// The index of the model with this name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.models().iter().position(|model| model.name == name)
    }

    /// The index of the first model that plays these rules on their size, preferring one with a
    /// network.
    pub fn model_for(&self, rules: &Rules) -> Option<usize> {
        let plays = |&index: &usize| self.models[index].knows(rules);
        let mut playing = (0..self.models().len()).filter(plays);
        let first = playing.clone().next();
        playing.find(|&index| self.models[index].has_network()).or(first)
    }

    /// Whether a model's values belong to a game's course: a single network must evaluate all of
    /// it, or the difference between two networks would look like a swing.
    pub fn is_model_for(&self, model: usize, rules: &Rules) -> bool {
        self.model_for(rules) == Some(model)
    }

    /// The index of the model with this name, or of another one if that does not play the rules.
    pub fn model_for_player(&self, name: &str, rules: &Rules) -> Option<usize> {
        let named = self.named(name).filter(|&index| self.models[index].knows(rules));
        named.or_else(|| self.model_for(rules))
    }
}

impl Model {
    /// Whether it plays these rules on their size.
    pub fn knows(&self, rules: &Rules) -> bool {
        match &self.knowledge {
            Knowledge::Learnt(supported) => supported.has_learnt(rules),
            Knowledge::AnyRules => true,
        }
    }

    /// The square boards on which it plays these rules.
    pub fn sizes(&self, rules: &Rules) -> Vec<Size> {
        let squares = (2..=MAX_SIZE).filter_map(|side| Size::try_from(side).ok());
        squares.filter(|&size| self.knows(&Rules { size, ..*rules })).collect()
    }

    /// Whether it uses a network.
    pub fn has_network(&self) -> bool {
        match self.knowledge {
            Knowledge::Learnt(_) => true,
            Knowledge::AnyRules => false,
        }
    }
}
