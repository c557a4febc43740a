//! A network: its architecture and all its parameters in one flat f32 buffer.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tch::{Tensor, no_grad};

use crate::architecture::{Architecture, Parameter, Start};
use crate::error::guarded;
use crate::{Device, ModelError};

/// A network that can be saved, given to a server or copied to another thread. It computes nothing
/// itself: servers and learners build their layers from it.
pub struct Network {
    architecture: Architecture,
    /// All parameters in the order of [`Architecture::playing_parameters`], f32, on the CPU.
    parameters: Tensor,
    /// Whether it predicts the margin. Otherwise the parameters of that head are meaningless.
    knows_margin: bool,
}

impl Network {
    /// A new network; equal seeds give equal ones.
    ///
    /// # Errors
    /// An impossible architecture.
    pub fn new(architecture: &Architecture, seed: u64) -> Result<Network, ModelError> {
        architecture.check()?;
        let values = start_values(&architecture.playing_parameters(), seed);
        let parameters = guarded(|| Tensor::from_slice(&values))?;
        Ok(Network { architecture: *architecture, parameters, knows_margin: true })
    }

    /// From a flat buffer, which is copied to the CPU.
    pub(crate) fn from_flat(
        architecture: Architecture,
        flat: &Tensor,
        knows_margin: bool,
    ) -> Result<Network, ModelError> {
        let copy = guarded(|| no_grad(|| flat.detach().to_device(tch::Device::Cpu).copy()))?;
        Ok(Network { architecture, parameters: copy, knows_margin })
    }

    /// Its architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Whether it predicts the margin.
    pub fn knows_margin(&self) -> bool {
        self.knows_margin
    }

    /// Number of playing parameters.
    pub fn parameter_count(&self) -> usize {
        self.parameters.numel()
    }

    /// A copy that shares no memory: a tensor's memory belongs to one thread.
    pub fn duplicate(&self) -> Network {
        Network { parameters: self.parameters.copy(), ..*self }
    }

    pub(crate) fn flat(&self) -> &Tensor {
        &self.parameters
    }

    pub(crate) fn flat_on(&self, device: Device) -> Tensor {
        self.parameters.to_device(device.torch()).copy()
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("architecture", &self.architecture).finish_non_exhaustive()
    }
}

/// The initial parameters, one after the other.
pub(crate) fn start_values(parameters: &[Parameter], seed: u64) -> Vec<f32> {
    let mut random = Normal::new(seed);
    let mut values: Vec<f32> = Vec::new();
    for parameter in parameters {
        let elements = 0..parameter.elements();
        match parameter.start {
            Start::Constant(value) => values.extend(elements.map(|_| value as f32)),
            Start::Normal(deviation) => {
                values.extend(elements.map(|_| (random.draw() * deviation) as f32));
            }
        }
    }
    values
}

/// The parameters of a flat buffer under their names. They are views: gradients reach the buffer.
pub(crate) struct Named {
    parameters: Vec<Parameter>,
    tensors: Vec<Tensor>,
}

impl Named {
    pub fn of(parameters: Vec<Parameter>, flat: &Tensor) -> Named {
        let sizes: Vec<i64> = parameters.iter().map(Parameter::elements).collect();
        // One split, not one slice a parameter: the gradient of a split is a single concatenation.
        let tensors = flat
            .split_with_sizes(&sizes[..], 0)
            .into_iter()
            .zip(&parameters)
            .map(|(tensor, parameter)| tensor.reshape(&parameter.shape[..]))
            .collect();
        Named { parameters, tensors }
    }

    /// # Panics
    /// The name is not in the architecture's list, which is a mistake in this crate.
    pub fn get(&self, name: &str) -> &Tensor {
        let place = self.parameters.iter().position(|parameter| parameter.name == name);
        &self.tensors[place.unwrap_or_else(|| panic!("no parameter {name}"))]
    }

    /// The same without the margin's head.
    pub fn without_margin(self) -> Named {
        let parts = self.parameters.into_iter().zip(self.tensors);
        let (parameters, tensors) = parts.filter(|(part, _)| !part.is_of_margin()).unzip();
        Named { parameters, tensors }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.parameters.iter().map(|parameter| parameter.name.as_str()).zip(&self.tensors)
    }
}

/// Normally distributed numbers that are the same on every machine, unlike libtorch's.
struct Normal {
    random: ChaCha8Rng,
}

impl Normal {
    fn new(seed: u64) -> Normal {
        Normal { random: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Box and Muller's method.
    fn draw(&mut self) -> f64 {
        use rand::RngExt;
        let (a, b): (f64, f64) = (self.random.random(), self.random.random());
        (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}
