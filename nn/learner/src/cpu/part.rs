//! One part of the batch on its way through the network and back, on one thread.

use std::ops::Range;

use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{Boards, Cells, Layout, Workspace};
use selfplay_network::plan::Role;
use selfplay_network::training::TrainingBatch;

use super::conv_norm::ConvNormPart;
use super::head_loss;
use super::heads::{self, Head, HeadPart};
use super::layers::Layer;
use super::pooled_bias::PooledBiasPart;
use crate::loss::Loss;

/// All numbers that belong to the positions of the part.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its positions in the batch.
    pub positions: Range<usize>,
    /// Encoded positions, bordered.
    planes: Cells,
    pub convolutions: Vec<ConvNormPart>,
    pub pooled_biases: Vec<Option<PooledBiasPart>>,
    /// What each layer passes on: bordered if a 3×3 convolution reads it, otherwise dense.
    outputs: Vec<Cells>,
    /// The gradient that is on its way back to the layers of each role: of what a layer passed on, dense.
    gradients: [Cells; Role::COUNT],
    /// Of what its convolution computed, bordered.
    convolved_gradients: [Cells; Role::COUNT],
    /// What the part says of the weights of the convolution that was last on the way back.
    pub weight_sums: Aligned<f32>,
    pub heads: Vec<HeadPart>,
    workspace: Workspace,
}

impl Part {
    pub fn new(layers: &[Layer], heads: &[Head], planes: usize, boards: &Boards, positions: Range<usize>) -> Self {
        let cells = |layout, stride| Cells::new(boards.grid, layout, positions.len(), stride);
        let gradient = |layout, role| {
            let stride = layers.iter().find(|layer| layer.role() == role).map_or(0, |layer| layer.conv_norm.stride());
            cells(layout, stride)
        };
        let output = |layer: &Layer| {
            let layout = if layer.role().needs_border() { Layout::Bordered } else { Layout::Dense };
            cells(layout, layer.conv_norm.stride())
        };
        let convolution = |layer: &Layer| ConvNormPart::new(&layer.conv_norm, boards, positions.len());
        let pooled_bias = |layer: &Layer| {
            let (shared, planned) = layer.pooled_bias.as_ref().zip(layer.planned.pooled_bias.as_ref())?;
            Some(PooledBiasPart::new(shared, planned, boards, positions.len()))
        };
        Part {
            // A weight gradient reads inputs in groups of four.
            planes: cells(Layout::Bordered, planes.next_multiple_of(4)),
            convolutions: layers.iter().map(convolution).collect(),
            pooled_biases: layers.iter().map(pooled_bias).collect(),
            outputs: layers.iter().map(output).collect(),
            gradients: Role::ALL.map(|role| gradient(Layout::Dense, role)),
            convolved_gradients: Role::ALL.map(|role| gradient(Layout::Bordered, role)),
            weight_sums: zeros(layers.iter().map(|layer| layer.conv_norm.weight_sums.len()).max().unwrap_or(0)),
            heads: heads.iter().map(|head| HeadPart::new(head, boards, positions.len())).collect(),
            workspace: Workspace::for_lengths(layers.iter().map(|layer| layer.conv_norm.workspace_len())),
            positions,
        }
    }

    /// Takes in the part's positions, `[positions, planes, height, width]`.
    pub fn load_planes(&mut self, boards: &Boards, planes: &[f32]) {
        for (board, planes) in planes.chunks_exact(planes.len() / self.positions.len()).enumerate() {
            self.planes.load(boards, board, planes, |number| number);
        }
    }

    /// Normalises the layer before number `layer`, whose statistics are known, and convolves its own input.
    pub fn forward(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        if layer > 0 {
            self.normalize(layers, boards, layer - 1);
        }
        let Layer { planned, conv_norm, pooled_bias, .. } = &layers[layer];
        let planned_bias = planned.pooled_bias.as_ref();
        let bias = match (planned_bias, pooled_bias, &mut self.pooled_biases[layer]) {
            (Some(planned), Some(shared), Some(part)) => {
                Some(part.forward(shared, boards, &self.outputs[planned.features]))
            }
            _ => None,
        };
        let input = planned.input.map_or(&self.planes, |input| &self.outputs[input]);
        self.convolutions[layer].convolve(conv_norm, boards, input, bias, &mut self.workspace);
    }

