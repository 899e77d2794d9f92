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
    /// What each layer passes on: bordered if a 3×3 convolution reads it, otherwise dense.
    outputs: Vec<Aligned<f32>>,
    trunk: GradientMemory,
    inner: GradientMemory,
    pooled: GradientMemory,
    policy: GradientMemory,
    value: GradientMemory,
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
            Role::Pooled | Role::Policy | Role::Value => zeros(dense * layer.conv_norm.stride()),
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
            policy: gradient(Role::Policy),
            value: gradient(Role::Value),
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

    /// Normalises the last layer and writes what the heads read, each `[positions, channels, height, width]`.
    pub fn write_features(&mut self, layers: &[Layer], boards: &Boards, policy: &mut [f32], value: &mut [f32]) {
        let last = layers.len() - 1;
        self.normalize(layers, boards, last);
        for (layer, features) in [(last - 1, policy), (last, value)] {
            let conv_norm = &layers[layer].conv_norm;
            to_planes(boards, &self.outputs[layer], conv_norm.stride(), features, conv_norm.outputs());
        }
    }

    fn normalize(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let (before, after) = self.outputs.split_at_mut(layer);
        let Layer { conv_norm, skip, role, .. } = &layers[layer];
        let skip = skip.map(|skip| &before[skip][..]);
        self.convolutions[layer].normalize(conv_norm, output_rows(boards, *role), skip, &mut after[0]);
    }

    /// Takes in the gradients of what the heads read, each `[positions, channels, height, width]`, and brings that of
    /// the last layer before its rectifier.
    pub fn load_gradients(&mut self, layers: &[Layer], boards: &Boards, policy: &[f32], value: &[f32]) {
        let last = layers.len() - 1;
        let heads = [(last - 1, policy, &mut self.policy), (last, value, &mut self.value)];
        for (layer, gradient, memory) in heads {
            let conv_norm = &layers[layer].conv_norm;
            let (outputs, stride) = (conv_norm.outputs(), conv_norm.stride());
            from_planes(boards, gradient, outputs, &boards.dense, &mut memory.output, stride);
        }
        self.pass_rectifier(layers, boards, last);
    }

    /// Brings the gradient from behind the norm of layer number `layer`, whose sums are known, to its input, gathers
    /// the gradient of the layer's weights, and brings that of the layer before it behind its norm.
    pub fn backward(&mut self, layers: &[Layer], boards: &Boards, layer: usize) {
        let Layer { conv_norm, role, pooled_bias, .. } = &layers[layer];
        let Part { trunk, inner, pooled, policy, value, .. } = self;
        // What comes back to the trunk is added to what went on through the skip connection or to the policy head; the
        // value head is the first to come back.
        let (memory, input_gradient, adds) = match role {
            Role::Value => (&mut *value, &mut trunk.output, false),
            Role::Policy => (&mut *policy, &mut trunk.output, true),
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
            Role::Policy => &mut self.policy.output,
            Role::Value => &mut self.value.output,
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
        Role::Pooled | Role::Policy | Role::Value => &boards.dense,
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

/// Dense cells of `stride` numbers each to `[positions, channels, height, width]`.
fn to_planes(boards: &Boards, numbers: &[f32], stride: usize, planes: &mut [f32], channels: usize) {
    let cells = boards.grid.cells();
    let positions = planes.chunks_exact_mut(channels * cells).zip(numbers.chunks_exact(cells * stride));
    for (planes, numbers) in positions {
        for (channel, plane) in planes.chunks_exact_mut(cells).enumerate() {
            for (number, cell) in plane.iter_mut().zip(numbers.chunks_exact(stride)) {
                *number = cell[channel];
            }
        }
    }
}
