//! A network optimised for play: with our own operators on processors, and in bf16 traced and compiled once for each
//! batch size.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use tch::{CModule, Kind, Tensor, no_grad};

use engine::Size;

use crate::device::{self, Device, Precision};
use crate::error::guarded;
use crate::forward::Layers;
use crate::fused::Fused;
use crate::input::{Input, side};
use crate::{Architecture, ModelError, Network};

/// Where graphs are compiled, batches are padded to the next of these: every batch size is compiled separately, which
/// takes about a tenth of a second.
const BATCHES: [usize; 19] =
    [1, 2, 4, 8, 16, 24, 32, 48, 56, 64, 80, 96, 112, 128, 192, 256, 512, 1024, 2048];

/// The size to which a batch is padded.
pub(crate) fn compiled_batch(wanted: usize) -> usize {
    BATCHES.into_iter().find(|&batch| batch >= wanted).unwrap_or(wanted)
}

/// The largest batch that is computed at once.
pub(crate) const LARGEST_BATCH: usize = BATCHES[BATCHES.len() - 1];

/// libtorch compiles a traced graph when it is first run. One at a time: the compiler's caches are
/// global to the process.
static COMPILING: Mutex<()> = Mutex::new(());

/// Computes policies and results on one thread.
pub(crate) struct Inference {
    computation: Computation,
    device: Device,
    precision: Precision,
    knows_margin: bool,
}

enum Computation {
    /// On processors in bf16: traced and compiled, for each board size.
    Compiled(Source, HashMap<Size, Compiled>),
    /// On processors in f32, for each board size: our operators leave a compiler nothing to fuse.
    Fused(Source, HashMap<Size, Fused>),
    /// Without compilation.
    Direct(Layers),
}

/// What the networks for each board size are built from.
struct Source {
    architecture: Architecture,
    flat: Tensor,
    kind: Kind,
}

/// For one board size, by batch size.
struct Compiled {
    fused: Fused,
    modules: HashMap<usize, CModule>,
}

impl Inference {
    pub fn new(network: &Network, device: Device, precision: Precision) -> Inference {
        let (architecture, kind) = (network.architecture(), precision.kind());
        let computation = no_grad(|| {
            let flat = network.flat_on(device);
            let source = |flat| Source { architecture: *architecture, flat, kind };
            match (device, precision) {
                (Device::Cpu, Precision::F32) => Computation::Fused(source(flat), HashMap::new()),
                (Device::Cpu, Precision::Bf16) => {
                    Computation::Compiled(source(flat), HashMap::new())
                }
                (Device::Cuda, _) => Computation::Direct(Layers::of(architecture, &flat, kind)),
            }
        });
        Inference { computation, device, precision, knows_margin: network.knows_margin() }
    }

    /// For each position its policy logits (actions), its three result logits, and the margin in shares of the board,
    /// which is NaN if the network does not predict it. Pads `input`.
    pub fn run(&mut self, input: &mut Input) -> Result<Vec<f32>, ModelError> {
        let wanted = input.count;
        if let Computation::Compiled(..) = self.computation {
            input.pad(compiled_batch(wanted));
        }
        no_grad(|| {
            let tensors = input.tensors(self.device, self.precision);
            let output = self.outputs(input.size, &tensors)?;
            let output = output.narrow(0, 0, wanted as i64);
            if !self.knows_margin {
                let _ = output.narrow(1, output.size()[1] - 1, 1).fill_(f64::NAN);
            }
            let output = output.contiguous().view(-1);
            Ok(Vec::<f32>::try_from(output)?)
        })
    }

    /// The computation alone, from tensors on the device to a tensor on the device; where graphs are
    /// compiled, for a padded batch.
    pub fn outputs(
        &mut self,
        size: Size,
        (planes, globals): &(Tensor, Tensor),
    ) -> Result<Tensor, ModelError> {
        match &mut self.computation {
            Computation::Compiled(source, sizes) => {
                let inputs = [planes.shallow_clone(), globals.shallow_clone()];
                let Compiled { fused, modules } =
                    sizes.entry(size).or_insert_with(|| source.compiled(size));
                let module = match modules.entry(planes.size()[0] as usize) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(compile(fused, &inputs)?),
                };
                Ok(module.forward_ts(&inputs)?)
            }
            Computation::Fused(source, sizes) => {
                let fused = sizes.entry(size).or_insert_with(|| source.fused(size));
                Ok(guarded(|| fused.forward(planes, globals))?)
            }
            Computation::Direct(layers) => {
                let outputs = layers.forward(planes, globals);
                let parts = [outputs.policy, outputs.result, outputs.margin];
                Ok(Tensor::cat(&parts, 1).to_kind(Kind::Float))
            }
        }
    }
}

impl Source {
    fn fused(&self, size: Size) -> Fused {
        let Source { architecture, flat, kind } = self;
        no_grad(|| Fused::of(architecture, flat, *kind, side(size)))
    }

    fn compiled(&self, size: Size) -> Compiled {
        Compiled { fused: self.fused(size), modules: HashMap::new() }
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
