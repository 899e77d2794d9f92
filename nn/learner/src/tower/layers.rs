//! The plan's layers in training mode.

use selfplay_kernels::Boards;
use selfplay_network::Plan;
use selfplay_network::plan::{Role, TowerLayer};

use super::conv_norm::ConvNorm;
use super::pooled_bias::PooledBias;

/// A layer of the plan with what the whole batch shares of it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub planned: TowerLayer,
    pub conv_norm: ConvNorm,
    pub pooled_bias: Option<PooledBias>,
    /// On the way back, whether later layers, or a skip connection, have brought a gradient to its input before it.
    pub adds_gradient: bool,
}

impl Layer {
    pub fn role(&self) -> Role {
        self.planned.role()
    }
}

/// The layers of `plan` for batches of `boards`.
pub(super) fn layers(plan: &Plan, boards: &Boards) -> Vec<Layer> {
    let layer = |(number, planned): (usize, &TowerLayer)| {
        let reads = |later: &TowerLayer| planned.input.is_some() && [later.input, later.skip].contains(&planned.input);
        Layer {
            conv_norm: ConvNorm::new(boards, planned),
            pooled_bias: planned.pooled_bias.as_ref().map(|bias| PooledBias::new(boards, bias)),
            adds_gradient: plan.tower[number + 1..].iter().any(reads),
            planned: planned.clone(),
        }
    };
    plan.tower.iter().enumerate().map(layer).collect()
}
