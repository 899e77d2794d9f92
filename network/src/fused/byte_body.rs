//! The tower in bytes: weights −127..=127, activations 0..=255, each channel in units of its own.
//!
//! The units come from calibration: the largest activation of each channel on sample positions becomes 255. A layer's
//! inputs' units are folded into its weights before these are rounded (one scale for each output), its outputs' units
//! into the scales of its sums, so at run time a unit costs nothing. Rectified activations need no sign. The encoded
//! planes, −1..=1, become 128 + 127·x, and what the 128 adds to a sum is subtracted from the bias.
//!
//! Nagel et al. 2021, "A White Paper on Neural Network Quantization", sections 2 and 3, calls this post-training
//! quantization with per-channel scales and min-max ranges.

use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{ByteBias, ByteOutput, BytePath, ByteProduct, PackedBytes};

use super::float_body::Written;
use super::folded::FoldedLayer;
use super::heads::HeadFeatures;
use super::layer::{Boards, Cells, Finish, Layer, Path, compute, mean_and_max};
use crate::config::NetworkConfig;
use crate::model::PolicyValueNetwork;

/// The byte of an empty plane, and the bytes of one unit of it.
const PLANE_ZERO: u8 = 128;
const PLANE_ONE: f32 = 127.0;
/// A channel that (almost) never fires gets this share of the range of its layer's largest, rather than a range of its
/// own without meaning.
const LEAST_RANGE: f32 = 1.0 / 64.0;

/// Largest activations of every channel of the tower on the sample positions.
#[derive(Clone, Debug)]
pub(super) struct Ranges {
    /// Before the first block, then behind each.
    features: Vec<Vec<f32>>,
    /// Inside each block.
    inner: Vec<Vec<f32>>,
}

impl Ranges {
    pub fn new(config: &NetworkConfig) -> Self {
        let channels = || vec![0.0; config.channels];
        Ranges {
            features: (0..=config.blocks).map(|_| channels()).collect(),
            inner: (0..config.blocks).map(|_| channels()).collect(),
        }
    }

    /// Takes note of a buffer that the tower in floats has written; borders are zero and do not matter.
    pub fn widen(&mut self, which: Written, cells: &Cells) {
        let ranges = match which {
            Written::Features(number) => &mut self.features[number],
            Written::Inner(number) => &mut self.inner[number],
        };
        for cell in cells.numbers.chunks_exact(cells.stride) {
            for (range, &number) in ranges.iter_mut().zip(cell) {
                *range = range.max(number);
            }
        }
    }
}

/// What one step of a byte stands for, for each channel.
fn units(ranges: &[f32]) -> Vec<f32> {
    let largest = ranges.iter().copied().fold(0.0, f32::max);
    let least = if largest > 0.0 { largest * LEAST_RANGE } else { 1.0 };
    ranges.iter().map(|range| range.max(least) / 255.0).collect()
}

/// A convolution on bytes.
#[derive(Clone, Debug)]
struct ByteLayer {
    weights: PackedBytes,
    /// `[padded_outputs]`
    scale: Vec<f32>,
    /// `[padded_outputs]`
    bias: Vec<f32>,
}

impl ByteLayer {
    /// `input_units` and `output_units` are what one step of a byte stands for, for each channel; without the latter
    /// the layer's results are floats.
    fn new(path: BytePath, folded: &FoldedLayer, input_units: &[f32], output_units: Option<&[f32]>) -> Self {
        let FoldedLayer { taps, inputs, outputs, .. } = *folded;
        let weight = |row: usize, output: usize| folded.weight(row, output) * input_units[row % inputs];
        let step = |output: usize| {
            let largest = (0..taps * inputs).map(|row| weight(row, output).abs()).fold(0.0, f32::max);
            if largest > 0.0 { largest / 127.0 } else { 1.0 }
        };
        let steps: Vec<f32> = (0..outputs).map(step).collect();
        let weights = PackedBytes::new(path, taps, inputs, outputs, |row, output| {
            (weight(row, output) / steps[output]).round_ties_even() as i8
        });
        let output_unit = |output: usize| output_units.map_or(1.0, |units| units[output]);
        let mut scale: Vec<f32> = (0..outputs).map(|output| steps[output] / output_unit(output)).collect();
        let mut bias: Vec<f32> = (0..outputs).map(|output| folded.bias[output] / output_unit(output)).collect();
        scale.resize(weights.padded_outputs(), 0.0);
        bias.resize(weights.padded_outputs(), 0.0);
        ByteLayer { weights, scale, bias }
    }

