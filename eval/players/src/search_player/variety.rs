//! Moves that are equal by symmetry.

use selfplay_env::{Action, Symmetric};

/// The distinct actions that `action` becomes under the symmetries of the board that leave `position` as it is: each
/// once, ascending, `action`'s own canonical form among them.
pub(super) fn images<G: Symmetric>(position: &G, action: Action) -> Vec<Action> {
    let keeps = |symmetry| position.transform(symmetry) == *position;
    let symmetries = G::symmetries().iter().copied().filter(|&symmetry| keeps(symmetry));
    let image = |symmetry| position.canonical_action(G::transform_action(action, symmetry));
    let mut images: Vec<Action> = symmetries.map(image).collect();
    images.sort_unstable();
    images.dedup();
    images
}
