//! Tiles on their way into the transformed domain and back: what all layers computed by tiles have in common.
#![allow(unsafe_code, reason = "vector loads and stores through pointers; callers check every range")]

use aligned_vec::CACHELINE_ALIGN;
use pulp::{Arch, Simd, WithSimd};

use super::tiling::{OUTSIDE, Tiling};
use super::transforms::{Line, MOST_ELEMENTS, Side, Transform, TransformGradient, TransformInput};
use crate::boards::{Boards, Cells};
use crate::packed::{Aligned, PANEL_VECTORS, panel_width, zeros};

/// Numbers of a cache line.
const LINE_NUMBERS: usize = CACHELINE_ALIGN / size_of::<f32>();
/// Tiles of a block come in so many: the cells of a tile of sums on any CPU.
const BLOCK_STEP: usize = 12;

/// Memory for one worker: what is transformed of a block of tiles.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(super) numbers: Aligned<f32>,
}

impl Workspace {
    /// As large as the largest of these lengths.
    pub fn of(lengths: impl IntoIterator<Item = usize>) -> Self {
        Workspace { numbers: zeros(lengths.into_iter().max().unwrap_or(0)) }
    }

    /// For layers that want none; costs nothing.
    pub fn none() -> Self {
        Self::of([])
    }
}

/// Tiles in a block that takes `bytes` about, if `channels` numbers are kept of each element.
pub(super) fn block_tiles(bytes: usize, elements: usize, channels: usize) -> usize {
    let fitting = bytes / (elements * channels * size_of::<f32>());
    (fitting / BLOCK_STEP * BLOCK_STEP).max(BLOCK_STEP)
}

/// Numbers of a transformed cell of so many channels: whole vectors.
pub(super) fn transformed_stride(channels: usize) -> usize {
    channels.next_multiple_of(panel_width() / PANEL_VECTORS)
}

/// Numbers between one element and the next, of a block with `room` for cells of `stride` numbers: an odd number of cache
/// lines, so that the elements of a tile do not fall on each other in the first-level cache.
pub(super) const fn element_stride(room: usize, stride: usize) -> usize {
    ((room * stride).div_ceil(LINE_NUMBERS) | 1) * LINE_NUMBERS
}

/// Work over tiles, compiled for each pair of sides.
pub(super) trait OverTiles {
    /// Which tiles.
    fn tiling(&self) -> &Tiling;
    /// Does it for tiles with so many results along the axes.
    fn compute_tiles<S: Simd, const ROWS: usize, const COLUMNS: usize>(self, simd: S);
}

/// Does the work with the vectors of this CPU.
pub(super) fn dispatch(work: impl OverTiles) {
    struct Work<W>(W);
    impl<W: OverTiles> WithSimd for Work<W> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            match self.0.tiling().sides.map(Side::results) {
                [3, 3] => self.0.compute_tiles::<S, 3, 3>(simd),
                [3, 4] => self.0.compute_tiles::<S, 3, 4>(simd),
                [3, 6] => self.0.compute_tiles::<S, 3, 6>(simd),
                [4, 3] => self.0.compute_tiles::<S, 4, 3>(simd),
                [4, 4] => self.0.compute_tiles::<S, 4, 4>(simd),
                [4, 6] => self.0.compute_tiles::<S, 4, 6>(simd),
                [6, 3] => self.0.compute_tiles::<S, 6, 3>(simd),
                [6, 4] => self.0.compute_tiles::<S, 6, 4>(simd),
                [6, 6] => self.0.compute_tiles::<S, 6, 6>(simd),
                _ => unreachable!("sides have 3, 4 or 6 results"),
            }
        }
    }
    Arch::new().dispatch(Work(work));
}

/// A run of tiles among those of all boards.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Number of the first.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// How many there is room for.
    pub room: usize,
}

/// Boards that tiles are cut from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub tiling: &'a Tiling,
    pub boards: &'a Boards,
    pub cells: &'a Cells,
    /// Numbers of a cell that are read.
    pub channels: usize,
}

