//! All layers of a network, folded and packed: made once for each set of weights, read by every worker.

use selfplay_env::{Action, GameShape};
use selfplay_kernels::{Boards, Cells, Grid};

use super::body::{Body, BodyScratch};
use super::byte_layer::Ranges;
use super::heads::{HeadScratch, Heads};
use super::precision::Precision;
use crate::config::WDL_OUTPUTS;
use crate::plan::Role;
use crate::weights::NetworkWeights;

/// Maximum size of the two f32 feature buffers of one pass (bytes). They should fit in a core's L2 cache together with
/// the weights of a layer. Larger batches are computed in several passes.
const FEATURE_BYTES: usize = 512 * 1024;

/// A network's weights, ready for the CPU's vectors.
#[derive(Clone, Debug)]
pub struct FusedNetwork {
    shape: GameShape,
    boards: Boards,
    body: Body,
    heads: Heads,
    id: u64,
}

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// One encoded position, `[planes, height, width]`.
    planes: Vec<f32>,
    body: BodyScratch,
    heads: HeadScratch,
}

impl FusedNetwork {
    /// Folds and packs the weights of `network`, in 32-bit floats.
    pub fn new(network: &NetworkWeights) -> Self {
        let boards = boards_for(network);
        let body = Body::in_floats(network, &boards);
        Self::with_body(network, boards, body, &[])
    }

    /// The same with the tower in int8; `floats` is the network in floats. `samples`, `[samples, planes, height,
    /// width]`, are encoded positions like those that will be judged; they set the ranges of the activations.
    ///
    /// # Panics
    /// If the length of `samples` is no multiple of a position's.
    pub(super) fn in_bytes(network: &NetworkWeights, floats: &FusedNetwork, samples: &[f32]) -> Self {
        let encoded_len = floats.shape.encoded_len();
        assert_eq!(samples.len() % encoded_len, 0, "samples are whole positions");
        let mut ranges = Ranges::new(network.plan());
        floats.pass(samples, |layer, cells| ranges.widen(layer, cells));
        let boards = floats.boards.clone();
        let body = Body::in_bytes(network, &boards, &ranges.units());
        Self::with_body(network, boards, body, samples)
    }

    fn with_body(network: &NetworkWeights, boards: Boards, body: Body, samples: &[f32]) -> Self {
        let heads = Heads::new(network, &boards, body.stride(Role::Policy));
        FusedNetwork { shape: *network.shape(), boards, body, heads, id: id(network, samples) }
    }

    /// Hash of all that the network was made of.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The first layer of the tower, in floats, that computes something else than numbers in the encoded positions `samples`,
    /// `[samples, planes, height, width]`, with what it computes.
    pub(super) fn useless_layer(&self, samples: &[f32]) -> Option<(usize, f32)> {
        let mut found = None;
        self.pass(samples, |layer, cells| {
            if let Some(&value) = cells.numbers.iter().find(|number| !number.is_finite()) {
                found.get_or_insert((layer, value));
            }
        });
        found
    }

    /// Passes `samples` through the tower; `observe` is called with each layer's results.
    fn pass(&self, samples: &[f32], mut observe: impl FnMut(usize, &Cells)) {
        let encoded_len = self.shape.encoded_len();
        for samples in samples.chunks(self.capacity() * encoded_len) {
            // New memory for each pass: boards of the pass before would count again.
            let mut scratch = self.scratch();
            for (board, sample) in samples.chunks_exact(encoded_len).enumerate() {
                self.load(&mut scratch, board, |planes| planes.copy_from_slice(sample));
            }
            self.body.forward(&self.boards, &mut scratch.body, samples.len() / encoded_len, &mut observe);
        }
    }

