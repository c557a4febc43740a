//! The forward pass for playing on a processor: the same computation as in `forward.rs`, with our
//! own operators for what lies between the convolutions (`fused.cpp`) and, in f32, for the
//! convolutions too (`winograd.cpp`).

use tch::{Kind, Tensor};

use crate::architecture::Architecture;
use crate::forward::{Affine, Layers};
use crate::shim;

/// Parameters as the operators need them for boards of one size: matrices with a row for each input,
/// in f32.
pub(crate) struct Fused {
    stem: Convolution,
    globals: Tensor,
    blocks: Vec<Block>,
    /// The policy's features and those to be pooled, in one product.
    features: Affine,
    /// From the pooled features to the policy's, and to the hidden layer.
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

/// In bf16 the graph fuser makes libtorch's convolution and what follows it one operation. In f32 ours
/// does the same, and with fewer multiplications is twice as fast.
enum Convolution {
    Libtorch(Affine),
    Winograd(Affine),
}

impl Fused {
    pub fn of(architecture: &Architecture, flat: &Tensor, kind: Kind, size: i64) -> Fused {
        let exact = Layers::of(architecture, flat, Kind::Float);
        let layers = Layers::of(architecture, flat, kind);
        let convolution = |affine: Affine| Convolution::of(affine, kind, size);
        let blocks = layers.blocks.into_iter().zip(&exact.blocks).map(|(block, exact)| {
            let mix = exact.pool.as_ref().map(|(_, mix)| rows(mix));
            Block {
                first: convolution(block.first),
                pool: block.pool.zip(mix).map(|((pooled, _), mix)| (convolution(pooled), mix)),
                second: convolution(block.second),
            }
        });
        let no_bias = exact.policy.bias.zeros_like();
        Fused {
            stem: convolution(layers.stem),
            globals: rows(&exact.globals),
            blocks: blocks.collect(),
            features: beside(&layers.policy, &layers.pooled),
            context: Affine {
                weight: rows(&Tensor::cat(&[exact.policy_mix, exact.hidden.weight], 0)),
                bias: Tensor::cat(&[no_bias, exact.hidden.bias], 0),
            },
            moves: exact.moves,
            last: {
                let last = beside(&beside(&exact.pass, &exact.result), &exact.margin);
                Affine { weight: rows(&last.weight), bias: last.bias }
            },
        }
    }

    /// From `planes`, `[batch, PLANES, size, size]` with the channels innermost, and `globals`,
    /// `[batch, GLOBALS]`, both in the layers' precision: policy logits, then result logits and the margin,
    /// `[batch, actions + 4]`, in f32.
    pub fn forward(&self, planes: &Tensor, globals: &Tensor) -> Tensor {
        let stem = self.stem.sums(planes);
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
                let pooled = shim::pool(&convolution.sums(trunk));
                shim::lift(&self.first.sums(trunk), &pooled, mix)
            }
            None => self.first.rectified(trunk, None),
        };
        self.second.rectified(&inner, Some(trunk))
    }
}

impl Convolution {
    fn of(affine: Affine, kind: Kind, size: i64) -> Convolution {
        if kind != Kind::Float {
            return Convolution::Libtorch(affine);
        }
        let Affine { weight, bias } = affine;
        Convolution::Winograd(Affine { weight: shim::transformed(&weight, size), bias })
    }

    /// The raw result, for an operator that does the rest.
    fn sums(&self, x: &Tensor) -> Tensor {
        match self {
            Convolution::Libtorch(affine) => affine.convolve(x),
            Convolution::Winograd(Affine { weight, bias }) => {
                shim::convolve(x, weight, bias, None, false)
            }
        }
    }

    fn rectified(&self, x: &Tensor, added: Option<&Tensor>) -> Tensor {
        match (self, added) {
            (Convolution::Libtorch(affine), None) => affine.convolve(x).relu(),
            (Convolution::Libtorch(affine), Some(added)) => (affine.convolve(x) + added).relu(),
            (Convolution::Winograd(Affine { weight, bias }), added) => {
                shim::convolve(x, weight, bias, added, true)
            }
        }
    }
}

/// A row for each input instead of for each output.
fn rows(weight: &Tensor) -> Tensor {
    weight.transpose(0, 1).contiguous()
}

