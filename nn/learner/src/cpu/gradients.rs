//! The passes as a [`GradientComputer`].

use std::sync::Arc;

use rayon::prelude::*;
use selfplay_env::Action;
use selfplay_kernels::Grid;
use selfplay_network::softmax::log_sum_exp;
use selfplay_network::training::{LearnerConfig, TrainingBatch};
use selfplay_network::{BatchLosses, FusedNetwork, NetworkWeights, Plan};

use super::passes::Passes;
use crate::gradient::{BatchGradient, GradientComputer};
use crate::loss::{Loss, cross_entropy};
use crate::weight_layout::WeightLayout;

/// Positions that a thread judges at a time where nothing is learned.
const JUDGED_TOGETHER: usize = 64;

/// Computes losses and gradients on the threads of the rayon pool that it is called in. The result is the same for any
/// number of them.
#[derive(Clone, Debug)]
pub struct CpuGradients {
    /// A network of the make.
    make: NetworkWeights,
    layout: WeightLayout,
    /// Made by the first batch, and again where the number of rows changes.
    passes: Option<Box<Passes>>,
}

impl CpuGradients {
    /// For networks of the make of `make`.
    pub fn new(make: &NetworkWeights) -> Self {
        CpuGradients { make: make.clone(), layout: WeightLayout::new(make.plan()), passes: None }
    }

    fn passes_for(&mut self, rows: usize) -> Box<Passes> {
        let fitting = self.passes.take().filter(|passes| passes.rows() == rows);
        fitting.unwrap_or_else(|| {
            let (plan, shape): (&Arc<Plan>, _) = (self.make.plan(), self.make.shape());
            let grid = Grid { height: shape.height, width: shape.width };
            Box::new(Passes::new(plan, shape.planes, grid, rows))
        })
    }
}

impl GradientComputer for CpuGradients {
    fn gradient(&mut self, weights: &mut [f32], batch: &TrainingBatch, config: &LearnerConfig) -> BatchGradient {
        let mut passes = self.passes_for(batch.rows);
        let layout = &self.layout;
        passes.load(layout, weights);
        passes.forward(batch);
        passes.update_running_statistics(layout, weights);
        let loss = passes.backward(batch, &Loss::weights(config));
        let mut gradient = vec![0.0; layout.weight_count()];
        for (name, numbers) in passes.gradients() {
            layout.part_mut(&mut gradient, &name).copy_from_slice(&numbers);
        }
        self.passes = Some(passes);
        BatchGradient { loss, gradient }
    }

    fn losses(&self, weights: &[f32], batch: &TrainingBatch) -> BatchLosses {
        let network = FusedNetwork::new(&self.make.with_vector(weights));
        let encoded_len = self.make.shape().encoded_len();
        let actions = self.make.shape().action_count;
        let losses = |(chunk, planes): (usize, &[f32])| {
            let first = chunk * JUDGED_TOGETHER;
            let candidates = |row: usize| -> Vec<Action> {
                let start = (first + row) * actions;
                let is_candidate = |&action: &usize| batch.candidates[start + action] >= 0.5;
                (0..actions).filter(is_candidate).map(Action::from_index).collect()
            };
            let mut losses = Vec::with_capacity(JUDGED_TOGETHER);
            network.judge_planes(planes, candidates, |row, asked, policy, wdl| {
                let targets = &batch.policy[(first + row) * actions..][..actions];
                let targets = asked.iter().map(|action| targets[action.index()]);
                let wdl_targets = batch.wdl[(first + row) * wdl.len()..].iter().copied();
                let policy_loss = cross_entropy(policy, targets, log_sum_exp(policy));
                losses.push((policy_loss, cross_entropy(&wdl, wdl_targets, log_sum_exp(&wdl))));
            });
            losses
        };
        let chunks = batch.planes.par_chunks(JUDGED_TOGETHER * encoded_len).enumerate();
        let losses: Vec<(f64, f64)> = chunks.flat_map_iter(losses).collect();
        // One after the other: the same with any number of threads.
        let mean = |part: fn(&(f64, f64)) -> f64| losses.iter().map(part).sum::<f64>() / batch.rows as f64;
        BatchLosses { policy_loss: mean(|(policy, _)| *policy), value_loss: mean(|(_, value)| *value) }
    }
}
