//! Training of a network.

use std::collections::HashMap;
use std::path::Path;

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use tch::Tensor;

use crate::card::Card;
use crate::files::{self, Digest};
use crate::libtorch::batch::BatchTensors;
use crate::libtorch::device;
use crate::libtorch::diagnostics::{self, Diagnostics};
use crate::libtorch::growth::grown;
use crate::libtorch::guard::{guarded, values};
use crate::libtorch::optimizer::{self, Optimizer};
use crate::libtorch::part::Part;
use crate::network::{NamedParameters, initial_values};
use crate::weights::{self, bad_weights};
use crate::{
    Architecture, Device, Inputs, LearnerSettings, Losses, ModelError, Network, Precision,
    StoredModel, TrainingBatch, TrainingSample, available_threads,
};

/// The metadata key of a learner's state file.
const METADATA_KEY: &str = "learner";

/// The metadata of a learner's state file.
#[derive(Serialize, Deserialize)]
struct Metadata {
    step: u64,
    inputs: Inputs,
    /// The SHA-256 of the four buffers' bytes.
    sha256: String,
    architecture: Architecture,
}

/// A network in training. The average of its weights over recent steps is used in play.
///
/// The weights are f32. With bf16, each step computes with a rounded copy through which gradients
/// reach them; where the CPU multiplies bf16 by vectors, only the factors of convolutions are
/// rounded.
pub struct Learner {
    architecture: Architecture,
    device: Device,
    precision: Precision,
    /// Whether convolutions in f32 multiply in bf16.
    rounds: bool,
    settings: LearnerSettings,
    optimizer: Optimizer,
    threads: ThreadPool,
}

impl Learner {
    /// A learner with a new network. Equal seeds give equal networks.
    ///
    /// # Errors
    /// The architecture is invalid, or the device fails.
    pub fn new(
        architecture: &Architecture,
        device: Device,
        precision: Precision,
        settings: LearnerSettings,
        seed: u64,
    ) -> Result<Learner, ModelError> {
        let network = Network::new(architecture, seed)?;
        Learner::from_network(&network, device, precision, settings)
    }

    /// A learner that continues from given weights, with fresh optimizer moments and fresh
    /// auxiliary heads.
    ///
    /// # Errors
    /// The device fails.
    pub fn from_network(
        network: &Network,
        device: Device,
        precision: Precision,
        settings: LearnerSettings,
    ) -> Result<Learner, ModelError> {
        let architecture = *network.architecture();
        let parameters = architecture.learner_parameters();
        let weights = guarded(|| with_auxiliary_heads(network).to_device(device.torch()))?;
        let optimizer = guarded(|| Optimizer::new(&weights, &parameters))?;
        let threads = threads(device, &settings)?;
        let is_own = precision.own_convolutions(device).is_some();
        let rounds = precision == Precision::Bf16 && is_own;
        let precision = if rounds { Precision::F32 } else { precision };
        Ok(Learner { architecture, device, precision, rounds, settings, optimizer, threads })
    }

    /// Training steps taken, over all sessions.
    pub fn steps(&self) -> u64 {
        self.optimizer.step
    }

    /// Trains on one batch at this learning rate.
    ///
    /// # Errors
    /// The batch is inconsistent, or a loss or gradient is not finite; weights and moments are then
    /// unchanged.
    pub fn step(&mut self, batch: &TrainingBatch, rate: f64) -> Result<Losses, ModelError> {
        batch.check()?;
        let (gradient, mut losses) = self.gradient(batch)?;
        let step = self.optimizer.step + 1;
        let not_finite = |what| Err(ModelError::NotFinite { step, what });
        if !losses.total.is_finite() {
            return not_finite("loss");
        }
        let norm = guarded(|| optimizer::norm(&gradient))?;
        if !norm.is_finite() {
            return not_finite("gradient");
        }
        guarded(|| self.optimizer.update(&gradient, norm, rate, &self.settings))?;
        losses.gradient = norm as f32;
        Ok(losses)
    }

    /// The gradient of the mean loss over all samples.
    fn gradient(&self, batch: &TrainingBatch) -> Result<(Tensor, Losses), ModelError> {
        let mut parts = self.in_parts(batch, Part::gradient)?.into_iter();
        let empty = || ModelError::BadBatch("it is empty".to_owned());
        let (mut gradient, mut losses) = parts.next().ok_or_else(empty)?;
        for (other, found) in parts {
            gradient = guarded(|| gradient.g_add_(&other))?;
            losses.add(&found);
        }
        Ok((gradient, losses))
    }

