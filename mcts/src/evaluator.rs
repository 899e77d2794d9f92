//! What the search asks and how it is answered: batches of leaf positions, evaluated all at once.

use selfplay_env::{Action, Game, Position, TensorEncoding, Wdl};

use crate::canonical::Image;
use crate::stages::{Stage, in_stage};

/// One position waiting for, or holding, its evaluation.
#[derive(Clone, Debug)]
pub struct Leaf<G> {
    /// The position to evaluate; its game is not over.
    pub position: G,
    /// The distinct actions to choose among: all of them, or those that a search looks at.
    pub actions: Vec<Action>,
    /// Answer: probability of each of `actions`, same order and length, summing to 1.
    pub priors: Vec<f32>,
    /// Answer: win, draw and loss for the side to move in `position`.
    pub wdl: Wdl,
    /// Its canonical image, once that was found.
    pub(crate) image: Image,
}

/// A list of leaves whose slots keep their memory when the list is cleared, so that a search in steady state
/// allocates nothing.
#[derive(Clone, Debug)]
pub struct Batch<G> {
    slots: Vec<Leaf<G>>,
    len: usize,
}

impl<G: Game> Batch<G> {
    /// An empty batch.
    pub fn new() -> Self {
        Batch { slots: Vec::new(), len: 0 }
    }

    /// Forgets all leaves but keeps their memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds `position` with its distinct actions; priors are empty and the value unknown until it is evaluated.
    pub fn push(&mut self, position: &G) -> &mut Leaf<G> {
        self.push_with(position, G::distinct_actions)
    }

    /// Adds `position` with those of its distinct actions that `list` puts into the list it is given.
    pub(crate) fn push_with(&mut self, position: &G, list: impl FnOnce(&G, &mut Vec<Action>)) -> &mut Leaf<G> {
        let leaf = self.push_without_actions(position);
        in_stage(Stage::Rules, || list(&leaf.position, &mut leaf.actions));
        leaf
    }

    /// Adds `position`, whose actions the caller puts into the empty list.
    pub(crate) fn push_without_actions(&mut self, position: &G) -> &mut Leaf<G> {
        if self.len == self.slots.len() {
            self.slots.push(Leaf {
                position: position.clone(),
                actions: Vec::new(),
                priors: Vec::new(),
                wdl: Wdl::UNIFORM,
                image: Image::UNKNOWN,
            });
        } else {
            self.slots[self.len].position.clone_from(position);
        }
        self.len += 1;
        let leaf = &mut self.slots[self.len - 1];
        leaf.actions.clear();
        leaf.priors.clear();
        leaf.wdl = Wdl::UNIFORM;
        leaf.image.forget();
        leaf
    }

    /// Adds `leaf` as it is, and gives it the memory of another one.
    pub fn push_swapped(&mut self, leaf: &mut Leaf<G>) {
        match self.slots.get_mut(self.len) {
            Some(spare) => std::mem::swap(spare, leaf),
            None => self.slots.push(leaf.clone()),
        }
        self.len += 1;
    }

    /// Forgets the leaf added last, if any, but keeps its memory.
    pub fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no leaf.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The leaves in the order they were added.
    pub fn leaves(&self) -> &[Leaf<G>] {
        &self.slots[..self.len]
    }

    /// The leaves, to be answered.
    pub fn leaves_mut(&mut self) -> &mut [Leaf<G>] {
        &mut self.slots[..self.len]
    }
}

impl<G: Game> Default for Batch<G> {
    fn default() -> Self {
        Self::new()
    }
}

/// Evaluates batches of positions: a network, a rollout, a table.
///
/// ```
/// use selfplay_env::{Game, Wdl};
/// use selfplay_mcts::{Evaluator, Leaf};
///
/// /// Every position is a draw, and all actions are equally good.
/// struct Drawn;
///
/// impl<G: Game> Evaluator<G> for Drawn {
///     fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
///         for leaf in leaves {
///             leaf.priors.clear();
///             leaf.priors.resize(leaf.actions.len(), 1.0 / leaf.actions.len() as f32);
///             leaf.wdl = Wdl { win: 0.0, draw: 1.0, loss: 0.0 };
///         }
///     }
/// }
/// ```
pub trait Evaluator<G: Game> {
    /// Fills `priors` and `wdl` of every leaf; `priors` gets the length of `actions`.
    ///
    /// An answer depends on the leaf's position alone (up to rounding), never on the rest of the batch.
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]);
}

