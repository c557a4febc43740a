//! The forward pass for training and for playing on a GPU. On a CPU, `playing.rs` plays in f32 and
//! with bf16 by vectors, `fused.rs` with bf16 by tiles (AMX).
//!
//! Activations are `[batch, channels, size, size]` with the channels innermost in memory. All
//! boards of a batch have the same size and the tensors fit them exactly, so nothing needs masking;
//! the zero padding of convolutions marks the edge of the board.
//!
//! A block is `x ← relu(x + conv(relu(conv(x))))`. With the ReLU after the sum, libtorch's oneDNN
//! fuser turns each block into two operations; with the ReLU before the convolutions
//! ("pre-activation"), the same network ran at 31,000 instead of 41,000 evaluations/s.

use tch::{Kind, Tensor};

use crate::architecture::{Architecture, HEAD_CHANNELS, MARGIN, POOLINGS, Parameter};
use crate::libtorch::convolution::convolution;
use crate::libtorch::heads::{CLASSES, Head, Output, PerHead};
use crate::libtorch::parameters::{OTHER_MOVES, OTHER_PASSES};
use crate::network::NamedParameters;

/// The parameters in the form that the computation needs: scales multiplied into the convolutions,
/// everything in the precision of the computation, convolutions with the channels innermost.
/// Differentiable.
pub(crate) struct Layers {
    pub stem: Convolution,
    pub globals: Tensor,
    pub blocks: Vec<Block>,
    pub policy: Affine,
    pub policy_mix: Tensor,
    pub moves: Affine,
    pub pooled: Affine,
    pub hidden: Affine,
    pub result: Affine,
    pub pass: Affine,
    pub margin: Affine,
}

pub(crate) struct Affine {
    pub weight: Tensor,
    pub bias: Tensor,
}

pub(crate) struct Convolution {
    weight: Tensor,
    bias: Tensor,
    /// Whether, in f32 on a CPU, the factors of products are rounded to bf16 where that is faster.
    rounds: bool,
}

pub(crate) struct Block {
    pub first: Convolution,
    /// The convolution to be pooled, and the matrix applied to the pooled vector.
    pub pool: Option<(Convolution, Tensor)>,
    pub second: Convolution,
}

/// A network's outputs for a batch, before any softmax.
pub(crate) struct Outputs {
    /// `[batch, actions]`, in the order of `Move::action`.
    pub policy: Tensor,
    /// `[batch, 3]`: win, draw, loss of the player to move.
    pub result: Tensor,
    /// `[batch, 1]`: the margin by which the player to move will win, as a fraction of the board's
    /// area.
    pub margin: Tensor,
    /// Inputs of the heads used only in training: the end of the trunk, `[batch · points,
    /// channels]`, the policy's features, `[batch · points, HEAD_CHANNELS]`, and the hidden layer,
    /// `[batch, HIDDEN]`.
    pub trunk: Tensor,
    pub policy_features: Tensor,
    pub hidden: Tensor,
}

impl NamedParameters<Tensor> {
    /// Views of a flat buffer, through which gradients reach it.
    pub fn of(parameters: Vec<Parameter>, flat: &Tensor) -> NamedParameters<Tensor> {
        let sizes: Vec<i64> = parameters.iter().map(Parameter::elements).collect();
        // One split rather than one slice per parameter: the gradient of a split is a single
        // concatenation.
        let tensors = flat.split_with_sizes(&sizes[..], 0).into_iter().zip(parameters);
        let shaped = |(tensor, parameter): (Tensor, Parameter)| {
            let tensor = tensor.reshape(&parameter.shape[..]);
            (parameter, tensor)
        };
        NamedParameters(tensors.map(shaped).collect())
    }
}

impl Layers {
    pub fn of(architecture: &Architecture, flat: &Tensor, kind: Kind) -> Layers {
        let named = NamedParameters::of(architecture.playing_parameters(), flat);
        Layers::named(architecture, &named, kind, false)
    }

