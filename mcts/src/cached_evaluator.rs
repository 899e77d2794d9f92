//! An evaluator, the symmetries through which it sees positions, and the cache that remembers what it has answered.

use selfplay_env::rng::{derive_seed, splitmix64};
use selfplay_env::{Action, Symmetric};

use crate::cache::EvaluationCache;
use crate::canonical::{Image, canonical_position, find_image, share_priors};
use crate::evaluator::{Batch, Evaluator, Leaf};
use crate::symmetry_use::{SymmetryUse, drawn_symmetry, evaluate_images};

/// An evaluator whose answers are remembered in a cache, which others may share.
#[derive(Clone, Debug)]
pub struct CachedEvaluator<G, E> {
    evaluator: E,
    symmetry_use: SymmetryUse,
    cache: EvaluationCache,
    /// Hashed into each key.
    answers_of: u64,
    /// The images that are evaluated; kept for its memory.
    images: Batch<G>,
    /// Of the leaves being evaluated, where those that are not known stood; kept for its memory.
    unknown: Vec<usize>,
}

impl<G: Symmetric, E: Evaluator<G>> CachedEvaluator<G, E> {
    /// Lets `evaluator` see positions by `symmetry_use`, and remembers its answers in `cache`. Those who share the cache keep
    /// apart by `answers_of`: evaluators with the same number must give the same answers.
    pub fn new(evaluator: E, symmetry_use: SymmetryUse, cache: EvaluationCache, answers_of: u64) -> Self {
        let answers_of = match symmetry_use {
            SymmetryUse::Canonical => derive_seed(&[answers_of, 0]),
            SymmetryUse::Averaged => derive_seed(&[answers_of, 1]),
            SymmetryUse::Drawn { seed } => derive_seed(&[answers_of, 2, seed]),
        };
        CachedEvaluator { evaluator, symmetry_use, cache, answers_of, images: Batch::new(), unknown: Vec::new() }
    }

    /// Whether there is a cache that remembers anything.
    pub fn has_memory(&self) -> bool {
        self.cache.is_on()
    }

    /// Writes the answer into `leaf` if it is known, and says so.
    pub fn look_up(&self, leaf: &mut Leaf<G>) -> bool {
        if !self.has_memory() {
            return false;
        }
        if !self.remembers_canonical_images() {
            return self.cache.lookup(self.key(leaf), leaf);
        }
        find_image(leaf);
        let is_known = self.cache.lookup(image_key(self.answers_of, &leaf.image), leaf);
        if is_known {
            leaf.image.restore_order(&mut leaf.priors);
        }
        is_known
    }

    /// Evaluates all `leaves`, whether their answers are known or not, and remembers these.
    pub fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        if self.remembers_canonical_images() {
            return self.evaluate_canonical_images(leaves);
        }
        let CachedEvaluator { evaluator, images, .. } = self;
        match self.symmetry_use {
            SymmetryUse::Canonical => evaluator.evaluate(leaves),
            SymmetryUse::Drawn { seed } => {
                evaluate_images(evaluator, |position: &G| drawn_symmetry(position, seed), images, leaves);
            }
            SymmetryUse::Averaged => evaluate_images(evaluator, |_: &G| G::symmetries(), images, leaves),
        }
        for leaf in leaves {
            self.cache.insert(self.key(leaf), leaf);
        }
    }

    /// Whether canonical images are evaluated and remembered in place of positions. A game without symmetries does without.
    fn remembers_canonical_images(&self) -> bool {
        self.symmetry_use == SymmetryUse::Canonical && G::symmetries().len() > 1
    }

    fn evaluate_canonical_images(&mut self, leaves: &mut [Leaf<G>]) {
        self.images.clear();
        for leaf in leaves.iter_mut() {
            find_image(leaf);
            let image = self.images.push_without_actions(&canonical_position(leaf));
            image.actions.extend(leaf.image.actions());
        }
        self.evaluator.evaluate(self.images.leaves_mut());
        for (leaf, image) in leaves.iter_mut().zip(self.images.leaves_mut()) {
            share_priors(leaf, image);
            self.cache.insert(image_key(self.answers_of, &leaf.image), image);
            leaf.wdl = image.wdl;
            leaf.priors.clone_from(&image.priors);
            leaf.image.restore_order(&mut leaf.priors);
        }
    }

    /// Answers all `leaves`, of which the evaluator sees those that are not known, together; how many these were.
    pub fn evaluate_unknown(&mut self, leaves: &mut [Leaf<G>]) -> usize {
        let mut unknown = std::mem::take(&mut self.unknown);
        unknown.clear();
        for index in 0..leaves.len() {
            if !self.look_up(&mut leaves[index]) {
                leaves.swap(unknown.len(), index);
                unknown.push(index);
            }
        }
        if !unknown.is_empty() {
            self.evaluate(&mut leaves[..unknown.len()]);
        }
        for (place, &index) in unknown.iter().enumerate().rev() {
            leaves.swap(place, index);
        }
        self.unknown = unknown;
        self.unknown.len()
    }

    /// Searches that look at different actions of a position share a cache: the actions are part of the question.
    fn key(&self, leaf: &Leaf<G>) -> u64 {
        let hash = |hash: u64, action: &Action| (hash ^ u64::from(action.0)).wrapping_mul(0x0000_0100_0000_01B3);
        let actions = leaf.actions.iter().fold(0xCBF2_9CE4_8422_2325, hash);
        derive_seed(&[self.answers_of, leaf.position.evaluation_key(), actions])
    }
}

/// The same of a canonical image.
fn image_key(answers_of: u64, image: &Image) -> u64 {
    image.set().iter().fold(derive_seed(&[answers_of, image.key]), |hash, &word| splitmix64(hash ^ word))
}
