//! The ends of the heads in training: from features to logits, and back.

use selfplay_kernels::{Boards, Cells, Finish, Layout};
use selfplay_network::Plan;
use selfplay_network::plan::{Reads, Weights};

use super::linear::{Linear, LinearPart};
use super::summary::Summary;

/// What a layer reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// The policy head's features.
    Policy,
    /// The value head's features.
    Value,
    /// The value head's hidden layer.
    Hidden,
}

/// What a layer computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HeadOutput {
    /// The value head's hidden layer, rectified.
    Hidden,
    /// Logits of actions.
    Policy,
    /// Logits of win, draw and loss.
    Wdl,
    /// Logits of the opponent's next action.
    OpponentPolicy,
    /// Moves to the end of the game.
    MovesLeft,
    /// Logits of each cell's classes.
    CellClasses,
    /// The margin, before its tanh.
    Margin,
}

/// A layer behind the features.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub output: HeadOutput,
    source: Source,
    reads: Reads,
    pub linear: Linear,
}

/// The layers of `plan` behind the features for batches of `boards`, the value head's hidden layer first, since others read it.
pub(super) fn heads(plan: &Plan, boards: &Boards) -> Vec<Head> {
    let head = |output, source, weights: &Weights| Head {
        output,
        source,
        reads: weights.reads,
        linear: Linear::new(boards, weights),
    };
    let mut heads = vec![
        head(HeadOutput::Hidden, Source::Value, &plan.value_hidden),
        head(HeadOutput::Policy, Source::Policy, &plan.policy_output),
        head(HeadOutput::Wdl, Source::Hidden, &plan.value_output),
    ];
    heads.extend(plan.opponent_policy.iter().map(|weights| head(HeadOutput::OpponentPolicy, Source::Policy, weights)));
    heads.extend(plan.moves_left.iter().map(|weights| head(HeadOutput::MovesLeft, Source::Hidden, weights)));
    heads.extend(plan.final_state.iter().map(|weights| match weights.reads {
        Reads::Window(_) => head(HeadOutput::CellClasses, Source::Value, weights),
        _ => head(HeadOutput::Margin, Source::Hidden, weights),
    }));
    heads
}

/// What one part of the batch keeps of a layer behind the features.
#[derive(Clone, Debug)]
pub(super) struct HeadPart {
    input: HeadInput,
    pub linear: LinearPart,
}

/// How a layer's input is made of what it reads.
#[derive(Clone, Debug)]
enum HeadInput {
    /// It is what is read.
    Direct,
    /// All cells of a board in one list.
    Flat(Flat),
    /// Mean and maximum of every channel.
    Summary(Summary),
}

impl HeadPart {
    pub fn new(head: &Head, boards: &Boards, positions: usize) -> Self {
        let (linear, stride) = (&head.linear, head.linear.input_stride());
        let input = match head.reads {
            Reads::Board(_) => HeadInput::Flat(Flat::new(boards, positions, linear.inputs(), stride)),
            Reads::MeanAndMax => HeadInput::Summary(Summary::new(boards, positions, linear.inputs() / 2, stride)),
            Reads::Window(_) | Reads::Number => HeadInput::Direct,
        };
        HeadPart { input, linear: LinearPart::new(linear, boards, positions) }
    }

    fn forward(&mut self, head: &Head, boards: &Boards, read: &Cells) {
        let finish = if head.output == HeadOutput::Hidden { Finish::Rectify } else { Finish::Plain };
        let input = match &mut self.input {
            HeadInput::Direct => read,
            HeadInput::Flat(flat) => {
                flat.forward(boards, read);
                &flat.output
            }
            HeadInput::Summary(summary) => {
                summary.forward(boards, read);
                &summary.output
            }
        };
        self.linear.forward(&head.linear, boards, input, finish);
    }