    /// The first layer, which reads planes.
    fn of_planes(path: BytePath, folded: &FoldedLayer, output_units: &[f32]) -> Self {
        let mut layer = Self::new(path, folded, &vec![1.0 / PLANE_ONE; folded.inputs], Some(output_units));
        for output in 0..folded.outputs {
            let sum: i32 = layer.weights.column(output).map(i32::from).sum();
            layer.bias[output] -= layer.scale[output] * (i32::from(PLANE_ZERO) * sum) as f32;
        }
        layer
    }
}

/// Weights of stem, tower and the first layers of the heads.
#[derive(Clone, Debug)]
pub(super) struct ByteBody {
    path: BytePath,
    stem: ByteLayer,
    blocks: Vec<Block>,
    policy_reduce: ByteLayer,
    value_reduce: ByteLayer,
}

#[derive(Clone, Debug)]
struct Block {
    first: ByteLayer,
    pooling: Option<Pooling>,
    second: ByteLayer,
    /// From the units of the features before the block to those behind it, `[padded channels]`.
    skip: Vec<f32>,
}

#[derive(Clone, Debug)]
struct Pooling {
    features: ByteLayer,
    channels: usize,
    /// From means and maxima to the bias of the block's first convolution, in floats.
    bias: Layer,
}

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct ByteScratch {
    input: ByteCells,
    features: ByteCells,
    inner: ByteCells,
    pooled: Cells,
    /// Means and maxima of each board.
    summary: Cells,
    board_bias: Cells,
}

/// A buffer of `stride` bytes for each cell.
#[derive(Clone, Debug)]
struct ByteCells {
    bytes: Aligned<u8>,
    stride: usize,
}

impl ByteCells {
    /// `readers` are the layers that read it: some read a little beyond a cell.
    fn new<'a>(cells: usize, stride: usize, byte: u8, readers: impl IntoIterator<Item = &'a ByteLayer>) -> Self {
        let most_read = readers.into_iter().map(|layer| layer.weights.padded_inputs()).max().unwrap_or(0);
        let mut bytes = zeros(cells * stride + most_read);
        bytes.fill(byte);
        ByteCells { bytes, stride }
    }
}

impl ByteBody {
    pub fn new(network: &PolicyValueNetwork, ranges: &Ranges, path: BytePath) -> Self {
        let features: Vec<Vec<f32>> = ranges.features.iter().map(|ranges| units(ranges)).collect();
        let conv = |layer, inputs: &[f32], outputs: Option<&[f32]>| {
            ByteLayer::new(path, &FoldedLayer::of_conv_norm(layer), inputs, outputs)
        };
        let blocks = network.blocks.iter().enumerate().map(|(number, block)| {
            let (before, behind) = (&features[number], &features[number + 1]);
            let inner = units(&ranges.inner[number]);
            let second = conv(&block.second, &inner, Some(behind));
            let mut skip: Vec<f32> = before.iter().zip(behind).map(|(before, behind)| before / behind).collect();
            skip.resize(second.weights.padded_outputs(), 0.0);
            Block {
                first: conv(&block.first, before, Some(&inner)),
                pooling: block.pooling.as_ref().map(|pooling| Pooling {
                    features: conv(&pooling.features, before, None),
                    channels: network.config().pooling_channels(),
                    bias: Layer::new(&FoldedLayer::of_pooling(pooling, &block.first).in_units(&inner)),
                }),
                second,
                skip,
            }
        });
        let last = &features[network.blocks.len()];
        ByteBody {
            path,
            stem: ByteLayer::of_planes(path, &FoldedLayer::of_conv_norm(&network.stem), &features[0]),
            blocks: blocks.collect(),
            policy_reduce: conv(&network.policy.reduce, last, None),
            value_reduce: conv(&network.value.reduce, last, None),
        }
    }

    /// Strides of the policy's and the value's features.
    pub fn feature_strides(&self) -> [usize; 2] {
        [&self.policy_reduce, &self.value_reduce].map(|layer| layer.weights.padded_outputs())
    }

