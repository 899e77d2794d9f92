//! Canonical forms: of the images of a position under its game's symmetries, the one that stands for all.
//!
//! The canonical image is evaluated with its actions in ascending order, whichever image was asked about, and its answer is
//! carried over. Where symmetries leave the canonical image as it is, actions that they exchange share their priors. So images
//! have the same evaluation, to the last bit, even if the network is not quite symmetric, and one that is remembered serves all.

use selfplay_env::{Action, Symmetric, Symmetry};

use crate::evaluator::Leaf;

/// How a leaf relates to its canonical image.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// Evaluation key of the canonical image.
    pub(crate) key: u64,
    /// Leads from the leaf's position to the canonical image.
    symmetry: Symmetry,
    /// Whether others lead there as well.
    has_others: bool,
    /// What the actions of the leaf become there, in their order.
    actions: Vec<Action>,
    /// The same actions as bits, by their index.
    set: Vec<u64>,
    /// Whether it was found for the leaf as it is.
    is_found: bool,
    /// Priors by action; kept for its memory.
    by_action: Vec<f32>,
}

impl Image {
    /// None yet.
    pub(crate) const UNKNOWN: Image = Image {
        key: 0,
        symmetry: Symmetry::IDENTITY,
        has_others: false,
        actions: Vec::new(),
        set: Vec::new(),
        is_found: false,
        by_action: Vec::new(),
    };

    /// The leaf is another one now.
    pub(crate) fn forget(&mut self) {
        self.is_found = false;
    }

    /// The actions of the canonical image, ascending.
    pub(crate) fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.set.iter().enumerate().flat_map(|(word, &bits)| {
            let rest = std::iter::successors(Some(bits), |rest| Some(rest & rest.wrapping_sub(1)));
            rest.take_while(|&rest| rest != 0)
                .map(move |rest| Action::from_index(word * BITS + rest.trailing_zeros() as usize))
        })
    }

    /// The actions of the canonical image as a set of bits.
    pub(crate) fn set(&self) -> &[u64] {
        &self.set
    }

    /// Brings priors of the canonical image's actions into the order of the leaf's.
    pub(crate) fn restore_order(&mut self, priors: &mut [f32]) {
        let mut by_action = std::mem::take(&mut self.by_action);
        by_action.resize(self.set.len() * BITS, 0.0);
        for (action, &prior) in self.actions().zip(priors.iter()) {
            by_action[action.index()] = prior;
        }
        for (prior, action) in priors.iter_mut().zip(&self.actions) {
            *prior = by_action[action.index()];
        }
        self.by_action = by_action;
    }
}

const BITS: usize = u64::BITS as usize;

/// Finds the canonical image of the position of `leaf`, unless that was done, and writes into the leaf how they relate.
pub(crate) fn find_image<G: Symmetric>(leaf: &mut Leaf<G>) {
    let Leaf { position, actions, image, .. } = leaf;
    if image.is_found {
        return;
    }
    (image.key, image.symmetry, image.has_others) = (position.evaluation_key(), Symmetry::IDENTITY, false);
    for &symmetry in &G::symmetries()[1..] {
        let key = position.image_key(symmetry);
        if key < image.key {
            (image.key, image.symmetry, image.has_others) = (key, symmetry, false);
        } else if key == image.key {
            image.has_others = true;
        }
    }
    image.actions.clone_from(actions);
    if image.symmetry != Symmetry::IDENTITY {
        position.transform_actions(&mut image.actions, image.symmetry);
    }
    image.set.clear();
    image.set.resize(G::spec().action_count.div_ceil(BITS), 0);
    for action in &image.actions {
        image.set[action.index() / BITS] |= 1 << (action.index() % BITS);
    }
    image.is_found = true;
}

/// The canonical image of the position of `leaf`, whose image was found.
pub(crate) fn canonical_position<G: Symmetric>(leaf: &Leaf<G>) -> G {
    leaf.position.image_to_evaluate(leaf.image.symmetry)
}

/// Gives actions that symmetries of the position exchange the mean of their priors; `canonical` is the canonical image of
/// `leaf`, with its answer.
pub(crate) fn share_priors<G: Symmetric>(leaf: &Leaf<G>, canonical: &mut Leaf<G>) {
    if !leaf.image.has_others {
        return;
    }
    let Leaf { position, actions, priors, .. } = canonical;
    // For each action the first of those that it is exchanged with.
    let mut firsts: Vec<usize> = (0..actions.len()).collect();
    let mut images = Vec::new();
    for &symmetry in &G::symmetries()[1..] {
        if position.image_key(symmetry) != leaf.image.key {
            continue;
        }
        images.clone_from(actions);
        position.transform_actions(&mut images, symmetry);
        for (first, there) in firsts.iter_mut().zip(&images) {
            *first = actions.binary_search(there).map_or(*first, |place| place.min(*first));
        }
    }
    let mut sums = vec![(0.0, 0); priors.len()];
    for (&first, &prior) in firsts.iter().zip(priors.iter()) {
        sums[first] = (sums[first].0 + prior, sums[first].1 + 1);
    }
    for (&first, prior) in firsts.iter().zip(priors) {
        *prior = sums[first].0 / sums[first].1 as f32;
    }
}
