//! The policy/value network: a residual tower with a policy head and a win-draw-loss head (Silver et al. 2017, 2018).

use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use selfplay_env::PolicyShape;

use crate::config::{KERNEL, NetworkConfig, WDL_OUTPUTS};
use crate::error::NetworkError;
use crate::initial_weights::LayerMaker;
use crate::layers::{ConvNorm, PolicyHead, PolicyOutput, PoolingBias, ResidualBlock, ValueFeatures, ValueHead};
use crate::shape::GameShape;

/// What the network says about a batch of positions.
#[derive(Clone, Debug)]
pub struct NetworkOutput {
    /// `[batch, actions]`, before any mask or softmax.
    pub policy_logits: Tensor<2>,
    /// `[batch, 3]`: win, draw, loss for the side to move, before the softmax.
    pub wdl_logits: Tensor<2>,
}

/// A residual network for one game.
///
/// `clone` shares batch norm's running statistics with the original, as all Burn modules do; [`Module::valid`] gives
/// an independent copy for inference, [`Module::train`] one for a training step.
#[derive(Module, Debug)]
pub struct PolicyValueNetwork {
    /// 3×3 convolution from planes to channels, rectified.
    pub stem: ConvNorm,
    /// The tower.
    pub blocks: Vec<ResidualBlock>,
    /// Policy head.
    pub policy: PolicyHead,
    /// Value head.
    pub value: ValueHead,
    #[module(skip)]
    config: NetworkConfig,
    #[module(skip)]
    shape: GameShape,
}

impl PolicyValueNetwork {
    /// A network with fresh weights, a function of `seed`, on `device` without autodiff.
    ///
    /// Convolutions start with He's normal weights, output layers with a tenth of that (a hair from uniform priors
    /// and values), biases with zero, norms with the identity.
    ///
    /// # Errors
    /// [`NetworkError::InvalidConfig`].
    pub fn new(shape: GameShape, config: NetworkConfig, seed: u64, device: &Device) -> Result<Self, NetworkError> {
        config.validate()?;
        let device = device.clone().without_autodiff();
        let mut layers = LayerMaker::new(seed, &device);
        let channels = config.channels;
        let stem = layers.conv_norm(shape.planes, channels, KERNEL);
        let blocks = (0..config.blocks)
            .map(|block| ResidualBlock {
                first: layers.conv_norm(channels, channels, KERNEL),
                pooling: config.block_is_pooled(block).then(|| PoolingBias {
                    features: layers.conv_norm(channels, config.pooling_channels(), KERNEL),
                    bias: layers.output_linear(2 * config.pooling_channels(), channels),
                }),
                second: layers.conv_norm(channels, channels, KERNEL),
            })
            .collect();
        let policy = PolicyHead {
            reduce: layers.conv_norm(channels, config.policy_channels, 1),
            output: match shape.policy {
                PolicyShape::Planes(planes) => PolicyOutput::Planes(layers.output_conv(config.policy_channels, planes)),
                PolicyShape::Dense => PolicyOutput::Dense(
                    layers.output_linear(config.policy_channels * shape.cells(), shape.action_count),
                ),
            },
        };
        let value = ValueHead {
            reduce: layers.conv_norm(channels, config.value_channels, 1),
            features: if config.global_pooling { ValueFeatures::MeanAndMax } else { ValueFeatures::Cells },
            hidden: layers.hidden_linear(config.value_inputs(&shape), config.value_hidden),
            output: layers.output_linear(config.value_hidden, WDL_OUTPUTS),
        };
        Ok(PolicyValueNetwork { stem, blocks, policy, value, config, shape })
    }

    /// Judges `planes`, `[batch, planes, height, width]`.
    pub fn forward(&self, planes: Tensor<4>) -> NetworkOutput {
        let stem = relu(self.stem.forward(planes));
        let features = self.blocks.iter().fold(stem, |features, block| block.forward(features));
        NetworkOutput { policy_logits: self.policy.forward(features.clone()), wdl_logits: self.value.forward(features) }
    }

    /// Size and make.
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// The game's tensor sizes.
    pub fn shape(&self) -> &GameShape {
        &self.shape
    }

    /// Where the weights are.
    pub fn device(&self) -> Device {
        self.stem.conv.weight.val().device()
    }
}
