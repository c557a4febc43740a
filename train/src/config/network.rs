//! The network of a run.

use models::Architecture;
use serde::{Deserialize, Deserializer};

/// What a configuration says of its network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NetworkSettings {
    blocks: usize,
    channels: usize,
}

impl Default for NetworkSettings {
    fn default() -> NetworkSettings {
        let Architecture { blocks, channels } = Architecture::default();
        NetworkSettings { blocks, channels }
    }
}

/// Reads a network of which a configuration may say only a part, unlike the card of a model.
pub(super) fn network<'de, D: Deserializer<'de>>(source: D) -> Result<Architecture, D::Error> {
    let NetworkSettings { blocks, channels } = NetworkSettings::deserialize(source)?;
    Ok(Architecture { blocks, channels })
}
