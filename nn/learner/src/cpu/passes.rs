//! The passes of a batch through all layers, over all threads.

use std::ops::Range;

use rayon::prelude::*;
use selfplay_kernels::{Boards, Grid};
use selfplay_network::Plan;
use selfplay_network::training::TrainingBatch;

use super::conv_norm::ConvNormPart;
use super::heads::{Head, heads};
use super::layers::{Layer, layers};
use super::linear::{Linear, LinearPart};
use super::part::Part;
use crate::loss::Loss;
use crate::weight_layout::WeightLayout;

/// Parts of a batch, at most. Sums over the batch are sums over the parts, added in order: the number of parts must
/// not depend on the number of threads. Sixteen keep a part's numbers for one layer in a core's second-level cache.
const PARTS: usize = 16;
/// Sums over the parts that a thread adds up at a time, few enough to stay in its first-level cache.
const SUMS_AT_ONCE: usize = 2048;

/// A network's layers with the memory for a batch.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    layers: Vec<Layer>,
    heads: Vec<Head>,
    boards: Boards,
    parts: Vec<Part>,
    /// Numbers of one encoded position.
    encoded_len: usize,
}

impl Passes {
    /// Memory for batches of `rows` positions of `planes` planes.
    pub fn new(plan: &Plan, planes: usize, grid: Grid, rows: usize) -> Self {
        let positions: Vec<_> = parts(rows).collect();
        let boards = Boards::new(grid, positions.first().map_or(0, |part| part.len()));
        let (layers, heads) = (layers(plan, &boards), heads(plan, &boards));
        let part = |positions| Part::new(&layers, &heads, planes, &boards, positions);
        Passes {
            parts: positions.into_par_iter().map(part).collect(),
            encoded_len: planes * grid.cells(),
            layers,
            heads,
            boards,
        }
    }

    /// Positions of a batch.
    pub fn rows(&self) -> usize {
        self.parts.last().map_or(0, |part| part.positions.end)
    }

    /// Takes over the parameters of a step from a network's vector.
    pub fn load(&mut self, layout: &WeightLayout, weights: &[f32]) {
        self.layers.par_iter_mut().with_max_len(1).for_each(|layer| layer.load(layout, weights));
        self.heads.par_iter_mut().with_max_len(1).for_each(|head| head.linear.load(layout, weights));
    }

    /// From the encoded positions of `batch` to what the heads say; leaves the statistics of every norm.
    pub fn forward(&mut self, batch: &TrainingBatch) {
        let Passes { layers, heads, boards, parts, encoded_len } = self;
        for layer in 0..layers.len() {
            parts.par_iter_mut().with_max_len(1).for_each(|part| {
                if layer == 0 {
                    part.load_planes(boards, rows_of(&batch.planes, part, *encoded_len));
                }
                part.forward(layers, boards, layer);
            });
            layers[layer].conv_norm.settle_statistics(convolutions(parts, layer));
        }
        parts.par_iter_mut().with_max_len(1).for_each(|part| part.forward_heads(layers, heads, boards));
    }

    /// Moves the running statistics in a network's vector on by those of the batch.
    pub fn update_running_statistics(&self, layout: &WeightLayout, weights: &mut [f32]) {
        for layer in &self.layers {
            layer.conv_norm.update_running_statistics(layout, weights);
        }
    }

    /// The means over the batch of the losses of what the heads say; computes the gradients of their sum, each times its
    /// weight, which [`gradients`](Self::gradients) gives.
    pub fn backward(&mut self, batch: &TrainingBatch, weights: &Loss<f64>) -> Loss<f64> {
        let Passes { layers, heads, boards, parts, .. } = self;
        let part_losses: Vec<Loss<f64>> = parts
            .par_iter_mut()
            .with_max_len(1)
            .map(|part| part.backward_heads(layers, heads, boards, batch, weights))
            .collect();
        for (number, head) in heads.iter_mut().enumerate() {
            add_up_linear(parts, |part| part.heads.get(number).map(|part| &part.linear), &mut head.linear);
        }
        for layer in (0..layers.len()).rev() {
            layers[layer].conv_norm.settle_gradient(convolutions(parts, layer));
            parts.par_iter_mut().with_max_len(1).for_each(|part| part.backward(layers, boards, layer));
            let Layer { conv_norm, pooled_bias, .. } = &mut layers[layer];
            add_up(parts, |part| &part.weight_sums, &mut conv_norm.weight_sums);
            if let Some(pooled_bias) = pooled_bias {
                add_up_linear(parts, |part| part.pooled_biases[layer].as_ref().map(|part| &part.linear), pooled_bias);
            }
        }
        let mean = |sum: f64| sum / batch.rows as f64;
        part_losses.into_iter().reduce(Loss::plus).expect("a batch has rows").map(mean)
    }

    /// The gradients of all tensors after the last backward pass, by name.
    pub fn gradients(&self) -> Vec<(String, Vec<f32>)> {
        let of_layers = self.layers.par_iter().with_max_len(1).flat_map_iter(Layer::gradients);
        of_layers.chain(self.heads.par_iter().flat_map_iter(|head| head.linear.gradients())).collect()
    }
}

/// What the parts keep of one layer.
fn convolutions(parts: &[Part], layer: usize) -> impl Iterator<Item = &ConvNormPart> + Clone {
    parts.iter().map(move |part| &part.convolutions[layer])
}

/// Adds up, in the order of the parts, what each of them has `gathered`: at least as many numbers as there are `sums`.
fn add_up<P: Sync>(parts: &[P], gathered: impl Fn(&P) -> &[f32] + Sync, sums: &mut [f32]) {
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

/// Adds up what the parts say of the parameters of a linear layer.
fn add_up_linear<'a>(parts: &'a [Part], linear: impl Fn(&'a Part) -> Option<&'a LinearPart> + Sync, sums: &mut Linear) {
    let gathered: Vec<&LinearPart> = parts.iter().filter_map(&linear).collect();
    add_up(&gathered, |part| &part.sums.weights, &mut sums.sums.weights);
    add_up(&gathered, |part| &part.sums.bias, &mut sums.sums.bias);
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