    /// Evaluates encoded positions, `[positions, planes, height, width]`, on the calling thread. For each position,
    /// `read` receives its number, the `actions` requested for it, their policy logits, and the logits of win, draw and
    /// loss.
    ///
    /// # Panics
    /// If the length of `planes` is no multiple of a position's, or an action is not one of the game's.
    pub fn judge_planes(
        &self,
        planes: &[f32],
        actions: impl Fn(usize) -> Vec<Action>,
        mut read: impl FnMut(usize, &[Action], &[f32], [f32; WDL_OUTPUTS]),
    ) {
        let encoded_len = self.shape.encoded_len();
        assert_eq!(planes.len() % encoded_len, 0, "positions are whole");
        let (mut scratch, mut logits) = (self.scratch(), Vec::new());
        for (pass, planes) in planes.chunks(self.capacity() * encoded_len).enumerate() {
            for (board, planes_of_board) in planes.chunks_exact(encoded_len).enumerate() {
                self.load(&mut scratch, board, |planes| planes.copy_from_slice(planes_of_board));
            }
            let count = planes.len() / encoded_len;
            self.forward(&mut scratch, count);
            for board in 0..count {
                let number = pass * self.capacity() + board;
                let actions = actions(number);
                self.policy_logits(&scratch, board, &actions, &mut logits);
                read(number, &actions, &logits, self.wdl_logits(&scratch, board));
            }
        }
    }

    /// The game's tensor sizes.
    pub fn shape(&self) -> &GameShape {
        &self.shape
    }

    /// What the tower computes in.
    pub fn precision(&self) -> Precision {
        self.body.precision()
    }

    /// Most boards in one pass.
    pub(super) fn capacity(&self) -> usize {
        self.boards.capacity
    }

    pub(super) fn scratch(&self) -> Scratch {
        let (body, heads) = (self.body.scratch(&self.boards), self.heads.scratch(&self.boards));
        Scratch { planes: vec![0.0; self.shape.encoded_len()], body, heads }
    }

    /// Takes in the position that `encode` writes as `[planes, height, width]`, as board number `board`.
    pub(super) fn load(&self, scratch: &mut Scratch, board: usize, encode: impl FnOnce(&mut [f32])) {
        encode(&mut scratch.planes);
        scratch.body.load(&self.boards, board, &scratch.planes);
    }

    /// Judges the first `count` boards.
    pub(super) fn forward(&self, scratch: &mut Scratch, count: usize) {
        let Scratch { body, heads, .. } = scratch;
        self.body.forward(&self.boards, body, count, |_, _| {});
        self.heads.forward(&self.boards, heads, body, count);
    }

    /// Replaces `logits` by those of `actions` on board number `board` of the last pass.
    pub(super) fn policy_logits(&self, scratch: &Scratch, board: usize, actions: &[Action], logits: &mut Vec<f32>) {
        self.heads.policy_logits(&scratch.body, self.shape.cells(), board, actions, logits);
    }

    /// The logits of win, draw and loss on board number `board` of the last pass.
    pub(super) fn wdl_logits(&self, scratch: &Scratch, board: usize) -> [f32; WDL_OUTPUTS] {
        self.heads.wdl_logits(&scratch.heads, board)
    }
}

/// Tables for as many boards as fit in [`FEATURE_BYTES`].
fn boards_for(network: &NetworkWeights) -> Boards {
    let &GameShape { height, width, .. } = network.shape();
    let grid = Grid { height, width };
    let bytes_per_board = 2 * grid.bordered_cells() * network.config().channels * size_of::<f32>();
    Boards::new(grid, (FEATURE_BYTES / bytes_per_board).max(1))
}

fn id(network: &NetworkWeights, samples: &[f32]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{:?} {:?}", network.shape(), network.config()).as_bytes());
    for values in network.tensors().iter().map(|tensor| &tensor.values[..]).chain([samples]) {
        hasher.update(&(values.len() as u64).to_le_bytes());
        values.chunks(1024).for_each(|some| {
            let bytes: Vec<u8> = some.iter().flat_map(|value| value.to_le_bytes()).collect();
            hasher.update(&bytes);
        });
    }
    let hash = hasher.finalize();
    hash.as_bytes()[..8].iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
