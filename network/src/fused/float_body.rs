//! The tower in 32-bit floats: from encoded boards to the features that the heads read.

use selfplay_kernels::Bias;

use super::folded::FoldedLayer;
use super::heads::HeadFeatures;
use super::layer::{Boards, Cells, Finish, Layer, Path, compute, mean_and_max};
use crate::config::NetworkConfig;
use crate::model::PolicyValueNetwork;

/// Weights of stem, tower and the first layers of the heads.
#[derive(Clone, Debug)]
pub(super) struct FloatBody {
    stem: Layer,
    blocks: Vec<Block>,
    policy_reduce: Layer,
    value_reduce: Layer,
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

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct FloatScratch {
    input: Cells,
    features: Cells,
    inner: Cells,
    pooled: Cells,
    /// Means and maxima of each board.
    summary: Cells,
    board_bias: Cells,
}

/// Which buffer a layer of the tower has just written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// The features before the first block (0) or behind so many blocks.
    Features(usize),
    /// The inside of a block.
    Inner(usize),
}

impl FloatBody {
    pub fn new(network: &PolicyValueNetwork) -> Self {
        let conv = |layer| Layer::new(&FoldedLayer::of_conv_norm(layer));
        let blocks = network.blocks.iter().map(|block| Block {
            first: conv(&block.first),
            pooling: block.pooling.as_ref().map(|pooling| Pooling {
                features: conv(&pooling.features),
                channels: network.config().pooling_channels(),
                bias: Layer::new(&FoldedLayer::of_pooling(pooling, &block.first)),
            }),
            second: conv(&block.second),
        });
        FloatBody {
            stem: conv(&network.stem),
            blocks: blocks.collect(),
            policy_reduce: conv(&network.policy.reduce),
            value_reduce: conv(&network.value.reduce),
        }
    }

    /// Strides of the policy's and the value's features.
    pub fn feature_strides(&self) -> [usize; 2] {
        [self.policy_reduce.stride(), self.value_reduce.stride()]
    }

    pub fn scratch(&self, boards: &Boards, planes: usize, config: &NetworkConfig) -> FloatScratch {
        let (bordered, channels) = (boards.bordered_cells(), self.stem.stride());
        let pooled = self.blocks.iter().find_map(|block| block.pooling.as_ref());
        FloatScratch {
            input: Cells::new(bordered, planes),
            features: Cells::new(bordered, channels),
            inner: Cells::new(bordered, channels),
            pooled: Cells::new(boards.dense.len(), pooled.map_or(0, |pooling| pooling.features.stride())),
            summary: Cells::new(boards.capacity, 2 * config.pooling_channels()),
            board_bias: Cells::new(boards.capacity, channels),
        }
    }

    /// Takes in `planes`, `[planes, height, width]`, as board number `board`.
    pub fn load(&self, boards: &Boards, scratch: &mut FloatScratch, board: usize, planes: &[f32]) {
        let Cells { numbers, stride } = &mut scratch.input;
        boards.write_planes(board, planes, numbers, *stride, |number| number);
    }

    /// Computes the heads' features for the first `count` boards; `observe` sees each buffer of the tower as soon as
    /// it is written.
    pub fn forward(
        &self,
        boards: &Boards,
        scratch: &mut FloatScratch,
        count: usize,
        heads: &mut HeadFeatures,
        mut observe: impl FnMut(Written, &Cells),
    ) {
        let FloatScratch { input, features, inner, pooled, summary, board_bias } = scratch;
        let Boards { bordered, dense, around, .. } = boards;
        let cells = boards.grid.cells();
        let tower = Path { count: count * cells, from: bordered, taps: around, to: bordered };
        compute(&self.stem, None, tower, input, features, Finish::Rectify);
        observe(Written::Features(0), features);
        for (number, block) in self.blocks.iter().enumerate() {
            let bias = block.pooling.as_ref().map(|pooling| {
                compute(&pooling.features, None, Path { to: dense, ..tower }, features, pooled, Finish::Rectify);
                mean_and_max(pooled, pooling.channels, cells, count, summary);
                compute(&pooling.bias, None, boards.one_each(count), summary, board_bias, Finish::Plain);
                Bias::PerBoard(&board_bias.numbers, cells)
            });
            compute(&block.first, bias, tower, features, inner, Finish::Rectify);
            observe(Written::Inner(number), inner);
            compute(&block.second, None, tower, inner, features, Finish::AddAndRectify);
            observe(Written::Features(number + 1), features);
        }
        let to_heads = Path { taps: &[0], to: dense, ..tower };
        compute(&self.policy_reduce, None, to_heads, features, &mut heads.policy, Finish::Rectify);
        compute(&self.value_reduce, None, to_heads, features, &mut heads.value, Finish::Rectify);
    }
}
