//! All layers of a network, folded and packed: made once for each set of weights, read by every worker.

use selfplay_env::{Action, GameShape};
use selfplay_kernels::{BytePath, Grid};

use super::byte_body::{ByteBody, ByteScratch, Ranges};
use super::float_body::{FloatBody, FloatScratch};
use super::heads::{HeadFeatures, HeadScratch, Heads};
use super::layer::Boards;
use super::precision::Precision;
use crate::config::{NetworkConfig, WDL_OUTPUTS};
use crate::model::PolicyValueNetwork;

/// Bytes that the two feature buffers of one pass may take in floats: they should stay in a core's second-level cache
/// beside the weights of a layer. Larger batches are computed in several passes.
const FEATURE_BYTES: usize = 512 * 1024;

/// A network's weights, ready for the CPU's vectors.
#[derive(Clone, Debug)]
pub struct FusedNetwork {
    shape: GameShape,
    config: NetworkConfig,
    boards: Boards,
    body: Body,
    heads: Heads,
}

#[derive(Clone, Debug)]
enum Body {
    Floats(FloatBody),
    Bytes(ByteBody),
}

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// One encoded position, `[planes, height, width]`.
    planes: Vec<f32>,
    body: BodyScratch,
    features: HeadFeatures,
    heads: HeadScratch,
}

#[derive(Clone, Debug)]
enum BodyScratch {
    Floats(FloatScratch),
    Bytes(ByteScratch),
}

impl FusedNetwork {
    /// Folds and packs the weights of `network`, which may live on any device, in 32-bit floats.
    pub fn new(network: &PolicyValueNetwork) -> Self {
        let body = FloatBody::new(network);
        let strides = body.feature_strides();
        Self::with_body(network, Body::Floats(body), strides)
    }

    /// The same with the tower in bytes; `floats` is the network in floats. `samples`, `[samples, planes, height,
    /// width]`, are encoded positions like those that will be judged; they set the ranges of the activations.
    ///
    /// # Panics
    /// If the length of `samples` is no multiple of a position's.
    pub(super) fn in_bytes(network: &PolicyValueNetwork, floats: &FusedNetwork, samples: &[f32]) -> Self {
        let encoded_len = floats.shape.encoded_len();
        assert_eq!(samples.len() % encoded_len, 0, "samples are whole positions");
        let mut ranges = Ranges::new(network.config());
        for samples in samples.chunks(floats.capacity() * encoded_len) {
            // New memory for each pass: boards of the pass before would count again.
            let mut scratch = floats.scratch();
            for (board, sample) in samples.chunks_exact(encoded_len).enumerate() {
                floats.load(&mut scratch, board, |planes| planes.copy_from_slice(sample));
            }
            if let (Body::Floats(body), BodyScratch::Floats(memory)) = (&floats.body, &mut scratch.body) {
                let count = samples.len() / encoded_len;
                body.forward(&floats.boards, memory, count, &mut scratch.features, |which, cells| {
                    ranges.widen(which, cells);
                });
            }
        }
        let body = ByteBody::new(network, &ranges, BytePath::detect());
        let strides = body.feature_strides();
        Self::with_body(network, Body::Bytes(body), strides)
    }

    fn with_body(network: &PolicyValueNetwork, body: Body, feature_strides: [usize; 2]) -> Self {
        let (shape, config) = (*network.shape(), network.config().clone());
        let grid = Grid { height: shape.height, width: shape.width };
        let bytes_per_board = 2 * grid.bordered_cells() * config.channels * size_of::<f32>();
        FusedNetwork {
            shape,
            config,
            boards: Boards::new(grid, (FEATURE_BYTES / bytes_per_board).max(1)),
            body,
            heads: Heads::new(network, feature_strides[0]),
        }
    }

    /// The game's tensor sizes.
    pub fn shape(&self) -> &GameShape {
        &self.shape
    }

    /// What the tower computes in.
    pub fn precision(&self) -> Precision {
        match self.body {
            Body::Floats(_) => Precision::F32,
            Body::Bytes(_) => Precision::Int8,
        }
    }

    /// Most boards in one pass.
    pub(super) fn capacity(&self) -> usize {
        self.boards.capacity
    }

    pub(super) fn scratch(&self) -> Scratch {
        let (body, strides) = match &self.body {
            Body::Floats(body) => {
                let scratch = body.scratch(&self.boards, self.shape.planes, &self.config);
                (BodyScratch::Floats(scratch), body.feature_strides())
            }
            Body::Bytes(body) => (
                BodyScratch::Bytes(body.scratch(&self.boards, self.shape.planes, &self.config)),
                body.feature_strides(),
            ),
        };
        Scratch {
            planes: vec![0.0; self.shape.encoded_len()],
            body,
            features: HeadFeatures::new(&self.boards, strides),
            heads: self.heads.scratch(&self.boards),
        }
    }

    /// Takes in the position that `encode` writes as `[planes, height, width]`, as board number `board`.
    pub(super) fn load(&self, scratch: &mut Scratch, board: usize, encode: impl FnOnce(&mut [f32])) {
        encode(&mut scratch.planes);
        match (&self.body, &mut scratch.body) {
            (Body::Floats(body), BodyScratch::Floats(memory)) => {
                body.load(&self.boards, memory, board, &scratch.planes);
            }
            (Body::Bytes(body), BodyScratch::Bytes(memory)) => body.load(&self.boards, memory, board, &scratch.planes),
            _ => unreachable!("the memory was made by this network"),
        }
    }

    /// Judges the first `count` boards.
    pub(super) fn forward(&self, scratch: &mut Scratch, count: usize) {
        let features = &mut scratch.features;
        match (&self.body, &mut scratch.body) {
            (Body::Floats(body), BodyScratch::Floats(memory)) => {
                body.forward(&self.boards, memory, count, features, |_, _| {});
            }
            (Body::Bytes(body), BodyScratch::Bytes(memory)) => body.forward(&self.boards, memory, count, features),
            _ => unreachable!("the memory was made by this network"),
        }
        self.heads.forward(&self.boards, &mut scratch.heads, features, count);
    }

    /// Replaces `logits` by those of `actions` on board number `board` of the last pass.
    pub(super) fn policy_logits(&self, scratch: &Scratch, board: usize, actions: &[Action], logits: &mut Vec<f32>) {
        self.heads.policy_logits(&scratch.features, self.shape.cells(), board, actions, logits);
    }

    /// The logits of win, draw and loss on board number `board` of the last pass.
    pub(super) fn wdl_logits(&self, scratch: &Scratch, board: usize) -> [f32; WDL_OUTPUTS] {
        self.heads.wdl_logits(&scratch.heads, board)
    }
}
