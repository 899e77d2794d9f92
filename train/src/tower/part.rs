//! One part of the batch on its way through the tower and back, on one thread.

use std::ops::Range;

use selfplay_kernels::Rows;
use selfplay_kernels::packed::{Aligned, zeros};

use super::boards::Boards;
use super::conv_norm::ConvNormPart;
use super::layers::{Layer, Role};
use super::pooled_bias::PooledBiasPart;

/// All numbers that belong to the positions of the part.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its positions in the batch.
    pub positions: Range<usize>,
    /// Encoded positions, bordered.
    planes: Aligned<f32>,
    plane_stride: usize,
    pub convolutions: Vec<ConvNormPart>,
    pub pooled_biases: Vec<Option<PooledBiasPart>>,
    /// What each layer passes on: bordered, dense for pooled features.
    outputs: Vec<Aligned<f32>>,
    trunk: GradientMemory,
    inner: GradientMemory,
    pooled: GradientMemory,
}

/// The gradient that is on its way back to the layers of one role.
#[derive(Clone, Debug)]
struct GradientMemory {
    /// Of what a layer passed on, dense.
    output: Aligned<f32>,
    /// Of what its convolution computed, bordered.
    convolved: Aligned<f32>,
}

impl Part {
    pub fn new(layers: &[Layer], planes: usize, boards: &Boards, positions: Range<usize>) -> Self {
        let (dense, bordered) = (positions.len() * boards.grid.cells(), positions.len() * boards.grid.bordered_cells());
        // A weight gradient reads inputs in groups of four.
        let plane_stride = planes.next_multiple_of(4);
        let gradient = |role| {
            let stride = layers.iter().find(|layer| layer.role == role).map_or(0, |layer| layer.conv_norm.stride());
            GradientMemory { output: zeros(dense * stride), convolved: zeros(bordered * stride) }
        };
        let output = |layer: &Layer| match layer.role {
            Role::Trunk | Role::Inner => zeros(bordered * layer.conv_norm.stride()),
            Role::Pooled => zeros(dense * layer.conv_norm.stride()),
        };
        let pooled_bias = |layer: &Layer| {
            layer.pooled_bias.as_ref().map(|pooled_bias| PooledBiasPart::new(pooled_bias, positions.len()))
        };
        Part {
            planes: zeros(bordered * plane_stride),
            plane_stride,
            convolutions: layers.iter().map(|layer| ConvNormPart::new(&layer.conv_norm, dense)).collect(),
            pooled_biases: layers.iter().map(pooled_bias).collect(),
            outputs: layers.iter().map(output).collect(),
            trunk: gradient(Role::Trunk),
            inner: gradient(Role::Inner),
            pooled: gradient(Role::Pooled),
            positions,
        }
    }

    /// Takes in the part's positions, `[positions, planes, height, width]`.
    pub fn load_planes(&mut self, boards: &Boards, planes: &[f32]) {
        let count = planes.len() / (self.positions.len() * boards.grid.cells());
        from_planes(boards, planes, count, &boards.bordered, &mut self.planes, self.plane_stride);
    }

    /// Normalises the layer before number `layer`, whose statistics are known, and convolves its own input.
    pub fn forward(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        if layer > 0 {
            self.normalize(layers, boards, layer - 1);
        }
        let input = input(layers, layer, &self.planes, self.plane_stride, &self.outputs);
        let Layer { conv_norm, pooled_bias, .. } = &layers[layer];
        let bias = match (pooled_bias, &mut self.pooled_biases[layer]) {
            (Some(pooled_bias), Some(part)) => Some(part.forward(pooled_bias, boards, &self.outputs[layer - 1])),
            _ => None,
        };
        self.convolutions[layer].convolve(conv_norm, boards, input, bias);
    }

    /// Normalises the last layer and writes its result to `features`, `[positions, channels, height, width]`.
    pub fn write_features(&mut self, layers: &[Layer], boards: &Boards, features: &mut [f32]) {
        let last = layers.len() - 1;
        self.normalize(layers, boards, last);
        let layer = &layers[last].conv_norm;
        to_planes(boards, &self.outputs[last], layer.stride(), features, layer.outputs());
    }

    fn normalize(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let (before, after) = self.outputs.split_at_mut(layer);
        let Layer { conv_norm, skip, role, .. } = &layers[layer];
        let skip = skip.map(|skip| &before[skip][..]);
        self.convolutions[layer].normalize(conv_norm, output_rows(boards, *role), skip, &mut after[0]);
    }

