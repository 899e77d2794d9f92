//! Tensor encoding; the README beside this file lists planes and actions.

use super::{CELLS, TicTacToe};
use selfplay_registry::{Game, PolicyShape, TensorEncoding};

impl TensorEncoding for TicTacToe {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 3;
    const HEIGHT: usize = 3;
    const WIDTH: usize = 3;
    const POLICY: PolicyShape = PolicyShape::Planes(1);
    const PLANE_NAMES: &'static [&'static str] = &["own marks", "opponent's marks", "ones"];

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::ENCODED_LEN);
        let side = self.side_to_move();
        let (own, opponent) = (self.marks[side.index()], self.marks[side.opponent().index()]);
        for cell in 0..CELLS {
            planes[cell] = f32::from(own >> cell & 1);
            planes[CELLS + cell] = f32::from(opponent >> cell & 1);
            planes[2 * CELLS + cell] = 1.0;
        }
    }
}
