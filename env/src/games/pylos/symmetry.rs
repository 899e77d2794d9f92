//! The eight symmetries of the square: every level turns and flips by itself.

use super::Pylos;
use super::tables::{CELL_IMAGES, DECISIONS, Decision, cells_of};
use crate::{Action, Symmetric, Symmetry};

impl Symmetric for Pylos {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn transform(&self, symmetry: Symmetry) -> Self {
        let image = &CELL_IMAGES[symmetry.index()];
        self.map_cells(|mask| cells_of(mask).fold(0, |there, cell| there | 1 << image[usize::from(cell)]))
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        let image = |cell: u8| CELL_IMAGES[symmetry.index()][usize::from(cell)];
        let there = match DECISIONS[action.index()] {
            Decision::Place { to } => Decision::Place { to: image(to) },
            Decision::Raise { from, to } => Decision::Raise { from: image(from), to: image(to) },
            Decision::Remove { from } => Decision::Remove { from: image(from) },
            Decision::Stop => Decision::Stop,
        };
        there.action().expect("a symmetry keeps levels and what rests on what")
    }
}
