//! Which cells are filled, up to the symmetries of the square: the classes in which positions are numbered.

use selfplay_registry::Symmetry;

use super::colourings::Combinations;
use super::images::Images;
use super::pyramid::Pyramid;

/// The sets of filled cells that are images of each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// The one of them whose cells' numbers, read as bits, are the least.
    pub cells: u32,
    /// The symmetries that leave it as it is, as bits by their index.
    pub stabilizer: u8,
    /// The number of its first position.
    pub first: u64,
}

/// All classes, in the order of how many cells are filled.
#[derive(Debug)]
pub(super) struct Classes {
    all: Vec<Class>,
    /// An open hash table from sets of cells to their place.
    places: Vec<ClassMember>,
    shift: u32,
    count: u64,
}

/// Where a set of cells belongs.
#[derive(Clone, Copy, Debug)]
struct ClassMember {
    cells: u32,
    class: u16,
    /// Index of a symmetry that makes it its class's least.
    symmetry: u8,
}

/// No set has these cells: the apex is never among them.
const NO_CELLS: u32 = u32::MAX;

impl Classes {
    pub fn new(pyramid: &Pyramid, images: &Images, combinations: &Combinations) -> Self {
        let occupancies = pyramid.occupancies();
        let least = |cells: u32| (0..Symmetry::ALL.len()).map(|symmetry| images.image(symmetry, cells)).min();
        let mut all: Vec<Class> = Vec::new();
        for &cells in occupancies.iter().filter(|&&cells| least(cells) == Some(cells)) {
            let keeps = |symmetry: &usize| images.image(*symmetry, cells) == cells;
            let stabilizer = (0..Symmetry::ALL.len()).filter(keeps).fold(0, |bits, symmetry| bits | 1 << symmetry);
            all.push(Class { cells, stabilizer, first: 0 });
        }
        all.sort_by_key(|class| (class.cells.count_ones(), class.cells));
        let mut count = 0;
        for class in &mut all {
            class.first = count;
            count += combinations.sized(class.cells.count_ones()).count();
        }
        let slots = (2 * occupancies.len()).next_power_of_two();
        let mut classes = Classes {
            places: vec![ClassMember { cells: NO_CELLS, class: 0, symmetry: 0 }; slots],
            shift: u32::BITS - slots.ilog2(),
            all,
            count,
        };
        for number in 0..classes.all.len() {
            for symmetry in Symmetry::ALL {
                let cells = images.image(symmetry.index(), classes.all[number].cells);
                let slot = classes.slot(cells);
                let back = symmetry.inverse().index() as u8;
                classes.places[slot] = ClassMember { cells, class: number as u16, symmetry: back };
            }
        }
        classes
    }

    /// Positions that all classes hold together.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The classes.
    pub fn all(&self) -> &[Class] {
        &self.all
    }

    /// The class of `cells`, and the index of a symmetry that makes them its least; they can be filled.
    #[inline]
    pub fn find(&self, cells: u32) -> (&Class, usize) {
        let place = self.places[self.slot(cells)];
        debug_assert_eq!(place.cells, cells, "spheres can stand so");
        (&self.all[usize::from(place.class)], usize::from(place.symmetry))
    }

    /// The slot that holds `cells`, or is free for them.
    #[inline]
    fn slot(&self, cells: u32) -> usize {
        let mut slot = (cells.wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        while self.places[slot].cells != cells && self.places[slot].cells != NO_CELLS {
            slot = (slot + 1) & (self.places.len() - 1);
        }
        slot
    }
}