    /// Diagnostics of the network on a batch, without training on it.
    ///
    /// # Errors
    /// The batch is inconsistent, or libtorch fails.
    pub fn diagnose(&self, batch: &TrainingBatch) -> Result<Diagnostics, ModelError> {
        batch.check()?;
        Ok(diagnostics::joined(self.in_parts(batch, diagnostics::diagnose_part)?))
    }

    /// Divides the samples of a batch among threads: each computes on one core with its own copy of
    /// the weights, so no thread waits within a step. The results are in the order of the samples.
    fn in_parts<T: Send>(
        &self,
        batch: &TrainingBatch,
        work: fn(Part) -> Result<T, ModelError>,
    ) -> Result<Vec<T>, ModelError> {
        device::use_one_core();
        let (samples, size) = (&batch.samples, batch.size);
        let (device, precision, rounds) = (self.device, self.precision, self.rounds);
        let (architecture, losses) = (self.architecture, self.settings.losses);
        let parts: Vec<_> = samples
            .chunks(samples.len().div_ceil(self.threads.current_num_threads()))
            .map(|part| (part, self.optimizer.weights.detach().copy()))
            .collect();
        let work = |(part, weights): (&[TrainingSample], Tensor)| {
            device::use_one_core();
            let share = part.len() as f32 / samples.len() as f32;
            guarded(|| {
                let batch = BatchTensors::of(part, size, device, precision);
                work(Part { architecture, weights, batch, precision, rounds, losses, share })
            })?
        };
        self.threads.install(|| parts.into_par_iter().with_max_len(1).map(work).collect())
    }

    /// The averaged network, for play.
    ///
    /// # Errors
    /// An error of libtorch.
    pub fn playing_network(&self) -> Result<Network, ModelError> {
        let named =
            NamedParameters::of(self.architecture.learner_parameters(), &self.optimizer.average);
        let mut flat = Vec::new();
        for parameter in self.architecture.playing_parameters() {
            flat.extend(values(named.get(&parameter.name))?);
        }
        Ok(Network::from_flat(self.architecture, flat, true))
    }

    /// Checks that all weights are finite: even a step with a finite loss may lead to weights that
    /// are not.
    ///
    /// # Errors
    /// Some weights are not finite.
    pub fn check(&self) -> Result<(), ModelError> {
        let norm = guarded(|| optimizer::norm(&self.optimizer.weights))?;
        if norm.is_finite() {
            return Ok(());
        }
        Err(ModelError::NotFinite { step: self.optimizer.step, what: "weights" })
    }

