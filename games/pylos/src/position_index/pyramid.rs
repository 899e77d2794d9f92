//! The rules over whole turns, for pyramids of several sizes and with several rules of removal.

use std::ops::ControlFlow;

use super::spheres::Spheres;
use crate::support::{covered, supported};
use crate::tables::{APEX, CELLS, LEVEL_START, PATTERNS, RAISE_TARGETS, SQUARES, cells_of};

/// At most: four squares, a row and a column.
const PATTERNS_OF_A_CELL: usize = 6;
/// Has more cells than the pyramid, so no set of spheres contains it.
const NO_PATTERN: u32 = u32::MAX;

/// What completes a pattern, and how large the pyramid is.
#[derive(Clone, Debug)]
pub(super) struct Pyramid {
    /// Cells of neither side that are always filled: the base of a smaller pyramid.
    floor: u32,
    /// Spheres of each side.
    pub spheres: u32,
    /// Whether a side that has completed a pattern may also take nothing back.
    may_keep_all: bool,
    /// The patterns through each cell whose completion lets a player remove spheres; unused entries are [`NO_PATTERN`].
    patterns_through: [[u32; PATTERNS_OF_A_CELL]; CELLS],
}

/// Where a turn leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reached {
    /// The next turn's start, seen by the side that is to move there.
    Turn(Spheres),
    /// The apex: the side that made the turn has won.
    Apex,
}

impl Pyramid {
    /// The game as it is played: squares and lines.
    pub fn advanced() -> Self {
        Self::with_patterns(&PATTERNS)
    }

    /// Only squares let a player remove spheres.
    pub fn squares_only() -> Self {
        Self::with_patterns(&PATTERNS[..SQUARES])
    }

    /// The same, but nothing need be taken back.
    pub fn optional(self) -> Self {
        Pyramid { may_keep_all: true, ..self }
    }

    /// Nothing does.
    pub fn without_removals() -> Self {
        Self::with_patterns(&[])
    }

    /// Three levels, 3×3 to the apex, with seven spheres a side, and the rules of the whole.
    pub fn on_three_levels() -> Self {
        Pyramid { floor: (1 << LEVEL_START[1]) - 1, spheres: 7, ..Self::advanced() }
    }

    fn with_patterns(patterns: &[u32]) -> Self {
        let mut patterns_through = [[NO_PATTERN; PATTERNS_OF_A_CELL]; CELLS];
        for (cell, through) in patterns_through.iter_mut().enumerate() {
            let of_cell = patterns.iter().filter(|&&pattern| pattern >> cell & 1 == 1);
            through.iter_mut().zip(of_cell).for_each(|(entry, &pattern)| *entry = pattern);
        }
        Pyramid { floor: 0, spheres: 15, may_keep_all: false, patterns_through }
    }

    /// Every set of cells that spheres can stand on, without the apex, which ends the game.
    pub fn occupancies(&self) -> Vec<u32> {
        let mut found = vec![0u32];
        let mut next = 0;
        // Each set is made from the one without its highest cell.
        while let Some(&occupancy) = found.get(next) {
            let above = if occupancy == 0 { u32::MAX } else { !0 << (u32::BITS - occupancy.leading_zeros()) };
            let cells = cells_of(self.fillable(occupancy) & above);
            found.extend(cells.filter(|&cell| cell != APEX).map(|cell| occupancy | 1 << cell));
            next += 1;
        }
        found.retain(|occupancy| occupancy.count_ones() <= 2 * self.spheres);
        found
    }

    fn fillable(&self, occupancy: u32) -> u32 {
        supported(occupancy | self.floor) & !(occupancy | self.floor)
    }

    /// Those of `spheres` on which none of `occupancy` rests.
    fn free(spheres: u32, occupancy: u32) -> u32 {
        spheres & !covered(occupancy)
    }

    fn completes(&self, spheres: u32, cell: u8) -> bool {
        self.patterns_through[usize::from(cell)].iter().fold(false, |any, &pattern| any | (pattern & !spheres == 0))
    }

