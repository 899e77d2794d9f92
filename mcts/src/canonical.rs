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
    /// The actions of the canonical image, ascending; each with its number among those of the leaf in the low half.
    actions: Vec<u32>,
    /// Whether it was found for the leaf as it is.
    is_found: bool,
    /// Kept for its memory.
    priors: Vec<f32>,
}

impl Image {
    /// None yet.
    pub(crate) const UNKNOWN: Image = Image {
        key: 0,
        symmetry: Symmetry::IDENTITY,
        has_others: false,
        actions: Vec::new(),
        is_found: false,
        priors: Vec::new(),
    };

    /// The leaf is another one now.
    pub(crate) fn forget(&mut self) {
        self.is_found = false;
    }

    /// The actions of the canonical image, ascending.
    pub(crate) fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.actions.iter().map(|&action| Action((action >> 16) as u16))
    }

    /// Brings priors of the canonical image's actions into the order of the leaf's.
    pub(crate) fn restore_order(&mut self, priors: &mut [f32]) {
        self.priors.clear();
        self.priors.extend_from_slice(priors);
        for (action, &prior) in self.actions.iter().zip(&self.priors) {
            priors[(action & 0xFFFF) as usize] = prior;
        }
    }
}

/// Finds the canonical image of the position of `leaf`, unless that was done, and writes into the leaf how they relate.
pub(crate) fn find_image<G: Symmetric>(leaf: &mut Leaf<G>) {
    let Leaf { position, actions, image, .. } = leaf;
    if image.is_found {
        return;
    }
    (image.key, image.symmetry, image.has_others) = (position.evaluation_key(), Symmetry::IDENTITY, false);
    let mut canonical = None;
    for &symmetry in &G::symmetries()[1..] {
        let there = position.transform(symmetry);
        let key = there.evaluation_key();
        if key < image.key {
            (image.key, image.symmetry, image.has_others) = (key, symmetry, false);
            canonical = Some(there);
        } else if key == image.key {
            image.has_others = true;
        }
    }
    let symmetry = image.symmetry;
    image.actions.clear();
    image.actions.extend(actions.iter().zip(0_u32..).map(|(&action, number)| {
        let there = match &canonical {
            // The image of a distinct action need not be the one that stands for its successor there.
            Some(position) => position.canonical_action(G::transform_action(action, symmetry)),
            None => action,
        };
        u32::from(there.0) << 16 | number
    }));
    image.actions.sort_unstable();
    image.is_found = true;
}

/// The canonical image of the position of `leaf`, whose image was found.
pub(crate) fn canonical_position<G: Symmetric>(leaf: &Leaf<G>) -> G {
    leaf.position.transform(leaf.image.symmetry)
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
    for &symmetry in &G::symmetries()[1..] {
        if position.transform(symmetry).evaluation_key() != leaf.image.key {
            continue;
        }
        for (first, &action) in firsts.iter_mut().zip(actions.iter()) {
            let there = position.canonical_action(G::transform_action(action, symmetry));
            *first = actions.binary_search(&there).map_or(*first, |place| place.min(*first));
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
