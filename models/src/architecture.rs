//! The shape of a network and the list of its parameters.

use engine::{GLOBALS, PLANES};
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// The size of a network, which determines everything else about its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Residual blocks of two 3×3 convolutions. KataGo's smallest net: 6; strong ones 10 to 40.
    pub blocks: usize,
    /// Channels of the trunk, a multiple of 8. KataGo: 96 in its smallest net, 256 and more in
    /// strong ones.
    pub channels: usize,
}

impl Default for Architecture {
    /// The network for two CPU cores: 0.46 million weights.
    fn default() -> Architecture {
        Architecture { blocks: 6, channels: 64 }
    }
}

/// Initialisation of a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Initialisation {
    /// Normally distributed around 0.
    Normal(f64),
    Constant(f64),
}

/// One named parameter in the flat buffer that holds them all.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub name: String,
    pub shape: Vec<i64>,
    pub initialisation: Initialisation,
}

impl Parameter {
    pub fn elements(&self) -> i64 {
        self.shape.iter().product()
    }

    /// Whether weight decay applies: to weights, but not to biases and per-channel scales, which
    /// are one-dimensional.
    pub fn decays(&self) -> bool {
        self.shape.len() > 1
    }

    /// Whether it belongs to the margin head, which networks may lack.
    pub fn belongs_to_margin(&self) -> bool {
        self.name.split('.').next() == Some(MARGIN)
    }
}

/// The weights that read the planes; below, those that read the global numbers.
pub(crate) const STEM_PLANES: &str = "stem.weight";
pub(crate) const STEM_GLOBALS: &str = "stem.globals";

/// The head that predicts by how much the player to move will win.
pub(crate) const MARGIN: &str = "margin";

/// Number of ways to pool a channel over the board. Their results are concatenated: all channels of
/// one, then of the next.
pub(crate) const POOLINGS: usize = 3;

/// Channels of the heads' features: as many for the policy's points as for pooling.
pub(crate) const HEAD_CHANNELS: i64 = kernels::HEAD_CHANNELS as i64;
/// Width of the hidden layer before the result and the pass.
pub(crate) const HIDDEN: i64 = kernels::HIDDEN as i64;

impl Architecture {
    /// # Errors
    /// Sizes out of range. Every file is checked before memory is allocated.
    pub fn check(&self) -> Result<(), ModelError> {
        if !(1..=64).contains(&self.blocks) {
            return Err(ModelError::Architecture(format!(
                "{} blocks, expected 1 to 64",
                self.blocks
            )));
        }
        if !(8..=1024).contains(&self.channels) || !self.channels.is_multiple_of(8) {
            let found = self.channels;
            return Err(ModelError::Architecture(format!(
                "{found} channels, expected a multiple of 8 from 8 to 1024"
            )));
        }
        Ok(())
    }

    /// Whether a block pools over the whole board: every third one does, starting with the second
    /// (2 and 5 of 6).
    pub(crate) fn pools(block: usize) -> bool {
        block % 3 == 1
    }

    /// Channels that such a block pools.
    pub(crate) fn pooled(&self) -> i64 {
        (self.channels as i64 / 4).max(2)
    }

