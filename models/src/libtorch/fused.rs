//! The forward pass for playing on a CPU in bf16: the same computation as in `forward.rs`, with our
//! own operators between the convolutions (`fused.cpp`).

use tch::{Kind, Tensor};

use crate::architecture::Architecture;
use crate::libtorch::forward::{Affine, Convolution, Layers};
use crate::libtorch::shim;

/// Parameters in the form that the operators need: matrices have a row for each input, in f32.
pub(crate) struct Fused {
    stem: Convolution,
    globals: Tensor,
    blocks: Vec<Block>,
    /// The policy's features and the features to be pooled, in one product.
    features: Affine,
    /// From the pooled features to the policy's features and to the hidden layer.
    context: Affine,
    moves: Affine,
    /// Pass, win, draw and loss, and the margin.
    last: Affine,
}

struct Block {
    first: Convolution,
    pool: Option<(Convolution, Tensor)>,
    second: Convolution,
}

impl Fused {
    pub fn of(architecture: &Architecture, flat: &Tensor) -> Fused {
        let exact = Layers::of(architecture, flat, Kind::Float);
        let layers = Layers::of(architecture, flat, Kind::BFloat16);
        let blocks = layers.blocks.into_iter().zip(&exact.blocks).map(|(block, exact)| {
            let mix = exact.pool.as_ref().map(|(_, mix)| rows(mix));
            Block {
                first: block.first,
                pool: block.pool.zip(mix).map(|((pooled, _), mix)| (pooled, mix)),
                second: block.second,
            }
        });
        let no_bias = exact.policy.bias.zeros_like();
        Fused {
            stem: layers.stem,
            globals: rows(&exact.globals),
            blocks: blocks.collect(),
            features: concatenate(&layers.policy, &layers.pooled),
            context: Affine {
                weight: rows(&Tensor::cat(&[exact.policy_mix, exact.hidden.weight], 0)),
                bias: Tensor::cat(&[no_bias, exact.hidden.bias], 0),
            },
            moves: exact.moves,
            last: {
                let last = concatenate(&concatenate(&exact.pass, &exact.result), &exact.margin);
                Affine { weight: rows(&last.weight), bias: last.bias }
            },
        }
    }

    /// From `planes`, `[batch, PLANES, size, size]` with the channels innermost, and `globals`,
    /// `[batch, GLOBALS]`, both in bf16, to `[batch, actions + 4]` in f32: policy logits, then
    /// result logits and the margin.
    pub fn forward(&self, planes: &Tensor, globals: &Tensor) -> Tensor {
        let stem = self.stem.convolve(planes);
        let mut trunk = shim::lift(&stem, globals, &self.globals);
        for block in &self.blocks {
            trunk = block.forward(&trunk);
        }
        let (channels, size) = (trunk.size()[1], trunk.size()[2]);
        let trunk = trunk.permute([0, 2, 3, 1]).reshape([-1, channels]);
        let features = self.features.apply(&trunk);
        let Affine { weight: context, bias: context_bias } = &self.context;
        let Affine { weight: moves, bias: moves_bias } = &self.moves;
        let Affine { weight: last, bias: last_bias } = &self.last;
        shim::heads([&features, context, context_bias, moves, moves_bias, last, last_bias], size)
    }
}

impl Block {
    fn forward(&self, trunk: &Tensor) -> Tensor {
        let inner = match &self.pool {
            Some((convolution, mix)) => {
                let pooled = shim::pool(&convolution.convolve(trunk));
                shim::lift(&self.first.convolve(trunk), &pooled, mix)
            }
            None => self.first.convolve(trunk).relu(),
        };
        // The graph fuser turns this into one operation.
        (self.second.convolve(&inner) + trunk).relu()
    }
}

/// Transposes to a row for each input instead of for each output.
fn rows(weight: &Tensor) -> Tensor {
    weight.transpose(0, 1).contiguous()
}

/// Concatenates the outputs of two layers.
fn concatenate(one: &Affine, other: &Affine) -> Affine {
    Affine {
        weight: Tensor::cat(&[&one.weight, &other.weight], 0),
        bias: Tensor::cat(&[&one.bias, &other.bias], 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Network;
    use crate::libtorch::guard::guarded;
    use engine::{GLOBALS, PLANES};
    use tch::no_grad;

    /// The largest difference between the two computations, relative to the largest output.
    fn difference(blocks: usize, channels: usize, size: i64) -> f64 {
        let architecture = Architecture { blocks, channels };
        let network = Network::new(&architecture, 5).expect("a possible architecture");
        let flat = Tensor::from_slice(network.parameters());
        // New networks have zero biases, which would hide a missing one.
        let flat = &flat + Tensor::randn_like(&flat) * 0.05;
        let (options, kind) = ((Kind::Float, tch::Device::Cpu), Kind::BFloat16);
        let planes = Tensor::rand([3, size, size, PLANES as i64], options).lt(0.2).to_kind(kind);
        let planes = planes.permute([0, 3, 1, 2]);
        let globals = Tensor::rand([3, GLOBALS as i64], options).to_kind(kind);
        let outputs = Layers::of(&architecture, &flat, kind).forward(&planes, &globals);
        let plain = Tensor::cat(&[outputs.policy, outputs.result, outputs.margin], 1);
        let plain = plain.to_kind(Kind::Float);
        let fused = Fused::of(&architecture, &flat).forward(&planes, &globals);
        assert_eq!(plain.size(), fused.size());
        ((&plain - fused).abs().max() / plain.abs().max()).double_value(&[])
    }

    #[test]
    fn the_operators_compute_what_the_layers_do() {
        no_grad(|| {
            for (blocks, channels, size) in [(2, 32, 5), (5, 24, 9), (1, 8, 13), (3, 64, 2)] {
                let rounded = difference(blocks, channels, size);
                assert!(rounded < 0.03, "{blocks}×{channels} on {size}: {rounded}");
            }
        });
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        let options = (Kind::Float, tch::Device::Cpu);
        let broken = Tensor::full([1, 8, 3, 3], f64::NAN, (Kind::BFloat16, tch::Device::Cpu));
        assert!(shim::pool(&broken).isnan().any().int64_value(&[]) == 1);
        let (vectors, matrix) = (Tensor::zeros([1, 2], options), Tensor::zeros([2, 8], options));
        let lifted = shim::lift(&broken, &vectors, &matrix);
        assert!(lifted.isnan().all().int64_value(&[]) == 1);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let options = (Kind::Float, tch::Device::Cpu);
        let x = Tensor::zeros([1, 8, 3, 3], (Kind::BFloat16, tch::Device::Cpu));
        let vectors = Tensor::zeros([1, 2], options);
        let error = guarded(|| shim::lift(&x, &vectors, &Tensor::zeros([3, 8], options)));
        assert!(error.is_err_and(|error| error.to_string().contains("expected contiguous f32")));
        let error = guarded(|| shim::pool(&vectors.reshape([1, 2, 1, 1])));
        assert!(error.is_err_and(|error| error.to_string().contains("bf16")));

        let options = (Kind::Uint8, tch::Device::Cpu);
        let (bits, on_board) = (Tensor::zeros([1, 2, 8], options), Tensor::ones([8], options));
        let error = guarded(|| shim::unpack(&bits, &on_board, 3));
        assert!(error.is_err_and(|error| error.to_string().contains("8 points")));
        let error = guarded(|| shim::unpack(&bits, &on_board.narrow(0, 0, 4), 2));
        assert!(error.is_err_and(|error| error.to_string().contains("words of bits")));
    }
}
