//! A network: its architecture and all its parameters in one flat f32 buffer.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::ModelError;
use crate::architecture::{Architecture, Initialisation, Parameter};

/// A network that can be saved, given to a server or sent to another thread. It computes nothing
/// itself: servers and learners build what they compute with from it. Clones share their
/// parameters.
#[derive(Clone)]
pub struct Network {
    architecture: Architecture,
    /// All parameters in the order of [`Architecture::playing_parameters`].
    parameters: Arc<[f32]>,
    /// Whether it predicts the margin. If not, the parameters of that head are meaningless.
    has_margin: bool,
}

impl Network {
    /// A new random network; equal seeds give equal networks.
    ///
    /// # Errors
    /// The architecture is invalid.
    pub fn new(architecture: &Architecture, seed: u64) -> Result<Network, ModelError> {
        architecture.check()?;
        let parameters = initial_values(&architecture.playing_parameters(), seed);
        Ok(Network::from_flat(*architecture, parameters, true))
    }

    /// Wraps a flat buffer.
    pub(crate) fn from_flat(
        architecture: Architecture,
        parameters: Vec<f32>,
        has_margin: bool,
    ) -> Network {
        Network { architecture, parameters: parameters.into(), has_margin }
    }

    /// Its architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Whether it predicts the margin.
    pub(crate) fn has_margin(&self) -> bool {
        self.has_margin
    }

    /// All parameters used in play, concatenated.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// The name, shape and values of each meaningful parameter.
    pub fn tensors(&self) -> Vec<(String, Vec<i64>, &[f32])> {
        let mut named = self.named();
        if !self.has_margin {
            named = named.without_margin();
        }
        let tensors = named.iter();
        tensors.map(|(it, values)| (it.name.clone(), it.shape.clone(), *values)).collect()
    }

    /// The parameters by name.
    pub(crate) fn named(&self) -> NamedParameters<&[f32]> {
        NamedParameters::parts(self.architecture.playing_parameters(), &self.parameters)
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("architecture", &self.architecture).finish_non_exhaustive()
    }
}

/// The initial values of the parameters, concatenated.
pub(crate) fn initial_values(parameters: &[Parameter], seed: u64) -> Vec<f32> {
    let mut random = Normal::new(seed);
    let mut values: Vec<f32> = Vec::new();
    for parameter in parameters {
        let elements = 0..parameter.elements();
        match parameter.initialisation {
            Initialisation::Constant(value) => values.extend(elements.map(|_| value as f32)),
            Initialisation::Normal(deviation) => {
                values.extend(elements.map(|_| (random.draw() * deviation) as f32));
            }
        }
    }
    values
}

/// Parameters by name.
pub(crate) struct NamedParameters<T>(pub Vec<(Parameter, T)>);

impl<'a> NamedParameters<&'a [f32]> {
    /// Splits a flat buffer that holds the parameters one after another.
    pub fn parts(parameters: Vec<Parameter>, mut flat: &'a [f32]) -> NamedParameters<&'a [f32]> {
        let part = |parameter: Parameter| {
            let (values, rest) = flat.split_at(parameter.elements() as usize);
            flat = rest;
            (parameter, values)
        };
        NamedParameters(parameters.into_iter().map(part).collect())
    }
}

impl<T> NamedParameters<T> {
    /// # Panics
    /// The name is not in the architecture's list, which is a bug in this crate.
    /// [`NamedParameters::outputs`] panics likewise.
    pub fn get(&self, name: &str) -> &T {
        &self.find(name).1
    }

    /// The length of a parameter's first dimension.
    pub fn outputs(&self, name: &str) -> usize {
        self.find(name).0.shape[0] as usize
    }

    fn find(&self, name: &str) -> &(Parameter, T) {
        let found = self.0.iter().find(|(parameter, _)| parameter.name == name);
        found.unwrap_or_else(|| panic!("no parameter {name}"))
    }

    /// The same parameters without the margin head.
    pub fn without_margin(self) -> NamedParameters<T> {
        NamedParameters(
            self.0.into_iter().filter(|(parameter, _)| !parameter.belongs_to_margin()).collect(),
        )
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Parameter, &T)> {
        self.0.iter().map(|(parameter, value)| (parameter, value))
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

    /// The Box–Muller method.
    fn draw(&mut self) -> f64 {
        use rand::RngExt;
        let (a, b): (f64, f64) = (self.random.random(), self.random.random());
        (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}