    /// Saves the averaged network with a card as a model folder. Auxiliary heads are included for
    /// learners that continue from it; play uses only the margin head.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn export(&self, folder: &Path, card: &Card) -> Result<(), ModelError> {
        let parameters = self.architecture.learner_parameters();
        let named = guarded(|| NamedParameters::of(parameters, &self.optimizer.average))?;
        let tensors = named.iter().map(|(parameter, tensor)| {
            Ok((parameter.name.clone(), parameter.shape.clone(), values(tensor)?))
        });
        let tensors: Vec<_> = tensors.collect::<Result<_, ModelError>>()?;
        let card = Card { architecture: self.architecture, ..card.clone() };
        weights::save_tensors(folder, &tensors, &card)
    }

    /// Takes over the weights of a model, with fresh moments. Auxiliary heads that it lacks are
    /// kept, and inputs that it lacks have no effect at first. If this network has more blocks or
    /// channels, it computes what the model does until the new ones have learnt something.
    ///
    /// # Errors
    /// The weights are damaged, or the model has more blocks or channels.
    pub fn continue_from(&mut self, model: &StoredModel) -> Result<(), ModelError> {
        let parameters = self.architecture.learner_parameters();
        let own = guarded(|| NamedParameters::of(parameters.clone(), &self.optimizer.weights))?;
        let flat = grown(model, &self.architecture, &own)?;
        let weights = guarded(|| Tensor::from_slice(&flat).to_device(self.device.torch()))?;
        self.optimizer = guarded(|| Optimizer::new(&weights, &parameters))?;
        Ok(())
    }

    /// Saves everything that later steps depend on in one file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, file: &Path) -> Result<(), ModelError> {
        let mut tensors = Vec::new();
        for (name, tensor) in self.optimizer.buffers() {
            tensors.push((name.to_owned(), tensor.size(), values(tensor)?));
        }
        let metadata = Metadata {
            step: self.optimizer.step,
            inputs: Inputs::all(),
            sha256: digest(tensors.iter().map(|(_, _, values)| values)).to_string(),
            architecture: self.architecture,
        };
        let text =
            toml::to_string(&metadata).map_err(|error| bad_weights(file, &error.to_string()))?;
        let header = HashMap::from([(METADATA_KEY.to_owned(), text)]);
        files::write(file, &weights::to_bytes(file, &tensors, Some(header))?)
    }

    /// Restores a saved state: later steps are exactly those that would have followed.
    ///
    /// # Errors
    /// The file is missing or damaged, or belongs to another network or program version.
    pub fn restore(&mut self, file: &Path) -> Result<(), ModelError> {
        let bytes = files::read(file)?;
        let tensors = weights::parse(file, &bytes)?;
        let (_, header) = safetensors::SafeTensors::read_metadata(&bytes)
            .map_err(|error| bad_weights(file, &error.to_string()))?;
        let text = header.metadata().as_ref().and_then(|metadata| metadata.get(METADATA_KEY));
        let metadata: Metadata = toml::from_str(text.map_or("", String::as_str))
            .map_err(|error| bad_weights(file, error.message()))?;
        if metadata.architecture != self.architecture {
            let (found, wanted) = (metadata.architecture, self.architecture);
            return Err(bad_weights(file, &format!("{found:?} where the run has {wanted:?}")));
        }
        if metadata.inputs != Inputs::all() {
            return Err(ModelError::OtherInputs(file.to_path_buf()));
        }
        let shape = self.optimizer.average.size();
        let read = |name: &str| weights::tensor(file, &tensors, name, &shape);
        let mut values: [Vec<f32>; 4] = Default::default();
        for (place, (name, _)) in values.iter_mut().zip(self.optimizer.buffers()) {
            *place = read(name)?;
        }
        if digest(values.iter()).to_string() != metadata.sha256 {
            return Err(ModelError::Damaged(file.to_path_buf()));
        }
        guarded(|| self.optimizer.set(&values, metadata.step, self.device.torch()))
    }
}

/// The playing weights of a network with new auxiliary heads, in the learner's order.
fn with_auxiliary_heads(network: &Network) -> Tensor {
    let architecture = network.architecture();
    let heads = architecture.auxiliary_parameters();
    let mut playing = network.named();
    if !network.has_margin() {
        playing = playing.without_margin();
    }
    let new = initial_values(&heads, 0);
    let heads = NamedParameters::parts(heads, &new);
    // A margin head of the network comes later and takes precedence.
    let found = heads.iter().chain(playing.iter());
    let found: HashMap<&str, &[f32]> =
        found.map(|(parameter, values)| (parameter.name.as_str(), *values)).collect();
    let parameters = architecture.learner_parameters();
    let flat: Vec<f32> =
        parameters.iter().flat_map(|parameter| found[parameter.name.as_str()]).copied().collect();
    Tensor::from_slice(&flat)
}

/// The threads among which the samples of a batch are divided. They live as long as the learner,
/// because the allocator retains each thread's memory, and short-lived threads would accumulate it.
fn threads(device: Device, settings: &LearnerSettings) -> Result<ThreadPool, ModelError> {
    let threads = match (device, settings.threads) {
        (Device::Cuda, _) => 1,
        (Device::Cpu, 0) => available_threads(),
        (Device::Cpu, threads) => threads,
    };
    let pool =
        ThreadPoolBuilder::new().num_threads(threads).thread_name(|n| format!("learner {n}"));
    pool.build().map_err(|error| ModelError::Torch(error.to_string()))
}

fn digest<'a>(values: impl Iterator<Item = &'a Vec<f32>>) -> Digest {
    let bytes: Vec<u8> = values.flatten().flat_map(|value| value.to_le_bytes()).collect();
    Digest::of(&bytes)
}
