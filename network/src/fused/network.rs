//! All layers of a network, folded and packed: made once from a Burn network, read by every worker.

use selfplay_env::Action;
use selfplay_kernels::dot::append_dots;
use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{Bias, Grid};

use super::folded::FoldedLayer;
use super::layer::{Boards, Cells, Finish, Layer, Path, compute};
use crate::config::WDL_OUTPUTS;
use crate::layers::{PolicyOutput, ValueFeatures};
use crate::model::PolicyValueNetwork;
use crate::shape::GameShape;

/// Bytes that the two feature buffers of one pass may take: they should stay in a core's second-level cache beside the
/// weights of a layer. Larger batches are computed in several passes.
const FEATURE_BYTES: usize = 512 * 1024;

/// A network's weights, ready for the CPU's vectors.
#[derive(Clone, Debug)]
pub struct FusedNetwork {
    shape: GameShape,
    boards: Boards,
    stem: Layer,
    blocks: Vec<Block>,
    policy_reduce: Layer,
    policy: PolicyRows,
    value_reduce: Layer,
    value_features: ValueFeatures,
    value_channels: usize,
    value_hidden: Layer,
    value_output: Layer,
}

#[derive(Clone, Debug)]
struct Block {
    first: Layer,
    pooling: Option<Pooling>,
    second: Layer,
}

#[derive(Clone, Debug)]
struct Pooling {
    features: Layer,
    channels: usize,
    /// From means and maxima to the bias of the block's first convolution.
    bias: Layer,
}

/// The last layer of the policy head, a list of weights for each logit that may be asked.
#[derive(Clone, Debug)]
struct PolicyRows {
    /// One cell's features, or a whole board's.
    reads: PolicyReads,
    row_len: usize,
    /// `[planes or actions, row_len]`
    rows: Aligned<f32>,
    bias: Vec<f32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PolicyReads {
    /// A logit belongs to a plane and a cell.
    OneCell,
    /// A logit depends on the whole board.
    WholeBoard,
}

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// One encoded position, `[planes, height, width]`.
    planes: Vec<f32>,
    input: Cells,
    features: Cells,
    inner: Cells,
    pooled: Cells,
    /// Means and maxima of each board.
    summary: Cells,
    board_bias: Cells,
    policy: Cells,
    value: Cells,
    hidden: Cells,
    wdl: Cells,
}

impl FusedNetwork {
    /// Folds and packs the weights of `network`, which may live on any device.
    pub fn new(network: &PolicyValueNetwork) -> Self {
        let (shape, config) = (*network.shape(), network.config());
        let grid = Grid { height: shape.height, width: shape.width };
        let conv = |layer| Layer::new(&FoldedLayer::of_conv_norm(layer));
        let blocks = network.blocks.iter().map(|block| Block {
            first: conv(&block.first),
            pooling: block.pooling.as_ref().map(|pooling| Pooling {
                features: conv(&pooling.features),
                channels: config.pooling_channels(),
                bias: Layer::new(&FoldedLayer::of_pooling(pooling, &block.first)),
            }),
            second: conv(&block.second),
        });
        let stem = conv(&network.stem);
        let bytes_per_board = 2 * grid.bordered_cells() * stem.stride() * size_of::<f32>();
        let policy_reduce = conv(&network.policy.reduce);
        let value_cells = match network.value.features {
            ValueFeatures::Cells => shape.cells(),
            ValueFeatures::MeanAndMax => 1,
        };
        FusedNetwork {
            shape,
            boards: Boards::new(grid, (FEATURE_BYTES / bytes_per_board).max(1)),
            blocks: blocks.collect(),
            policy: PolicyRows::new(&network.policy.output, shape.cells(), policy_reduce.stride()),
            policy_reduce,
            value_reduce: conv(&network.value.reduce),
            value_features: network.value.features,
            value_channels: config.value_channels,
            value_hidden: Layer::new(&FoldedLayer::of_linear(&network.value.hidden, value_cells)),
            value_output: Layer::new(&FoldedLayer::of_linear(&network.value.output, 1)),
            stem,
        }
    }

