//! The network that is measured.

use anyhow::Result;
use clap::Args;
use models::{Architecture, Device, Precision, ServerSettings};

/// A network without training, and where it computes: speed does not depend on what it has learnt.
#[derive(Args)]
pub(super) struct NetworkChoice {
    /// Residual blocks of the network.
    #[arg(long, default_value_t = 6)]
    pub(super) blocks: usize,
    /// Channels of the network.
    #[arg(long, default_value_t = 64)]
    pub(super) channels: usize,
    /// cpu, cuda or auto.
    #[arg(long, default_value = "auto")]
    device: String,
    /// f32, bf16 or auto.
    #[arg(long, default_value = "auto")]
    precision: String,
}

impl NetworkChoice {
    /// On the best device and in the best arithmetic that there is.
    pub(super) fn automatic(blocks: usize, channels: usize) -> NetworkChoice {
        let auto = || "auto".to_owned();
        NetworkChoice { blocks, channels, device: auto(), precision: auto() }
    }

    pub(super) fn open(&self) -> Result<(Architecture, ServerSettings)> {
        let device = Device::choose(&self.device)?;
        let precision = Precision::choose(&self.precision, device)?;
        let architecture = Architecture { blocks: self.blocks, channels: self.channels };
        Ok((architecture, ServerSettings::new(device, precision)))
    }
}
