//! The passes of a batch through all layers, over all threads.

use std::ops::Range;

use rayon::prelude::*;
use selfplay_kernels::{Boards, Grid};
use selfplay_network::Plan;

use super::conv_norm::{ConvNormGradient, ConvNormPart};
use super::layers::{Layer, layers};
use super::part::Part;
use super::pooled_bias::PooledBiasGradient;

/// Parts of a batch, at most. Sums over the batch are sums over the parts, added in order: the number of parts must
/// not depend on the number of threads. Sixteen keep a part's numbers for one layer in a core's second-level cache.
const PARTS: usize = 16;
/// Sums over the parts that a thread adds up at a time, few enough to stay in its first-level cache.
const SUMS_AT_ONCE: usize = 2048;

/// A tower's layers with the memory for a batch.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    pub layers: Vec<Layer>,
    boards: Boards,
    parts: Vec<Part>,
    /// Numbers of one encoded position.
    encoded_len: usize,
    /// Numbers of one position that the policy head reads.
    policy_len: usize,
    /// Numbers of one position that the value head reads.
    value_len: usize,
}

/// What the heads read, or its gradient, each `[rows, channels, height, width]`.
#[derive(Clone, Debug)]
pub(super) struct HeadNumbers {
    pub policy: Vec<f32>,
    pub value: Vec<f32>,
}

impl Passes {
    /// Memory for batches of `rows` positions of `planes` planes.
    pub fn new(plan: &Plan, planes: usize, grid: Grid, rows: usize) -> Self {
        let positions: Vec<_> = parts(rows).collect();
        let boards = Boards::new(grid, positions.first().map_or(0, |part| part.len()));
        let layers = layers(plan, &boards);
        let features_len = |layer: usize| layers[layer].conv_norm.outputs() * grid.cells();
        Passes {
            policy_len: features_len(layers.len() - 2),
            value_len: features_len(layers.len() - 1),
            parts: positions.into_par_iter().map(|part| Part::new(&layers, planes, &boards, part)).collect(),
            encoded_len: planes * grid.cells(),
            layers,
            boards,
        }
    }

    /// Positions of a batch.
    pub fn rows(&self) -> usize {
        self.parts.last().map_or(0, |part| part.positions.end)
    }

    /// From encoded positions `[rows, planes, height, width]` to what the heads read; leaves the statistics of every
    /// norm.
    pub fn forward(&mut self, planes: &[f32]) -> HeadNumbers {
        let rows = self.rows();
        let Passes { layers, boards, parts, encoded_len, policy_len, value_len } = self;
        for layer in 0..layers.len() {
            parts.par_iter_mut().with_max_len(1).for_each(|part| {
                if layer == 0 {
                    part.load_planes(boards, rows_of(planes, part, *encoded_len));
                }
                part.forward(layers, boards, layer);
            });
            layers[layer].conv_norm.settle_statistics(convolutions(parts, layer));
        }
        let (mut policy, mut value) = (vec![0.0; rows * *policy_len], vec![0.0; rows * *value_len]);
        let targets = rows_of_parts(parts, &mut policy, *policy_len).into_par_iter();
        let targets = targets.zip(rows_of_parts(parts, &mut value, *value_len));
        parts.par_iter_mut().zip(targets).with_max_len(1).for_each(|(part, (policy, value))| {
            part.write_features(layers, boards, policy, value);
        });
        HeadNumbers { policy, value }
    }

    /// From the gradient of what the heads read back to those of the parameters, which
    /// [`gradients`](Self::gradients) gives.
    pub fn backward(&mut self, gradient: &HeadNumbers) {
        let Passes { layers, boards, parts, policy_len, value_len, .. } = self;
        parts.par_iter_mut().with_max_len(1).for_each(|part| {
            let policy = rows_of(&gradient.policy, part, *policy_len);
            part.load_gradients(layers, boards, policy, rows_of(&gradient.value, part, *value_len));
        });
        for layer in (0..layers.len()).rev() {
            layers[layer].conv_norm.settle_gradient(convolutions(parts, layer));
            parts.par_iter_mut().with_max_len(1).for_each(|part| part.backward(layers, boards, layer));
            let Layer { conv_norm, pooled_bias, .. } = &mut layers[layer];
            add_up(parts, |part| &part.weight_sums, &mut conv_norm.weight_sums);
            if let Some(pooled_bias) = pooled_bias {
                add_up(parts, |part| &part.pooled_sums, &mut pooled_bias.weight_sums);
            }
        }
    }

    /// The gradients of every layer's parameters after the last backward pass.
    pub fn gradients(&self) -> Vec<(ConvNormGradient, Option<PooledBiasGradient>)> {
        let Passes { layers, parts, .. } = self;
        let gradient = |(number, layer): (usize, &Layer)| {
            let pooled_bias = layer.pooled_bias.as_ref().map(|pooled_bias| {
                pooled_bias.gradient(parts.iter().filter_map(|part| part.pooled_biases[number].as_ref()))
            });
            (layer.conv_norm.gradient(), pooled_bias)
        };
        layers.par_iter().enumerate().with_max_len(1).map(gradient).collect()
    }
}

/// What the parts keep of one layer.
fn convolutions(parts: &[Part], layer: usize) -> impl Iterator<Item = &ConvNormPart> + Clone {
    parts.iter().map(move |part| &part.convolutions[layer])
}

/// Adds up, in the order of the parts, what each of them has `gathered`: at least as many numbers as there are `sums`.
fn add_up(parts: &[Part], gathered: impl Fn(&Part) -> &[f32] + Sync, sums: &mut [f32]) {
    sums.par_chunks_mut(SUMS_AT_ONCE).enumerate().for_each(|(chunk, sums)| {
        sums.fill(0.0);
        for part in parts {
            for (sum, number) in sums.iter_mut().zip(&gathered(part)[chunk * SUMS_AT_ONCE..]) {
                *sum += number;
            }
        }
    });
}

/// The part's share of numbers of which each position has `len`.
fn rows_of<'a>(numbers: &'a [f32], part: &Part, len: usize) -> &'a [f32] {
    &numbers[part.positions.start * len..part.positions.end * len]
}

/// The parts' shares of numbers of which each position has `len`.
fn rows_of_parts<'a>(parts: &[Part], mut numbers: &'a mut [f32], len: usize) -> Vec<&'a mut [f32]> {
    let mut take = |part: &Part| {
        let (share, rest) = std::mem::take(&mut numbers).split_at_mut(part.positions.len() * len);
        numbers = rest;
        share
    };
    parts.iter().map(&mut take).collect()
}

/// Cuts `rows` positions into parts that differ by one at most, the larger first.
fn parts(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let count = PARTS.min(rows);
    (0..count).scan(0, move |start, part| {
        let len = rows / count + usize::from(part < rows % count);
        *start += len;
        Some(*start - len..*start)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_cover_the_batch() {
        for rows in [1, 2, 15, 16, 17, 100, 256] {
            let parts: Vec<_> = super::parts(rows).collect();
            assert_eq!(parts.iter().cloned().flatten().collect::<Vec<_>>(), (0..rows).collect::<Vec<_>>());
            assert!(parts.len() <= 16 && parts.iter().all(|part| parts[0].len() - part.len() <= 1));
        }
    }
}
