//! Tiles on their way into the transformed domain and back: what all layers computed by tiles have in common.
#![allow(unsafe_code, reason = "vector loads and stores through pointers; callers check every range")]

use std::mem::MaybeUninit;

use aligned_vec::CACHELINE_ALIGN;
use pulp::{Arch, Simd, WithSimd};

use super::tiling::Tiling;
use super::transforms::{MAX_ELEMENTS, Side, Transform};
use crate::boards::{Boards, Cells};
use crate::packed::{Aligned, INPUT_GROUP, PANEL_VECTORS, panel_width, zeros};

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
    pub fn for_lengths(lengths: impl IntoIterator<Item = usize>) -> Self {
        Workspace { numbers: zeros(lengths.into_iter().max().unwrap_or(0)) }
    }

    /// For layers that want none; costs nothing.
    pub fn none() -> Self {
        Self::for_lengths([])
    }
}

/// Where a block of tiles goes when it is transformed: `[elements, room, stride]`, and a gap behind each element.
#[derive(Clone, Copy)]
pub(super) struct Transformed {
    elements: usize,
    /// Tiles that there is room for.
    pub room: usize,
    /// Numbers of a tile in each element: its channels, filled up to whole vectors and whole groups of inputs.
    pub stride: usize,
    /// Numbers from one element to the next.
    pub element_stride: usize,
}

impl Transformed {
    /// For both kinds of channels that a layer's work keeps, in blocks that take `bytes` about.
    pub fn both(tiling: &Tiling, bytes: usize, channels: [usize; 2]) -> [Self; 2] {
        let step = (panel_width() / PANEL_VECTORS).max(INPUT_GROUP);
        let (elements, strides) = (tiling.elements(), channels.map(|channels| channels.next_multiple_of(step)));
        let fitting = bytes / (elements * (strides[0] + strides[1]) * size_of::<f32>());
        let room = (fitting / BLOCK_STEP * BLOCK_STEP).max(BLOCK_STEP);
        strides.map(|stride| Transformed { elements, room, stride, element_stride: odd_lines(room * stride) })
    }

    /// All numbers.
    pub fn len(self) -> usize {
        self.elements * self.element_stride
    }
}

/// `numbers` filled up to an odd number of cache lines: what lies so far from each other does not fall on the same places of
/// the first-level cache.
pub(super) const fn odd_lines(numbers: usize) -> usize {
    (numbers.div_ceil(LINE_NUMBERS) | 1) * LINE_NUMBERS
}

/// Work over tiles, compiled for each of [`PAIRS`](super::tiling::PAIRS).
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
                [4, 4] => self.0.compute_tiles::<S, 4, 4>(simd),
                [4, 6] => self.0.compute_tiles::<S, 4, 6>(simd),
                [5, 5] => self.0.compute_tiles::<S, 5, 5>(simd),
                [6, 4] => self.0.compute_tiles::<S, 6, 4>(simd),
                [6, 6] => self.0.compute_tiles::<S, 6, 6>(simd),
                _ => unreachable!("`Tiling::new` has checked the sides"),
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
}

impl Block {
    /// The blocks of `tiles` tiles, `room` at most in each.
    pub fn all(tiles: usize, room: usize) -> impl Iterator<Item = Block> {
        (0..tiles).step_by(room).map(move |first| Block { first, count: room.min(tiles - first) })
    }
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
    pub fn assert_holds(&self, count: usize) {
        assert!(self.cells.stride >= self.channels, "a cell holds all channels");
        let len = count * self.boards.grid.bordered_cells() * self.cells.stride;
        assert!(self.cells.numbers.len() >= len, "all boards lie in the buffer, bordered");
    }

    /// Transforms a block's tiles, the cells of which `table` tells, one tile after the other, to `place` from `to` on.
    ///
    /// # Safety
    /// The boards of the block passed [`assert_holds`](Self::assert_holds), `table` holds cells of a bordered board, as many for
    /// each tile as the transform reads, and from `to` on `place.len()` numbers can be written, with room for the block.
    #[inline(always)]
    pub unsafe fn transform<S: Simd, T: Transform, const ROWS: usize, const COLUMNS: usize>(
        &self,
        simd: S,
        table: &[u32],
        block: Block,
        to: *mut f32,
        place: Transformed,
    ) {
        let per_tile = table.len() / self.tiling.tiles;
        let board_len = self.boards.grid.bordered_cells() * self.cells.stride;
        for index in 0..block.count {
            let (board, tile) = ((block.first + index) / self.tiling.tiles, (block.first + index) % self.tiling.tiles);
            let table = &table[tile * per_tile..][..per_tile];
            for channel in (0..self.channels).step_by(S::F32_LANES) {
                let whole = channel + S::F32_LANES <= self.cells.stride;
                // SAFETY: the transform reads numbers below `per_tile`, of cells of this board, which the buffer holds; of a
                // cell it reads a vector within its stride, or the channels that are left. It writes a vector within
                // `place.stride`, which whole vectors fill, for elements of tile `index`, for which there is room.
                unsafe {
                    let board = self.cells.numbers.as_ptr().add(board * board_len + channel);
                    let read = |number: usize| {
                        let cell = board.add(*table.get_unchecked(number) as usize * self.cells.stride);
                        if whole {
                            cell.cast::<S::f32s>().read_unaligned()
                        } else {
                            simd.partial_load_f32s(std::slice::from_raw_parts(cell, self.channels - channel))
                        }
                    };
                    let to = to.add(index * place.stride + channel);
                    let write = |element: usize, number: S::f32s| {
                        to.add(element * place.element_stride).cast::<S::f32s>().write_unaligned(number);
                    };
                    transform_tile::<S, T, ROWS, COLUMNS>(simd, read, write);
                }
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
    let [[height, kept_rows], [width, kept_columns]] = [T::sizes(rows), T::sizes(columns)];
    let zero = simd.splat_f32s(0.0);
    // Only what was written is read; to fill it all first would take longer than a transform.
    let mut tile = [[MaybeUninit::<S::f32s>::uninit(); MAX_ELEMENTS]; MAX_ELEMENTS];
    for column in 0..width {
        let mut line = [zero; MAX_ELEMENTS];
        for (row, number) in line.iter_mut().enumerate().take(height) {
            *number = read(row * width + column);
        }
        T::transform(simd, rows, &mut line);
        for (tile, number) in tile.iter_mut().zip(line).take(kept_rows) {
            tile[column].write(number);
        }
    }
    for (row, numbers) in tile.iter().enumerate().take(kept_rows) {
        let mut line = [zero; MAX_ELEMENTS];
        for (number, read) in line.iter_mut().zip(numbers).take(width) {
            // SAFETY: each column wrote its number of each row that is kept.
            *number = unsafe { read.assume_init() };
        }
        T::transform(simd, columns, &mut line);
        for (column, &number) in line.iter().enumerate().take(kept_columns) {
            write(row * kept_columns + column, number);
        }
    }
}