    /// The game's tensor sizes.
    pub fn shape(&self) -> &GameShape {
        &self.shape
    }

    /// Most boards in one pass.
    pub(super) fn capacity(&self) -> usize {
        self.boards.capacity
    }

    pub(super) fn scratch(&self) -> Scratch {
        let Boards { capacity, grid, .. } = self.boards;
        let (bordered, dense) = (capacity * grid.bordered_cells(), capacity * grid.cells());
        let channels = self.stem.stride();
        let pooled = self.blocks.iter().filter_map(|block| block.pooling.as_ref()).next();
        let pooled_stride = pooled.map_or(0, |pooling| pooling.features.stride());
        Scratch {
            planes: vec![0.0; self.shape.encoded_len()],
            input: Cells::new(bordered, self.shape.planes),
            features: Cells::new(bordered, channels),
            inner: Cells::new(bordered, channels),
            pooled: Cells::new(dense, pooled_stride),
            summary: Cells::new(capacity, 2 * pooled.map_or(0, |pooling| pooling.channels).max(self.value_channels)),
            board_bias: Cells::new(capacity, channels),
            policy: Cells::new(dense, self.policy_reduce.stride()),
            value: Cells::new(dense, self.value_reduce.stride()),
            hidden: Cells::new(capacity, self.value_hidden.stride()),
            wdl: Cells::new(capacity, self.value_output.stride()),
        }
    }

    /// Takes in the position that `encode` writes as `[planes, height, width]`, as board number `board`.
    pub(super) fn load(&self, scratch: &mut Scratch, board: usize, encode: impl FnOnce(&mut [f32])) {
        encode(&mut scratch.planes);
        let (cells, planes) = (self.shape.cells(), self.shape.planes);
        let targets = &self.boards.bordered.as_slice()[board * cells..][..cells];
        for (cell, &target) in targets.iter().enumerate() {
            let target = &mut scratch.input.numbers[target as usize * planes..][..planes];
            for (number, plane) in target.iter_mut().zip(scratch.planes.chunks_exact(cells)) {
                *number = plane[cell];
            }
        }
    }

    /// Computes the features that policy and value are read from, and the value itself, for the first `boards` boards.
    pub(super) fn forward(&self, scratch: &mut Scratch, boards: usize) {
        let Scratch { input, features, inner, .. } = scratch;
        let Boards { bordered, dense, around, .. } = &self.boards;
        let count = boards * self.shape.cells();
        let tower = Path { count, from: bordered, taps: around, to: bordered };
        compute(&self.stem, None, tower, input, features, Finish::Rectify);
        for block in &self.blocks {
            let bias = block.pooling.as_ref().map(|pooling| {
                let to_dense = Path { to: dense, ..tower };
                compute(&pooling.features, None, to_dense, features, &mut scratch.pooled, Finish::Rectify);
                let (pooled, summary) = (&scratch.pooled, &mut scratch.summary);
                mean_and_max(pooled, pooling.channels, self.shape.cells(), boards, summary);
                let one_each = Path { count: boards, from: dense, taps: &[0], to: dense };
                compute(&pooling.bias, None, one_each, summary, &mut scratch.board_bias, Finish::Plain);
                Bias::PerBoard(&scratch.board_bias.numbers, self.shape.cells())
            });
            compute(&block.first, bias, tower, features, inner, Finish::Rectify);
            compute(&block.second, None, tower, inner, features, Finish::AddAndRectify);
        }
        self.heads(scratch, boards);
    }

