//! Which images of positions are evaluated, and evaluations through images that are drawn or all averaged.

use selfplay_env::rng::derive_seed;
use selfplay_env::{Symmetric, Symmetry, Wdl};

use crate::evaluator::{Batch, Evaluator, Leaf};

/// Through which symmetries positions are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryUse {
    /// The one that leads to the canonical image, of which all images get the answer. Costs what the evaluator costs.
    Canonical,
    /// One for each position, drawn from the seed and the position's evaluation key: an answer depends on the position
    /// alone, so caches stay valid and games stay a function of their seeds. Costs what the evaluator costs.
    Drawn {
        /// Another seed draws other symmetries. A cache belongs to one seed.
        seed: u64,
    },
    /// All of them, and the answer is the mean. Costs as many evaluations for each position as the game has symmetries.
    Averaged,
}

/// The symmetry that [`SymmetryUse::Drawn`] draws for `position`.
pub(crate) fn drawn_symmetry<G: Symmetric>(position: &G, seed: u64) -> &'static [Symmetry] {
    let draw = derive_seed(&[seed, position.evaluation_key()]) % G::symmetries().len() as u64;
    std::slice::from_ref(&G::symmetries()[draw as usize])
}

/// Asks `evaluator` about the images of each of `leaves` under `symmetries_of` its position, all at once, and answers with their
/// mean. Every position has the same number of them. `images` is kept for its memory.
pub(crate) fn evaluate_images<G: Symmetric>(
    evaluator: &mut impl Evaluator<G>,
    symmetries_of: impl Fn(&G) -> &'static [Symmetry],
    images: &mut Batch<G>,
    leaves: &mut [Leaf<G>],
) {
    images.clear();
    for leaf in leaves.iter() {
        for &symmetry in symmetries_of(&leaf.position) {
            let image = images.push_without_actions(&leaf.position.image_to_evaluate(symmetry));
            image.actions.clone_from(&leaf.actions);
            leaf.position.transform_actions(&mut image.actions, symmetry);
        }
    }
    evaluator.evaluate(images.leaves_mut());
    let images_of_each = (images.len() / leaves.len().max(1)).max(1);
    let share = 1.0 / images_of_each as f32;
    for (leaf, images) in leaves.iter_mut().zip(images.leaves().chunks_exact(images_of_each)) {
        leaf.priors.clear();
        leaf.priors.resize(leaf.actions.len(), 0.0);
        leaf.wdl = Wdl { win: 0.0, draw: 0.0, loss: 0.0 };
        for image in images {
            add_answer(leaf, image, share);
        }
    }
}

/// Adds `share` of the answer for `image`, whose actions stand in the order of those of `leaf`, to that of `leaf`.
fn add_answer<G>(leaf: &mut Leaf<G>, image: &Leaf<G>, share: f32) {
    for (prior, there) in leaf.priors.iter_mut().zip(&image.priors) {
        *prior += share * there;
    }
    leaf.wdl.win += share * image.wdl.win;
    leaf.wdl.draw += share * image.wdl.draw;
    leaf.wdl.loss += share * image.wdl.loss;
}
