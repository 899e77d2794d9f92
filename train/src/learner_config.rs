//! The knobs of learning, each with the source of its default.

use serde::{Deserialize, Serialize};

use crate::learner_error::LearnerError;
use crate::schedule::Schedule;

/// The rule that turns gradients into weight changes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
    #[default]
    AdamW,
    /// Stochastic gradient descent with momentum and decoupled weight decay (the same paper's SGDW).
    Sgd,
}

impl OptimizerKind {
    /// The name in configs.
    pub const fn name(self) -> &'static str {
        match self {
            OptimizerKind::AdamW => "adamw",
            OptimizerKind::Sgd => "sgd",
        }
    }
}

/// How weights are learned from batches.
///
/// | key | default | source of the default |
/// |---|---|---|
/// | `optimizer` | adamw | fewer steps than SGD to the same strength on small nets; AlphaZero used SGD |
/// | `learning_rate` | 0.001 | Kingma and Ba 2015; AlphaZero's 0.2 is for SGD with batches of 4096 |
/// | `momentum` | 0.9 | AlphaZero; Adam's β₁ |
/// | `weight_decay` | 0.0001 | the L2 constant of AlphaGo Zero |
/// | `gradient_clip_norm` | 5.0 | far above the norms of healthy steps: a safety belt |
/// | `value_loss_weight` | 1.0 | AlphaZero |
/// | `next_action_weight` | 0.15 | Wu 2019, section 3.4 |
/// | `moves_left_weight` | 0.5 | no source: the loss is then about a tenth of the others |
/// | `final_state_weight` | 1.0 | Wu 2019, appendix A: as much for the mean cell as for the value |
/// | `root_value_share` | 0.5 | measured: docs/recipe.md; AlphaZero has 0, recipes that mix take 0.5 |
/// | `proof_targets` | false | AlphaZero, which proves nothing |
/// | `ema_decay` | 0.99 | measured: docs/recipe.md; an average over about a hundred steps, shorter at the start |
/// | `batch_size` | 256 | a sixteenth of AlphaZero's for a sixteenth of its games |
/// | `warmup_steps` | 100 | Adam's second moment is an average of few gradients before that |
/// | `schedule` | constant | a run has no planned end |
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearnerConfig {
    /// Update rule.
    pub optimizer: OptimizerKind,
    /// Learning rate after warm-up and before any decay.
    pub learning_rate: f64,
    /// Momentum of SGD, β₁ of AdamW; in 0..1.
    pub momentum: f64,
    /// Share of each kernel and matrix that a step takes away, before the factor of the learning rate. Decoupled: it
    /// is not part of the loss or the gradient. Biases and norms do not decay.
    pub weight_decay: f64,
    /// Longer gradients, over all weights together, are shortened to this norm.
    pub gradient_clip_norm: f64,
    /// Factor of the value loss beside the policy loss.
    pub value_loss_weight: f64,
    /// Factor of the loss of the head `auxiliary.next_action`, if the network has it.
    pub next_action_weight: f64,
    /// Factor of the loss of the head `auxiliary.moves_left`, if the network has it.
    pub moves_left_weight: f64,
    /// Factor of the loss of the head `auxiliary.final_state`, if the network has it.
    pub final_state_weight: f64,
    /// Share of the search's own estimate in the value target, in 0..=1; the rest is the game's result. (Leela Chess
    /// Zero's `q_ratio`.)
    pub root_value_share: f64,
    /// Whether a position that the search proved has the proven result as its value target, whatever was played.
    pub proof_targets: bool,
    /// Share of the old average that a step keeps in the weights to play with; in 0..1. After `t` steps the share is
    /// at most `(1 + t) / (10 + t)`, so that initial weights are forgotten fast.
    pub ema_decay: f64,
    /// Positions per step.
    pub batch_size: usize,
    /// Steps over which the learning rate rises linearly from zero.
    pub warmup_steps: u64,
    /// Course of the learning rate after that.
    pub schedule: Schedule,
}

impl Default for LearnerConfig {
    fn default() -> Self {
        LearnerConfig {
            optimizer: OptimizerKind::AdamW,
            learning_rate: 1e-3,
            momentum: 0.9,
            weight_decay: 1e-4,
            gradient_clip_norm: 5.0,
            value_loss_weight: 1.0,
            next_action_weight: 0.15,
            moves_left_weight: 0.5,
            final_state_weight: 1.0,
            root_value_share: 0.5,
            proof_targets: false,
            ema_decay: 0.99,
            batch_size: 256,
            warmup_steps: 100,
            schedule: Schedule::Constant,
        }
    }
}

impl LearnerConfig {
    /// Checks every number.
    ///
    /// # Errors
    /// [`LearnerError::InvalidConfig`] with the first key that is out of range.
    pub fn validate(&self) -> Result<(), LearnerError> {
        let share = |value: f64| (0.0..1.0).contains(&value);
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let not_negative = |value: f64| value.is_finite() && value >= 0.0;
        let checks = [
            ("learning_rate", self.learning_rate, positive(self.learning_rate), "above 0"),
            ("momentum", self.momentum, share(self.momentum), "at least 0 and below 1"),
            ("weight_decay", self.weight_decay, not_negative(self.weight_decay), "at least 0"),
            ("gradient_clip_norm", self.gradient_clip_norm, positive(self.gradient_clip_norm), "above 0"),
            ("value_loss_weight", self.value_loss_weight, not_negative(self.value_loss_weight), "at least 0"),
            ("next_action_weight", self.next_action_weight, not_negative(self.next_action_weight), "at least 0"),
            ("moves_left_weight", self.moves_left_weight, not_negative(self.moves_left_weight), "at least 0"),
            ("final_state_weight", self.final_state_weight, not_negative(self.final_state_weight), "at least 0"),
            ("root_value_share", self.root_value_share, (0.0..=1.0).contains(&self.root_value_share), "0 to 1"),
            ("ema_decay", self.ema_decay, share(self.ema_decay), "at least 0 and below 1"),
            ("batch_size", self.batch_size as f64, (1..=65_536).contains(&self.batch_size), "1 to 65,536"),
        ];
        for (key, value, holds, expected) in checks {
            if !holds {
                return Err(LearnerError::InvalidConfig { key, value, expected });
            }
        }
        self.schedule.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        assert!(LearnerConfig::default().validate().is_ok());
        type Spoil = fn(&mut LearnerConfig);
        let cases: [(&str, Spoil); 6] = [
            ("learning_rate", |config| config.learning_rate = f64::NAN),
            ("momentum", |config| config.momentum = 1.0),
            ("ema_decay", |config| config.ema_decay = -0.1),
            ("final_state_weight", |config| config.final_state_weight = f64::INFINITY),
            ("root_value_share", |config| config.root_value_share = 1.1),
            ("batch_size", |config| config.batch_size = 0),
        ];
        for (name, spoil) in cases {
            let mut config = LearnerConfig::default();
            spoil(&mut config);
            let error = config.validate().unwrap_err();
            assert!(matches!(error, LearnerError::InvalidConfig { key, .. } if key == name), "{error}");
        }
    }
}
