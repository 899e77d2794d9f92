//! Layers with initial weights from the project's seeded generator.
//!
//! Burn's initializers draw from a generator that is global to the process and differs between devices; here the same
//! seed gives the same weights everywhere.

use burn::module::Param;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNormConfig, Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::{Device, Tensor, TensorData};
use rand_distr::{Distribution, StandardNormal};
use selfplay_env::rng::{GameRng, rng_for};

use crate::layers::{ConvNorm, PolicyOutput};
use crate::plan::{Reads, TowerLayer, Weights};

/// Stream of the run's seed that initial weights come from: "weights" in ASCII.
const WEIGHT_STREAM: u64 = 0x0077_6569_6768_7473;
/// Standard deviation of an output layer's weights relative to He's: close to zero, so that an untrained network says
/// almost "equal priors, a third each", yet not zero, so that no two actions tie.
const OUTPUT_SCALE: f32 = 0.1;

/// Makes layers one after another; the order decides which random numbers a layer gets.
pub(crate) struct LayerMaker<'a> {
    rng: GameRng,
    device: &'a Device,
}

impl<'a> LayerMaker<'a> {
    pub(crate) fn new(seed: u64, device: &'a Device) -> Self {
        LayerMaker { rng: rng_for(&[seed, WEIGHT_STREAM]), device }
    }

    /// A convolution without bias (the norm brings one), padded to keep the board's size, and its batch norm.
    pub(crate) fn conv_norm(&mut self, layer: &TowerLayer) -> ConvNorm {
        let (kernel, &Weights { inputs, outputs, .. }) = (layer.weights.kernel(), &layer.weights);
        let mut conv = Conv2dConfig::new([inputs, outputs], [kernel, kernel])
            .with_padding(PaddingConfig2d::Explicit(kernel / 2, kernel / 2, kernel / 2, kernel / 2))
            .with_bias(false)
            .init(self.device);
        conv.weight = self.normal([outputs, inputs, kernel, kernel], inputs * kernel * kernel, 1.0);
        ConvNorm { conv, norm: BatchNormConfig::new(outputs).init(self.device) }
    }

    /// A 1×1 convolution with bias whose results are logits.
    pub(crate) fn output_conv(&mut self, weights: &Weights) -> Conv2d {
        let Weights { inputs, outputs, .. } = *weights;
        let mut conv = Conv2dConfig::new([inputs, outputs], [1, 1]).init(self.device);
        conv.weight = self.normal([outputs, inputs, 1, 1], inputs, OUTPUT_SCALE);
        conv.bias = Some(self.zeros(outputs));
        conv
    }

    /// A logit for each action of the game.
    pub(crate) fn policy_output(&mut self, weights: &Weights) -> PolicyOutput {
        match weights.reads {
            Reads::Window(_) => PolicyOutput::Planes(self.output_conv(weights)),
            _ => PolicyOutput::Dense(self.output_linear(weights)),
        }
    }

    /// A linear layer that a rectifier follows.
    pub(crate) fn hidden_linear(&mut self, weights: &Weights) -> Linear {
        self.linear(weights, 1.0)
    }

    /// A linear layer whose results are logits, or are added to something that works without them.
    pub(crate) fn output_linear(&mut self, weights: &Weights) -> Linear {
        self.linear(weights, OUTPUT_SCALE)
    }

    fn linear(&mut self, weights: &Weights, scale: f32) -> Linear {
        let (inputs, outputs) = (weights.fan_in(), weights.outputs);
        let mut linear = LinearConfig::new(inputs, outputs).init(self.device);
        linear.weight = self.normal([inputs, outputs], inputs, scale);
        linear.bias = Some(self.zeros(outputs));
        linear
    }

    /// Normal with variance `scale² · 2 / fan_in` (He et al. 2015, "Delving Deep into Rectifiers", equation 10).
    fn normal<const D: usize>(&mut self, shape: [usize; D], fan_in: usize, scale: f32) -> Param<Tensor<D>> {
        let deviation = scale * (2.0 / fan_in as f32).sqrt();
        let count = shape.iter().product();
        let values: Vec<f32> = (0..count)
            .map(|_| {
                let standard: f32 = StandardNormal.sample(&mut self.rng);
                deviation * standard
            })
            .collect();
        Param::from_data(TensorData::new(values, shape), self.device)
    }

    fn zeros(&self, count: usize) -> Param<Tensor<1>> {
        Param::from_data(TensorData::zeros::<f32, _>([count]), self.device)
    }
}