    /// Gathers what the gradient says of the parameters, and adds the gradient of what was `read` to `read_gradient`.
    fn backward(&mut self, head: &Head, boards: &Boards, read: &Cells, read_gradient: &mut Cells) {
        let HeadPart { input, linear } = self;
        match input {
            HeadInput::Direct => {
                linear.gather(&head.linear, boards, read);
                linear.pass_back(&head.linear, boards, read_gradient);
            }
            HeadInput::Flat(Flat { output, gradient, .. }) | HeadInput::Summary(Summary { output, gradient, .. }) => {
                linear.gather(&head.linear, boards, output);
                gradient.numbers.fill(0.0);
                linear.pass_back(&head.linear, boards, gradient);
            }
        }
        match input {
            HeadInput::Direct => (),
            HeadInput::Flat(flat) => flat.pass_back(boards, read_gradient),
            HeadInput::Summary(summary) => summary.pass_back(boards, read_gradient),
        }
    }

    /// Makes the gradient of a rectified output that before the rectifier.
    fn pass_rectifier(&mut self) {
        let LinearPart { output, gradient, .. } = &mut self.linear;
        for (gradient, output) in gradient.numbers.iter_mut().zip(output.numbers.iter()) {
            if *output <= 0.0 {
                *gradient = 0.0;
            }
        }
    }
}

/// Computes all outputs from the dense features of both heads.
pub(super) fn forward(heads: &[Head], parts: &mut [HeadPart], boards: &Boards, policy: &Cells, value: &Cells) {
    for (number, head) in heads.iter().enumerate() {
        let (before, rest) = parts.split_at_mut(number);
        let read = match head.source {
            Source::Policy => policy,
            Source::Value => value,
            Source::Hidden => &before[0].linear.output,
        };
        rest[0].forward(head, boards, read);
    }
}

/// From the gradients of all outputs to those of the dense features of both heads, which are replaced.
pub(super) fn backward(
    heads: &[Head],
    parts: &mut [HeadPart],
    boards: &Boards,
    [policy, value]: [&Cells; 2],
    [policy_gradient, value_gradient]: [&mut Cells; 2],
) {
    parts[0].linear.gradient.numbers.fill(0.0);
    policy_gradient.numbers.fill(0.0);
    value_gradient.numbers.fill(0.0);
    for (number, head) in heads.iter().enumerate().rev() {
        let (before, rest) = parts.split_at_mut(number);
        let part = &mut rest[0];
        if head.output == HeadOutput::Hidden {
            part.pass_rectifier();
        }
        match head.source {
            Source::Policy => part.backward(head, boards, policy, policy_gradient),
            Source::Value => part.backward(head, boards, value, value_gradient),
            Source::Hidden => {
                let LinearPart { output, gradient, .. } = &mut before[0].linear;
                part.backward(head, boards, output, gradient);
            }
        }
    }
}

/// The cells of each board as one list, `[channel, cell]`.
#[derive(Clone, Debug)]
struct Flat {
    positions: usize,
    /// Numbers of a board.
    len: usize,
    output: Cells,
    /// Of the output.
    gradient: Cells,
}

impl Flat {
    fn new(boards: &Boards, positions: usize, len: usize, stride: usize) -> Self {
        let cells = || Cells::new(boards.grid, Layout::Single, positions, stride);
        Flat { positions, len, output: cells(), gradient: cells() }
    }

    fn forward(&mut self, boards: &Boards, input: &Cells) {
        let lists = self.output.numbers.chunks_exact_mut(self.output.stride);
        for (board, list) in lists.enumerate().take(self.positions) {
            input.store(boards, board, &mut list[..self.len]);
        }
    }

    /// Adds the gradient of the input to the dense `input_gradient`.
    fn pass_back(&self, boards: &Boards, input_gradient: &mut Cells) {
        let (cells, stride) = (boards.grid.cells(), input_gradient.stride);
        let lists = self.gradient.numbers.chunks_exact(self.gradient.stride);
        for (list, board) in lists.zip(input_gradient.numbers.chunks_exact_mut(cells * stride)) {
            for (channel, plane) in list[..self.len].chunks_exact(cells).enumerate() {
                for (number, cell) in plane.iter().zip(board.chunks_exact_mut(stride)) {
                    cell[channel] += number;
                }
            }
        }
    }
}
