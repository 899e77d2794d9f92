//! How large the network is.

use selfplay_config::config_section;

/// Win, draw, loss.
pub const WDL_OUTPUTS: usize = 3;

config_section! {
    #[derive(Eq)]
    /// Size and make of a policy/value network.
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
}
