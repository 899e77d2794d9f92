//! Tensor encoding; the README beside this file lists planes and actions.

use super::{CELLS, TicTacToe};
use selfplay_registry::{EncodingSpec, Game, PolicyShape, TensorEncoding};

impl TensorEncoding for TicTacToe {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&["own marks", "opponent's marks", "ones"], 3, 3).policy(PolicyShape::Planes(1))
    }

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::encoding().encoded_len());
        let side = self.side_to_move();
        let (own, opponent) = (self.marks[side.index()], self.marks[side.opponent().index()]);
        for cell in 0..CELLS {
            planes[cell] = f32::from(own >> cell & 1);
            planes[CELLS + cell] = f32::from(opponent >> cell & 1);
            planes[2 * CELLS + cell] = 1.0;
        }
    }
}
