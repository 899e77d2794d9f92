//! The parts of the loss and their weights (Silver et al. 2017, equation 1, with win-draw-loss probabilities in place of the
//! squared error; Wu 2019, appendix A, for the auxiliary heads). Weight decay is the optimizer's business.

use selfplay_network::training::{LearnerConfig, LossTerm};

/// Errors of the moves-left head above this many units, ten plies, count linearly (Huber 1964; the threshold is that of
/// Leela Chess Zero's training).
pub const MOVES_LEFT_LINEAR: f32 = 0.5;

/// −Σ target · log softmax of logits whose `exp`s sum to `exp(log_sum)`, in nats.
pub(crate) fn cross_entropy(logits: &[f32], targets: impl Iterator<Item = f32>, log_sum: f32) -> f64 {
    -logits.iter().zip(targets).map(|(logit, target)| f64::from(target * (logit - log_sum))).sum::<f64>()
}

/// The parts of the loss, each the mean over the rows; `None` where a head is switched off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loss<T> {
    /// Cross-entropy between target and predicted policy over the candidates, in nats.
    pub policy: T,
    /// Cross-entropy between target and predicted win, draw and loss, in nats.
    pub value: T,
    /// Cross-entropy of the opponent's next action over all actions, in nats.
    pub opponent_policy: Option<T>,
    /// Half the squared error of the moves left, linear from [`MOVES_LEFT_LINEAR`] on.
    pub moves_left: Option<T>,
    /// Cross-entropy of the mean cell, in nats, or squared error of the margin.
    pub final_state: Option<T>,
}

impl<T> Loss<T> {
    /// What is minimised: the policy's part and the others times their weights; `add` adds a part times its weight.
    pub fn total(self, config: &LearnerConfig, add: impl Fn(T, T, f64) -> T) -> T {
        let weighted = [
            (Some(self.value), config.value_loss_weight),
            (self.opponent_policy, config.opponent_policy_weight),
            (self.moves_left, config.moves_left_weight),
            (self.final_state, config.final_state_weight),
        ];
        weighted.into_iter().fold(self.policy, |total, (part, weight)| match part {
            Some(part) => add(total, part, weight),
            None => total,
        })
    }

    /// Every part by way of `convert`.
    pub fn map<U>(self, convert: impl Fn(T) -> U) -> Loss<U> {
        Loss {
            policy: convert(self.policy),
            value: convert(self.value),
            opponent_policy: self.opponent_policy.map(&convert),
            moves_left: self.moves_left.map(&convert),
            final_state: self.final_state.map(&convert),
        }
    }
}

impl Loss<f64> {
    /// The weights of the parts in the total.
    pub(crate) fn weights(config: &LearnerConfig) -> Self {
        Loss {
            policy: 1.0,
            value: config.value_loss_weight,
            opponent_policy: Some(config.opponent_policy_weight),
            moves_left: Some(config.moves_left_weight),
            final_state: Some(config.final_state_weight),
        }
    }

    /// Part by part; a part is there if it is in both.
    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        Loss {
            policy: self.policy + other.policy,
            value: self.value + other.value,
            opponent_policy: sum(self.opponent_policy, other.opponent_policy),
            moves_left: sum(self.moves_left, other.moves_left),
            final_state: sum(self.final_state, other.final_state),
        }
    }

    /// The first part that is infinite or not a number.
    pub(crate) fn not_finite(&self) -> Option<(LossTerm, f64)> {
        let parts = [
            (LossTerm::Policy, Some(self.policy)),
            (LossTerm::Value, Some(self.value)),
            (LossTerm::OpponentPolicy, self.opponent_policy),
            (LossTerm::MovesLeft, self.moves_left),
            (LossTerm::FinalState, self.final_state),
        ];
        parts.into_iter().find_map(|(term, part)| part.filter(|part| !part.is_finite()).map(|part| (term, part)))
    }
}