    /// From parameters that may include others. `rounds` is the flag of [`Convolution`].
    pub fn named(
        architecture: &Architecture,
        named: &NamedParameters<Tensor>,
        kind: Kind,
        rounds: bool,
    ) -> Layers {
        let affine = |name: &str| Affine::of(named, name, kind);
        let convolution = |name: &str, scaled: bool| {
            let weight = named.get(&format!("{name}.weight"));
            let weight = if scaled {
                weight * named.get(&format!("{name}.scale")).reshape([-1, 1, 1, 1])
            } else {
                weight.shallow_clone()
            };
            let bias = named.get(&format!("{name}.bias")).to_kind(kind);
            Convolution { weight: channels_last(&weight.to_kind(kind)), bias, rounds }
        };
        let block = |index: usize| Block {
            first: convolution(&format!("block{index}.first"), true),
            pool: Architecture::pools(index).then(|| {
                let mix = named.get(&format!("block{index}.pool.mix")).to_kind(kind);
                (convolution(&format!("block{index}.pool"), false), mix)
            }),
            second: convolution(&format!("block{index}.second"), true),
        };
        Layers {
            stem: convolution("stem", false),
            globals: named.get("stem.globals").to_kind(kind),
            blocks: (0..architecture.blocks).map(block).collect(),
            policy: affine("policy"),
            policy_mix: named.get("policy.mix").to_kind(kind),
            moves: affine("moves"),
            pooled: affine("pooled"),
            hidden: affine("hidden"),
            result: affine("result"),
            pass: affine("pass"),
            margin: affine(MARGIN),
        }
    }

    /// `planes` is `[batch, PLANES, size, size]` with the channels innermost, `globals`
    /// `[batch, GLOBALS]`, both in the layers' precision.
    pub fn forward(&self, planes: &Tensor, globals: &Tensor) -> Outputs {
        self.forward_observed(planes, globals, &mut |_| {})
    }

    /// Like [`Layers::forward`]; `observe` gets the output of every ReLU, with the channels in the
    /// second of four dimensions, or in the last of fewer.
    pub fn forward_observed(
        &self,
        planes: &Tensor,
        globals: &Tensor,
        observe: &mut dyn FnMut(&Tensor),
    ) -> Outputs {
        // This and all sums overwrite the results of a convolution, which nothing else reads:
        // allocating memory for a sum costs as much as the sum.
        let mut relu = |mut x: Tensor| {
            let x = x.relu_();
            observe(&x);
            x
        };
        let (batch, size) = (planes.size()[0], planes.size()[2]);
        let mut stem = self.stem.convolve(planes);
        stem += per_channel(&globals.linear(&self.globals, None::<&Tensor>));
        let mut trunk = relu(stem);
        for block in &self.blocks {
            trunk = block.forward(&trunk, &mut relu);
        }
        let channels = trunk.size()[1];
        let trunk = trunk.permute([0, 2, 3, 1]).reshape([-1, channels]);

        let pooled = relu(self.pooled.apply(&trunk)).reshape([batch, -1, HEAD_CHANNELS]);
        let pooled = pool(&pooled, size);
        let policy = self.policy.apply(&trunk).reshape([batch, -1, HEAD_CHANNELS]);
        let mix = pooled.linear(&self.policy_mix, None::<&Tensor>).unsqueeze(1);
        let policy = relu(policy + mix).reshape([-1, HEAD_CHANNELS]);
        let moves = self.moves.apply(&policy).reshape([batch, -1, 2]);
        let hidden = relu(self.hidden.apply(&pooled));
        let (places, starred) = (moves.select(2, 0), moves.select(2, 1));
        Outputs {
            policy: Tensor::cat(&[places, self.pass.apply(&hidden), starred], 1),
            result: self.result.apply(&hidden),
            margin: self.margin.apply(&hidden),
            trunk,
            policy_features: policy,
            hidden,
        }
    }
}

impl Outputs {
    /// The predictions of the heads for a batch, in f32 and before any softmax: `[batch · rows,
    /// numbers]` each.
    pub fn predictions(&self, named: &NamedParameters<Tensor>, kind: Kind) -> PerHead<Tensor> {
        let hidden = &self.hidden;
        let read = |name: &str, features: &Tensor| Affine::of(named, name, kind).apply(features);
        let moves = read(OTHER_MOVES, &self.policy_features);
        let moves = moves.reshape([hidden.size()[0], -1, moves.size()[1]]);
        let passes = read(OTHER_PASSES, hidden);
        let mut policies = 0;
        PerHead::new(|head| {
            let predicted = match head.output() {
                Output::Result => self.result.shallow_clone(),
                Output::Points(_) => read(head.key(), &self.trunk).reshape([-1, CLASSES as i64]),
                Output::Policy => {
                    let index = policies;
                    policies += 1;
                    let (places, starred) =
                        (moves.select(2, 2 * index), moves.select(2, 2 * index + 1));
                    Tensor::cat(&[places, passes.narrow(1, index, 1), starred], 1)
                }
                // The playing network already computes it.
                Output::Numbers(_) if head == Head::Margin => self.margin.shallow_clone(),
                Output::Numbers(_) => read(head.key(), hidden),
            };
            predicted.to_kind(Kind::Float)
        })
    }
}

