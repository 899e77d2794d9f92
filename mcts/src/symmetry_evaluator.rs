//! Evaluations through the symmetries of the board: one drawn for each position, or all of them averaged.

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

/// An evaluator that sees each position through symmetries of the board and answers for the position as it is. Canonical images
/// are found before.
#[derive(Clone, Debug)]
pub(crate) struct SymmetryEvaluator<G, E> {
    evaluator: E,
    symmetry_use: SymmetryUse,
    /// The images of the positions asked for.
    images: Batch<G>,
}

impl<G: Symmetric, E: Evaluator<G>> SymmetryEvaluator<G, E> {
    /// Asks `evaluator` about images of positions.
    pub(crate) fn new(evaluator: E, symmetry_use: SymmetryUse) -> Self {
        SymmetryEvaluator { evaluator, symmetry_use, images: Batch::new() }
    }
}

impl<G: Symmetric, E: Evaluator<G>> Evaluator<G> for SymmetryEvaluator<G, E> {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        if self.symmetry_use == SymmetryUse::Canonical {
            return self.evaluator.evaluate(leaves);
        }
        let symmetries_of = symmetries_of::<G>(self.symmetry_use);
        self.images.clear();
        for leaf in leaves.iter() {
            for &symmetry in symmetries_of(&leaf.position) {
                self.images.push_with(&leaf.position.image_to_evaluate(symmetry), |_, actions| {
                    actions.clone_from(&leaf.actions);
                    leaf.position.transform_actions(actions, symmetry);
                });
            }
        }
        self.evaluator.evaluate(self.images.leaves_mut());
        let mut images = self.images.leaves().iter();
        for leaf in leaves {
            let symmetries = symmetries_of(&leaf.position);
            let share = 1.0 / symmetries.len() as f32;
            leaf.priors.clear();
            leaf.priors.resize(leaf.actions.len(), 0.0);
            leaf.wdl = Wdl { win: 0.0, draw: 0.0, loss: 0.0 };
            for image in images.by_ref().take(symmetries.len()) {
                add_answer(leaf, image, share);
            }
        }
    }
}

/// The symmetries to look at a position through.
fn symmetries_of<G: Symmetric>(symmetry_use: SymmetryUse) -> impl Fn(&G) -> &'static [Symmetry] {
    move |position| match symmetry_use {
        SymmetryUse::Canonical => &G::symmetries()[..1],
        SymmetryUse::Averaged => G::symmetries(),
        SymmetryUse::Drawn { seed } => {
            let draw = derive_seed(&[seed, position.evaluation_key()]) % G::symmetries().len() as u64;
            std::slice::from_ref(&G::symmetries()[draw as usize])
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
