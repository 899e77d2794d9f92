//! How large the network is.

use selfplay_env::{FinalState, GameShape, PolicyShape};
use serde::{Deserialize, Serialize};

use crate::error::NetworkError;

/// Side of the kernels of stem and tower.
pub(crate) const KERNEL: usize = 3;
/// Win, draw, loss.
pub(crate) const WDL_OUTPUTS: usize = 3;

/// Size and make of a [`PolicyValueNetwork`](crate::PolicyValueNetwork).
///
/// | key | default | source of the default |
/// |---|---|---|
/// | `channels`, `blocks` | 64, 6 | small enough for self-play on two cores; AlphaZero used 256 and 19 |
/// | `policy_channels` | 32 | Leela Chess Zero's policy head has as many as the tower; half is enough on small boards |
/// | `value_channels` | 16 | AlphaZero 1, Leela Chess Zero 32 |
/// | `value_hidden` | 64 | AlphaZero 256 for a tower four times as wide |
/// | `global_pooling` | false | the plain AlphaZero tower; KataGo uses it |
/// | `auxiliary` | none | heads that only the loss reads; KataGo has the first and the last, Leela the second |
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Channels of the residual tower.
    pub channels: usize,
    /// Residual blocks, two 3×3 convolutions each.
    pub blocks: usize,
    /// Channels of the 1×1 convolution that opens the policy head.
    pub policy_channels: usize,
    /// Channels of the 1×1 convolution that opens the value head.
    pub value_channels: usize,
    /// Width of the value head's hidden layer.
    pub value_hidden: usize,
    /// Global pooling (Wu 2019, "Accelerating Self-Play Learning in Go", section 3.3 and appendix A.1): every second
    /// block, the second block first, adds a bias computed from the mean and the maximum over the board of
    /// `channels / 4` extra features, and the value head reads its features' mean and maximum instead of every cell.
    /// With a convolutional policy no weight then depends on the size of the board.
    pub global_pooling: bool,
    /// Heads that only the loss reads.
    pub auxiliary: AuxiliaryConfig,
}

/// Which heads are trained beside policy and value, to teach the tower more of each game; inference never computes them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuxiliaryConfig {
    /// What the opponent will play next (Wu 2019, section 3.4).
    pub next_action: bool,
    /// How many decisions the game will still last (Leela Chess Zero's moves-left head).
    pub moves_left: bool,
    /// What the game's last position will look like (Wu 2019, section 4.1): the game's
    /// [`FinalState`].
    pub final_state: bool,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        NetworkConfig {
            channels: 64,
            blocks: 6,
            policy_channels: 32,
            value_channels: 16,
            value_hidden: 64,
            global_pooling: false,
            auxiliary: AuxiliaryConfig::default(),
        }
    }
}

impl NetworkConfig {
    /// Checks every size.
    ///
    /// # Errors
    /// [`NetworkError::InvalidConfig`] with the first key that is out of range.
    pub fn validate(&self) -> Result<(), NetworkError> {
        let sizes = [
            ("channels", self.channels),
            ("policy_channels", self.policy_channels),
            ("value_channels", self.value_channels),
            ("value_hidden", self.value_hidden),
        ];
        for (key, value) in sizes {
            if !(1..=4096).contains(&value) {
                return Err(NetworkError::InvalidConfig { key, value, expected: "between 1 and 4096" });
            }
        }
        if self.blocks > 256 {
            return Err(NetworkError::InvalidConfig { key: "blocks", value: self.blocks, expected: "at most 256" });
        }
        Ok(())
    }

    /// Whether block number `block` (from 0) has a global-pooling bias.
    pub fn block_is_pooled(&self, block: usize) -> bool {
        self.global_pooling && block % 2 == 1
    }

    /// Features that a pooled block gathers over the board.
    pub fn pooling_channels(&self) -> usize {
        (self.channels / 4).max(1)
    }

    /// Inputs of the value head's hidden layer.
    pub fn value_inputs(&self, shape: &GameShape) -> usize {
        if self.global_pooling { 2 * self.value_channels } else { self.value_channels * shape.cells() }
    }

