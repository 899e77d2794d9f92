//! How large the network is.

use selfplay_config::config_section;

/// Win, draw, loss.
pub const WDL_OUTPUTS: usize = 3;

config_section! {
    #[derive(Eq)]
    /// Architecture of the policy/value network.
    pub struct NetworkConfig {
        /// Channels of the residual tower; AlphaZero used 256.
        pub channels: usize = 64, in 1..=4096;
        /// Residual blocks, two 3×3 convolutions each; AlphaZero used 19.
        pub blocks: usize = 6, in 0..=256;
        /// Channels of the 1×1 convolution of the policy head. Lc0 has as many as the tower; half is enough on small boards.
        pub policy_channels: usize = 32, in 1..=4096;
        /// Channels of the 1×1 convolution of the value head (AlphaZero 1, Lc0 32).
        pub value_channels: usize = 16, in 1..=4096;
        /// Width of the value head's hidden layer (AlphaZero 256 for a tower four times as wide).
        pub value_hidden: usize = 64, in 1..=4096;
        /// KataGo's global pooling (Wu 2019, section 3.3 and appendix A.1). Every second block adds a bias computed from mean
        /// and maximum of `channels / 4` extra features over the board. The value head reads mean and maximum of its features
        /// instead of every cell. With a convolutional policy no weight then depends on the board size.
        pub global_pooling: bool = false;
        /// Auxiliary heads: additional training targets for the tower. Inference does not compute them.
        pub auxiliary: AuxiliaryConfig = AuxiliaryConfig::default();
    }
}

config_section! {
    #[derive(Copy, Eq)]
    /// Which auxiliary heads are trained; inference does not compute them.
    pub struct AuxiliaryConfig {
        /// The opponent's next action (Wu 2019, section 3.4).
        pub opponent_policy: bool = false;
        /// Plies until the end of the game (Lc0's moves-left head).
        pub moves_left: bool = false;
        /// The final position, as the game's README defines it. Where cells have owners this is KataGo's ownership target (Wu
        /// 2019, section 4.1); other games predict completed lines or the winning margin, hence the wider name.
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