    /// The parameters of the policy and the result.
    ///
    /// Convolutions before a ReLU are initialised as in He et al. 2015, with variance 2 / fan-in.
    /// The second convolution of a block starts with variance 1 / fan-in and a per-channel scale of
    /// 1/√blocks, so that all blocks together add about as much variance as the trunk begins with
    /// (KataGo's "fixed variance initialisation", which makes batch normalisation unnecessary).
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let mut list = Vec::new();
        let mut add = |name: &str, shape: &[i64], initialisation: Initialisation| {
            list.push(Parameter { name: name.to_owned(), shape: shape.to_vec(), initialisation });
        };
        self.trunk_parameters(&mut add);
        self.head_parameters(&mut add);
        list.sort_by_key(|parameter| !parameter.decays());
        list
    }

    /// All parameters used in play, in the order of a network's flat buffer. The margin head comes
    /// last, because networks may lack it.
    pub(crate) fn playing_parameters(&self) -> Vec<Parameter> {
        let mut list = self.parameters();
        list.extend(last_layer(MARGIN, 1, HIDDEN));
        list
    }

    fn trunk_parameters(&self, add: &mut impl FnMut(&str, &[i64], Initialisation)) {
        let (c, pooled) = (self.channels as i64, self.pooled());
        let summary = POOLINGS as i64 * pooled;
        let (planes, globals) = (PLANES as i64, GLOBALS as i64);
        let normal = |variance: f64| Initialisation::Normal(variance.sqrt());
        let fan_in = 9.0 * c as f64;
        let zero = Initialisation::Constant(0.0);
        // About a fifth of the input bits are set; the variance of the stem compensates for that.
        add(STEM_PLANES, &[c, planes, 3, 3], normal(2.0 / (9.0 * 0.2 * planes as f64)));
        add(STEM_GLOBALS, &[c, globals], normal(0.5 / globals as f64));
        add("stem.bias", &[c], zero);
        let branch = Initialisation::Constant(1.0 / (self.blocks as f64).sqrt());
        for block in 0..self.blocks {
            let name = |part: &str| format!("block{block}.{part}");
            add(&name("first.weight"), &[c, c, 3, 3], normal(2.0 / fan_in));
            add(&name("first.scale"), &[c], Initialisation::Constant(1.0));
            add(&name("first.bias"), &[c], zero);
            if Self::pools(block) {
                add(&name("pool.weight"), &[pooled, c, 3, 3], normal(2.0 / fan_in));
                add(&name("pool.bias"), &[pooled], zero);
                add(&name("pool.mix"), &[c, summary], normal(0.3 / summary as f64));
            }
            add(&name("second.weight"), &[c, c, 3, 3], normal(1.0 / fan_in));
            add(&name("second.scale"), &[c], branch);
            add(&name("second.bias"), &[c], zero);
        }
    }

    fn head_parameters(&self, add: &mut impl FnMut(&str, &[i64], Initialisation)) {
        let (c, h) = (self.channels as i64, HEAD_CHANNELS);
        let summary = POOLINGS as i64 * h;
        let normal = |variance: f64| Initialisation::Normal(variance.sqrt());
        let zero = Initialisation::Constant(0.0);
        // The last layers start small, so that a new network is nearly indifferent between moves
        // and results.
        let small = |fan_in: i64| Initialisation::Normal(0.1 / (fan_in as f64).sqrt());
        add("policy.weight", &[h, c], normal(2.0 / c as f64));
        add("policy.bias", &[h], zero);
        add("policy.mix", &[h, summary], normal(0.3 / summary as f64));
        add("moves.weight", &[2, h], small(h));
        add("moves.bias", &[2], zero);
        add("pooled.weight", &[h, c], normal(2.0 / c as f64));
        add("pooled.bias", &[h], zero);
        add("hidden.weight", &[HIDDEN, summary], normal(2.0 / summary as f64));
        add("hidden.bias", &[HIDDEN], zero);
        add("result.weight", &[3, HIDDEN], small(HIDDEN));
        add("result.bias", &[3], zero);
        add("pass.weight", &[1, HIDDEN], small(HIDDEN));
        add("pass.bias", &[1], zero);
    }
}

/// Initialises a last layer, so that a new network is nearly indifferent about everything.
pub(crate) fn last_layer(name: &str, outputs: usize, inputs: i64) -> [Parameter; 2] {
    let initialisation = Initialisation::Normal(0.1 / (inputs as f64).sqrt());
    let (weight, bias, outputs) =
        (format!("{name}.weight"), format!("{name}.bias"), outputs as i64);
    [
        Parameter { name: weight, shape: vec![outputs, inputs], initialisation },
        Parameter {
            name: bias,
            shape: vec![outputs],
            initialisation: Initialisation::Constant(0.0),
        },
    ]
}