impl Source<'_> {
    /// Checks that the first `count` boards lie in the buffer, bordered. Pointers rely on it.
    ///
    /// # Panics
    /// If they do not.
    pub fn assert_holds_inputs(&self, count: usize) {
        assert!(self.cells.stride >= self.channels, "a cell holds all inputs");
        let len = count * self.boards.grid.bordered_cells() * self.cells.stride;
        assert!(self.cells.numbers.len() >= len, "all boards lie in the input");
    }

    /// Transforms a layer's inputs: `[elements, block, stride]` numbers from `to` on.
    ///
    /// # Safety
    /// The boards of the block passed [`assert_holds_inputs`](Self::assert_holds_inputs), and there is room for the result.
    #[inline(always)]
    pub unsafe fn transform_inputs<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &self,
        simd: S,
        block: Block,
        to: *mut f32,
    ) {
        let (stride, elements) = (transformed_stride(self.channels), self.tiling.elements());
        let element_stride = element_stride(block.room, stride);
        let board_len = self.boards.grid.bordered_cells() * self.cells.stride;
        for index in 0..block.count {
            let (board, tile) = ((block.first + index) / self.tiling.tiles, (block.first + index) % self.tiling.tiles);
            let reads = &self.tiling.reads[tile * elements..][..elements];
            for channel in (0..self.channels).step_by(S::F32_LANES) {
                // SAFETY: the caller's promise.
                unsafe {
                    let board = self.cells.numbers.as_ptr().add(board * board_len + channel);
                    let read = |element: usize| {
                        let cell = *reads.get_unchecked(element) as usize;
                        self.load(simd, board.add(cell * self.cells.stride), channel)
                    };
                    let to = to.add(index * stride + channel);
                    let write = |element: usize, number: S::f32s| {
                        to.add(element * element_stride).cast::<S::f32s>().write_unaligned(number);
                    };
                    transform_tile::<S, TransformInput, ROWS, COLUMNS>(simd, read, write);
                }
            }
        }
    }

    /// Transforms the gradient of a layer's results: `[elements, block, stride]` numbers from `to` on.
    ///
    /// # Safety
    /// The cells of the block's boards lie in the buffer, and there is room for the result.
    #[inline(always)]
    pub unsafe fn transform_gradients<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &self,
        simd: S,
        block: Block,
        to: *mut f32,
    ) {
        let (stride, results) = (transformed_stride(self.channels), self.tiling.results());
        let element_stride = element_stride(block.room, stride);
        let cells = self.boards.grid.cells();
        let rows = self.boards.rows(self.cells.layout).as_slice();
        for index in 0..block.count {
            let (board, tile) = ((block.first + index) / self.tiling.tiles, (block.first + index) % self.tiling.tiles);
            let writes = &self.tiling.writes[tile * results..][..results];
            let places = &rows[board * cells..][..cells];
            for channel in (0..self.channels).step_by(S::F32_LANES) {
                // SAFETY: the caller's promise.
                unsafe {
                    let numbers = self.cells.numbers.as_ptr().add(channel);
                    let read = |result: usize| match *writes.get_unchecked(result) {
                        OUTSIDE => simd.splat_f32s(0.0),
                        cell => {
                            let cell = *places.get_unchecked(cell as usize) as usize;
                            self.load(simd, numbers.add(cell * self.cells.stride), channel)
                        }
                    };
                    let to = to.add(index * stride + channel);
                    let write = |element: usize, number: S::f32s| {
                        to.add(element * element_stride).cast::<S::f32s>().write_unaligned(number);
                    };
                    transform_tile::<S, TransformGradient, ROWS, COLUMNS>(simd, read, write);
                }
            }
        }
    }

    /// The vector of channels from number `channel` of a cell on; zeros where the cell ends.
    ///
    /// # Safety
    /// `from` points to that channel of a cell of the buffer.
    #[inline(always)]
    unsafe fn load<S: Simd>(&self, simd: S, from: *const f32, channel: usize) -> S::f32s {
        // SAFETY: the caller's promise.
        unsafe {
            if channel + S::F32_LANES <= self.cells.stride {
                from.cast::<S::f32s>().read_unaligned()
            } else {
                simd.partial_load_f32s(std::slice::from_raw_parts(from, self.channels - channel))
            }
        }
    }
}

/// The transform `T` of one tile for one vector of channels: along the columns and then along the rows. Numbers are counted
/// row by row. (All but the closures are types and constants, so that nothing is left of loops and choices; as a closure the
/// transform of a line is not inlined, and does without the CPU's vectors.)
#[inline(always)]
pub(super) fn transform_tile<S: Simd, T: Transform, const ROWS: usize, const COLUMNS: usize>(
    simd: S,
    read: impl Fn(usize) -> S::f32s,
    mut write: impl FnMut(usize, S::f32s),
) {
    let [rows, columns] = const { [Side::with_results(ROWS), Side::with_results(COLUMNS)] };
    let [(height, kept_rows), (width, kept_columns)] = [rows, columns].map(|side| (T::before(side), T::after(side)));
    let zero = simd.splat_f32s(0.0);
    let mut tile: [Line<S>; MOST_ELEMENTS] = [[zero; MOST_ELEMENTS]; MOST_ELEMENTS];
    for column in 0..width {
        let mut line = [zero; MOST_ELEMENTS];
        for (row, number) in line.iter_mut().enumerate().take(height) {
            *number = read(row * width + column);
        }
        T::transform(simd, rows, &mut line);
        for (tile, number) in tile.iter_mut().zip(line).take(kept_rows) {
            tile[column] = number;
        }
    }
    for (row, line) in tile.iter_mut().enumerate().take(kept_rows) {
        T::transform(simd, columns, line);
        for (column, &number) in line.iter().enumerate().take(kept_columns) {
            write(row * kept_columns + column, number);
        }
    }
}