    /// Takes in the gradient of the features, `[positions, channels, height, width]`, and brings it before the last
    /// rectifier.
    pub fn load_gradient(&mut self, layers: &[Layer], boards: &Boards, gradient: &[f32]) {
        let last = layers.len() - 1;
        let layer = &layers[last].conv_norm;
        from_planes(boards, gradient, layer.outputs(), &boards.dense, &mut self.trunk.output, layer.stride());
        self.pass_rectifier(layers, boards, last);
    }

    /// Brings the gradient from behind the norm of layer number `layer`, whose sums are known, to its input, gathers
    /// the gradient of the layer's weights, and brings that of the layer before it behind its norm.
    pub fn backward(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let Layer { conv_norm, role, pooled_bias, .. } = &layers[layer];
        let Part { trunk, inner, pooled, .. } = self;
        // What comes back to the trunk is added to what goes on through the skip connection.
        let (memory, input_gradient, adds) = match role {
            Role::Trunk => (&mut *trunk, &mut inner.output, false),
            Role::Inner => (&mut *inner, &mut trunk.output, true),
            Role::Pooled => (&mut *pooled, &mut trunk.output, true),
        };
        let part = &mut self.convolutions[layer];
        part.pass_norm(conv_norm, boards, &memory.output, &mut memory.convolved);
        let input = input(layers, layer, &self.planes, self.plane_stride, &self.outputs);
        part.gather_weights(conv_norm, boards, input, &memory.convolved);
        if layer == 0 {
            return;
        }
        part.pass_convolution(conv_norm, boards, &memory.convolved, input_gradient, adds);
        if let (Some(pooled_bias), Some(part)) = (pooled_bias, &mut self.pooled_biases[layer]) {
            part.backward(pooled_bias, boards, &inner.convolved, &mut pooled.output);
        }
        self.pass_rectifier(layers, boards, layer - 1);
    }

    fn pass_rectifier(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let Layer { conv_norm, role, .. } = &layers[layer];
        let gradient = match role {
            Role::Trunk => &mut self.trunk.output,
            Role::Inner => &mut self.inner.output,
            Role::Pooled => &mut self.pooled.output,
        };
        let rows = output_rows(boards, *role);
        self.convolutions[layer].pass_rectifier(conv_norm, rows, &self.outputs[layer], gradient);
    }
}

/// What layer number `layer` reads, and the numbers of one of its cells.
fn input<'a>(
    layers: &[Layer],
    layer: usize,
    planes: &'a [f32],
    plane_stride: usize,
    outputs: &'a [Aligned<f32>],
) -> (&'a [f32], usize) {
    match layers[layer].input {
        Some(input) => (&outputs[input], layers[input].conv_norm.stride()),
        None => (planes, plane_stride),
    }
}

fn output_rows(boards: &Boards, role: Role) -> &Rows {
    match role {
        Role::Trunk | Role::Inner => &boards.bordered,
        Role::Pooled => &boards.dense,
    }
}

/// `[positions, channels, height, width]` to the cells `rows` of `stride` numbers each.
fn from_planes(boards: &Boards, planes: &[f32], channels: usize, rows: &Rows, numbers: &mut [f32], stride: usize) {
    let cells = boards.grid.cells();
    let places = rows.as_slice().chunks_exact(cells);
    for (position, places) in planes.chunks_exact(channels * cells).zip(places) {
        for (cell, &place) in places.iter().enumerate() {
            let numbers = &mut numbers[place as usize * stride..][..channels];
            for (number, plane) in numbers.iter_mut().zip(position.chunks_exact(cells)) {
                *number = plane[cell];
            }
        }
    }
}

/// Bordered cells of `stride` numbers each to `[positions, channels, height, width]`.
fn to_planes(boards: &Boards, numbers: &[f32], stride: usize, planes: &mut [f32], channels: usize) {
    let cells = boards.grid.cells();
    let places = boards.bordered.as_slice().chunks_exact(cells);
    for (position, places) in planes.chunks_exact_mut(channels * cells).zip(places) {
        for (channel, plane) in position.chunks_exact_mut(cells).enumerate() {
            for (number, &place) in plane.iter_mut().zip(places) {
                *number = numbers[place as usize * stride + channel];
            }
        }
    }
}