impl<G: Game, E: Evaluator<G> + ?Sized> Evaluator<G> for &mut E {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        (**self).evaluate(leaves);
    }
}

impl<G: Game, E: Evaluator<G> + ?Sized> Evaluator<G> for Box<E> {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        (**self).evaluate(leaves);
    }
}

/// A network of one game without the game's type: it evaluates encoded positions.
///
/// An evaluation depends on the position alone (up to rounding), never on the rest of the batch.
pub trait Network: Send + Sync {
    /// Id of the game that it was made for.
    fn game(&self) -> &str;

    /// A number that two networks share only if they agree in every bit of every evaluation. Caches tell networks apart by it.
    fn id(&self) -> u64;

    /// Evaluates every leaf of the batch.
    fn evaluate_batch(&mut self, batch: &mut dyn LeafBatch);

    /// A copy with the same evaluations, for another thread.
    fn clone_box(&self) -> Box<dyn Network>;
}

/// Leaves of any game, as a [`Network`] sees them. They are numbered from 0.
pub trait LeafBatch {
    /// Number of leaves.
    fn len(&self) -> usize;

    /// Whether there is no leaf.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the position of a leaf, `[planes, height, width]`, as [`TensorEncoding::encode`] does.
    fn encode(&self, leaf: usize, planes: &mut [f32]);

    /// What the network reads and writes of a leaf: its actions, the list that gets the prior of each of them, and the value.
    fn evaluation(&mut self, leaf: usize) -> (&[Action], &mut Vec<f32>, &mut Wdl);
}

/// The leaves of a game that has an encoding.
struct Encoded<'a, G>(&'a mut [Leaf<G>]);

impl<G: TensorEncoding> LeafBatch for Encoded<'_, G> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn encode(&self, leaf: usize, planes: &mut [f32]) {
        in_stage(Stage::Encoding, || self.0[leaf].position.encode(planes));
    }

    fn evaluation(&mut self, leaf: usize) -> (&[Action], &mut Vec<f32>, &mut Wdl) {
        let Leaf { actions, priors, wdl, .. } = &mut self.0[leaf];
        (actions, priors, wdl)
    }
}

impl Leaf<Box<dyn Position>> {
    /// `position` with all its distinct actions.
    pub fn new(position: Box<dyn Position>) -> Self {
        let mut actions = Vec::new();
        position.distinct_actions(&mut actions);
        Leaf { position, actions, priors: Vec::new(), wdl: Wdl::UNIFORM, image: Image::UNKNOWN }
    }
}

impl LeafBatch for Vec<Leaf<Box<dyn Position>>> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn encode(&self, leaf: usize, planes: &mut [f32]) {
        self[leaf].position.encode(planes);
    }

    fn evaluation(&mut self, leaf: usize) -> (&[Action], &mut Vec<f32>, &mut Wdl) {
        let Leaf { actions, priors, wdl, .. } = &mut self[leaf];
        (actions, priors, wdl)
    }
}

impl<G: TensorEncoding> Evaluator<G> for dyn Network {
    /// # Panics
    /// If the network was made for another game.
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        assert_eq!(self.game(), G::spec().id, "the network plays another game");
        self.evaluate_batch(&mut Encoded(leaves));
    }
}

/// Knows nothing: equal priors, a third each for win, draw and loss. Search with it is plain PUCT without knowledge.
#[derive(Clone, Copy, Default, Debug)]
pub struct UniformEvaluator;

impl<G: Game> Evaluator<G> for UniformEvaluator {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        for leaf in leaves {
            know_nothing(&leaf.actions, &mut leaf.priors, &mut leaf.wdl);
        }
    }
}

/// [`UniformEvaluator`] as a network of the game with this id.
#[derive(Clone, Copy, Debug)]
pub struct UniformNetwork(pub &'static str);

impl Network for UniformNetwork {
    fn game(&self) -> &str {
        self.0
    }

    fn id(&self) -> u64 {
        0
    }

    fn evaluate_batch(&mut self, batch: &mut dyn LeafBatch) {
        for leaf in 0..batch.len() {
            let (actions, priors, wdl) = batch.evaluation(leaf);
            know_nothing(actions, priors, wdl);
        }
    }

    fn clone_box(&self) -> Box<dyn Network> {
        Box::new(*self)
    }
}

fn know_nothing(actions: &[Action], priors: &mut Vec<f32>, wdl: &mut Wdl) {
    priors.clear();
    priors.resize(actions.len(), 1.0 / actions.len() as f32);
    *wdl = Wdl::UNIFORM;
}