impl Affine {
    pub fn of(named: &NamedParameters<Tensor>, name: &str, kind: Kind) -> Affine {
        Affine {
            weight: named.get(&format!("{name}.weight")).to_kind(kind),
            bias: named.get(&format!("{name}.bias")).to_kind(kind),
        }
    }

    pub fn apply(&self, x: &Tensor) -> Tensor {
        x.linear(&self.weight, Some(&self.bias))
    }
}

impl Convolution {
    /// In f32 on a CPU this takes fewer multiplications than libtorch's convolution.
    pub fn convolve(&self, x: &Tensor) -> Tensor {
        if x.kind() == Kind::Float && x.device() == tch::Device::Cpu {
            return convolution(x, &self.weight, &self.bias, self.rounds);
        }
        x.conv2d(&self.weight, Some(&self.bias), [1, 1], [1, 1], [1, 1], 1)
    }
}

impl Block {
    fn forward(&self, x: &Tensor, relu: &mut dyn FnMut(Tensor) -> Tensor) -> Tensor {
        let mut inner = self.first.convolve(x);
        if let Some((convolution, mix)) = &self.pool {
            let (batch, channels) = (x.size()[0], mix.size()[1] / POOLINGS as i64);
            let pooled = relu(convolution.convolve(x));
            let pooled = pooled.permute([0, 2, 3, 1]).reshape([batch, -1, channels]);
            let bias = pool(&pooled, x.size()[2]).linear(mix, None::<&Tensor>);
            inner += per_channel(&bias);
        }
        let inner = relu(inner);
        let mut result = self.second.convolve(&inner);
        result += x;
        relu(result)
    }
}

/// Reorders weights in memory for a convolution of a channels-innermost input.
fn channels_last(weight: &Tensor) -> Tensor {
    weight.permute([0, 2, 3, 1]).contiguous().permute([0, 3, 1, 2])
}

fn per_channel(x: &Tensor) -> Tensor {
    x.unsqueeze(2).unsqueeze(3)
}

/// KataGo's pooling from `[batch, points, channels]` to `[batch, 3 · channels]`: mean, mean scaled
/// by the side of the board, maximum.
fn pool(x: &Tensor, size: i64) -> Tensor {
    let mean = mean(x);
    let sized = &mean * ((size - 9) as f64 / 10.0);
    Tensor::cat(&[mean, sized, maximum(x)], 1)
}

/// The mean over points, as a product with a vector: in bf16, libtorch's own mean over a middle
/// dimension takes as long as four convolutions.
fn mean(x: &Tensor) -> Tensor {
    let points = x.size()[1];
    let share = Tensor::full([points], 1.0 / points as f64, (x.kind(), x.device()));
    x.transpose(1, 2).matmul(&share)
}

