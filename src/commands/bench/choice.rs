//! What a benchmark measures.

use anyhow::Result;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use engine::{Rules, Size, Variant};
use models::{Architecture, ServerSettings};
use serde::Serialize;

use crate::arguments::ComputeArguments;

/// The game.
#[derive(Args, Serialize)]
pub(super) struct GameChoice {
    /// A variant's name, and changes to it.
    #[arg(long, default_value = "go")]
    rules: String,
    /// Side of the board.
    #[arg(long, default_value = "9")]
    pub(super) size: Size,
}

impl GameChoice {
    pub(super) fn new(variant: Variant, size: u8) -> Result<GameChoice> {
        Ok(GameChoice { rules: variant.name().to_owned(), size: Size::try_from(size)? })
    }

    pub(super) fn rules(&self) -> Result<Rules> {
        Ok(Rules::parse(&self.rules, self.size)?)
    }
}

/// A network without training, and where it computes: speed does not depend on what it has learnt.
#[derive(Args, Serialize)]
pub(super) struct NetworkChoice {
    /// Residual blocks of the network.
    #[arg(long, default_value_t = 6)]
    pub(super) blocks: usize,
    /// Channels of the network.
    #[arg(long, default_value_t = 64)]
    pub(super) channels: usize,
    #[command(flatten)]
    #[serde(skip)]
    compute: ComputeArguments,
}

impl NetworkChoice {
    /// On the best available device and in the best precision.
    pub(super) fn automatic(blocks: usize, channels: usize) -> NetworkChoice {
        NetworkChoice { blocks, channels, compute: ComputeArguments::automatic() }
    }

    pub(super) fn open(&self) -> Result<(Architecture, ServerSettings)> {
        let architecture = Architecture { blocks: self.blocks, channels: self.channels };
        Ok((architecture, self.compute.settings()?))
    }
}

/// The largest number of positions or games at once: they must fit into memory together.
const MAX_AT_ONCE: u64 = 65_536;

/// Reads a number of positions or games at once.
pub(super) fn at_once() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_AT_ONCE)
}

/// A time in seconds, above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| seconds > 0.0 && seconds < 1e6);
    seconds.ok_or_else(|| {
        format!("'{text}' is no time: expected a number of seconds above 0 and below 1000000")
    })
}
