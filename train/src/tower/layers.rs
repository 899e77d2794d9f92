//! The layers of the tower in the order of the forward pass, and what each of them reads.

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

/// The layers of a tower over `planes` input planes, one residual block for each item of `blocks`: its number of
/// pooled features, if it has any.
pub(super) fn layers(planes: usize, channels: usize, blocks: impl Iterator<Item = Option<usize>>) -> Vec<Layer> {
    let plain = Layer {
        conv_norm: ConvNorm::new(channels, channels, true),
        pooled_bias: None,
        role: Role::Trunk,
        input: None,
        skip: None,
    };
    let mut layers = vec![Layer { conv_norm: ConvNorm::new(planes, channels, false), ..plain.clone() }];
    for pooled_features in blocks {
        let trunk = Some(layers.len() - 1);
        if let Some(features) = pooled_features {
            let conv_norm = ConvNorm::new(channels, features, true);
            layers.push(Layer { conv_norm, role: Role::Pooled, input: trunk, ..plain.clone() });
        }
        let pooled_bias = pooled_features.map(|features| PooledBias::new(features, channels));
        layers.push(Layer { pooled_bias, role: Role::Inner, input: trunk, ..plain.clone() });
        let inner = Some(layers.len() - 1);
        layers.push(Layer { input: inner, skip: trunk, ..plain.clone() });
    }
    layers
}
