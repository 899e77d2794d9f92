//! The eight symmetries of the square, under which every level turns and flips by itself, and the exchange of sides.

use super::Pylos;
use super::tables::{ACTIONS, ActionKind, CELL_IMAGES, cells_of};
use selfplay_registry::{Action, Exchangeable, Game, Outcome, Symmetric, Symmetry};

impl Symmetric for Pylos {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        self.map(|spheres, side| (spheres.map(|mask| mask_image(mask, symmetry)), side), self.outcome())
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        let image = |cell: u8| CELL_IMAGES[symmetry.index()][usize::from(cell)];
        let there = match ACTIONS[action.index()] {
            ActionKind::Place { to } => ActionKind::Place { to: image(to) },
            ActionKind::Raise { from, to } => ActionKind::Raise { from: image(from), to: image(to) },
            ActionKind::Remove { from } => ActionKind::Remove { from: image(from) },
            ActionKind::Stop => ActionKind::Stop,
        };
        there.action().expect("a symmetry keeps levels and what rests on what")
    }

    fn image_to_evaluate(&self, symmetry: Symmetry) -> Self {
        self.without_history(|mask| mask_image(mask, symmetry))
    }

    fn image_key(&self, symmetry: Symmetry) -> u64 {
        self.key_with(|mask| mask_image(mask, symmetry))
    }

    fn transform_actions(&self, actions: &mut [Action], symmetry: Symmetry) {
        // No two actions have the same successor.
        for action in actions {
            *action = Self::transform_action(*action, symmetry);
        }
    }
}

/// Where the cells of `mask` go.
fn mask_image(mask: u32, symmetry: Symmetry) -> u32 {
    let image = &CELL_IMAGES[symmetry.index()];
    cells_of(mask).fold(0, |there, cell| there | 1 << image[usize::from(cell)])
}

impl Exchangeable for Pylos {
    fn sides_are_alike() -> bool {
        true
    }

    fn exchanged(&self) -> Self {
        let outcome = self.outcome().map(Outcome::exchanged);
        self.map(|[first, second], side| ([second, first], side.opponent()), outcome)
    }
}
