//! The building blocks of the network: the modules that hold its parameters, and what the heads do with them; what the
//! tower does stands in [`plan`](selfplay_network::plan).
//!
//! Shapes are written `[batch, channels, height, width]`. Fields are public so that the learner's own passes can
//! read the weights.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Initializer, Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use selfplay_network::plan::{Reads, TowerLayer, Weights};
use selfplay_network::tensor_plan::NORM_EPSILON;

/// A convolution without bias and the batch norm after it.
///
/// Batch norm uses the statistics of the batch, and updates the running ones, when the input lives on an autodiff
/// device and the layer is in training mode ([`Module::train`]). Otherwise it uses the running statistics and can be
/// folded into the convolution.
#[derive(Module, Debug)]
pub struct ConvNorm {
    /// Kernel `[outputs, inputs, kernel, kernel]`.
    pub conv: Conv2d,
    /// Scale, shift and running statistics `[outputs]`.
    pub norm: BatchNorm,
}

/// The bias that a pooled block adds to each channel of its first convolution, from features of the whole board
/// (Wu 2019, appendix A.1).
#[derive(Module, Debug)]
pub struct PoolingBias {
    /// Features that are pooled, rectified.
    pub features: ConvNorm,
    /// Mean and maximum of every feature `[2 · pooling_channels]` to a bias `[channels]`.
    pub bias: Linear,
}

/// Two convolutions and a skip connection, rectified after the sum (He et al. 2016), as in AlphaGo Zero.
#[derive(Module, Debug)]
pub struct ResidualBlock {
    /// First convolution.
    pub first: ConvNorm,
    /// Added to the first convolution before its norm, in pooled blocks.
    pub pooling: Option<PoolingBias>,
    /// Second convolution; the skip is added after its norm.
    pub second: ConvNorm,
}

/// The last layer of a head that has a logit for each action.
#[derive(Module, Debug)]
pub enum PolicyOutput {
    /// A 1×1 convolution with one output per policy plane.
    Planes(Conv2d),
    /// A linear layer over all cells and channels, flattened `[channel, row, column]`.
    Dense(Linear),
}

impl ConvNorm {
    /// The modules of a layer, padded to keep the board's size, before their numbers are put into them.
    pub(crate) fn planned(layer: &TowerLayer, device: &Device) -> Self {
        let (kernel, outputs) = (layer.weights.kernel(), layer.weights.outputs);
        let padding = PaddingConfig2d::Explicit(kernel / 2, kernel / 2, kernel / 2, kernel / 2);
        let conv = conv(&layer.weights).with_padding(padding).with_bias(false).init(device);
        ConvNorm { conv, norm: BatchNormConfig::new(outputs).with_epsilon(NORM_EPSILON).init(device) }
    }
}

/// What makes a convolution, without random numbers that would be thrown away.
fn conv(Weights { reads, inputs, outputs, .. }: &Weights) -> Conv2dConfig {
    let Reads::Window(kernel) = *reads else { unreachable!("convolutions read windows") };
    Conv2dConfig::new([*inputs, *outputs], [kernel, kernel]).with_initializer(Initializer::Zeros)
}

/// A convolution with a bias, before its numbers are put into it.
pub(crate) fn planned_conv(weights: &Weights, device: &Device) -> Conv2d {
    conv(weights).init(device)
}

/// A linear layer with a bias, before its numbers are put into it.
pub(crate) fn planned_linear(weights: &Weights, device: &Device) -> Linear {
    LinearConfig::new(weights.fan_in(), weights.outputs).with_initializer(Initializer::Zeros).init(device)
}

impl PolicyOutput {
    /// The module of the layer, before its numbers are put into it.
    pub(crate) fn planned(weights: &Weights, device: &Device) -> Self {
        match weights.reads {
            Reads::Window(_) => PolicyOutput::Planes(planned_conv(weights, device)),
            _ => PolicyOutput::Dense(planned_linear(weights, device)),
        }
    }

    /// Rectified `[batch, channels, height, width]` to `[batch, actions]`; action = (plane · height + row) · width +
    /// column for a policy in planes.
    pub fn forward(&self, features: Tensor<4>) -> Tensor<2> {
        match self {
            PolicyOutput::Planes(conv) => conv.forward(features).flatten(1, 3),
            PolicyOutput::Dense(linear) => linear.forward(features.flatten(1, 3)),
        }
    }
}

/// One logit per action.
#[derive(Module, Debug)]
pub struct PolicyHead {
    /// 1×1 convolution to `policy_channels`, rectified.
    pub reduce: ConvNorm,
    /// To logits.
    pub output: PolicyOutput,
}

/// Logits of win, draw and loss for the side to move.
#[derive(Module, Debug)]
pub struct ValueHead {
    /// 1×1 convolution to `value_channels`, rectified.
    pub reduce: ConvNorm,
    /// What the hidden layer reads of each channel: all cells, or their mean and maximum.
    #[module(skip)]
    pub reads: Reads,
    /// Hidden layer, rectified.
    pub hidden: Linear,
    /// To three logits.
    pub output: Linear,
}

impl ValueHead {
    /// The hidden layer: rectified `[batch, value_channels, height, width]` to rectified `[batch, value_hidden]`.
    pub fn hidden_layer(&self, reduced: Tensor<4>) -> Tensor<2> {
        let features = if self.reads == Reads::MeanAndMax { mean_and_max(reduced) } else { reduced.flatten(1, 3) };
        relu(self.hidden.forward(features))
    }
}

/// Mean over the board of every channel, then the maximum of every channel:
/// `[batch, channels, height, width]` to `[batch, 2 · channels]`.
pub(crate) fn mean_and_max(x: Tensor<4>) -> Tensor<2> {
    let cells: Tensor<3> = x.flatten(2, 3);
    Tensor::cat(vec![cells.clone().mean_dim(2), cells.max_dim(2)], 1).flatten(1, 2)
}
