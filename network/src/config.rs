//! How large the network is.

use serde::{Deserialize, Serialize};

use crate::error::NetworkError;

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
    /// [`FinalState`](selfplay_env::FinalState).
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
}
