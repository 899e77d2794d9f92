//! The plan's layers in training mode.

use selfplay_kernels::Boards;
use selfplay_network::Plan;
use selfplay_network::plan::{Role, TowerLayer};

use super::conv_norm::ConvNorm;
use super::linear::Linear;
use crate::weight_layout::WeightLayout;

/// A layer of the plan with what the whole batch shares of it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub planned: TowerLayer,
    pub conv_norm: ConvNorm,
    /// The linear layer of its pooled bias.
    pub pooled_bias: Option<Linear>,
    /// On the way back, whether later layers, or a skip connection, have brought a gradient to its input before it.
    pub adds_gradient: bool,
}

impl Layer {
    pub fn role(&self) -> Role {
        self.planned.role()
    }

    /// Takes over the parameters of a step from a network's vector.
    pub fn load(&mut self, layout: &WeightLayout, weights: &[f32]) {
        self.conv_norm.load(layout, weights);
        if let Some(pooled_bias) = &mut self.pooled_bias {
            pooled_bias.load(layout, weights);
        }
    }

    /// The gradients of its tensors after the way back, by name.
    pub fn gradients(&self) -> Vec<(String, Vec<f32>)> {
        self.conv_norm.gradients().into_iter().chain(self.pooled_bias.iter().flat_map(Linear::gradients)).collect()
    }
}

/// The layers of `plan` for batches of `boards`.
pub(super) fn layers(plan: &Plan, boards: &Boards) -> Vec<Layer> {
    let layer = |(number, planned): (usize, &TowerLayer)| {
        let reads = |later: &TowerLayer| planned.input.is_some() && [later.input, later.skip].contains(&planned.input);
        Layer {
            conv_norm: ConvNorm::new(boards, planned),
            pooled_bias: planned.pooled_bias.as_ref().map(|bias| Linear::new(boards, &bias.weights)),
            adds_gradient: plan.tower[number + 1..].iter().any(reads),
            planned: planned.clone(),
        }
    };
    plan.tower.iter().enumerate().map(layer).collect()
}
