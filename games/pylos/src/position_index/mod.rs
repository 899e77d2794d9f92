//! A number for every turn start: first by which cells are filled, up to the symmetries of the square, then by which of
//! the spheres are the side to move's.
//!
//! The two sides are alike, so it does not matter what they are called. Numbers of filled sets that a symmetry keeps stand
//! for several positions that are images of each other; only the least of these has a position.

mod bits;
mod images;
mod spheres;

mod pyramid;

mod colourings;

mod classes;

mod walker;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use selfplay_registry::position_index::{PositionIndex, TurnGenerator};

use bits::BitTables;
use classes::{Class, Classes};
use colourings::Combinations;
use images::Images;
use pyramid::Pyramid;
pub(super) use spheres::Spheres;
use walker::Walker;

/// The position index of one pyramid's turn starts.
#[derive(Debug)]
pub(super) struct PylosIndex {
    name: &'static str,
    pyramid: Pyramid,
    images: Images,
    bits: BitTables,
    combinations: Combinations,
    classes: Classes,
}

/// That of the game as it is played.
pub(super) static POSITION_INDEX: LazyLock<PylosIndex> =
    LazyLock::new(|| PylosIndex::new("advanced", Pyramid::advanced()));
static SQUARES_ONLY: LazyLock<PylosIndex> = LazyLock::new(|| PylosIndex::new("squares-only", Pyramid::squares_only()));
static ADVANCED_OPTIONAL: LazyLock<PylosIndex> =
    LazyLock::new(|| PylosIndex::new("advanced-optional", Pyramid::advanced().optional()));
static SQUARES_ONLY_OPTIONAL: LazyLock<PylosIndex> =
    LazyLock::new(|| PylosIndex::new("squares-only-optional", Pyramid::squares_only().optional()));
static WITHOUT_REMOVALS: LazyLock<PylosIndex> =
    LazyLock::new(|| PylosIndex::new("without-removals", Pyramid::without_removals()));
static ON_THREE_LEVELS: LazyLock<PylosIndex> =
    LazyLock::new(|| PylosIndex::new("three-levels", Pyramid::on_three_levels()));

impl PylosIndex {
    fn new(name: &'static str, pyramid: Pyramid) -> Self {
        let images = Images::new();
        let combinations = Combinations::new(pyramid.spheres);
        let classes = Classes::new(&pyramid, &images, &combinations);
        PylosIndex { name, pyramid, images, bits: BitTables::new(), combinations, classes }
    }

    /// The number of a turn start.
    #[inline]
    pub fn number(&self, spheres: Spheres) -> u64 {
        let (class, symmetry) = self.classes.find(spheres.own | spheres.other);
        let own = self.least_image(class, self.images.image(symmetry, spheres.own));
        class.first + self.combinations.rank(class.cells.count_ones(), self.bits.gather(class.cells, own))
    }

    /// The spheres of a number; `None` if it has no position.
    pub fn spheres(&self, number: u64) -> Option<Spheres> {
        Walker::new(self).spheres_at(number)
    }

    /// The least of the images of `own` under the symmetries that keep its class's cells.
    #[inline]
    fn least_image(&self, class: &Class, own: u32) -> u32 {
        let mut least = own;
        let mut others = class.stabilizer & !1;
        while others != 0 {
            least = least.min(self.images.image(others.trailing_zeros() as usize, own));
            others &= others - 1;
        }
        least
    }
}

impl PositionIndex for PylosIndex {
    fn name(&self) -> &'static str {
        self.name
    }

    fn count(&self) -> u64 {
        self.classes.count()
    }

    fn initial(&self) -> u64 {
        self.number(Spheres { own: 0, other: 0 })
    }

    fn walker(&self) -> Box<dyn TurnGenerator + '_> {
        Box::new(Walker::new(self))
    }

    fn walks_back(&self) -> bool {
        true
    }

    fn variants(&self) -> Vec<&'static dyn PositionIndex> {
        vec![&*SQUARES_ONLY, &*WITHOUT_REMOVALS, &*ADVANCED_OPTIONAL, &*SQUARES_ONLY_OPTIONAL, &*ON_THREE_LEVELS]
    }
}