/// The outputs of one and then of the other.
fn beside(one: &Affine, other: &Affine) -> Affine {
    Affine {
        weight: Tensor::cat(&[&one.weight, &other.weight], 0),
        bias: Tensor::cat(&[&one.bias, &other.bias], 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Network;
    use crate::error::guarded;
    use engine::{GLOBALS, PLANES};
    use tch::no_grad;

    /// The largest difference between the two ways, relative to the largest output.
    fn difference(blocks: usize, channels: usize, size: i64, kind: Kind) -> f64 {
        let architecture = Architecture { blocks, channels };
        let network = Network::new(&architecture, 5).expect("a possible architecture");
        // New networks have zero biases, which would hide a missing one.
        let flat = network.flat() + Tensor::randn_like(network.flat()) * 0.05;
        let options = (Kind::Float, tch::Device::Cpu);
        let planes = Tensor::rand([3, size, size, PLANES as i64], options).lt(0.2).to_kind(kind);
        let planes = planes.permute([0, 3, 1, 2]);
        let globals = Tensor::rand([3, GLOBALS as i64], options).to_kind(kind);
        let outputs = Layers::of(&architecture, &flat, kind).forward(&planes, &globals);
        let plain = Tensor::cat(&[outputs.policy, outputs.result, outputs.margin], 1);
        let plain = plain.to_kind(Kind::Float);
        let fused = Fused::of(&architecture, &flat, kind, size).forward(&planes, &globals);
        assert_eq!(plain.size(), fused.size());
        ((&plain - fused).abs().max() / plain.abs().max()).double_value(&[])
    }

    #[test]
    fn the_operators_compute_what_the_layers_do() {
        no_grad(|| {
            for (blocks, channels, size) in [(2, 32, 5), (5, 24, 9), (1, 8, 13), (3, 64, 2)] {
                let exact = difference(blocks, channels, size, Kind::Float);
                assert!(exact < 1e-5, "{blocks}×{channels} on {size}: {exact}");
                let rounded = difference(blocks, channels, size, Kind::BFloat16);
                assert!(rounded < 0.03, "{blocks}×{channels} on {size}, bf16: {rounded}");
            }
        });
    }

    /// A convolution and the gradients of a function of all its results.
    fn convolved(
        way: fn(&Tensor, &Tensor, &Tensor) -> Tensor,
        operands: &[Tensor; 3],
    ) -> [Tensor; 4] {
        let operands = operands.each_ref().map(|x| x.copy().set_requires_grad(true));
        let [x, weights, bias] = &operands;
        let result = way(x, weights, bias);
        (&result * (&result * 3.0).sin()).sum(Kind::Float).backward();
        [result.detach(), x.grad(), weights.grad(), bias.grad()]
    }

    #[test]
    fn convolutions_and_their_gradients_are_those_of_libtorch() {
        let options = (Kind::Double, tch::Device::Cpu);
        tch::manual_seed(1);
        // Sizes whose tiles fill the board and sizes whose tiles do not, channels that fill lanes and channels
        // that do not, more tiles than one group.
        let shapes: [[i64; 4]; 11] = [
            [1, 1, 1, 1],
            [2, 2, 3, 5],
            [1, 3, 16, 8],
            [3, 4, 7, 24],
            [9, 5, 33, 6],
            [30, 5, 16, 48],
            [26, 6, 24, 20],
            [8, 7, 32, 32],
            [5, 9, 48, 12],
            [2, 13, 12, 40],
            [2, 19, 8, 17],
        ];
        for [batch, size, inputs, outputs] in shapes {
            let exact = [
                Tensor::randn([batch, inputs, size, size], options),
                Tensor::randn([outputs, inputs, 3, 3], options) / (inputs as f64 * 9.0).sqrt(),
                Tensor::randn([outputs], options),
            ];
            let expected = convolved(
                |x, weights, bias| x.conv2d(weights, Some(bias), [1, 1], [1, 1], [1, 1], 1),
                &exact,
            );
            let found = convolved(shim::convolution, &exact.map(|x| x.to_kind(Kind::Float)));
            for (part, (expected, found)) in expected.iter().zip(&found).enumerate() {
                let error =
                    ((expected - found).abs().max() / expected.abs().max()).double_value(&[]);
                let shape = [batch, size, inputs, outputs];
                assert!(error < 2e-5, "part {part} of {shape:?}: {error:e}");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        let options = (Kind::Float, tch::Device::Cpu);
        let broken = Tensor::full([1, 8, 3, 3], f64::NAN, options);
        assert!(shim::pool(&broken).isnan().any().int64_value(&[]) == 1);
        let (vectors, matrix) = (Tensor::zeros([1, 2], options), Tensor::zeros([2, 8], options));
        let lifted = shim::lift(&broken, &vectors, &matrix);
        assert!(lifted.isnan().all().int64_value(&[]) == 1);
        let weights = shim::transformed(&Tensor::zeros([8, 8, 3, 3], options), 3);
        let bias = Tensor::zeros([8], options);
        let convolved = shim::convolve(&broken, &weights, &bias, Some(&broken), true);
        assert!(convolved.isnan().all().int64_value(&[]) == 1);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let options = (Kind::Float, tch::Device::Cpu);
        let (x, vectors) = (Tensor::zeros([1, 8, 3, 3], options), Tensor::zeros([1, 2], options));
        let error = guarded(|| shim::lift(&x, &vectors, &Tensor::zeros([3, 8], options)));
        assert!(error.is_err_and(|error| error.to_string().contains("expected contiguous f32")));

        let options = (Kind::Uint8, tch::Device::Cpu);
        let (bits, on_board) = (Tensor::zeros([1, 2, 8], options), Tensor::ones([8], options));
        let error = guarded(|| shim::unpack(&bits, &on_board, 3, Kind::Float));
        assert!(error.is_err_and(|error| error.to_string().contains("8 points")));
        let error = guarded(|| shim::unpack(&bits, &on_board.narrow(0, 0, 4), 2, Kind::Float));
        assert!(error.is_err_and(|error| error.to_string().contains("expected words of bits")));
    }
}
