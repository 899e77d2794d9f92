//! Where the cells of a part of the batch are, and how the batch is cut into parts.

use std::ops::Range;

use selfplay_kernels::{Grid, Rows};

/// Parts of a batch, at most. Sums over the batch are sums over the parts, added in order: the number of parts must
/// not depend on the number of threads. Sixteen keep a part's numbers for one layer in a core's second-level cache.
const PARTS: usize = 16;

/// The cells of the boards of a part, for the largest part.
#[derive(Clone, Debug)]
pub(super) struct Boards {
    pub grid: Grid,
    /// In buffers with borders.
    pub bordered: Rows,
    /// In buffers without borders.
    pub dense: Rows,
    /// The taps of a 3×3 convolution.
    around: Vec<isize>,
    /// The same taps from the cell that is read to the one that is computed.
    mirrored: Vec<isize>,
}

impl Boards {
    pub fn new(grid: Grid, boards: usize) -> Self {
        let around = grid.taps(3);
        Boards {
            grid,
            bordered: grid.rows(boards),
            dense: Rows::every(1, boards * grid.cells()),
            mirrored: around.iter().rev().copied().collect(),
            around,
        }
    }

    /// The taps of a convolution with so many.
    pub fn taps(&self, count: usize) -> &[isize] {
        if count == 1 { &[0] } else { &self.around }
    }

    /// The same taps from the cell that is read to the one that is computed.
    pub fn mirrored_taps(&self, count: usize) -> &[isize] {
        if count == 1 { &[0] } else { &self.mirrored }
    }
}

/// Cuts `rows` positions into parts that differ by one at most, the larger first.
pub(super) fn parts(rows: usize) -> impl Iterator<Item = Range<usize>> {
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
