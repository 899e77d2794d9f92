//! How large the network is.

use selfplay_env::{FinalState, GameShape, PolicyShape, config_section};

/// Side of the kernels of stem and tower.
pub(crate) const KERNEL: usize = 3;
/// Win, draw, loss.
pub(crate) const WDL_OUTPUTS: usize = 3;

config_section! {
    #[derive(Eq)]
    /// Size and make of a [`PolicyValueNetwork`](crate::PolicyValueNetwork).
    pub struct NetworkConfig {
        /// Channels of the residual tower: few enough for self-play on two cores; AlphaZero used 256.
        pub channels: usize = 64, in 1..=4096;
        /// Residual blocks, two 3×3 convolutions each; AlphaZero used 19.
        pub blocks: usize = 6, in 0..=256;
        /// Channels of the 1×1 convolution that opens the policy head. Lc0's has as many as the tower; half is enough on
        /// small boards.
        pub policy_channels: usize = 32, in 1..=4096;
        /// Channels of the 1×1 convolution that opens the value head (AlphaZero 1, Lc0 32).
        pub value_channels: usize = 16, in 1..=4096;
        /// Width of the value head's hidden layer (AlphaZero 256 for a tower four times as wide).
        pub value_hidden: usize = 64, in 1..=4096;
        /// Every second block, the second first, adds a bias computed from the mean and the maximum over the board of
        /// `channels / 4` extra features, and the value head reads its features' mean and maximum instead of every
        /// cell; with a convolutional policy no weight then depends on the board's size (Wu 2019, section 3.3 and
        /// appendix A.1).
        pub global_pooling: bool = false;
        /// Heads that are trained beside policy and value, to make the tower see more in each game. Only the loss
        /// reads them: they cost nothing in play.
        pub auxiliary: AuxiliaryConfig = AuxiliaryConfig::default();
    }
}

config_section! {
    #[derive(Copy, Eq)]
    /// Which heads are trained beside policy and value; inference never computes them.
    pub struct AuxiliaryConfig {
        /// What the opponent will play next (Wu 2019, section 3.4).
        pub next_action: bool = false;
        /// How many decisions the game will still last (Lc0's moves-left head).
        pub moves_left: bool = false;
        /// What the last position will look like, as the game's README says: owners of cells, completed lines, or a
        /// margin (Wu 2019, section 4.1).
        pub final_state: bool = false;
    }
}

impl NetworkConfig {
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
        assert_eq!(config.validate().unwrap_err().to_string(), "`channels` is 0: expected 1 to 4,096");
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
