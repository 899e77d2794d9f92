//! Auxiliary heads, which only the loss reads. Their targets make the tower extract more features of a position (Wu
//! 2019, "Accelerating Self-Play Learning in Go", sections 3.4 and 4.1). Inference never computes them.
//!
//! They read the features of the policy head and of the value head, as in that paper's appendix A.

use burn::module::Module;
use burn::nn::Linear;
use burn::nn::conv::Conv2d;
use burn::tensor::{Device, Tensor};
use selfplay_network::plan::{Plan, Reads};

use crate::layers::{PolicyOutput, planned_conv, planned_linear};

/// The heads that the config switches on.
#[derive(Module, Debug)]
pub struct AuxiliaryHeads {
    /// The opponent's next action, from the features of the policy head.
    pub opponent_policy: Option<PolicyOutput>,
    /// Moves to the end of the game, from the hidden layer of the value head.
    pub moves_left: Option<Linear>,
    /// What the end of the game will look like.
    pub final_state: Option<FinalStateHead>,
}

/// The head for the game's [`FinalState`](selfplay_env::FinalState).
#[derive(Module, Debug)]
pub enum FinalStateHead {
    /// A 1×1 convolution from the features of the value head to the three classes.
    Cells(Conv2d),
    /// A linear layer from the hidden layer of the value head to one number.
    Margin(Linear),
}

/// What the auxiliary heads say about a batch of positions; `None` where a head is switched off.
#[derive(Clone, Debug)]
pub struct AuxiliaryOutput {
    /// `[batch, actions]`: logits of the opponent's next action, over all actions.
    pub opponent_policy_logits: Option<Tensor<2>>,
    /// `[batch, 1]`: moves to the end of the game, in a unit of the loss's choice.
    pub moves_left: Option<Tensor<2>>,
    /// What the end of the game will look like.
    pub final_state: Option<FinalStateOutput>,
}

/// A predicted [`FinalState`](selfplay_env::FinalState), from the view of the side to move.
#[derive(Clone, Debug)]
pub enum FinalStateOutput {
    /// `[batch, 3, cells]`: logits of the classes own, opponent's, neither.
    Cells(Tensor<3>),
    /// `[batch, 1]`, in −1..1.
    Margin(Tensor<2>),
}

impl AuxiliaryHeads {
    /// The heads of `plan`, before their numbers are put into them.
    pub(crate) fn planned(plan: &Plan, device: &Device) -> Self {
        AuxiliaryHeads {
            opponent_policy: plan.opponent_policy.as_ref().map(|weights| PolicyOutput::planned(weights, device)),
            moves_left: plan.moves_left.as_ref().map(|weights| planned_linear(weights, device)),
            final_state: plan.final_state.as_ref().map(|weights| match weights.reads {
                Reads::Window(_) => FinalStateHead::Cells(planned_conv(weights, device)),
                _ => FinalStateHead::Margin(planned_linear(weights, device)),
            }),
        }
    }

    /// From the rectified features of the policy head `[batch, policy_channels, height, width]` and of the value head
    /// `[batch, value_channels, height, width]`, and the latter's hidden layer `[batch, value_hidden]`.
    pub(crate) fn forward(&self, policy: &Tensor<4>, value: &Tensor<4>, hidden: &Tensor<2>) -> AuxiliaryOutput {
        AuxiliaryOutput {
            opponent_policy_logits: self.opponent_policy.as_ref().map(|output| output.forward(policy.clone())),
            moves_left: self.moves_left.as_ref().map(|linear| linear.forward(hidden.clone())),
            final_state: self.final_state.as_ref().map(|head| match head {
                FinalStateHead::Cells(conv) => FinalStateOutput::Cells(conv.forward(value.clone()).flatten(2, 3)),
                FinalStateHead::Margin(linear) => FinalStateOutput::Margin(linear.forward(hidden.clone()).tanh()),
            }),
        }
    }
}