/// The maximum over points by repeated halving, for the same reason; where gradients are needed, by
/// index, because its backward pass is then a scatter instead of a comparison for each halving.
fn maximum(x: &Tensor) -> Tensor {
    if x.requires_grad() {
        return x.transpose(1, 2).contiguous().max_dim(2, false).0;
    }
    let mut x = x.shallow_clone();
    loop {
        let points = x.size()[1];
        if points == 1 {
            return x.squeeze_dim(1);
        }
        let half = (points + 1) / 2;
        // With an odd number the middle point is in both halves, which does not affect a maximum.
        x = x.narrow(1, 0, half).maximum(&x.narrow(1, points - half, half));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use engine::{Encoding, GLOBALS, PLANES, Position, Rules, Size, Variant};
    use search::Random;
    use tch::no_grad;

    use crate::Network;
    use crate::input::Input;
    use crate::playing::PlayingNetwork;

    /// Positions from a game of every variant on a size, with moves at arbitrary points.
    fn positions(size: Size) -> Input {
        let mut input = Input::new(size, 0);
        for variant in Variant::ALL {
            let mut position = Position::new(variant.rules(size).unwrap());
            for turn in 0..4 {
                input.push(&Encoding::of(&position));
                let moves = position.legal_moves();
                position.play_unchecked(moves[(31 + 7 * turn) % moves.len()]);
                if position.outcome().is_some() {
                    break;
                }
            }
        }
        input
    }

    /// The outputs that libtorch computes in a given number type.
    fn by_libtorch(network: &Network, input: &Input, kind: Kind) -> Vec<f64> {
        let (count, side) = (input.count as i64, input.size.width() as i64);
        let mut planes = vec![0.0; input.count * input.size.area() * PLANES];
        input.unpack(kernels::Processor::fastest(), &mut planes);
        let planes = Tensor::from_slice(&planes).reshape([count, side, side, PLANES as i64]);
        let planes = planes.permute([0, 3, 1, 2]).to_kind(kind);
        let globals = Tensor::from_slice(&input.globals).reshape([count, GLOBALS as i64]);
        let flat = Tensor::from_slice(network.parameters());
        let layers = Layers::of(network.architecture(), &flat, kind);
        let outputs = layers.forward(&planes, &globals.to_kind(kind));
        let rows = Tensor::cat(&[outputs.policy, outputs.result, outputs.margin], 1);
        Vec::<f64>::try_from(rows.reshape([-1]).to_kind(Kind::Double)).unwrap()
    }

    #[test]
    fn playing_networks_compute_what_the_layers_do() {
        for (blocks, channels, size) in [(2, 32, 5), (5, 24, 9), (1, 8, 13), (3, 64, 2), (6, 40, 7)]
        {
            let architecture = Architecture { blocks, channels };
            let network = Network::new(&architecture, 5).unwrap();
            // New networks have zero biases, which would hide a missing one.
            let noise = Tensor::randn([network.parameters().len() as i64], tch::kind::FLOAT_CPU);
            let flat = Tensor::from_slice(network.parameters()) + noise * 0.05;
            let flat = Vec::<f32>::try_from(flat).unwrap();
            let network = Network::from_flat(architecture, flat, true);
            let input = positions(Size::try_from(size).unwrap());
            let expected = no_grad(|| by_libtorch(&network, &input, Kind::Double));
            let found = PlayingNetwork::new(&network, kernels::Processor::fastest()).run(&input);
            assert_eq!(found.len(), expected.len());
            let error = relative_error(&found, &expected);
            assert!(error < 1e-5, "{blocks}×{channels} on {size}: {error:e}");
        }
    }

    /// The largest difference, relative to the largest output.
    fn relative_error(found: &[f32], expected: &[f64]) -> f64 {
        let largest = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let differences = found.iter().zip(expected).map(|(a, b)| (f64::from(*a) - b).abs());
        // NaN is the largest.
        differences.max_by(f64::total_cmp).unwrap_or_default() / largest
    }

    /// 500 positions from random games.
    fn random_positions(rules: Rules, random: &mut Random) -> Input {
        let mut position = Position::new(rules);
        let mut input = Input::new(rules.size, 500);
        while input.count < 500 {
            if position.outcome().is_some()
                || usize::from(position.turns()) == 4 * rules.size.area()
            {
                position = Position::new(rules);
            }
            input.push(&Encoding::of(&position));
            let moves = position.legal_moves();
            position.play_unchecked(moves[random.below(moves.len())]);
        }
        input
    }

    /// The mean squared difference.
    fn squared_error(found: impl Iterator<Item = f64>, exact: &[f64]) -> f64 {
        let sum: f64 = found.zip(exact).map(|(a, b)| (a - b) * (a - b)).sum();
        sum / exact.len() as f64
    }

    /// The rounding of f32 shows in the sixth digit, in libtorch too, so both are compared with f64
    /// on 1,000 positions of every variant and size.
    #[test]
    #[ignore = "some minutes with optimisation"]
    fn the_released_network_is_as_exact_as_libtorch() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/released/universal");
        let network = crate::load(Path::new(folder), None).unwrap();
        let mut playing = PlayingNetwork::new(&network, kernels::Processor::fastest());
        let mut random = Random::new(1);
        let (mut within, mut all) = (0, 0);
        for size in 3..=9 {
            let size = Size::try_from(size).unwrap();
            for (variant, _) in Variant::ALL.into_iter().flat_map(|it| [(it, 0), (it, 1)]) {
                let positions = random_positions(variant.rules(size).unwrap(), &mut random);
                let exact = no_grad(|| by_libtorch(&network, &positions, Kind::Double));
                let theirs = no_grad(|| by_libtorch(&network, &positions, Kind::Float));
                let ours = playing.run(&positions);
                let error = squared_error(ours.iter().map(|&x| f64::from(x)), &exact);
                let expected = squared_error(theirs.iter().copied(), &exact);
                let times = (error / expected).sqrt();
                println!("{variant} on {size}: {:.2e}, {times:.2} times libtorch's", error.sqrt());
                assert!(times < 1.5, "{variant} on {size}: {times} times libtorch's error");
                let width = ours.len() / positions.count;
                let rows = ours.chunks(width).zip(theirs.chunks(width));
                within += rows.filter(|(a, b)| relative_error(a, b) < 1e-5).count();
                all += positions.count;
            }
        }
        println!("{within} of {all} positions are within 1e-5 of libtorch's largest output");
    }
}
