//! Weights in a folder: `weights.safetensors` and the card beside it.

use std::collections::HashMap;
use std::path::Path;

use half::f16;
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize};

use crate::architecture::{Parameter, STEM_GLOBALS, STEM_PLANES};
use crate::card::Card;
use crate::files::{self, Digest};
use crate::{Inputs, ModelError, Network};

/// The name of the weights file in a model folder.
pub const WEIGHTS: &str = "weights.safetensors";

/// Saves a network with its card. Each file appears whole or not at all, the card last, so that a
/// folder with a card is complete.
///
/// # Errors
/// The folder cannot be written.
pub fn save(folder: &Path, network: &Network, card: &Card) -> Result<(), ModelError> {
    let tensors = network.tensors().into_iter();
    let tensors = tensors.map(|(name, shape, values)| (name, shape, values.to_vec()));
    let card = Card { architecture: *network.architecture(), ..card.clone() };
    save_tensors(folder, &tensors.collect::<Vec<_>>(), &card)
}

/// A tensor from a file: its name, its shape, and its numbers in order.
pub(crate) type StoredTensor = (String, Vec<i64>, Vec<f32>);

/// Saves tensors including those of the network; players ignore the others.
pub(crate) fn save_tensors(
    folder: &Path,
    tensors: &[StoredTensor],
    card: &Card,
) -> Result<(), ModelError> {
    let path = folder.join(WEIGHTS);
    let bytes = to_bytes(&path, tensors, None)?;
    write(folder, &bytes, &Card { inputs: Inputs::all(), ..card.clone() })
}

fn write(folder: &Path, bytes: &[u8], card: &Card) -> Result<(), ModelError> {
    let mut card = card.clone();
    card.describe(bytes);
    files::write(&folder.join(WEIGHTS), bytes)?;
    card.save(folder)
}

/// Saves a model with its weights rounded to 16 bits, which halves the file: for models used only
/// for play or as a starting point.
pub(crate) fn save_halved(
    folder: &Path,
    card: &Card,
    file: &SafeTensors<'_>,
) -> Result<(), ModelError> {
    let path = folder.join(WEIGHTS);
    let mut halved = Vec::new();
    for (name, view) in file.tensors() {
        let values = numbers(&path, &name, &view)?;
        let bytes: Vec<u8> =
            values.into_iter().flat_map(|value| f16::from_f32(value).to_le_bytes()).collect();
        halved.push((name, view.shape().to_vec(), bytes));
    }
    let bytes = serialized(&path, Dtype::F16, &halved, None)?;
    write(folder, &bytes, card)
}

/// The network of a card, given the bytes of its weights, which were read from `folder`.
///
/// # Errors
/// The weights are damaged, or not those of the card.
pub(crate) fn read(folder: &Path, card: &Card, bytes: &[u8]) -> Result<Network, ModelError> {
    let path = folder.join(WEIGHTS);
    let file = checked(&path, card, bytes)?;
    let mut flat: Vec<f32> = Vec::new();
    let parameters = card.architecture.playing_parameters();
    // Models of earlier versions lack the margin head.
    let lacks_margin = parameters
        .iter()
        .any(|parameter| parameter.belongs_to_margin() && file.tensor(&parameter.name).is_err());
    for parameter in parameters {
        if lacks_margin && parameter.belongs_to_margin() {
            flat.resize(flat.len() + parameter.elements() as usize, 0.0);
        } else {
            flat.extend(values_of(&path, &file, &parameter, &card.inputs)?);
        }
    }
    Ok(Network::from_flat(card.architecture, flat, !lacks_margin))
}

/// Checks the weights against their card, and returns their tensors.
pub(crate) fn checked<'a>(
    path: &Path,
    card: &Card,
    bytes: &'a [u8],
) -> Result<SafeTensors<'a>, ModelError> {
    let path = path.to_path_buf();
    let (expected, found) = (card.weights_bytes, bytes.len() as u64);
    if expected != found {
        return Err(ModelError::Truncated { path, expected, found });
    }
    if Digest::of(bytes).to_string() != card.weights_sha256 {
        return Err(ModelError::Damaged(path));
    }
    parse(&path, bytes)
}