    /// Normalises the last layer and computes what the heads say.
    pub fn forward_heads(&mut self, layers: &[Layer], heads: &[Head], boards: &Boards) {
        let last = layers.len() - 1;
        self.normalize(layers, boards, last);
        let [policy, value] = [last - 1, last].map(|layer| &self.outputs[layer]);
        heads::forward(heads, &mut self.heads, boards, policy, value);
    }

    fn normalize(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let (before, after) = self.outputs.split_at_mut(layer);
        let Layer { conv_norm, planned, .. } = &layers[layer];
        let skip = planned.skip.map(|skip| &before[skip]);
        self.convolutions[layer].normalize(conv_norm, boards, skip, &mut after[0]);
    }

    /// The losses of what the heads say, summed over the part's positions; brings the gradient of the mean over `batch`,
    /// each loss times its weight, back through the heads, and that of the last layer before its rectifier.
    pub fn backward_heads(
        &mut self,
        layers: &[Layer],
        heads: &[Head],
        boards: &Boards,
        batch: &TrainingBatch,
        weights: &Loss<f64>,
    ) -> Loss<f64> {
        let cells = boards.grid.cells();
        let losses = head_loss::losses(heads, &mut self.heads, batch, &self.positions, cells, weights);
        let last = layers.len() - 1;
        let features = [last - 1, last].map(|layer| &self.outputs[layer]);
        let gradients = self.gradients.get_disjoint_mut([Role::Policy as usize, Role::Value as usize]);
        heads::backward(heads, &mut self.heads, boards, features, gradients.expect("two roles"));
        self.pass_rectifier(layers, boards, last);
        losses
    }

    /// Brings the gradient from behind the norm of layer number `layer`, whose sums are known, to its input, gathers
    /// what it says of the layer's weights, and brings that of the layer before it behind its norm.
    ///
    /// A skip connection needs no step of its own: the gradient of what a layer passed on, brought before its
    /// rectifier, stays where it is, and is that of the skipped layer of the same role.
    pub fn backward(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let Layer { planned, conv_norm, pooled_bias, adds_gradient } = &layers[layer];
        let role = planned.role() as usize;
        let convolved_gradient = &mut self.convolved_gradients[role];
        let part = &mut self.convolutions[layer];
        part.pass_norm(conv_norm, boards, &self.gradients[role], convolved_gradient);
        let input = planned.input.map_or(&self.planes, |input| &self.outputs[input]);
        let (sums, workspace) = (&mut self.weight_sums, &mut self.workspace);
        part.gather_weights(conv_norm, boards, input, convolved_gradient, sums, workspace);
        if let Some(input) = planned.input {
            let input_gradient = &mut self.gradients[layers[input].role() as usize];
            part.pass_convolution(conv_norm, boards, convolved_gradient, input_gradient, *adds_gradient, workspace);
        }
        let planned_bias = planned.pooled_bias.as_ref();
        if let (Some(planned), Some(shared), Some(part)) = (planned_bias, pooled_bias, &mut self.pooled_biases[layer]) {
            let features_gradient = &mut self.gradients[layers[planned.features].role() as usize];
            part.backward(shared, boards, convolved_gradient, features_gradient);
        }
        if layer > 0 {
            self.pass_rectifier(layers, boards, layer - 1);
        }
    }

    fn pass_rectifier(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let Layer { conv_norm, planned, .. } = &layers[layer];
        let gradient = &mut self.gradients[planned.role() as usize];
        self.convolutions[layer].pass_rectifier(conv_norm, boards, &self.outputs[layer], gradient);
    }
}
