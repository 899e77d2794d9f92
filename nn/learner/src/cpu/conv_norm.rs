//! A convolution with its batch norm in training mode: what the whole batch shares, and what each part of it keeps for
//! the way back.

use selfplay_kernels::batch_norm::{NormGradient, Normalization, RectifierGradient, add_cells, add_squared_deviations};
use selfplay_kernels::{Boards, Cells, Convolution, Finish, Layout, Window, Workspace};
use selfplay_network::plan::TowerLayer;
use selfplay_network::tensor_plan::NORM_EPSILON;

use crate::weight_layout::WeightLayout;

/// Share of the batch's statistics in the running ones (Burn's, PyTorch's).
const NORM_MOMENTUM: f32 = 0.1;

/// The weights of one layer and its norm's statistics over the batch. Lists of channels are as long as a cell of the
/// layer's results, with zeros beyond the last channel.
#[derive(Clone, Debug)]
pub(super) struct ConvNorm {
    /// Name of the layer in checkpoints.
    name: String,
    /// Cells under the kernel: 9, or 1.
    taps: usize,
    inputs: usize,
    outputs: usize,
    /// Without a bias of its own, which the norm would take away again.
    convolution: Convolution,
    gamma: Vec<f32>,
    beta: Vec<f32>,
    mean: Vec<f32>,
    variance: Vec<f32>,
    /// `γ / √(variance + ε)`: of the deviation on the way forth, of the gradient on the way back.
    scale: Vec<f32>,
    deviation_factor: Vec<f32>,
    constant: Vec<f32>,
    gamma_gradient: Vec<f32>,
    beta_gradient: Vec<f32>,
    /// What the batch says of the weights, as the convolution writes it.
    pub weight_sums: Vec<f32>,
}

impl ConvNorm {
    pub fn new(boards: &Boards, planned: &TowerLayer) -> Self {
        let (kernel, inputs, outputs) = (planned.weights.kernel(), planned.weights.inputs, planned.weights.outputs);
        let window = Window::Square(kernel);
        let convolution = Convolution::new(boards, window, inputs, outputs, planned.input.is_some());
        let list = || vec![0.0; convolution.stride()];
        ConvNorm {
            name: planned.weights.name.clone(),
            taps: kernel * kernel,
            inputs,
            outputs,
            gamma: list(),
            beta: list(),
            mean: list(),
            variance: list(),
            scale: list(),
            deviation_factor: list(),
            constant: list(),
            gamma_gradient: list(),
            beta_gradient: list(),
            weight_sums: vec![0.0; convolution.sums_len()],
            convolution,
        }
    }

    /// Takes over the parameters of a step from a network's vector.
    pub fn load(&mut self, layout: &WeightLayout, weights: &[f32]) {
        let (taps, inputs, outputs) = (self.taps, self.inputs, self.outputs);
        let kernel = layout.part(weights, &self.tensor("conv.weight"));
        self.convolution.load(|tap, input, output| kernel[(output * inputs + input) * taps + tap], &[]);
        let [gamma, beta] = ["norm.gamma", "norm.beta"].map(|name| layout.part(weights, &self.tensor(name)));
        self.gamma[..outputs].copy_from_slice(gamma);
        self.beta[..outputs].copy_from_slice(beta);
    }

    /// Moves the running statistics in a network's vector on by those of the batch, with its biased variance, as Burn does.
    pub fn update_running_statistics(&self, layout: &WeightLayout, weights: &mut [f32]) {
        for (name, batch) in [("norm.running_mean", &self.mean), ("norm.running_var", &self.variance)] {
            for (running, batch) in layout.part_mut(weights, &self.tensor(name)).iter_mut().zip(batch) {
                *running = *running * (1.0 - NORM_MOMENTUM) + batch * NORM_MOMENTUM;
            }
        }
    }

    fn tensor(&self, part: &str) -> String {
        format!("{}.{part}", self.name)
    }

    /// Numbers of one cell of the results.
    pub fn stride(&self) -> usize {
        self.gamma.len()
    }

    /// Numbers of the workspace that its convolution wants.
    pub fn workspace_len(&self) -> usize {
        self.convolution.training_workspace_len()
    }

    /// Computes the statistics of the batch from those of its parts (Chan, Golub and LeVeque 1983, equation 2.1).
    pub fn settle_statistics<'a>(&mut self, parts: impl Iterator<Item = &'a ConvNormPart> + Clone) {
        for channel in 0..self.outputs {
            let (mut cells, mut mean, mut squares) = (0.0, 0.0, 0.0);
            for part in parts.clone() {
                let more = part.cells() as f64;
                let distance = f64::from(part.mean[channel]) - mean;
                let all = cells + more;
                squares += f64::from(part.squared_deviations[channel]) + distance * distance * cells * more / all;
                mean += distance * more / all;
                cells = all;
            }
            let variance = squares / cells;
            self.mean[channel] = mean as f32;
            self.variance[channel] = variance as f32;
            self.scale[channel] = (f64::from(self.gamma[channel]) / (variance + NORM_EPSILON).sqrt()) as f32;
        }
    }

    /// Computes the gradient of the norm's parameters, and the factors of the gradient of its input, from the sums of
    /// the parts (Ioffe and Szegedy 2015, section 3).
    pub fn settle_gradient<'a>(&mut self, parts: impl Iterator<Item = &'a ConvNormPart> + Clone) {
        let cells: usize = parts.clone().map(|part| part.cells()).sum();
        for channel in 0..self.outputs {
            let (mut gradient, mut by_deviation) = (0.0, 0.0);
            for part in parts.clone() {
                gradient += f64::from(part.gradient_sums[channel]);
                by_deviation += f64::from(part.deviation_sums[channel]);
            }
            let precision = 1.0 / (f64::from(self.variance[channel]) + NORM_EPSILON);
            let mean_scale = f64::from(self.scale[channel]) / cells as f64;
            self.beta_gradient[channel] = gradient as f32;
            self.gamma_gradient[channel] = (by_deviation * precision.sqrt()) as f32;
            self.constant[channel] = (-mean_scale * gradient) as f32;
            self.deviation_factor[channel] = (-mean_scale * precision * by_deviation) as f32;
        }
    }

    /// The gradients of its tensors after the way back, by name.
    pub fn gradients(&self) -> [(String, Vec<f32>); 3] {
        let ConvNorm { taps, inputs, outputs, .. } = *self;
        let mut kernel = vec![0.0; outputs * inputs * taps];
        self.convolution.weight_gradient(&self.weight_sums, |tap, input, output, sum| {
            kernel[(output * inputs + input) * taps + tap] = sum;
        });
        let (gamma, beta) = (self.gamma_gradient[..outputs].to_vec(), self.beta_gradient[..outputs].to_vec());
        [("conv.weight", kernel), ("norm.gamma", gamma), ("norm.beta", beta)]
            .map(|(name, gradient)| (self.tensor(name), gradient))
    }
}

