//! Tensor encoding; the README beside this file lists planes and actions.

use super::Pylos;
use super::rules::{Phase, SPHERES};
use super::tables::{LEVEL_SIDE, LEVELS, cell_at};
use selfplay_registry::{EncodingSpec, Game, TensorEncoding};

/// Levels with free spheres while the game runs: a sphere on the apex has ended it.
const LEVELS_BELOW_APEX: usize = LEVELS - 1;
/// Levels with spheres that can be raised: those on level 2 carry the apex where it can be filled.
const LEVELS_WITH_RAISES: usize = LEVELS - 2;
/// As many spheres as make a plane of ones.
const MANY_RAISABLE: f32 = 8.0;

/// What each plane holds.
const PLANES: [&str; 36] = [
    "own spheres on level 0",
    "own spheres on level 1",
    "own spheres on level 2",
    "own sphere on the apex",
    "opponent's spheres on level 0",
    "opponent's spheres on level 1",
    "opponent's spheres on level 2",
    "opponent's sphere on the apex",
    "fillable cells on level 0",
    "fillable cells on level 1",
    "fillable cells on level 2",
    "fillable apex",
    "own free spheres on level 0",
    "own free spheres on level 1",
    "own free spheres on level 2",
    "opponent's free spheres on level 0",
    "opponent's free spheres on level 1",
    "opponent's free spheres on level 2",
    "own raisable spheres on level 0",
    "own raisable spheres on level 1",
    "opponent's raisable spheres on level 0",
    "opponent's raisable spheres on level 1",
    "cells on level 0 that complete an own pattern",
    "cells on level 1 that complete an own pattern",
    "cells on level 2 that complete an own pattern",
    "cells on level 0 that complete a pattern of the opponent's",
    "cells on level 1 that complete a pattern of the opponent's",
    "cells on level 2 that complete a pattern of the opponent's",
    "first removal due",
    "second removal due",
    "own reserve / 15",
    "opponent's reserve / 15",
    "own raisable spheres / 8",
    "opponent's raisable spheres / 8",
    "earlier occurrences of this turn start / 2",
    "ones",
];

impl TensorEncoding for Pylos {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&PLANES, 4, 4).version(2)
    }

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::encoding().encoded_len());
        let side = self.side_to_move();
        let opponent = side.opponent();
        let [raisable, opponents_raisable] = [side, opponent].map(|side| self.raisable(side));
        let masks = [
            (self.spheres(side), LEVELS),
            (self.spheres(opponent), LEVELS),
            (self.fillable(), LEVELS),
            (self.free(side), LEVELS_BELOW_APEX),
            (self.free(opponent), LEVELS_BELOW_APEX),
            (raisable, LEVELS_WITH_RAISES),
            (opponents_raisable, LEVELS_WITH_RAISES),
            (self.completing(side), LEVELS_BELOW_APEX),
            (self.completing(opponent), LEVELS_BELOW_APEX),
        ];
        let constants = [
            f32::from(self.phase() == Phase::FirstRemoval),
            f32::from(self.phase() == Phase::SecondRemoval),
            self.reserve(side) as f32 / SPHERES as f32,
            self.reserve(opponent) as f32 / SPHERES as f32,
            raisable.count_ones() as f32 / MANY_RAISABLE,
            opponents_raisable.count_ones() as f32 / MANY_RAISABLE,
            f32::from(self.earlier_occurrences()) / 2.0,
            1.0,
        ];
        let mut planes = planes.chunks_exact_mut(Self::encoding().cells());
        for (mask, levels) in masks {
            for (level, plane) in (0..levels).zip(&mut planes) {
                write_level(mask, level, plane);
            }
        }
        for (constant, plane) in constants.into_iter().zip(planes) {
            plane.fill(constant);
        }
    }
}

/// Writes the cells of one level into the top left corner of a plane.
fn write_level(mask: u32, level: usize, plane: &mut [f32]) {
    plane.fill(0.0);
    for row in 0..LEVEL_SIDE[level] {
        for column in 0..LEVEL_SIDE[level] {
            plane[row * Pylos::encoding().width + column] = f32::from(mask >> cell_at(level, row, column) & 1 == 1);
        }
    }
}
