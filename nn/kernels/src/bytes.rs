//! The product of a [`convolution`](crate::convolution) on bytes: inputs 0..=255, weights −127..=127, exact sums in 32
//! bits, which are scaled as they are stored. Four multiply-adds in the place of one.
//!
//! Integer sums are exact, so every path below gives the same answer, whatever the CPU.

use crate::boards::Bias;
use crate::grid::Rows;
use crate::packed::{Aligned, zeros};

mod plain;

#[cfg(target_arch = "x86_64")]
mod vnni;

#[cfg(target_arch = "x86_64")]
mod amx;

/// Inputs multiplied by one instruction.
const GROUP: usize = 4;
/// Inputs of a tile of the matrix unit.
const TILE_DEPTH: usize = 64;
/// A layer with fewer inputs is computed faster without tiles that are mostly zeros.
const MIN_TILE_INPUTS: usize = 13;
/// Outputs in one panel: two vectors of 16 sums.
const PANEL_WIDTH: usize = 32;

/// How bytes are multiplied on this CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BytePath {
    /// The matrix unit (`tdpbusd`), for layers of at least 13 inputs. Other layers go the next way.
    Amx,
    /// `vpdpbusd` on 512-bit vectors.
    Avx512Vnni,
    /// Plain code: right, and slower than a [`Convolution`](crate::Convolution) in 32-bit floats.
    Plain,
}

impl BytePath {
    /// The fastest path of this CPU.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if amx::is_usable() {
            return BytePath::Amx;
        } else if vnni::is_usable() {
            return BytePath::Avx512Vnni;
        }
        BytePath::Plain
    }

    /// All paths of this CPU, the fastest first.
    pub fn all() -> Vec<Self> {
        let paths = [BytePath::Amx, BytePath::Avx512Vnni, BytePath::Plain];
        let fastest = Self::detect();
        paths.into_iter().skip_while(|&path| path != fastest).collect()
    }
}

/// A matrix of bytes `[taps · inputs, outputs]` in panels of 32 outputs; in a panel, four inputs of an output stand
/// side by side. Inputs are filled up with zeros to a multiple of four, or of 64 for the matrix unit, outputs to one
/// of 32.
#[derive(Clone, Debug)]
pub struct PackedBytes {
    taps: usize,
    padded_inputs: usize,
    outputs: usize,
    panels: Aligned<i8>,
}

impl PackedBytes {
    /// Packs the matrix whose number in `row = tap · inputs + input` and `column = output` is `weight(row, column)`, to
    /// be used by `path` or a slower one.
    pub fn new(
        path: BytePath,
        taps: usize,
        inputs: usize,
        outputs: usize,
        weight: impl Fn(usize, usize) -> i8,
    ) -> Self {
        let fills_tiles = path == BytePath::Amx && inputs >= MIN_TILE_INPUTS;
        let padded_inputs = inputs.next_multiple_of(if fills_tiles { TILE_DEPTH } else { GROUP });
        let groups = taps * padded_inputs / GROUP;
        let mut panels = zeros(groups * GROUP * outputs.next_multiple_of(PANEL_WIDTH));
        let panel_len = groups * GROUP * PANEL_WIDTH;
        for row in 0..taps * inputs {
            let (tap, input) = (row / inputs, row % inputs);
            let group = (tap * padded_inputs + input) / GROUP;
            for output in 0..outputs {
                let (panel, column) = (output / PANEL_WIDTH, output % PANEL_WIDTH);
                let place = panel * panel_len + (group * PANEL_WIDTH + column) * GROUP + input % GROUP;
                panels[place] = weight(row, output);
            }
        }
        PackedBytes { taps, padded_inputs, outputs, panels }
    }

    /// Outputs of a cell.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Outputs of a cell with those that fill up the last panel: the least stride of an output buffer.
    pub fn padded_outputs(&self) -> usize {
        self.outputs.next_multiple_of(PANEL_WIDTH)
    }

    /// Bytes read of a cell. Those beyond its inputs do not count, and may belong to the next cell, but the last cell
    /// of a buffer needs them as well.
    pub fn padded_inputs(&self) -> usize {
        self.padded_inputs
    }

