//! The policy/value network: a residual tower with a policy head and a win-draw-loss head (Silver et al. 2017, 2018).

use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use selfplay_env::GameShape;

use crate::auxiliary::{AuxiliaryHeads, AuxiliaryOutput};
use crate::config::{KERNEL, NetworkConfig, WDL_OUTPUTS};
use crate::error::NetworkError;
use crate::initial_weights::LayerMaker;
use crate::layers::{ConvNorm, PolicyHead, PoolingBias, ResidualBlock, ValueFeatures, ValueHead};

/// What the network says about a batch of positions.
#[derive(Clone, Debug)]
pub struct NetworkOutput {
    /// `[batch, actions]`, before any mask or softmax.
    pub policy_logits: Tensor<2>,
    /// `[batch, 3]`: win, draw, loss for the side to move, before the softmax.
    pub wdl_logits: Tensor<2>,
}

/// What the heads read of a batch of positions: the rectified results of their first layers.
#[derive(Clone, Debug)]
pub struct HeadFeatures {
    /// `[batch, policy_channels, height, width]`
    pub policy: Tensor<4>,
    /// `[batch, value_channels, height, width]`
    pub value: Tensor<4>,
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
    /// Heads that only the loss reads.
    pub auxiliary: AuxiliaryHeads,
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
    /// [`NetworkError::InvalidKey`]; [`NetworkError::NoFinalState`] if the config asks for a head that the game has
    /// no target for.
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
            output: layers.policy_output(&shape, config.policy_channels),
        };
        let value = ValueHead {
            reduce: layers.conv_norm(channels, config.value_channels, 1),
            features: if config.global_pooling { ValueFeatures::MeanAndMax } else { ValueFeatures::Cells },
            hidden: layers.hidden_linear(config.value_inputs(&shape), config.value_hidden),
            output: layers.output_linear(config.value_hidden, WDL_OUTPUTS),
        };
        // Last, so that the other weights do not depend on which of these heads there are.
        let widths = [config.policy_channels, config.value_channels, config.value_hidden];
        let auxiliary = AuxiliaryHeads::new(&mut layers, &shape, config.auxiliary, widths)?;
        Ok(PolicyValueNetwork { stem, blocks, policy, value, auxiliary, config, shape })
    }

    /// Judges `planes`, `[batch, planes, height, width]`, without the auxiliary heads.
    pub fn forward(&self, planes: Tensor<4>) -> NetworkOutput {
        let features = self.features(planes);
        let hidden = self.value.hidden_layer(features.value);
        NetworkOutput {
            policy_logits: self.policy.output.forward(features.policy),
            wdl_logits: self.value.output.forward(hidden),
        }
    }

    /// The first part of the forward pass: from `planes`, `[batch, planes, height, width]`, to what the heads read.
    pub fn features(&self, planes: Tensor<4>) -> HeadFeatures {
        let stem = relu(self.stem.forward(planes));
        let trunk = self.blocks.iter().fold(stem, |features, block| block.forward(features));
        HeadFeatures {
            policy: relu(self.policy.reduce.forward(trunk.clone())),
            value: relu(self.value.reduce.forward(trunk)),
        }
    }

    /// The rest of the forward pass for training: all heads.
    pub fn judge(&self, features: &HeadFeatures) -> (NetworkOutput, AuxiliaryOutput) {
        let HeadFeatures { policy, value } = features;
        let hidden = self.value.hidden_layer(value.clone());
        let auxiliary = self.auxiliary.forward(policy, value, &hidden);
        let output = NetworkOutput {
            policy_logits: self.policy.output.forward(policy.clone()),
            wdl_logits: self.value.output.forward(hidden),
        };
        (output, auxiliary)
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
