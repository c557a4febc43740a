//! A network prepared for fast inference by libtorch: on CPUs in bf16 with our own operators,
//! traced and compiled once for each batch size; on GPUs without compilation.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use engine::Size;
use tch::{CModule, Kind, Tensor, no_grad};

use crate::input::Input;
use crate::libtorch::device;
use crate::libtorch::forward::Layers;
use crate::libtorch::fused::Fused;
use crate::libtorch::guard::guarded;
use crate::{Architecture, Device, ModelError, Network, Precision};

/// Where graphs are compiled, batches are padded to the next of these sizes: every batch size is
/// compiled separately, which takes about a tenth of a second.
const BATCHES: [usize; 19] =
    [1, 2, 4, 8, 16, 24, 32, 48, 56, 64, 80, 96, 112, 128, 192, 256, 512, 1024, 2048];

/// The size to which a batch is padded. On a GPU nothing is compiled, but cuDNN plans every
/// convolution anew for each new size, and workers send batches of all sizes.
fn padded_batch(device: Device, wanted: usize) -> usize {
    match device {
        Device::Cpu => BATCHES.into_iter().find(|&batch| batch >= wanted).unwrap_or(wanted),
        Device::Cuda => wanted.next_multiple_of(if wanted <= 512 { 64 } else { 256 }),
    }
}

/// libtorch compiles a traced graph when it is first run. Only one at a time: the compiler's caches
/// are global to the process.
static COMPILING: Mutex<()> = Mutex::new(());

/// Computes policies and results on one thread.
pub(crate) struct TorchNetwork {
    computation: Computation,
    device: Device,
    precision: Precision,
}

enum Computation {
    /// On CPUs: traced and compiled for each board size.
    Compiled { architecture: Architecture, flat: Tensor, sizes: HashMap<Size, Compiled> },
    /// Without compilation.
    Direct(Layers),
}

/// The compiled graphs of one board size, by batch size.
struct Compiled {
    fused: Fused,
    modules: HashMap<usize, CModule>,
}

impl TorchNetwork {
    /// # Errors
    /// An error of libtorch.
    pub fn new(
        network: &Network,
        device: Device,
        precision: Precision,
    ) -> Result<TorchNetwork, ModelError> {
        device::use_one_core();
        let architecture = *network.architecture();
        let computation = guarded(|| {
            let flat = Tensor::from_slice(network.parameters()).to_device(device.torch());
            match device {
                Device::Cpu => Computation::Compiled { architecture, flat, sizes: HashMap::new() },
                Device::Cuda => Computation::Direct(no_grad(|| {
                    Layers::of(&architecture, &flat, precision.kind())
                })),
            }
        })?;
        Ok(TorchNetwork { computation, device, precision })
    }

    /// Like `Inference::run`, but computes the margin whether or not the network predicts it.
    pub fn run(&mut self, input: &mut Input) -> Result<Vec<f32>, ModelError> {
        let wanted = input.count;
        input.pad(padded_batch(self.device, wanted));
        guarded(|| {
            no_grad(|| {
                let tensors = input.tensors(self.device, self.precision);
                let output = self.outputs(input.size, &tensors)?;
                let output = output.narrow(0, 0, wanted as i64).contiguous().view(-1);
                Ok(Vec::<f32>::try_from(output)?)
            })
        })?
    }

    /// Only the computation, from tensors on the device to a tensor on the device; where graphs are
    /// compiled, the batch must be padded.
    fn outputs(
        &mut self,
        size: Size,
        (planes, globals): &(Tensor, Tensor),
    ) -> Result<Tensor, ModelError> {
        match &mut self.computation {
            Computation::Compiled { architecture, flat, sizes } => {
                let inputs = [planes.shallow_clone(), globals.shallow_clone()];
                let Compiled { fused, modules } = sizes.entry(size).or_insert_with(|| Compiled {
                    fused: Fused::of(architecture, flat),
                    modules: HashMap::new(),
                });
                let module = match modules.entry(planes.size()[0] as usize) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(compile(fused, &inputs)?),
                };
                Ok(module.forward_ts(&inputs)?)
            }
            Computation::Direct(layers) => {
                let outputs = layers.forward(planes, globals);
                let parts = [outputs.policy, outputs.result, outputs.margin];
                Ok(Tensor::cat(&parts, 1).to_kind(Kind::Float))
            }
        }
    }
}

fn compile(fused: &Fused, inputs: &[Tensor; 2]) -> Result<CModule, ModelError> {
    let _alone = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    device::enable_fuser();
    let mut trace = |x: &[Tensor]| vec![fused.forward(&x[0], &x[1])];
    let module = CModule::create_by_tracing("network", "forward", inputs, &mut trace)?;
    // The first run records shapes, the second one compiles for them.
    for _ in 0..2 {
        let _ = module.forward_ts(inputs)?;
    }
    Ok(module)
}
