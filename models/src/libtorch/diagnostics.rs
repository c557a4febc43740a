//! Diagnostics of a network on a batch that it does not train on.

use tch::{Kind, Tensor, no_grad};

use crate::libtorch::losses::masked;
use crate::libtorch::part::Part;
use crate::{Losses, ModelError};

/// Diagnostics of a network on a batch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Diagnostics {
    /// Mean losses.
    pub losses: Losses,
    /// Mean entropy of the policy over legal actions, in nats: 0 means certain of one move.
    pub policy_entropy: f32,
    /// Fraction of positions where the policy prefers the same move as its target.
    pub policy_agreement: f32,
    /// Fraction of the channels behind ReLUs that are 0 at every point of every position.
    pub dead_units: f32,
}

/// The same for part of a batch, weighted by its share, and which channels are ever positive.
pub(crate) struct PartDiagnostics {
    found: Diagnostics,
    alive: Vec<bool>,
}

pub(crate) fn diagnose_part(part: Part) -> Result<PartDiagnostics, ModelError> {
    no_grad(|| {
        let mut alive: Vec<Tensor> = Vec::new();
        let (outputs, losses) = part.forward(&mut |x| alive.push(ever_positive(x)));
        let logits = masked(&outputs.policy, &part.batch);
        let policy = logits.softmax(1, Kind::Float);
        let entropy = -(&policy * logits.log_softmax(1, Kind::Float)).sum(Kind::Float);
        let preferred = part.batch.policy.argmax(1, false);
        let agreeing = logits.argmax(1, false).eq_tensor(&preferred).sum(Kind::Float);
        let count = preferred.numel() as f32;
        let mut found = losses.read()?;
        found.scale(part.share);
        let share_of = |sum: Tensor| sum.double_value(&[]) as f32 / count * part.share;
        Ok(PartDiagnostics {
            found: Diagnostics {
                losses: found,
                policy_entropy: share_of(entropy),
                policy_agreement: share_of(agreeing),
                dead_units: 0.0,
            },
            alive: Vec::<bool>::try_from(Tensor::cat(&alive, 0))?,
        })
    })
}

/// Whether each channel is positive anywhere.
fn ever_positive(x: &Tensor) -> Tensor {
    let channels = if x.dim() == 4 { 1 } else { x.dim() as i64 - 1 };
    x.transpose(0, channels).reshape([x.size()[channels as usize], -1]).gt(0.0).any_dim(1, false)
}

/// Combines the parts into the diagnostics of the whole batch.
pub(crate) fn joined(parts: Vec<PartDiagnostics>) -> Diagnostics {
    let mut whole = Diagnostics::default();
    let mut alive = vec![false; parts.first().map_or(0, |part| part.alive.len())];
    for part in parts {
        whole.losses.add(&part.found.losses);
        whole.policy_entropy += part.found.policy_entropy;
        whole.policy_agreement += part.found.policy_agreement;
        alive.iter_mut().zip(part.alive).for_each(|(all, one)| *all |= one);
    }
    let dead = alive.iter().filter(|&&alive| !alive).count();
    whole.dead_units = dead as f32 / alive.len().max(1) as f32;
    whole
}
