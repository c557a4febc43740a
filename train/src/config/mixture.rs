//! The mixture of rule sets in a run's configuration.

use engine::{Rules, Size};
use selfplay::Component;
use serde::{Deserialize, Serialize};

use super::error::ConfigError;

/// One entry of the mixture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixtureSettings {
    /// Rule sets, used equally often: `["go", "tile", "stoical,suicide=true"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Whether a random combination is drawn for each game, instead of `rules`.
    #[serde(default)]
    pub combined: bool,
    /// The share of the recorded positions, relative to the other entries.
    pub share: f32,
}

impl MixtureSettings {
    /// The rule sets on boards of a given size, each with its share.
    pub(crate) fn components(&self, size: Size) -> Result<Vec<(Component, f32)>, ConfigError> {
        if !(self.share > 0.0 && self.share.is_finite()) {
            return Err(ConfigError::Value("mixture.share must be a positive number"));
        }
        if self.combined != self.rules.is_empty() {
            return Err(ConfigError::Value("mixture: expected either rules or combined = true"));
        }
        if self.combined {
            return Ok(vec![(Component::Combined, self.share)]);
        }
        let share = self.share / self.rules.len() as f32;
        let named = |text: &String| Ok((Component::Named(Rules::parse(text, size)?), share));
        self.rules.iter().map(named).collect()
    }
}