/// What one part of the batch keeps of a layer.
#[derive(Clone, Debug)]
pub(super) struct ConvNormPart {
    positions: usize,
    /// What the convolution computed, dense.
    convolved: Cells,
    mean: Vec<f32>,
    squared_deviations: Vec<f32>,
    gradient_sums: Vec<f32>,
    deviation_sums: Vec<f32>,
}

impl ConvNormPart {
    pub fn new(layer: &ConvNorm, boards: &Boards, positions: usize) -> Self {
        let list = || vec![0.0; layer.stride()];
        ConvNormPart {
            positions,
            convolved: Cells::new(boards.grid, Layout::Dense, positions, layer.stride()),
            mean: list(),
            squared_deviations: list(),
            gradient_sums: list(),
            deviation_sums: list(),
        }
    }

    fn cells(&self) -> usize {
        self.convolved.numbers.len() / self.convolved.stride
    }

    /// Convolves `input`, and gathers the statistics of the result.
    pub fn convolve(
        &mut self,
        layer: &ConvNorm,
        boards: &Boards,
        input: &Cells,
        bias: Option<&[f32]>,
        workspace: &mut Workspace,
    ) {
        layer.convolution.forward(boards, self.positions, input, bias, &mut self.convolved, Finish::Plain, workspace);
        let cells = self.cells();
        self.mean.fill(0.0);
        add_cells(&self.convolved.numbers, &mut self.mean);
        for mean in &mut self.mean {
            *mean /= cells as f32;
        }
        self.squared_deviations.fill(0.0);
        add_squared_deviations(&self.convolved.numbers, &self.mean, &mut self.squared_deviations);
    }

    /// Writes the layer's result, normalised, with `skip` added and rectified, to `output`.
    pub fn normalize(&self, layer: &ConvNorm, boards: &Boards, skip: Option<&Cells>, output: &mut Cells) {
        Normalization {
            input: &self.convolved.numbers,
            rows: boards.rows(output.layout),
            mean: &layer.mean,
            scale: &layer.scale,
            shift: &layer.beta,
            skip: skip.map(|skip| &skip.numbers[..]),
            output: &mut output.numbers,
        }
        .compute();
    }

    /// Turns the dense gradient of the layer's result, which was written to `output`, into that before the rectifier,
    /// and gathers its sums.
    pub fn pass_rectifier(&mut self, layer: &ConvNorm, boards: &Boards, output: &Cells, gradient: &mut Cells) {
        self.gradient_sums.fill(0.0);
        self.deviation_sums.fill(0.0);
        RectifierGradient {
            input: &self.convolved.numbers,
            rows: boards.rows(output.layout),
            output: &output.numbers,
            mean: &layer.mean,
            gradient: &mut gradient.numbers,
            sums: &mut self.gradient_sums,
            deviation_sums: &mut self.deviation_sums,
        }
        .compute();
    }

    /// Writes the gradient of what the convolution computed, given the dense one before the rectifier, to `output`.
    pub fn pass_norm(&self, layer: &ConvNorm, boards: &Boards, gradient: &Cells, output: &mut Cells) {
        NormGradient {
            input: &self.convolved.numbers,
            gradient: &gradient.numbers,
            rows: boards.rows(output.layout),
            mean: &layer.mean,
            gradient_factor: &layer.scale,
            deviation_factor: &layer.deviation_factor,
            constant: &layer.constant,
            output: &mut output.numbers,
        }
        .compute();
    }

    /// Writes what the part says of the weights to `sums`, from `input` and the gradient of what was computed, both
    /// bordered.
    pub fn gather_weights(
        &self,
        layer: &ConvNorm,
        boards: &Boards,
        input: &Cells,
        gradient: &Cells,
        sums: &mut [f32],
        workspace: &mut Workspace,
    ) {
        layer.convolution.gather_weights(boards, self.positions, input, gradient, sums, workspace);
    }

    /// Writes the dense gradient of the convolution's input, or adds it, given the bordered one of what it computed.
    pub fn pass_convolution(
        &self,
        layer: &ConvNorm,
        boards: &Boards,
        gradient: &Cells,
        input_gradient: &mut Cells,
        adds: bool,
        workspace: &mut Workspace,
    ) {
        layer.convolution.input_gradient(boards, self.positions, gradient, input_gradient, adds, workspace);
    }
}