    /// The weights of one output, in no particular order.
    pub fn column(&self, output: usize) -> impl Iterator<Item = i8> + '_ {
        let panel_len = self.taps * self.groups() * GROUP * PANEL_WIDTH;
        let panel = &self.panels[output / PANEL_WIDTH * panel_len..][..panel_len];
        panel
            .chunks_exact(GROUP * PANEL_WIDTH)
            .flat_map(move |row| &row[output % PANEL_WIDTH * GROUP..][..GROUP])
            .copied()
    }

    fn groups(&self) -> usize {
        self.padded_inputs / GROUP
    }
}

/// Where the results go.
#[derive(Debug)]
pub enum ByteOutput<'a> {
    /// Rounded and clamped to 0..=255: a rectified layer, in units of its own scale.
    Bytes(&'a mut [u8]),
    /// As they are, or rectified.
    Floats {
        /// The numbers.
        numbers: &'a mut [f32],
        /// Whether negative results become 0.
        rectifies: bool,
    },
}

impl ByteOutput<'_> {
    fn len(&self) -> usize {
        match self {
            ByteOutput::Bytes(bytes) => bytes.len(),
            ByteOutput::Floats { numbers, .. } => numbers.len(),
        }
    }
}

/// One layer for a batch:
/// `output[cell] = bias + scale · Σ_tap input[cell + tap] · weights[tap] (+ skip_scale · skip[cell])`.
#[derive(Debug)]
pub struct ByteProduct<'a> {
    /// Number of cells to compute: the first ones of both tables.
    pub count: usize,
    /// Bytes of the input, `input_stride` for each cell.
    pub input: &'a [u8],
    /// Bytes from one input cell to the next, at least its inputs.
    pub input_stride: usize,
    /// The cells read.
    pub input_rows: &'a Rows,
    /// What is added to a cell's number for each tap of the weights.
    pub taps: &'a [isize],
    /// The weights.
    pub weights: &'a PackedBytes,
    /// What the integer sums are multiplied with, `[padded_outputs]`.
    pub scale: &'a [f32],
    /// What is added to that.
    pub bias: Bias<'a>,
    /// What the bytes that the output holds are multiplied with before they are added, for each output: a skip
    /// connection. `None` adds nothing.
    pub skip: Option<&'a [f32]>,
    /// Numbers of the output, `output_stride` for each cell.
    pub output: ByteOutput<'a>,
    /// Numbers of one output cell; at least `weights.padded_outputs()`.
    pub output_stride: usize,
    /// The cells written.
    pub output_rows: &'a Rows,
}

