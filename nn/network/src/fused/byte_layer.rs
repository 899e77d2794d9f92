//! The tower's layers in int8: weights −127..=127, activations 0..=255, each channel in units of its own.
//!
//! The units come from calibration: the largest activation of each channel on sample positions becomes 255. A layer's
//! inputs' units are folded into its weights before these are rounded (one scale for each output), its outputs' units
//! into the scales of its sums, so at run time a unit costs nothing. Rectified activations need no sign. The encoded
//! planes, −1..=1, become 128 + 127·x, and what the 128 adds to a sum is subtracted from the bias.
//!
//! Nagel et al. 2021, "A White Paper on Neural Network Quantization", sections 2 and 3, calls this post-training
//! quantization with per-channel scales and min-max ranges.

use selfplay_kernels::{Bias, Boards, ByteOutput, BytePath, ByteProduct, Cells, Layout, PackedBytes};

use super::folded::FoldedLayer;
use crate::plan::{Plan, TowerLayer};

/// The byte of an empty plane, and the bytes of one unit of it.
pub(super) const PLANE_ZERO: u8 = 128;
const PLANE_ONE: f32 = 127.0;
/// A number of a plane, rounded: the cast cuts off what is behind the point.
pub(super) fn plane_byte(number: f32) -> u8 {
    (number * PLANE_ONE + (f32::from(PLANE_ZERO) + 0.5)) as u8
}

/// A channel that (almost) never fires gets this share of the range of its layer's largest, rather than a range of its
/// own without meaning.
const MIN_RANGE: f32 = 1.0 / 64.0;

/// Largest activations of every channel of each layer of the tower on the sample positions.
#[derive(Clone, Debug)]
pub(super) struct Ranges(Vec<Vec<f32>>);

impl Ranges {
    pub fn new(plan: &Plan) -> Self {
        Ranges(plan.tower.iter().map(|layer| vec![0.0; layer.weights.outputs]).collect())
    }

    /// Takes note of a buffer that a layer of the tower in floats has written; borders are zero and do not matter.
    pub fn widen(&mut self, layer: usize, cells: &Cells) {
        for cell in cells.numbers.chunks_exact(cells.stride) {
            for (range, &number) in self.0[layer].iter_mut().zip(cell) {
                *range = range.max(number);
            }
        }
    }

    /// What one step of a byte stands for, for each channel of each layer.
    pub fn units(&self) -> Vec<Vec<f32>> {
        self.0.iter().map(|ranges| units(ranges)).collect()
    }
}

/// What one step of a byte stands for, for each channel.
fn units(ranges: &[f32]) -> Vec<f32> {
    let largest = ranges.iter().copied().fold(0.0, f32::max);
    let least = if largest > 0.0 { largest * MIN_RANGE } else { 1.0 };
    ranges.iter().map(|range| range.max(least) / 255.0).collect()
}

/// A convolution on bytes.
#[derive(Clone, Debug)]
pub(super) struct ByteLayer {
    path: BytePath,
    taps: Vec<isize>,
    weights: PackedBytes,
    /// `[stride]`
    scale: Vec<f32>,
    /// `[stride]`
    bias: Vec<f32>,
    /// From the units of what the skip connection brings to those of the results, `[stride]`.
    skip: Option<Vec<f32>>,
}

impl ByteLayer {
    /// Layer `number` of the plan; `units` are what one step of a byte stands for, for each channel of each layer.
    pub fn new(boards: &Boards, planned: &TowerLayer, folded: &FoldedLayer, units: &[Vec<f32>], number: usize) -> Self {
        let (path, &FoldedLayer { taps, inputs, outputs, .. }) = (BytePath::detect(), folded);
        let input_unit = |input: usize| planned.input.map_or(1.0 / PLANE_ONE, |layer| units[layer][input]);
        let weight = |row: usize, output: usize| folded.weight(row, output) * input_unit(row % inputs);
        let step = |output: usize| {
            let largest = (0..taps * inputs).map(|row| weight(row, output).abs()).fold(0.0, f32::max);
            if largest > 0.0 { largest / 127.0 } else { 1.0 }
        };
        let steps: Vec<f32> = (0..outputs).map(step).collect();
        let weights = PackedBytes::new(path, taps, inputs, outputs, |row, output| {
            (weight(row, output) / steps[output]).round_ties_even() as i8
        });
        let is_bytes = planned.role().needs_border();
        let output_unit = |output: usize| if is_bytes { units[number][output] } else { 1.0 };
        let padded = |number: &dyn Fn(usize) -> f32| {
            let mut numbers: Vec<f32> = (0..outputs).map(number).collect();
            numbers.resize(weights.padded_outputs(), 0.0);
            numbers
        };
        let scale = padded(&|output| steps[output] / output_unit(output));
        let mut bias = padded(&|output| folded.bias[output] / output_unit(output));
        if planned.input.is_none() {
            for output in 0..outputs {
                let sum: i32 = weights.column(output).map(i32::from).sum();
                bias[output] -= scale[output] * (i32::from(PLANE_ZERO) * sum) as f32;
            }
        }
        let skip = planned.skip.map(|layer| padded(&|output| units[layer][output] / output_unit(output)));
        let taps = boards.grid.taps(planned.weights.kernel());
        ByteLayer { path, taps, weights, scale, bias, skip }
    }

    /// Numbers of a cell that the layer writes.
    pub fn stride(&self) -> usize {
        self.weights.padded_outputs()
    }

    /// Bytes that it reads of a cell, perhaps beyond the last.
    pub fn overread(&self) -> usize {
        self.weights.padded_inputs()
    }

    /// Computes the first `count` boards, with another bias than its own, `[boards, stride]`, if one is given. Where
    /// the layer has a skip connection, what `output` holds is added.
    pub fn compute(
        &self,
        boards: &Boards,
        count: usize,
        input: &Cells<u8>,
        board_bias: Option<&[f32]>,
        output: ByteOutput<'_>,
        layout: Layout,
    ) {
        let cells = boards.count(layout, 1);
        ByteProduct {
            count: count * cells,
            input: &input.numbers,
            input_stride: input.stride,
            input_rows: boards.rows(input.layout),
            taps: &self.taps,
            weights: &self.weights,
            scale: &self.scale,
            bias: Bias {
                numbers: board_bias.unwrap_or(&self.bias),
                cells_per_board: board_bias.is_some().then_some(cells),
            },
            skip: self.skip.as_deref(),
            output,
            output_stride: self.stride(),
            output_rows: boards.rows(layout),
        }
        .compute(self.path);
    }
}