    fn heads(&self, scratch: &mut Scratch, boards: usize) {
        let Boards { bordered, dense, first_cells, all_cells, .. } = &self.boards;
        let count = boards * self.shape.cells();
        let to_dense = Path { count, from: bordered, taps: &[0], to: dense };
        let Scratch { features, policy, value, hidden, wdl, summary, .. } = scratch;
        compute(&self.policy_reduce, None, to_dense, features, policy, Finish::Rectify);
        compute(&self.value_reduce, None, to_dense, features, value, Finish::Rectify);
        match self.value_features {
            ValueFeatures::Cells => {
                let whole_boards = Path { count: boards, from: first_cells, taps: all_cells, to: dense };
                compute(&self.value_hidden, None, whole_boards, value, hidden, Finish::Rectify);
            }
            ValueFeatures::MeanAndMax => {
                mean_and_max(value, self.value_channels, self.shape.cells(), boards, summary);
                let to_hidden = Path { count: boards, from: dense, taps: &[0], to: dense };
                compute(&self.value_hidden, None, to_hidden, summary, hidden, Finish::Rectify);
            }
        }
        let to_wdl = Path { count: boards, from: dense, taps: &[0], to: dense };
        compute(&self.value_output, None, to_wdl, hidden, wdl, Finish::Plain);
    }

    /// Replaces `logits` by those of `actions` on board number `board` of the last pass.
    ///
    /// # Panics
    /// If an action is not one of the game's.
    pub(super) fn policy_logits(&self, scratch: &Scratch, board: usize, actions: &[Action], logits: &mut Vec<f32>) {
        let cells = self.shape.cells();
        let stride = scratch.policy.stride;
        let features = &scratch.policy.numbers[board * cells * stride..][..cells * stride];
        let PolicyRows { reads, row_len, rows, bias } = &self.policy;
        let place = |action: &Action| match reads {
            PolicyReads::OneCell => (action.index() / cells, action.index() % cells),
            PolicyReads::WholeBoard => (action.index(), 0),
        };
        logits.clear();
        let pairs = actions.iter().map(|action| {
            let (row, cell) = place(action);
            (&rows[row * row_len..][..*row_len], &features[cell * stride..][..*row_len])
        });
        append_dots(pairs, logits);
        for (logit, action) in logits.iter_mut().zip(actions) {
            *logit += bias[place(action).0];
        }
    }

    /// The logits of win, draw and loss on board number `board` of the last pass.
    pub(super) fn wdl_logits(&self, scratch: &Scratch, board: usize) -> [f32; WDL_OUTPUTS] {
        let logits = &scratch.wdl.numbers[board * scratch.wdl.stride..];
        [logits[0], logits[1], logits[2]]
    }
}

impl PolicyRows {
    /// `stride` is that of the features read.
    fn new(output: &PolicyOutput, cells: usize, stride: usize) -> Self {
        let (reads, folded) = match output {
            PolicyOutput::Planes(conv) => (PolicyReads::OneCell, FoldedLayer::of_conv(conv)),
            PolicyOutput::Dense(linear) => (PolicyReads::WholeBoard, FoldedLayer::of_linear(linear, cells)),
        };
        let row_len = folded.taps * stride;
        let mut rows = zeros(folded.outputs * row_len);
        for (output, row) in rows.chunks_exact_mut(row_len).enumerate() {
            for (tap, numbers) in row.chunks_exact_mut(stride).enumerate() {
                for (input, number) in numbers[..folded.inputs].iter_mut().enumerate() {
                    *number = folded.weight(tap * folded.inputs + input, output);
                }
            }
        }
        PolicyRows { reads, row_len, rows, bias: folded.bias }
    }
}

/// Mean over the cells of each of `channels` channels, then the maximum of each, side by side for each board.
fn mean_and_max(dense: &Cells, channels: usize, cells: usize, boards: usize, summary: &mut Cells) {
    summary.stride = 2 * channels;
    let per_board = dense.numbers.chunks_exact(cells * dense.stride).take(boards);
    for (cells_of_board, summary) in per_board.zip(summary.numbers.chunks_exact_mut(2 * channels)) {
        let (mean, max) = summary.split_at_mut(channels);
        mean.fill(0.0);
        max.fill(f32::NEG_INFINITY);
        for cell in cells_of_board.chunks_exact(dense.stride) {
            for ((mean, max), &number) in mean.iter_mut().zip(max.iter_mut()).zip(cell) {
                *mean += number;
                *max = max.max(number);
            }
        }
        for mean in mean {
            *mean /= cells as f32;
        }
    }
}
