//! Tensor encoding, the same planes on both board sizes; the README beside this file lists planes and actions.

use super::{Cell, Sum15, VALUES};
use selfplay_registry::{EncodingSpec, Game, PolicyShape, TensorEncoding};

/// First plane of each group.
const OPPONENT: usize = VALUES.len();
const EMPTY: usize = 2 * VALUES.len();
const DEAD: usize = EMPTY + 1;
const SUM: usize = EMPTY + 2;
const REMOVED: usize = EMPTY + 3;
const HANDS: usize = REMOVED + 2 * VALUES.len();
const POINTS: usize = HANDS + 2 * VALUES.len();
const ONES: usize = POINTS + 2;

/// The neighbourhood sum that becomes 1, twice the limit. A card stays up to the limit, so only empty and dead cells
/// go beyond it.
const SUM_SCALE: f32 = 30.0;
/// The points removed that become 1: a 13 on either side of the cell.
const REMOVED_SCALE: f32 = 26.0;

/// What each plane holds.
const PLANES: [&str; ONES + 1] = [
    "own 2s on the board",
    "own 3s on the board",
    "own 5s on the board",
    "own 8s on the board",
    "own 13s on the board",
    "opponent's 2s on the board",
    "opponent's 3s on the board",
    "opponent's 5s on the board",
    "opponent's 8s on the board",
    "opponent's 13s on the board",
    "cells that take a card",
    "dead cells",
    "sum of the cell and its neighbours / 30, at most 1",
    "cells that take a card: own points that a 2 there removes around it / 26, at most 1",
    "own points that a 3 there removes",
    "own points that a 5 there removes",
    "own points that an 8 there removes",
    "own points that a 13 there removes",
    "cells that take a card: the opponent's points that a 2 there removes around it / 26, at most 1",
    "the opponent's points that a 3 there removes",
    "the opponent's points that a 5 there removes",
    "the opponent's points that an 8 there removes",
    "the opponent's points that a 13 there removes",
    "own 2s in hand / 2s at the start, everywhere",
    "own 3s in hand / 3s at the start, everywhere",
    "own 5s in hand / 5s at the start, everywhere",
    "own 8s in hand / 8s at the start, everywhere",
    "own 13s in hand / 13s at the start, everywhere",
    "opponent's 2s in hand / 2s at the start, everywhere",
    "opponent's 3s in hand / 3s at the start, everywhere",
    "opponent's 5s in hand / 5s at the start, everywhere",
    "opponent's 8s in hand / 8s at the start, everywhere",
    "opponent's 13s in hand / 13s at the start, everywhere",
    "own points on the board / those in a hand at the start, everywhere",
    "opponent's points on the board / those in a hand at the start, everywhere",
    "ones",
];

impl<const N: usize> TensorEncoding for Sum15<N> {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&PLANES, N, N).version(2).policy(PolicyShape::Planes(VALUES.len()))
    }

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::encoding().encoded_len());
        let side = self.side_to_move();
        let (cells, constants) = planes.split_at_mut(HANDS * N * N);
        cells.fill(0.0);
        for (cell, (content, &sum)) in self.cells.as_flattened().iter().zip(self.sums.as_flattened()).enumerate() {
            let plane = match *content {
                Cell::Empty => EMPTY,
                Cell::Dead => DEAD,
                Cell::Card { owner, card } if owner == side => usize::from(card),
                Cell::Card { card, .. } => OPPONENT + usize::from(card),
            };
            cells[plane * N * N + cell] = 1.0;
            cells[SUM * N * N + cell] = (f32::from(sum) / SUM_SCALE).min(1.0);
        }
        let removed = self.removed_points();
        let by_card = [side, side.opponent()].into_iter().flat_map(|side| &removed[side.index()]);
        for (points, plane) in by_card.zip(cells[REMOVED * N * N..].chunks_exact_mut(N * N)) {
            let contents = self.cells.as_flattened().iter();
            for ((&content, &points), number) in contents.zip(points.as_flattened()).zip(plane) {
                if content == Cell::Empty {
                    *number = (f32::from(points) / REMOVED_SCALE).min(1.0);
                }
            }
        }
        let points = [side, side.opponent()].map(|side| self.points(side) as f32 / Self::HAND_POINTS as f32);
        let hands = [side, side.opponent()].into_iter().flat_map(|side| {
            let hand = self.hands[side.index()].into_iter().zip(Self::START_HAND);
            hand.map(|(count, start)| f32::from(count) / f32::from(start))
        });
        for (plane, number) in constants.chunks_exact_mut(N * N).zip(hands.chain(points).chain([1.0])) {
            plane.fill(number);
        }
    }
}
