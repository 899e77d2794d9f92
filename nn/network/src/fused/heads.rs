//! From features to logits: the policy where it is asked, the value of each board.

use selfplay_env::Action;
use selfplay_kernels::dot::append_dots;
use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{Boards, Cells, Convolution, Finish, Layout, Window, Workspace};

use super::body::BodyScratch;
use super::folded::FoldedLayer;
use crate::config::WDL_OUTPUTS;
use crate::plan::{Reads, Role};
use crate::weights::NetworkWeights;

/// Weights of the last layers.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    policy: PolicyRows,
    value_reads: Reads,
    value_channels: usize,
    value_hidden: Convolution,
    value_output: Convolution,
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

/// The memory of one worker.
#[derive(Clone, Debug)]
pub(super) struct HeadScratch {
    /// Means and maxima of each board.
    summary: Cells,
    hidden: Cells,
    wdl: Cells,
}

impl Heads {
    /// `policy_stride` is that of the policy's features.
    pub fn new(network: &NetworkWeights, boards: &Boards, policy_stride: usize) -> Self {
        let (plan, planned) = (network.plan(), &network.plan().value_hidden);
        let (window, taps) = match planned.reads {
            Reads::Board(cells) => (Window::Board, cells),
            _ => (Window::Square(1), 1),
        };
        Heads {
            policy: PolicyRows::new(network, boards.grid.cells(), policy_stride),
            value_reads: planned.reads,
            value_channels: planned.inputs,
            value_hidden: FoldedLayer::from_linear(network, planned, taps).packed(boards, window),
            value_output: FoldedLayer::from_linear(network, &plan.value_output, 1).packed(boards, Window::Square(1)),
        }
    }

    pub fn scratch(&self, boards: &Boards) -> HeadScratch {
        let single = |stride| Cells::new(boards.grid, Layout::Single, boards.capacity, stride);
        HeadScratch {
            summary: single(2 * self.value_channels),
            hidden: single(self.value_hidden.stride()),
            wdl: single(self.value_output.stride()),
        }
    }

    /// Computes the values of the first `count` boards.
    pub fn forward(&self, boards: &Boards, scratch: &mut HeadScratch, features: &BodyScratch, count: usize) {
        let HeadScratch { summary, hidden, wdl } = scratch;
        let mut read = features.features(Role::Value);
        if self.value_reads == Reads::MeanAndMax {
            read.mean_and_max(boards.grid.cells(), count, self.value_channels, summary, |_, _| {});
            read = summary;
        }
        self.value_hidden.forward(boards, count, read, None, hidden, Finish::Rectify, &mut Workspace::none());
        self.value_output.forward(boards, count, hidden, None, wdl, Finish::Plain, &mut Workspace::none());
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
        features: &BodyScratch,
        cells: usize,
        board: usize,
        actions: &[Action],
        logits: &mut Vec<f32>,
    ) {
        let Cells { numbers, stride, .. } = features.features(Role::Policy);
        let features = &numbers[board * cells * stride..][..cells * stride];
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
    fn new(network: &NetworkWeights, cells: usize, stride: usize) -> Self {
        let output = &network.plan().policy_output;
        let (reads, folded) = match output.reads {
            Reads::Window(_) => (PolicyReads::OneCell, FoldedLayer::from_conv(network, output)),
            _ => (PolicyReads::WholeBoard, FoldedLayer::from_linear(network, output, cells)),
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
