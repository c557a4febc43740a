//! Errors in a configuration.

use std::path::PathBuf;

use engine::RulesError;
use thiserror::Error;

use super::standard::standard_names;

/// Why a configuration cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, std::io::Error),
    /// Not TOML, an unknown key, or a value of the wrong kind.
    #[error("{origin}: {message}")]
    Parse {
        /// The file, or `settings` for changes.
        origin: String,
        /// What is wrong, with the nearest valid key.
        message: String,
    },
    /// An unknown standard configuration.
    #[error("unknown configuration '{0}': expected {names}, or a file that ends in .toml", names = names())]
    Unknown(String),
    /// A configuration without rules.
    #[error("the configuration leaves the rules open: none were given")]
    NoRules,
    /// Rules that do not exist or do not fit together.
    #[error("rules: {0}")]
    Rules(#[from] RulesError),
    /// A value out of range.
    #[error("{0}")]
    Value(&'static str),
    /// Matches under rules that the run does not learn.
    #[error(
        "'{0}' is not learnt by this run: rules, and evaluation.panel, must be among what the mixture plays"
    )]
    NotLearnt(String),
    /// A reference player that a run cannot play against.
    #[error("evaluation.references: {0}")]
    Reference(String),
    /// The network's architecture is invalid.
    #[error(transparent)]
    Network(#[from] models::ModelError),
}

/// The names of the standard configurations, in one line.
fn names() -> String {
    standard_names().collect::<Vec<_>>().join(", ")
}