    /// Tells `visit` what every turn leads to, until it breaks off; those that complete something come first, as they are
    /// most often the best.
    #[inline(always)]
    pub fn successors(&self, spheres: Spheres, mut visit: impl FnMut(Reached) -> ControlFlow<()>) -> ControlFlow<()> {
        let Spheres { own, other } = spheres;
        let occupancy = own | other;
        let fillable = self.fillable(occupancy);
        let has_reserve = own.count_ones() < self.spheres;
        if has_reserve && fillable >> APEX & 1 == 1 {
            visit(Reached::Apex)?;
        }
        let fillable = fillable & !(1 << APEX);
        let places = if has_reserve { fillable } else { 0 };
        let raisable = Self::free(own, occupancy);
        for completing in [true, false] {
            let mut built = |own: u32, to: u8| {
                if self.completes(own | 1 << to, to) != completing {
                    return ControlFlow::Continue(());
                }
                let own = own | 1 << to;
                if completing {
                    removals(own, other, |own| visit(Reached::Turn(Spheres { own: other, other: own })))?;
                }
                if !completing || self.may_keep_all {
                    visit(Reached::Turn(Spheres { own: other, other: own }))?;
                }
                ControlFlow::Continue(())
            };
            for from in cells_of(raisable) {
                for to in cells_of(fillable & RAISE_TARGETS[usize::from(from)]) {
                    built(own ^ 1 << from, to)?;
                }
            }
            for to in cells_of(places) {
                built(own, to)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Tells `visit` from where a turn leads to `spheres`.
    #[inline(always)]
    pub fn predecessors(&self, spheres: Spheres, mut visit: impl FnMut(Spheres)) {
        // The other side has made the turn.
        let Spheres { own: waiting, other: mover } = spheres;
        let occupancy = waiting | mover;
        for to in cells_of(Self::free(mover, occupancy)) {
            if self.may_keep_all || !self.completes(mover, to) {
                self.unbuild(mover, waiting, to, &mut visit);
            }
        }
        let in_hand = self.spheres - mover.count_ones();
        if in_hand == 0 {
            return;
        }
        let below_apex = !(1 << APEX);
        let fillable = self.fillable(occupancy) & below_apex;
        for last in cells_of(fillable) {
            let mover = mover | 1 << last;
            self.unbuild_completing(mover, waiting, &mut visit);
            if in_hand == 1 {
                continue;
            }
            for first in cells_of(self.fillable(occupancy | 1 << last) & below_apex) {
                // Where both could have come first, once is enough.
                if first > last || fillable >> first & 1 == 0 {
                    self.unbuild_completing(mover | 1 << first, waiting, &mut visit);
                }
            }
        }
    }

    /// As [`predecessors`](Self::predecessors) of the moment at which something is complete and nothing is removed.
    #[inline(always)]
    fn unbuild_completing(&self, mover: u32, waiting: u32, visit: &mut impl FnMut(Spheres)) {
        for to in cells_of(Self::free(mover, mover | waiting)) {
            if self.completes(mover, to) {
                self.unbuild(mover, waiting, to, visit);
            }
        }
    }

    /// The places and raises that bring a sphere of `mover` to the free cell `to`.
    #[inline(always)]
    fn unbuild(&self, mover: u32, waiting: u32, to: u8, visit: &mut impl FnMut(Spheres)) {
        let before = mover ^ 1 << to;
        visit(Spheres { own: before, other: waiting });
        for from in cells_of(self.fillable(before | waiting)) {
            if RAISE_TARGETS[usize::from(from)] >> to & 1 == 1 {
                visit(Spheres { own: before | 1 << from, other: waiting });
            }
        }
    }
}

/// Tells `visit` what is left of `own` after one or two removals, two first.
#[inline(always)]
fn removals(own: u32, other: u32, mut visit: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
    let free = Pyramid::free(own, own | other);
    for first in cells_of(free) {
        let own = own ^ 1 << first;
        for second in cells_of(Pyramid::free(own, own | other)) {
            // Where both can come first, once is enough.
            if second > first || free >> second & 1 == 0 {
                visit(own ^ 1 << second)?;
            }
        }
        visit(own)?;
    }
    ControlFlow::Continue(())
}
