//! Tensor encoding; the README beside this file lists planes and actions.

use super::{CELLS, COLUMNS, Connect4, ROWS, bit};
use selfplay_kit::{PolicyShape, TensorEncoding};

impl TensorEncoding for Connect4 {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 3;
    const HEIGHT: usize = ROWS;
    const WIDTH: usize = COLUMNS;
    const POLICY: PolicyShape = PolicyShape::Dense;
    const PLANE_NAMES: &'static [&'static str] = &["own discs", "opponent's discs", "ones"];

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::ENCODED_LEN);
        let (own, opponent) = self.own_and_opponent();
        for cell in 0..CELLS {
            let mask = mask_of(cell);
            planes[cell] = f32::from(u8::from(own & mask != 0));
            planes[CELLS + cell] = f32::from(u8::from(opponent & mask != 0));
            planes[2 * CELLS + cell] = 1.0;
        }
    }
}

/// The bit of the cell number row · 7 + column of a plane.
pub(super) const fn mask_of(cell: usize) -> u64 {
    // Planes have their first row on top, masks at the bottom.
    bit(ROWS - 1 - cell / COLUMNS, cell % COLUMNS)
}