    pub fn scratch(&self, boards: &Boards, planes: usize, config: &NetworkConfig) -> ByteScratch {
        let (bordered, channels) = (boards.bordered_cells(), self.stem.weights.padded_outputs());
        let pooled = self.blocks.iter().find_map(|block| block.pooling.as_ref());
        let pooled_stride = pooled.map_or(0, |pooling| pooling.features.weights.padded_outputs());
        ByteScratch {
            input: ByteCells::new(bordered, planes, PLANE_ZERO, [&self.stem]),
            features: ByteCells::new(bordered, channels, 0, [&self.policy_reduce]),
            inner: ByteCells::new(bordered, channels, 0, [&self.policy_reduce]),
            pooled: Cells::new(boards.dense.len(), pooled_stride),
            summary: Cells::new(boards.capacity, 2 * config.pooling_channels()),
            board_bias: Cells::new(boards.capacity, channels),
        }
    }

    /// Takes in `planes`, `[planes, height, width]`, as board number `board`.
    pub fn load(&self, boards: &Boards, scratch: &mut ByteScratch, board: usize, planes: &[f32]) {
        let ByteCells { bytes, stride } = &mut scratch.input;
        // Rounded: the cast cuts off what is behind the point.
        let byte = |number: f32| (number * PLANE_ONE + (f32::from(PLANE_ZERO) + 0.5)) as u8;
        boards.write_planes(board, planes, bytes, *stride, byte);
    }

    /// Computes the heads' features for the first `count` boards.
    pub fn forward(&self, boards: &Boards, scratch: &mut ByteScratch, count: usize, heads: &mut HeadFeatures) {
        let ByteScratch { input, features, inner, pooled, summary, board_bias } = scratch;
        let Boards { bordered, dense, around, .. } = boards;
        let cells = boards.grid.cells();
        let tower = Path { count: count * cells, from: bordered, taps: around, to: bordered };
        self.to_bytes(&self.stem, None, None, tower, input, features);
        for block in &self.blocks {
            let bias = block.pooling.as_ref().map(|pooling| {
                self.to_floats(&pooling.features, Path { to: dense, ..tower }, features, pooled);
                mean_and_max(pooled, pooling.channels, cells, count, summary);
                compute(&pooling.bias, None, boards.one_each(count), summary, board_bias, Finish::Plain);
                ByteBias { numbers: &board_bias.numbers, cells_per_board: Some(cells) }
            });
            self.to_bytes(&block.first, bias, None, tower, features, inner);
            self.to_bytes(&block.second, None, Some(&block.skip), tower, inner, features);
        }
        let to_heads = Path { taps: &[0], to: dense, ..tower };
        self.to_floats(&self.policy_reduce, to_heads, features, &mut heads.policy);
        self.to_floats(&self.value_reduce, to_heads, features, &mut heads.value);
    }

    fn to_bytes(
        &self,
        layer: &ByteLayer,
        bias: Option<ByteBias<'_>>,
        skip: Option<&[f32]>,
        path: Path<'_>,
        input: &ByteCells,
        output: &mut ByteCells,
    ) {
        let target = ByteOutput::Bytes(&mut output.bytes);
        self.compute(layer, bias, skip, path, input, target, output.stride);
    }

    fn to_floats(&self, layer: &ByteLayer, path: Path<'_>, input: &ByteCells, output: &mut Cells) {
        let target = ByteOutput::Floats { numbers: &mut output.numbers, rectifies: true };
        self.compute(layer, None, None, path, input, target, output.stride);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one product, named at both callers")]
    fn compute(
        &self,
        layer: &ByteLayer,
        bias: Option<ByteBias<'_>>,
        skip: Option<&[f32]>,
        path: Path<'_>,
        input: &ByteCells,
        output: ByteOutput<'_>,
        output_stride: usize,
    ) {
        ByteProduct {
            count: path.count,
            input: &input.bytes,
            input_stride: input.stride,
            input_rows: path.from,
            taps: path.taps,
            weights: &layer.weights,
            scale: &layer.scale,
            bias: bias.unwrap_or(ByteBias { numbers: &layer.bias, cells_per_board: None }),
            skip,
            output,
            output_stride,
            output_rows: path.to,
        }
        .compute(self.path);
    }
}
