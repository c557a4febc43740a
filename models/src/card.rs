//! A model's card: `card.toml` next to its weights.

use std::path::Path;

use engine::{Rules, Scope, Size};
use serde::{Deserialize, Serialize};

use crate::files::{self, Digest};
use crate::{Architecture, Inputs, ModelError};

/// The name of the card file in a model folder.
pub const CARD: &str = "card.toml";

/// Everything that determines whether weights fit a game and this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The rules that the network has learnt, as `Rules::parse` reads them.
    pub rules: String,
    /// `Rules::kind_hash` in hexadecimal: the same for rules that differ only in size, komi and
    /// move limit.
    pub rules_hash: String,
    /// For a network that has learnt many rule sets, the values of their fields; it plays every
    /// rule set composed of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Board sizes that it has learnt.
    pub sizes: Vec<Size>,
    /// Learning steps taken.
    pub training_step: u64,
    /// Length of the weights file in bytes; written by `save`.
    #[serde(default)]
    pub weights_bytes: u64,
    /// SHA-256 of the weights file in hexadecimal; written by `save`.
    #[serde(default)]
    pub weights_sha256: String,
    /// The shape of the network.
    pub architecture: Architecture,
    /// The inputs that the weights were made for.
    pub inputs: Inputs,
}

impl Card {
    /// The card of a network that has learnt these rules for `step` steps.
    pub fn new(rules: &Rules, architecture: &Architecture, step: u64) -> Card {
        Card {
            rules: rules.to_string(),
            rules_hash: rules_hash(rules),
            scope: None,
            sizes: vec![rules.size],
            training_step: step,
            weights_bytes: 0,
            weights_sha256: String::new(),
            architecture: *architecture,
            inputs: Inputs::all(),
        }
    }

    /// Reads the card of a model folder.
    ///
    /// # Errors
    /// It is missing, cannot be read, or is not a card.
    pub fn load(folder: &Path) -> Result<Card, ModelError> {
        Card::read(folder, &files::read(&folder.join(CARD))?)
    }

    /// Parses a card that was read from `folder`.
    ///
    /// # Errors
    /// It is not a card.
    pub fn read(folder: &Path, bytes: &[u8]) -> Result<Card, ModelError> {
        let bad = |reason: &str| ModelError::BadCard {
            path: folder.join(CARD),
            reason: reason.lines().next().unwrap_or("unreadable").to_owned(),
        };
        let text = str::from_utf8(bytes).map_err(|_| bad("it is not text"))?;
        let card: Card = toml::from_str(text).map_err(|error| bad(error.message()))?;
        card.architecture.check().map_err(|error| bad(&error.to_string()))?;
        let Some(&size) = card.sizes.last() else { return Err(bad("it names no board size")) };
        Rules::parse(&card.rules, size).map_err(|error| bad(&error.to_string()))?;
        if let Some(input) = card.inputs.unknown() {
            let (path, input) = (folder.join(CARD), input.to_owned());
            return Err(ModelError::UnknownInput { path, input });
        }
        Ok(card)
    }

    pub(crate) fn save(&self, folder: &Path) -> Result<(), ModelError> {
        files::write(&folder.join(CARD), self.text()?.as_bytes())
    }

    /// The card as the text of its file.
    ///
    /// # Errors
    /// It cannot be written as TOML.
    pub fn text(&self) -> Result<String, ModelError> {
        let bad = |error: toml::ser::Error| ModelError::BadCard {
            path: CARD.into(),
            reason: error.to_string(),
        };
        toml::to_string(self).map_err(bad)
    }

    pub(crate) fn describe(&mut self, weights: &[u8]) {
        self.weights_bytes = weights.len() as u64;
        self.weights_sha256 = Digest::of(weights).to_string();
    }

    /// Checks that the model can play these rules.
    ///
    /// # Errors
    /// Other rules, or a size that it has not learnt.
    pub fn check(&self, folder: &Path, rules: Option<&Rules>) -> Result<(), ModelError> {
        let path = || folder.to_path_buf();
        let Some(rules) = rules else { return Ok(()) };
        if let Some(scope) = &self.scope {
            if let Some((field, value)) = scope.excludes(rules) {
                let known = scope.known(field);
                return Err(ModelError::OutOfScope { path: path(), field, value, known });
            }
        } else if self.rules_hash != rules_hash(rules) {
            let (model, wanted) = (self.rules.clone(), rules.to_string());
            return Err(ModelError::OtherRules { path: path(), model, wanted });
        }
        if !self.sizes.contains(&rules.size) {
            let (known, wanted) = (self.sizes.clone(), rules.size);
            return Err(ModelError::UnknownSize { path: path(), known, wanted });
        }
        Ok(())
    }
}

fn rules_hash(rules: &Rules) -> String {
    format!("{:016x}", rules.kind_hash())
}
