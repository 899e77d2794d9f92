//! The layers in the order of the forward pass, and what each of them reads: stem, blocks, the first layer of each head.

use selfplay_network::NetworkConfig;

use super::conv_norm::ConvNorm;
use super::pooled_bias::PooledBias;

/// What a layer's results are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// They go on through the skip connections: stem, and last layer of a block.
    Trunk,
    /// The last layer of the block reads them.
    Inner,
    /// They are pooled to the bias of the layer after this one.
    Pooled,
    /// The rest of the policy head reads them.
    Policy,
    /// The rest of the value head reads them.
    Value,
}

/// A convolution with its norm, and its place in the tower. It is rectified.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub conv_norm: ConvNorm,
    /// Made from the results of the layer before this one, and added before the norm.
    pub pooled_bias: Option<PooledBias>,
    pub role: Role,
    /// Number of the layer whose results it reads; none if it reads the encoded positions.
    pub input: Option<usize>,
    /// Number of the layer whose results are added behind the norm.
    pub skip: Option<usize>,
}

/// Cells under a kernel of the tower.
const TAPS: usize = 9;

/// The layers for `planes` input planes and a configuration of the network. The last but one belongs to the policy
/// head, the last one to the value head.
pub(super) fn layers(planes: usize, config: &NetworkConfig) -> Vec<Layer> {
    let channels = config.channels;
    let plain = Layer {
        conv_norm: ConvNorm::new(TAPS, channels, channels, true),
        pooled_bias: None,
        role: Role::Trunk,
        input: None,
        skip: None,
    };
    let mut layers = vec![Layer { conv_norm: ConvNorm::new(TAPS, planes, channels, false), ..plain.clone() }];
    for block in 0..config.blocks {
        let pooled_features = config.block_is_pooled(block).then(|| config.pooling_channels());
        let trunk = Some(layers.len() - 1);
        if let Some(features) = pooled_features {
            let conv_norm = ConvNorm::new(TAPS, channels, features, true);
            layers.push(Layer { conv_norm, role: Role::Pooled, input: trunk, ..plain.clone() });
        }
        let pooled_bias = pooled_features.map(|features| PooledBias::new(features, channels));
        layers.push(Layer { pooled_bias, role: Role::Inner, input: trunk, ..plain.clone() });
        let inner = Some(layers.len() - 1);
        layers.push(Layer { input: inner, skip: trunk, ..plain.clone() });
    }
    let trunk = Some(layers.len() - 1);
    for (role, outputs) in [(Role::Policy, config.policy_channels), (Role::Value, config.value_channels)] {
        let conv_norm = ConvNorm::new(1, channels, outputs, true);
        layers.push(Layer { conv_norm, role, input: trunk, ..plain.clone() });
    }
    layers
}
