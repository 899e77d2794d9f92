//! The symmetries of the square over whole sets of cells, byte by byte.

use selfplay_registry::Symmetry;

use crate::tables::{CELL_IMAGES, cells_of};

/// Bytes of a set of cells.
const BYTES: usize = 4;

/// For each symmetry and each byte of a set, where its cells go.
#[derive(Debug)]
pub(super) struct Images(Box<[[[u32; 256]; BYTES]; Symmetry::ALL.len()]>);

impl Images {
    pub fn new() -> Self {
        let mut images = Box::new([[[0; 256]; BYTES]; Symmetry::ALL.len()]);
        for (symmetry, bytes) in images.iter_mut().enumerate() {
            for (byte, entries) in bytes.iter_mut().enumerate() {
                for (value, entry) in entries.iter_mut().enumerate() {
                    let cells = cells_of((value as u32) << (8 * byte));
                    // The two bits above the apex are never asked for.
                    let there = cells.filter_map(|cell| CELL_IMAGES[symmetry].get(usize::from(cell)));
                    *entry = there.fold(0, |mask, image| mask | 1 << image);
                }
            }
        }
        Images(images)
    }

    /// Where `cells` go under the symmetry of this index.
    #[inline]
    pub fn image(&self, symmetry: usize, cells: u32) -> u32 {
        let bytes = cells.to_le_bytes();
        let images = &self.0[symmetry];
        (0..BYTES).fold(0, |mask, byte| mask | images[byte][usize::from(bytes[byte])])
    }
}