impl ByteProduct<'_> {
    /// Computes it on the calling thread, by `path`.
    ///
    /// # Panics
    /// If a table, a scale, a bias or a buffer is too short; if bytes are to be added to floats; if the CPU lacks the
    /// path.
    pub fn compute(self, path: BytePath) {
        if self.count == 0 {
            return;
        }
        self.check();
        match path {
            #[cfg(target_arch = "x86_64")]
            BytePath::Amx if amx::suits(&self) => amx::compute(self),
            #[cfg(target_arch = "x86_64")]
            BytePath::Amx | BytePath::Avx512Vnni => vnni::compute(self),
            #[cfg(not(target_arch = "x86_64"))]
            BytePath::Amx | BytePath::Avx512Vnni => panic!("this CPU is no x86-64"),
            BytePath::Plain => plain::compute(self),
        }
    }

    /// Everything the pointers of the vector paths rely on.
    fn check(&self) {
        let weights = self.weights;
        assert_eq!(self.taps.len(), weights.taps, "one tap for each part of the weights");
        let (numbers, len) = (weights.padded_inputs(), self.input.len());
        self.input_rows.assert_taps_lie_in(self.count, self.taps, self.input_stride, numbers, len);
        assert!(self.output_stride >= weights.padded_outputs(), "an output cell holds all padded outputs");
        let len = self.output.len();
        self.output_rows.assert_cells_lie_in(self.count, self.output_stride, len, "the last cell lies in the output");
        self.bias.assert_covers(self.count, weights.padded_outputs());
        assert!(self.scale.len() >= weights.padded_outputs(), "each padded output has a scale");
        if let Some(skip) = self.skip {
            assert!(skip.len() >= weights.padded_outputs(), "each padded output has a skip scale");
            assert!(matches!(self.output, ByteOutput::Bytes(_)), "only bytes are added to bytes");
        }
    }

    /// Where the biases of the cell with number `index` in the tables start.
    fn bias_start(&self, index: usize) -> usize {
        self.bias.start(index, self.weights.padded_outputs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn bytes(len: usize, salt: usize) -> Vec<u8> {
        (0..len).map(|index| ((index * 7919 + salt * 104_729) % 251) as u8).collect()
    }

    /// One layer by the given path: its bytes with skip, then its floats.
    fn layer(
        path: BytePath,
        grid: Grid,
        boards: usize,
        inputs: usize,
        outputs: usize,
        kernel: usize,
    ) -> (Vec<u8>, Vec<f32>) {
        let taps = grid.taps(kernel);
        let weights =
            PackedBytes::new(path, taps.len(), inputs, outputs, |row, column| ((row * 31 + column * 17) % 255) as i8);
        let rows = grid.rows(boards);
        let (input_stride, stride) = (inputs.next_multiple_of(GROUP), weights.padded_outputs());
        let input = bytes(boards * grid.bordered_cells() * input_stride + TILE_DEPTH, 1);
        let float = |len: usize, salt, factor: f32| -> Vec<f32> {
            bytes(len, salt).into_iter().map(|byte| (f32::from(byte) - 120.0) * factor).collect()
        };
        let (scale, bias) = (float(stride, 2, 1e-5), float(boards * stride, 3, 0.5));
        let skip = float(stride, 4, 0.01);
        let mut written = bytes(boards * grid.bordered_cells() * stride, 5);
        let mut floats = vec![7.0; written.len()];
        for with_floats in [false, true] {
            ByteProduct {
                count: rows.len(),
                input: &input,
                input_stride,
                input_rows: &rows,
                taps: &taps,
                weights: &weights,
                scale: &scale,
                bias: Bias { numbers: &bias, cells_per_board: (boards > 1).then_some(grid.cells()) },
                skip: (!with_floats).then_some(&skip),
                output: if with_floats {
                    ByteOutput::Floats { numbers: &mut floats, rectifies: kernel == 1 }
                } else {
                    ByteOutput::Bytes(&mut written)
                },
                output_stride: stride,
                output_rows: &rows,
            }
            .compute(path);
        }
        (written, floats)
    }

    #[test]
    fn plain_code_follows_the_definition() {
        let grid = Grid { height: 2, width: 1 };
        let (inputs, outputs) = (3, 2);
        let (written, floats) = layer(BytePath::Plain, grid, 1, inputs, outputs, 3);
        let input = bytes(grid.bordered_cells() * 4 + TILE_DEPTH, 1);
        let cell = grid.cell(0, 1, 0);
        let mut sum = 0;
        for (tap, step) in grid.taps(3).into_iter().enumerate() {
            for k in 0..inputs {
                let weight = (((tap * inputs + k) * 31 + 17) % 255) as i8;
                sum += i32::from(input[cell.wrapping_add_signed(step) * 4 + k]) * i32::from(weight);
            }
        }
        let number = |salt: usize, factor: f32| (f32::from(bytes(2, salt)[1]) - 120.0) * factor;
        let expected = sum as f32 * number(2, 1e-5) + number(3, 0.5);
        assert!((floats[cell * 32 + 1] - expected).abs() < 1e-3, "{} {expected}", floats[cell * 32 + 1]);
        let skipped = expected + f32::from(bytes(20 * 32, 5)[cell * 32 + 1]) * number(4, 0.01);
        assert_eq!(written[cell * 32 + 1], skipped.clamp(0.0, 255.0).round_ties_even() as u8);
    }

    #[test]
    fn every_path_gives_the_same_bits() {
        for (height, width, boards, inputs, outputs, kernel) in [
            (6, 6, 2, 64, 64, 3),
            (4, 4, 1, 5, 33, 3),
            (3, 5, 3, 16, 3, 1),
            (1, 1, 1, 1, 1, 3),
            (7, 6, 5, 8, 70, 3),
            (4, 4, 1, 64, 64, 1),
            (5, 5, 2, 32, 48, 3),
            (5, 4, 3, 70, 33, 3),
            (6, 6, 3, 128, 64, 3),
            (19, 19, 1, 130, 32, 3),
        ] {
            let grid = Grid { height, width };
            let one = |path| layer(path, grid, boards, inputs, outputs, kernel);
            for path in BytePath::all() {
                assert_eq!(one(path), one(BytePath::Plain), "{path:?}, {grid:?}, {inputs} to {outputs}");
            }
        }
    }
}
