//! The forward pass for playing on a CPU, built from the functions of `kernels`, in f32 or as exact
//! as its convolutions are. Each layer writes into buffers that are kept for the next batch.
//!
//! All boards of a batch have the same size, so nothing needs masking; the zero padding of
//! convolutions marks the edge of the board. A block is `x ← relu(x + conv(relu(conv(x))))`.

use std::collections::HashMap;

use engine::{PLANES, Size};
use kernels::{
    Addend, Convolution, HEAD_CHANNELS, Heads, HeadsScratch, Linear, Points, Processor, RESULTS,
    Scratch, pool,
};

use crate::Network;
use crate::architecture::{Architecture, STEM_GLOBALS};
use crate::input::{Input, side};
use crate::network::NamedParameters;

/// A network that evaluates positions on one thread.
pub(crate) struct PlayingNetwork {
    network: Network,
    processor: Processor,
    /// Created when a board size first occurs.
    layers: HashMap<Size, Layers>,
    buffers: Buffers,
}

/// Buffers for activations.
#[derive(Default)]
struct Buffers {
    planes: Vec<f32>,
    globals: Vec<f32>,
    trunk: Vec<f32>,
    inner: Vec<f32>,
    result: Vec<f32>,
    pooled: Vec<f32>,
    added: Vec<f32>,
    scratch: Scratch,
    heads: HeadsScratch,
}

/// Layers for boards of one size.
struct Layers {
    size: usize,
    stem: Convolution,
    globals: Linear,
    blocks: Vec<Block>,
    heads: Heads,
}

struct Block {
    first: Convolution,
    /// The convolution to be pooled, and the layer applied to the pooled vector.
    pool: Option<(Convolution, Linear)>,
    second: Convolution,
}

impl PlayingNetwork {
    pub fn new(network: &Network, processor: Processor) -> PlayingNetwork {
        PlayingNetwork {
            network: network.clone(),
            processor,
            layers: HashMap::new(),
            buffers: Buffers::default(),
        }
    }

    /// For each position, the policy logits (one per action), the three result logits, and the
    /// margin as a fraction of the board's area.
    pub fn run(&mut self, input: &Input) -> Vec<f32> {
        let PlayingNetwork { network, processor, layers, buffers } = self;
        let layers = layers
            .entry(input.size)
            .or_insert_with(|| Layers::new(*processor, network, side(input.size)));
        layers.run(*processor, input, buffers)
    }
}

impl Layers {
    fn new(processor: Processor, network: &Network, size: usize) -> Layers {
        let builder = LayerBuilder { processor, size, named: network.named() };
        Layers {
            size,
            stem: builder.convolution("stem"),
            globals: builder.linear(&[(STEM_GLOBALS, None)]),
            blocks: (0..network.architecture().blocks).map(|index| builder.block(index)).collect(),
            heads: builder.heads(),
        }
    }

    fn run(&self, processor: Processor, input: &Input, buffers: &mut Buffers) -> Vec<f32> {
        let Buffers { planes, globals, trunk, inner, result, pooled, added, scratch, heads } =
            buffers;
        let (batch, points) = (input.count, self.size * self.size);
        let scale = (self.size as f32 - 9.0) / 10.0;
        planes.resize(batch * points * PLANES, 0.0);
        input.unpack(processor, planes);
        globals.resize(batch * self.globals.padded(), 0.0);
        self.globals.apply(&input.globals, globals);
        let channels = self.stem.outputs();
        for boards in [&mut *trunk, &mut *inner, &mut *result] {
            boards.resize(batch * points * channels, 0.0);
        }
        let to_boards = Addend::PerBoard { numbers: globals, length: self.globals.padded() };
        self.stem.apply(planes, to_boards, true, trunk, scratch);
        for block in &self.blocks {
            let mut to_first = Addend::Nothing;
            if let Some((convolution, mix)) = &block.pool {
                let channels = convolution.outputs();
                let unpooled = &mut result[..batch * points * channels];
                convolution.apply(trunk, Addend::Nothing, false, unpooled, scratch);
                pooled.resize(batch * 3 * channels, 0.0);
                let unpooled = Points { numbers: unpooled, points, length: channels };
                pool(processor, unpooled, 0..channels, scale, pooled);
                added.resize(batch * mix.padded(), 0.0);
                mix.apply(pooled, added);
                to_first = Addend::PerBoard { numbers: added, length: mix.padded() };
            }
            block.first.apply(trunk, to_first, true, inner, scratch);
            block.second.apply(inner, Addend::PerPoint(trunk), true, result, scratch);
            std::mem::swap(trunk, result);
        }
        let trunk = Points { numbers: trunk, points, length: channels };
        let mut rows = vec![0.0; batch * (2 * points + 1 + RESULTS)];
        self.heads.apply(processor, trunk, scale, heads, &mut rows);
        rows
    }
}

/// Builds layers from parameters.
struct LayerBuilder<'a> {
    processor: Processor,
    size: usize,
    named: NamedParameters<&'a [f32]>,
}

impl LayerBuilder<'_> {
    fn get(&self, name: &str) -> &[f32] {
        self.named.get(name)
    }

    fn convolution(&self, name: &str) -> Convolution {
        let (weights, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        Convolution::new(self.processor, self.size, self.get(&weights), self.get(&bias))
    }

    /// A convolution with its scales multiplied into it.
    fn scaled(&self, name: &str) -> Convolution {
        let [weights, scales, bias] =
            ["weight", "scale", "bias"].map(|part| self.get(&format!("{name}.{part}")));
        let outputs = weights.chunks_exact(weights.len() / bias.len()).zip(scales);
        let weights = outputs.flat_map(|(weights, scale)| weights.iter().map(move |w| w * scale));
        Convolution::new(self.processor, self.size, &weights.collect::<Vec<_>>(), bias)
    }

    fn block(&self, index: usize) -> Block {
        let name = |part: &str| format!("block{index}.{part}");
        let pool = || (self.convolution(&name("pool")), self.linear(&[(&name("pool.mix"), None)]));
        Block {
            first: self.scaled(&name("first")),
            pool: Architecture::pools(index).then(pool),
            second: self.scaled(&name("second")),
        }
    }

    /// A layer that concatenates the outputs of several: given the names of their weights, and of
    /// their biases where they have any.
    fn linear(&self, layers: &[(&str, Option<&str>)]) -> Linear {
        let (mut weights, mut biases) = (Vec::new(), Vec::new());
        for &(weight, bias) in layers {
            weights.extend_from_slice(self.get(weight));
            match bias {
                Some(bias) => biases.extend_from_slice(self.get(bias)),
                None => biases.resize(biases.len() + self.named.outputs(weight), 0.0),
            }
        }
        Linear::new(self.processor, &weights, &biases)
    }

    fn heads(&self) -> Heads {
        let mut moves = [[0.0; HEAD_CHANNELS]; 2];
        moves.as_flattened_mut().copy_from_slice(self.get("moves.weight"));
        let bias = self.get("moves.bias");
        Heads {
            features: self.linear(&[
                ("policy.weight", Some("policy.bias")),
                ("pooled.weight", Some("pooled.bias")),
            ]),
            context: self.linear(&[("policy.mix", None), ("hidden.weight", Some("hidden.bias"))]),
            moves,
            moves_bias: [bias[0], bias[1]],
            last: self.linear(&[
                ("pass.weight", Some("pass.bias")),
                ("result.weight", Some("result.bias")),
                ("margin.weight", Some("margin.bias")),
            ]),
        }
    }
}
