//! Tensor encoding, the same planes on every board size; the README beside this file lists planes and actions.

use super::{PAIRS_TO_WIN, Pente};
use selfplay_kit::{Game, PolicyShape, TensorEncoding};

impl<const N: usize> TensorEncoding for Pente<N> {
    const ENCODING_VERSION: u32 = 1;
    const PLANES: usize = 6;
    const HEIGHT: usize = N;
    const WIDTH: usize = N;
    const POLICY: PolicyShape = PolicyShape::Planes(1);
    const PLANE_NAMES: &'static [&'static str] = &[
        "own stones",
        "opponent's stones",
        "intersections that the opening rule forbids for this decision",
        "own captured pairs / 5, at most 1, everywhere",
        "opponent's captured pairs / 5, at most 1, everywhere",
        "ones",
    ];

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::ENCODED_LEN);
        let side = self.side_to_move();
        let (own, opponent) = (side.index(), side.opponent().index());
        let (cells, constants) = planes.split_at_mut(3 * N * N);
        for row in 0..N {
            let masks = [self.stones[own][row], self.stones[opponent][row], self.forbidden(row)];
            for (plane, mask) in masks.into_iter().enumerate() {
                let start = (plane * N + row) * N;
                for (column, number) in cells[start..start + N].iter_mut().enumerate() {
                    *number = f32::from((mask >> column & 1) as u8);
                }
            }
        }
        let share = |pairs: u8| f32::from(pairs.min(PAIRS_TO_WIN)) / f32::from(PAIRS_TO_WIN);
        let numbers = [share(self.pairs[own]), share(self.pairs[opponent]), 1.0];
        for (plane, number) in constants.chunks_exact_mut(N * N).zip(numbers) {
            plane.fill(number);
        }
    }
}