/// A parameter in the form of this program's network: those that read the inputs are extended to
/// all inputs.
pub(crate) fn values_of(
    path: &Path,
    file: &SafeTensors<'_>,
    parameter: &Parameter,
    inputs: &Inputs,
) -> Result<Vec<f32>, ModelError> {
    let Parameter { name, shape, .. } = parameter;
    let outputs = shape[0] as usize;
    match name.as_str() {
        STEM_PLANES => {
            let shape = [shape[0], inputs.planes.len() as i64, shape[2], shape[3]];
            Ok(inputs.spread_planes(&tensor(path, file, name, &shape)?, outputs))
        }
        STEM_GLOBALS => {
            let shape = [shape[0], inputs.globals.len() as i64];
            Ok(inputs.spread_globals(&tensor(path, file, name, &shape)?, outputs))
        }
        _ => tensor(path, file, name, shape),
    }
}

/// A tensor for a file: its name, its shape and its bytes.
type TensorBytes = (String, Vec<usize>, Vec<u8>);

/// A safetensors file of f32 tensors.
pub(crate) fn to_bytes(
    path: &Path,
    tensors: &[StoredTensor],
    metadata: Option<HashMap<String, String>>,
) -> Result<Vec<u8>, ModelError> {
    let tensor = |(name, shape, values): &StoredTensor| {
        let shape = shape.iter().map(|&side| side as usize).collect();
        (name.clone(), shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    };
    let tensors: Vec<TensorBytes> = tensors.iter().map(tensor).collect();
    serialized(path, Dtype::F32, &tensors, metadata)
}

fn serialized(
    path: &Path,
    kind: Dtype,
    tensors: &[TensorBytes],
    metadata: Option<HashMap<String, String>>,
) -> Result<Vec<u8>, ModelError> {
    let bad = |error: safetensors::SafeTensorError| bad_weights(path, &error.to_string());
    let views = tensors.iter().map(|(name, shape, bytes)| {
        Ok((name.as_str(), TensorView::new(kind, shape.clone(), bytes)?))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>().map_err(bad)?;
    serialize(views, metadata).map_err(bad)
}

pub(crate) fn parse<'a>(path: &Path, bytes: &'a [u8]) -> Result<SafeTensors<'a>, ModelError> {
    SafeTensors::deserialize(bytes).map_err(|error| bad_weights(path, &error.to_string()))
}

/// One tensor of a file, which must have this shape.
pub(crate) fn tensor(
    path: &Path,
    file: &SafeTensors<'_>,
    name: &str,
    shape: &[i64],
) -> Result<Vec<f32>, ModelError> {
    let view = file.tensor(name).map_err(|_| bad_weights(path, &format!("no tensor {name}")))?;
    let found = view.shape();
    if !found.iter().map(|&side| side as i64).eq(shape.iter().copied()) {
        return Err(bad_weights(path, &format!("{name} is {found:?}, not {shape:?}")));
    }
    numbers(path, name, &view)
}

/// The numbers of a tensor, stored in 32 or 16 bits.
fn numbers(path: &Path, name: &str, view: &TensorView<'_>) -> Result<Vec<f32>, ModelError> {
    let bytes = view.data();
    match view.dtype() {
        Dtype::F32 => {
            let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            Ok(bytes.chunks_exact(4).map(number).collect())
        }
        Dtype::F16 => {
            let number = |b: &[u8]| f16::from_le_bytes([b[0], b[1]]).to_f32();
            Ok(bytes.chunks_exact(2).map(number).collect())
        }
        other => {
            let reason = format!("{name} is in {other}, where F32 or F16 was expected");
            Err(bad_weights(path, &reason))
        }
    }
}

pub(crate) fn bad_weights(path: &Path, reason: &str) -> ModelError {
    let reason = reason.lines().next().unwrap_or_default().to_owned();
    ModelError::BadWeights { path: path.to_path_buf(), reason }
}
