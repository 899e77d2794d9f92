//! The passes of a batch through all layers, over all threads.

use rayon::prelude::*;
use selfplay_kernels::Grid;

use super::boards::{Boards, parts};
use super::conv_norm::{ConvNormGradient, ConvNormPart};
use super::layers::Layer;
use super::part::Part;
use super::pooled_bias::PooledBiasGradient;

/// A tower's layers with the memory for a batch.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    pub layers: Vec<Layer>,
    boards: Boards,
    parts: Vec<Part>,
    /// Numbers of one encoded position.
    encoded_len: usize,
    /// Numbers of one position's features.
    features_len: usize,
}

impl Passes {
    /// Memory for batches of `rows` positions of `planes` planes.
    pub fn new(layers: Vec<Layer>, planes: usize, grid: Grid, rows: usize) -> Self {
        let largest = parts(rows).next().map_or(0, |part| part.len());
        let boards = Boards::new(grid, largest);
        Passes {
            parts: parts(rows).map(|positions| Part::new(&layers, planes, &boards, positions)).collect(),
            encoded_len: planes * grid.cells(),
            features_len: layers[0].conv_norm.outputs() * grid.cells(),
            layers,
            boards,
        }
    }

    /// Positions of a batch.
    pub fn rows(&self) -> usize {
        self.parts.last().map_or(0, |part| part.positions.end)
    }

    /// From encoded positions `[rows, planes, height, width]` to features `[rows, channels, height, width]`; leaves
    /// the statistics of every norm.
    pub fn forward(&mut self, planes: &[f32]) -> Vec<f32> {
        let Passes { layers, boards, parts, encoded_len, features_len } = self;
        for layer in 0..layers.len() {
            parts.par_iter_mut().with_max_len(1).for_each(|part| {
                if layer == 0 {
                    part.load_planes(boards, rows_of(planes, part, *encoded_len));
                }
                part.forward(layers, boards, layer);
            });
            layers[layer].conv_norm.settle_statistics(convolutions(parts, layer));
        }
        let mut features = vec![0.0; parts.last().map_or(0, |part| part.positions.end) * *features_len];
        let mut rest = &mut features[..];
        let mut targets = Vec::new();
        for part in &*parts {
            let (target, others) = rest.split_at_mut(part.positions.len() * *features_len);
            targets.push(target);
            rest = others;
        }
        parts.par_iter_mut().zip(targets).with_max_len(1).for_each(|(part, target)| {
            part.write_features(layers, boards, target);
        });
        features
    }

    /// From the gradient of the features back to those of the parameters, which [`gradients`](Self::gradients) gives.
    pub fn backward(&mut self, features_gradient: &[f32]) {
        let Passes { layers, boards, parts, features_len, .. } = self;
        parts.par_iter_mut().with_max_len(1).for_each(|part| {
            part.load_gradient(layers, boards, rows_of(features_gradient, part, *features_len));
        });
        for layer in (0..layers.len()).rev() {
            layers[layer].conv_norm.settle_gradient(convolutions(parts, layer));
            parts.par_iter_mut().with_max_len(1).for_each(|part| part.backward(layers, boards, layer));
        }
    }

    /// The gradients of every layer's parameters after the last backward pass.
    pub fn gradients(&self) -> Vec<(ConvNormGradient, Option<PooledBiasGradient>)> {
        let Passes { layers, parts, .. } = self;
        let gradient = |(number, layer): (usize, &Layer)| {
            let pooled_bias = layer.pooled_bias.as_ref().map(|pooled_bias| {
                pooled_bias.gradient(parts.iter().filter_map(|part| part.pooled_biases[number].as_ref()))
            });
            (layer.conv_norm.gradient(convolutions(parts, number)), pooled_bias)
        };
        layers.par_iter().enumerate().with_max_len(1).map(gradient).collect()
    }
}

/// What the parts keep of one layer.
fn convolutions(parts: &[Part], layer: usize) -> impl Iterator<Item = &ConvNormPart> + Clone {
    parts.iter().map(move |part| &part.convolutions[layer])
}

/// The part's share of numbers of which each position has `len`.
fn rows_of<'a>(numbers: &'a [f32], part: &Part, len: usize) -> &'a [f32] {
    &numbers[part.positions.start * len..part.positions.end * len]
}
