//! Continues training a network as a larger one that at first computes the same (Chen et al. 2016,
//! "Net2Net").
//!
//! New channels begin with random weights, but the weights through which old channels read them
//! begin at zero. A new block adds nothing to the trunk at first: its second convolution begins at
//! zero. All of them have gradients from the first steps on.

use std::collections::HashMap;

use tch::Tensor;

use crate::architecture::{Architecture, POOLINGS, Parameter};
use crate::libtorch::guard::values;
use crate::network::NamedParameters;
use crate::weights;
use crate::{ModelError, StoredModel};

/// The parameters of a learner that continues from `model`, in the order of its flat buffer: the
/// model's, and the learner's `own` where the model has none.
///
/// # Errors
/// The weights are damaged, or belong to a network with more blocks or channels.
pub(crate) fn grown(
    model: &StoredModel,
    architecture: &Architecture,
    own: &NamedParameters<Tensor>,
) -> Result<Vec<f32>, ModelError> {
    let (path, card) = (model.folder().join(weights::WEIGHTS), model.card());
    let smaller = card.architecture;
    if smaller.blocks > architecture.blocks || smaller.channels > architecture.channels {
        let path = model.folder().to_path_buf();
        let [model, run] = [&smaller, architecture].map(|one| [one.blocks, one.channels]);
        return Err(ModelError::TooLarge { path, model, run });
    }
    let file = weights::checked(&path, card, model.weights())?;
    let auxiliary = smaller.auxiliary_parameters();
    let is_auxiliary = |name: &str| auxiliary.iter().any(|parameter| parameter.name == name);
    let before = smaller.learner_parameters();
    let before: HashMap<&str, &Parameter> =
        before.iter().map(|parameter| (parameter.name.as_str(), parameter)).collect();
    let mut flat = Vec::new();
    for parameter in &architecture.learner_parameters() {
        let name = parameter.name.as_str();
        let mut values = values(own.get(name))?;
        match before.get(name) {
            Some(_) if is_auxiliary(name) && file.tensor(name).is_err() => {}
            Some(before) => {
                let stored = weights::values_of(&path, &file, before, &card.inputs)?;
                place(&stored, before, &mut values, parameter);
            }
            None if name.ends_with(".second.weight") => values.fill(0.0),
            None => {}
        }
        flat.extend(values);
    }
    Ok(flat)
}

/// Copies a parameter's values into the same parameter of a larger network. Old outputs do not read
/// new inputs.
fn place(stored: &[f32], before: &Parameter, values: &mut [f32], after: &Parameter) {
    // The pooled inputs come in one group per kind of pooling.
    let groups = if after.name.ends_with(".pool.mix") { POOLINGS } else { 1 };
    let shape = |parameter: &Parameter| {
        let inputs = parameter.shape.get(1).map_or(1, |&inputs| inputs as usize / groups);
        let each: i64 = parameter.shape.iter().skip(2).product();
        (inputs * each as usize, parameter.shape[0] as usize)
    };
    let ((old, outputs), (new, _)) = (shape(before), shape(after));
    let old_rows = stored.chunks_exact(old);
    debug_assert_eq!(old_rows.len(), outputs * groups);
    for (old_row, row) in old_rows.zip(values.chunks_exact_mut(new)) {
        let (same, unread) = row.split_at_mut(old);
        same.copy_from_slice(old_row);
        unread.fill(0.0);
    }
}