    /// Number of trained weights, those of auxiliary heads included; batch norm's running statistics are not counted.
    pub fn parameter_count(&self, shape: &GameShape) -> usize {
        let conv_norm = |inputs: usize, outputs: usize, kernel: usize| outputs * (inputs * kernel * kernel + 2);
        let linear = |inputs: usize, outputs: usize| outputs * (inputs + 1);
        let blocks: usize = (0..self.blocks)
            .map(|block| {
                let pooling = if self.block_is_pooled(block) {
                    conv_norm(self.channels, self.pooling_channels(), KERNEL)
                        + linear(2 * self.pooling_channels(), self.channels)
                } else {
                    0
                };
                2 * conv_norm(self.channels, self.channels, KERNEL) + pooling
            })
            .sum();
        let policy = match shape.policy {
            PolicyShape::Planes(planes) => linear(self.policy_channels, planes),
            PolicyShape::Dense => linear(self.policy_channels * shape.cells(), shape.action_count),
        };
        let final_state = match shape.final_state {
            FinalState::None => 0,
            FinalState::Cells => linear(self.value_channels, FinalState::CELL_CLASSES),
            FinalState::Margin => linear(self.value_hidden, 1),
        };
        let heads = self.auxiliary;
        let auxiliary = [
            (heads.next_action, policy),
            (heads.moves_left, linear(self.value_hidden, 1)),
            (heads.final_state, final_state),
        ];
        conv_norm(shape.planes, self.channels, KERNEL)
            + blocks
            + auxiliary.into_iter().filter_map(|(is_on, weights)| is_on.then_some(weights)).sum::<usize>()
            + conv_norm(self.channels, self.policy_channels, 1)
            + policy
            + conv_norm(self.channels, self.value_channels, 1)
            + linear(self.value_inputs(shape), self.value_hidden)
            + linear(self.value_hidden, WDL_OUTPUTS)
    }

    /// Floating-point operations of one forward pass of one position: two for each multiplication with a weight of a
    /// convolution or linear layer; norms, activations and pooling are not counted, nor auxiliary heads, which only
    /// training computes.
    pub fn flops_per_position(&self, shape: &GameShape) -> u64 {
        let cells = shape.cells();
        let conv = |inputs: usize, outputs: usize, kernel: usize| cells * outputs * inputs * kernel * kernel;
        let blocks: usize = (0..self.blocks)
            .map(|block| {
                let pooling = if self.block_is_pooled(block) {
                    conv(self.channels, self.pooling_channels(), KERNEL) + 2 * self.pooling_channels() * self.channels
                } else {
                    0
                };
                2 * conv(self.channels, self.channels, KERNEL) + pooling
            })
            .sum();
        let policy = match shape.policy {
            PolicyShape::Planes(planes) => conv(self.policy_channels, planes, 1),
            PolicyShape::Dense => self.policy_channels * cells * shape.action_count,
        };
        let multiplications = conv(shape.planes, self.channels, KERNEL)
            + blocks
            + conv(self.channels, self.policy_channels, 1)
            + policy
            + conv(self.channels, self.value_channels, 1)
            + self.value_inputs(shape) * self.value_hidden
            + self.value_hidden * WDL_OUTPUTS;
        2 * multiplications as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_and_impossible_sizes_are_refused() {
        assert!(toml::from_str::<NetworkConfig>("chanels = 3").is_err());
        let config: NetworkConfig = toml::from_str("channels = 0").unwrap();
        assert!(matches!(config.validate(), Err(NetworkError::InvalidConfig { key: "channels", value: 0, .. })));
        assert!(NetworkConfig::default().validate().is_ok());
    }

    #[test]
    fn operations_are_counted_as_by_hand() {
        let shape = GameShape {
            game: "test",
            encoding_version: 1,
            planes: 1,
            height: 1,
            width: 1,
            policy: PolicyShape::Planes(1),
            action_count: 1,
            final_state: FinalState::None,
        };
        let one = NetworkConfig {
            channels: 2,
            blocks: 2,
            policy_channels: 1,
            value_channels: 1,
            value_hidden: 1,
            global_pooling: false,
            auxiliary: AuxiliaryConfig::default(),
        };
        // Stem 18, four tower convolutions of 36, heads 2 + 1 and 2 + 1 + 3.
        assert_eq!(one.flops_per_position(&shape), 2 * (18 + 4 * 36 + 9));
        // The second block's extra features 18 and bias 4, one more input of the value head's hidden layer.
        let pooled = NetworkConfig { global_pooling: true, ..one };
        assert_eq!(pooled.flops_per_position(&shape), 2 * (18 + 4 * 36 + 9 + 18 + 4 + 1));
    }
}
