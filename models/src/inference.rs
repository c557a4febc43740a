//! The computation of policies and results on one thread.

use crate::input::Input;
#[cfg(feature = "libtorch")]
use crate::libtorch::inference::TorchNetwork;
use crate::playing::PlayingNetwork;
use crate::{Device, ModelError, Network, Precision};

/// The largest batch that is computed at once.
pub(crate) const MAX_BATCH: usize = 2048;

/// A network prepared for fast inference.
pub(crate) struct Inference {
    computation: Computation,
    has_margin: bool,
}

enum Computation {
    /// On CPUs in f32, or in bf16 by vectors.
    Kernels(Box<PlayingNetwork>),
    /// On CPUs in bf16 by tiles, and on GPUs.
    #[cfg(feature = "libtorch")]
    Libtorch(TorchNetwork),
}

impl Inference {
    /// # Errors
    /// The computation needs libtorch, and this program was built without it.
    pub fn new(
        network: &Network,
        device: Device,
        precision: Precision,
    ) -> Result<Inference, ModelError> {
        let computation = match precision.own_convolutions(device) {
            Some(processor) => {
                Computation::Kernels(Box::new(PlayingNetwork::new(network, processor)))
            }
            #[cfg(feature = "libtorch")]
            None => Computation::Libtorch(TorchNetwork::new(network, device, precision)?),
            #[cfg(not(feature = "libtorch"))]
            None => {
                return Err(ModelError::WithoutLibtorch(format!("{precision} on {device}")));
            }
        };
        Ok(Inference { computation, has_margin: network.has_margin() })
    }

    /// For each position, the policy logits (one per action), the three result logits, and the
    /// margin as a fraction of the board's area, which is NaN if the network does not predict it.
    /// May pad `input`.
    ///
    /// # Errors
    /// An error of libtorch.
    pub fn run(&mut self, input: &mut Input) -> Result<Vec<f32>, ModelError> {
        let wanted = input.count;
        let mut rows = match &mut self.computation {
            Computation::Kernels(network) => network.run(input),
            #[cfg(feature = "libtorch")]
            Computation::Libtorch(network) => network.run(input)?,
        };
        if !self.has_margin && wanted > 0 {
            let width = rows.len() / wanted;
            rows.chunks_exact_mut(width).for_each(|row| row[width - 1] = f32::NAN);
        }
        Ok(rows)
    }
}
