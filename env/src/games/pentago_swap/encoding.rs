//! Tensor encoding; the README beside this file lists planes and actions.

use super::PentagoSwap;
use super::geometry::{BIT_OF_CELL, CELLS, PAIR_COUNT, SIDE};
use crate::{PolicyShape, TensorEncoding};

impl TensorEncoding for PentagoSwap {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 3;
    const HEIGHT: usize = SIDE;
    const WIDTH: usize = SIDE;
    const POLICY: PolicyShape = PolicyShape::Planes(PAIR_COUNT);
    const PLANE_NAMES: &'static [&'static str] = &["own stones", "opponent's stones", "ones"];

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::ENCODED_LEN);
        let (own, opponent) = self.own_and_opponent();
        for (cell, &bit) in BIT_OF_CELL.iter().enumerate() {
            planes[cell] = (own >> bit & 1) as f32;
            planes[CELLS + cell] = (opponent >> bit & 1) as f32;
            planes[2 * CELLS + cell] = 1.0;
        }
    }
}
