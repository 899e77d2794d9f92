//! From features to logits: the policy where it is asked, the value of each board.

use selfplay_env::Action;
use selfplay_kernels::dot::append_dots;
use selfplay_kernels::packed::{Aligned, zeros};

use super::folded::FoldedLayer;
use super::layer::{Boards, Cells, Finish, Layer, Path, compute, mean_and_max};
use crate::config::WDL_OUTPUTS;
use crate::layers::{PolicyOutput, ValueFeatures};
use crate::model::PolicyValueNetwork;

/// Weights of the last layers.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    policy: PolicyRows,
    value_features: ValueFeatures,
    value_channels: usize,
    value_hidden: Layer,
    value_output: Layer,
}

/// The last layer of the policy head, a list of weights for each logit that may be asked.
#[derive(Clone, Debug)]
struct PolicyRows {
    reads: PolicyReads,
    row_len: usize,
    /// `[planes or actions, row_len]`
    rows: Aligned<f32>,
    bias: Vec<f32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PolicyReads {
    /// A logit belongs to a plane and a cell and depends on that cell's features.
    OneCell,
    /// A logit depends on the whole board.
    WholeBoard,
}

/// What the body computes for the heads, without borders.
#[derive(Clone, Debug)]
pub(super) struct HeadFeatures {
    pub policy: Cells,
    pub value: Cells,
}

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct HeadScratch {
    /// Means and maxima of each board.
    summary: Cells,
    hidden: Cells,
    wdl: Cells,
}

impl HeadFeatures {
    pub fn new(boards: &Boards, [policy, value]: [usize; 2]) -> Self {
        let cells = boards.dense.len();
        HeadFeatures { policy: Cells::new(cells, policy), value: Cells::new(cells, value) }
    }
}

impl Heads {
    /// `policy_stride` is that of the policy's features.
    pub fn new(network: &PolicyValueNetwork, policy_stride: usize) -> Self {
        let cells = network.shape().cells();
        let value = &network.value;
        let cells_read = match value.features {
            ValueFeatures::Cells => cells,
            ValueFeatures::MeanAndMax => 1,
        };
        Heads {
            policy: PolicyRows::new(&network.policy.output, cells, policy_stride),
            value_features: value.features,
            value_channels: network.config().value_channels,
            value_hidden: Layer::new(&FoldedLayer::of_linear(&value.hidden, cells_read)),
            value_output: Layer::new(&FoldedLayer::of_linear(&value.output, 1)),
        }
    }

    pub fn scratch(&self, boards: &Boards) -> HeadScratch {
        HeadScratch {
            summary: Cells::new(boards.capacity, 2 * self.value_channels),
            hidden: Cells::new(boards.capacity, self.value_hidden.stride()),
            wdl: Cells::new(boards.capacity, self.value_output.stride()),
        }
    }

    /// Computes the values of the first `count` boards.
    pub fn forward(&self, boards: &Boards, scratch: &mut HeadScratch, features: &HeadFeatures, count: usize) {
        let HeadScratch { summary, hidden, wdl } = scratch;
        let one_each = boards.one_each(count);
        match self.value_features {
            ValueFeatures::Cells => {
                let whole_boards = Path { from: &boards.first_cells, taps: &boards.all_cells, ..one_each };
                compute(&self.value_hidden, None, whole_boards, &features.value, hidden, Finish::Rectify);
            }
            ValueFeatures::MeanAndMax => {
                mean_and_max(&features.value, self.value_channels, boards.grid.cells(), count, summary);
                compute(&self.value_hidden, None, one_each, summary, hidden, Finish::Rectify);
            }
        }
        compute(&self.value_output, None, one_each, hidden, wdl, Finish::Plain);
    }

    /// The logits of win, draw and loss on board number `board` of the last pass.
    pub fn wdl_logits(&self, scratch: &HeadScratch, board: usize) -> [f32; WDL_OUTPUTS] {
        let logits = &scratch.wdl.numbers[board * scratch.wdl.stride..];
        [logits[0], logits[1], logits[2]]
    }

    /// Replaces `logits` by those of `actions` on board number `board` of the last pass, where boards have `cells`
    /// cells.
    ///
    /// # Panics
    /// If an action is not one of the game's.
    pub fn policy_logits(
        &self,
        features: &HeadFeatures,
        cells: usize,
        board: usize,
        actions: &[Action],
        logits: &mut Vec<f32>,
    ) {
        let stride = features.policy.stride;
        let features = &features.policy.numbers[board * cells * stride..][..cells * stride];
        let PolicyRows { reads, row_len, ref rows, ref bias } = self.policy;
        let place = |action: &Action| match reads {
            PolicyReads::OneCell => (action.index() / cells, action.index() % cells),
            PolicyReads::WholeBoard => (action.index(), 0),
        };
        logits.clear();
        let pairs = actions.iter().map(|action| {
            let (row, cell) = place(action);
            (&rows[row * row_len..][..row_len], &features[cell * stride..][..row_len])
        });
        append_dots(pairs, logits);
        for (logit, action) in logits.iter_mut().zip(actions) {
            *logit += bias[place(action).0];
        }
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
