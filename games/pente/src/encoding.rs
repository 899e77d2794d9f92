//! Tensor encoding, the same planes on every board size; the README beside this file lists planes and actions.

use super::patterns::{Counts, LineView, Rows, is_any};
use super::threats::{capturable_stones, capturing_cells};
use super::{PAIRS_TO_WIN, Pente};
use selfplay_registry::bit_planes::BitPlanes;
use selfplay_registry::{EncodingSpec, PolicyShape, TensorEncoding};

/// Planes that say yes or no of each intersection, planes that count, planes that are the same everywhere.
const SETS: usize = 7;
const COUNTS: usize = 6;
const CONSTANTS: usize = 3;

impl<const N: usize> Pente<N> {
    /// How a row of a plane is written.
    const ROW_BITS: BitPlanes<N> = BitPlanes::in_order();
}

/// What each plane holds.
const PLANES: [&str; SETS + COUNTS + CONSTANTS] = [
    "own stones",
    "opponent's stones",
    "intersections that the opening rule forbids for this move",
    "intersections where an own stone would capture",
    "intersections where an opponent's stone would capture",
    "own stones that the opponent's next stone can capture",
    "opponent's stones that the next own stone can capture",
    "free intersections: windows of five with two own stones and none of the opponent's, at most 4, / 4",
    "the same with three own stones",
    "the same with four own stones: a fifth wins",
    "free intersections: windows of five with two of the opponent's stones and none of our own, at most 4, / 4",
    "the same with three of the opponent's stones",
    "the same with four of the opponent's stones",
    "own captured pairs / 5, at most 1, everywhere",
    "opponent's captured pairs / 5, at most 1, everywhere",
    "ones",
];

impl<const N: usize> TensorEncoding for Pente<N> {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&PLANES, N, N).version(2).policy(PolicyShape::Planes(1))
    }

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::encoding().encoded_len());
        let [own, opponent] = self.own_and_opponent();
        let views = self.views();
        let sets: [Rows<N>; SETS] = [
            self.stones[own],
            self.stones[opponent],
            std::array::from_fn(|row| self.forbidden(row)),
            capturing_cells(&views, 0),
            capturing_cells(&views, 1),
            capturable_stones(&views, 0),
            capturable_stones(&views, 1),
        ];
        let mut rest = planes.chunks_exact_mut(N * N);
        // In this order: `zip` takes from its second iterator only what it has use for.
        for (set, plane) in sets.iter().zip(rest.by_ref()) {
            for (&row, numbers) in set.iter().zip(plane.chunks_exact_mut(N)) {
                Self::ROW_BITS.write_set(u64::from(row), numbers);
            }
        }
        let counts = [0, 1].map(|side| windows_through_cells(&views, side));
        let free: Rows<N> = std::array::from_fn(|row| !(self.stones[0][row] | self.stones[1][row]));
        for (counts, plane) in counts.as_flattened().iter().zip(rest.by_ref()) {
            for (row, numbers) in plane.chunks_exact_mut(N).enumerate() {
                let digits = counts.digits(row).map(|digit| u64::from(digit & free[row]));
                Self::ROW_BITS.write_numbers(digits, 1.0 / f32::from(Counts::<N>::MOST), numbers);
            }
        }
        let share = |pairs: u8| f32::from(pairs.min(PAIRS_TO_WIN)) / f32::from(PAIRS_TO_WIN);
        for (number, plane) in [share(self.pairs[own]), share(self.pairs[opponent]), 1.0].into_iter().zip(rest) {
            plane.fill(number);
        }
    }
}

/// Through how many windows of five with two, three and four stones of `side` and none of the other each cell lies.
fn windows_through_cells<const N: usize>(views: &[LineView<N>; 4], side: usize) -> [Counts<N>; COUNTS / 2] {
    let mut counts = [Counts::new(); COUNTS / 2];
    for (line, view) in views.iter().enumerate() {
        for (counts, windows) in counts.iter_mut().zip(view.windows(side)) {
            if is_any(&windows) {
                counts.add_windows(line, &windows);
            }
        }
    }
    counts
}
