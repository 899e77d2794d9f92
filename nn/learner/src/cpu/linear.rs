//! A linear layer with a bias in training: over each cell of a board, or over numbers that belong to the whole of it.

use selfplay_kernels::batch_norm::add_cells;
use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{Boards, Cells, Convolution, Finish, Layout, Window, Workspace};
use selfplay_network::plan::{Reads, Weights};

use crate::weight_layout::WeightLayout;

/// What the whole batch shares of the layer.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    /// Name of the layer in checkpoints.
    name: String,
    /// Whether it is computed for each cell, by a kernel `[outputs, inputs, 1, 1]`; otherwise once for each board, by a matrix
    /// `[inputs, outputs]`.
    is_of_cells: bool,
    inputs: usize,
    outputs: usize,
    product: Convolution,
    /// What the batch says of the weights, as the product writes it, and of the bias, `[stride]`.
    pub sums: LinearSums<Vec<f32>>,
}

/// Sums over positions of the gradients of weights and bias.
#[derive(Clone, Debug)]
pub(super) struct LinearSums<T> {
    pub weights: T,
    pub bias: Vec<f32>,
}

impl Linear {
    pub fn new(boards: &Boards, planned: &Weights) -> Self {
        let (inputs, outputs) = (planned.fan_in(), planned.outputs);
        let product = Convolution::new(boards, Window::Square(1), inputs, outputs, true);
        Linear {
            name: planned.name.clone(),
            is_of_cells: matches!(planned.reads, Reads::Window(_)),
            inputs,
            outputs,
            sums: LinearSums { weights: vec![0.0; product.sums_len()], bias: vec![0.0; product.stride()] },
            product,
        }
    }

    /// Takes over the parameters of a step from a network's vector.
    pub fn load(&mut self, layout: &WeightLayout, weights: &[f32]) {
        let matrix = layout.part(weights, &self.tensor("weight"));
        let bias = layout.part(weights, &self.tensor("bias"));
        let (inputs, outputs) = (self.inputs, self.outputs);
        match self.is_of_cells {
            true => self.product.load(|_, input, output| matrix[output * inputs + input], bias),
            false => self.product.load(|_, input, output| matrix[input * outputs + output], bias),
        }
    }

    /// The gradients of its tensors after the way back, by name.
    pub fn gradients(&self) -> [(String, Vec<f32>); 2] {
        let Linear { is_of_cells, inputs, outputs, .. } = *self;
        let mut matrix = vec![0.0; inputs * outputs];
        self.product.weight_gradient(&self.sums.weights, |_, input, output, sum| {
            matrix[if is_of_cells { output * inputs + input } else { input * outputs + output }] = sum;
        });
        [(self.tensor("weight"), matrix), (self.tensor("bias"), self.sums.bias[..outputs].to_vec())]
    }

    fn tensor(&self, part: &str) -> String {
        format!("{}.{part}", self.name)
    }

    /// Numbers that it reads of a cell or a board.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Numbers of a cell, or of a board, of what it reads, those that fill up the kernels' panels included.
    pub fn input_stride(&self) -> usize {
        self.product.input_stride()
    }

    /// Numbers of a cell, or of a board, of the results.
    pub fn stride(&self) -> usize {
        self.product.stride()
    }
}

/// What one part of the batch keeps of the layer.
#[derive(Clone, Debug)]
pub(super) struct LinearPart {
    positions: usize,
    pub output: Cells,
    /// Of the output.
    pub gradient: Cells,
    /// What the part says of the parameters.
    pub sums: LinearSums<Aligned<f32>>,
}

impl LinearPart {
    pub fn new(layer: &Linear, boards: &Boards, positions: usize) -> Self {
        let layout = if layer.is_of_cells { Layout::Dense } else { Layout::Single };
        let cells = || Cells::new(boards.grid, layout, positions, layer.stride());
        let sums = LinearSums { weights: zeros(layer.sums.weights.len()), bias: vec![0.0; layer.stride()] };
        LinearPart { positions, output: cells(), gradient: cells(), sums }
    }

    /// Computes the output.
    pub fn forward(&mut self, layer: &Linear, boards: &Boards, input: &Cells, finish: Finish) {
        let workspace = &mut Workspace::none();
        layer.product.forward(boards, self.positions, input, None, &mut self.output, finish, workspace);
    }

    /// Gathers what the gradient says of the parameters.
    pub fn gather(&mut self, layer: &Linear, boards: &Boards, input: &Cells) {
        self.sums.bias.fill(0.0);
        add_cells(&self.gradient.numbers, &mut self.sums.bias);
        let (sums, workspace) = (&mut self.sums.weights, &mut Workspace::none());
        layer.product.gather_weights(boards, self.positions, input, &self.gradient, sums, workspace);
    }

    /// Adds the gradient of the input to `input_gradient`.
    pub fn pass_back(&self, layer: &Linear, boards: &Boards, input_gradient: &mut Cells) {
        let workspace = &mut Workspace::none();
        layer.product.input_gradient(boards, self.positions, &self.gradient, input_gradient, true, workspace);
    }
}
