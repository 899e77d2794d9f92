//! A convolution with its batch norm in training mode: what the whole batch shares, and what each part of it keeps for
//! the way back.

use selfplay_kernels::batch_norm::{NormGradient, Normalization, RectifierGradient, add_cells, add_squared_deviations};
use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{Bias, PackedWeights, Product, Rows, WeightGradient};

use super::boards::Boards;

/// The weights of one layer and its norm's statistics over the batch. Lists of channels are as long as a cell of the
/// layer's results, with zeros beyond the last channel.
#[derive(Clone, Debug)]
pub(super) struct ConvNorm {
    /// Cells under the kernel: 9, or 1.
    taps: usize,
    inputs: usize,
    outputs: usize,
    weights: PackedWeights,
    /// From outputs to inputs; none if nobody asks for the gradient of the input.
    transposed: Option<PackedWeights>,
    /// Zeros, one for each place of a cell of results or inputs.
    no_bias: Vec<f32>,
    gamma: Vec<f32>,
    beta: Vec<f32>,
    epsilon: f64,
    mean: Vec<f32>,
    variance: Vec<f32>,
    /// `γ / √(variance + ε)`: of the deviation on the way forth, of the gradient on the way back.
    scale: Vec<f32>,
    deviation_factor: Vec<f32>,
    constant: Vec<f32>,
    gamma_gradient: Vec<f32>,
    beta_gradient: Vec<f32>,
}

/// The gradients of one layer's parameters.
#[derive(Clone, Debug)]
pub(super) struct ConvNormGradient {
    /// `[outputs, inputs, kernel, kernel]`
    pub weights: Vec<f32>,
    /// `[outputs]`
    pub gamma: Vec<f32>,
    /// `[outputs]`
    pub beta: Vec<f32>,
}

impl ConvNorm {
    pub fn new(taps: usize, inputs: usize, outputs: usize, input_has_gradient: bool) -> Self {
        let weights = PackedWeights::new(taps, inputs, outputs, |_, _| 0.0);
        let transposed = input_has_gradient.then(|| PackedWeights::new(taps, outputs, inputs, |_, _| 0.0));
        let list = || vec![0.0; weights.padded_outputs()];
        let widest = transposed.as_ref().map_or(0, PackedWeights::padded_outputs).max(weights.padded_outputs());
        ConvNorm {
            taps,
            inputs,
            outputs,
            transposed,
            no_bias: vec![0.0; widest],
            gamma: list(),
            beta: list(),
            epsilon: 0.0,
            mean: list(),
            variance: list(),
            scale: list(),
            deviation_factor: list(),
            constant: list(),
            gamma_gradient: list(),
            beta_gradient: list(),
            weights,
        }
    }

    /// Takes over the parameters of a step: `kernel` is `[outputs, inputs, kernel, kernel]`, the others `[outputs]`.
    pub fn load(&mut self, kernel: &[f32], gamma: &[f32], beta: &[f32], epsilon: f64) {
        let (taps, inputs, outputs) = (self.taps, self.inputs, self.outputs);
        let weight = |output: usize, input: usize, tap: usize| kernel[(output * inputs + input) * taps + tap];
        self.weights.fill(|row, output| weight(output, row % inputs, row / inputs));
        if let Some(transposed) = &mut self.transposed {
            transposed.fill(|row, input| weight(row % outputs, input, row / outputs));
        }
        self.gamma[..outputs].copy_from_slice(gamma);
        self.beta[..outputs].copy_from_slice(beta);
        self.epsilon = epsilon;
    }

    /// Numbers of one cell of the results.
    pub fn stride(&self) -> usize {
        self.gamma.len()
    }

    /// Channels of the results.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The batch's mean and biased variance, `[outputs]`.
    pub fn statistics(&self) -> (&[f32], &[f32]) {
        (&self.mean[..self.outputs], &self.variance[..self.outputs])
    }

    /// Computes the statistics of the batch from those of its parts (Chan, Golub and LeVeque 1983, equation 2.1).
    pub fn settle_statistics<'a>(&mut self, parts: impl Iterator<Item = &'a ConvNormPart> + Clone) {
        for channel in 0..self.outputs {
            let (mut cells, mut mean, mut squares) = (0.0, 0.0, 0.0);
            for part in parts.clone() {
                let more = part.cells(self) as f64;
                let distance = f64::from(part.mean[channel]) - mean;
                let all = cells + more;
                squares += f64::from(part.squared_deviations[channel]) + distance * distance * cells * more / all;
                mean += distance * more / all;
                cells = all;
            }
            let variance = squares / cells;
            self.mean[channel] = mean as f32;
            self.variance[channel] = variance as f32;
            self.scale[channel] = (f64::from(self.gamma[channel]) / (variance + self.epsilon).sqrt()) as f32;
        }
    }

    /// Computes the gradient of the norm's parameters, and the factors of the gradient of its input, from the sums of
    /// the parts (Ioffe and Szegedy 2015, section 3).
    pub fn settle_gradient<'a>(&mut self, parts: impl Iterator<Item = &'a ConvNormPart> + Clone) {
        let cells: usize = parts.clone().map(|part| part.cells(self)).sum();
        for channel in 0..self.outputs {
            let (mut gradient, mut by_deviation) = (0.0, 0.0);
            for part in parts.clone() {
                gradient += f64::from(part.gradient_sums[channel]);
                by_deviation += f64::from(part.deviation_sums[channel]);
            }
            let precision = 1.0 / (f64::from(self.variance[channel]) + self.epsilon);
            let mean_scale = f64::from(self.scale[channel]) / cells as f64;
            self.beta_gradient[channel] = gradient as f32;
            self.gamma_gradient[channel] = (by_deviation * precision.sqrt()) as f32;
            self.constant[channel] = (-mean_scale * gradient) as f32;
            self.deviation_factor[channel] = (-mean_scale * precision * by_deviation) as f32;
        }
    }

    /// The gradients after the way back.
    pub fn gradient<'a>(&self, parts: impl Iterator<Item = &'a ConvNormPart> + Clone) -> ConvNormGradient {
        let ConvNorm { taps, inputs, outputs, .. } = *self;
        let stride = self.stride();
        let mut weights = vec![0.0; outputs * inputs * taps];
        let mut sums = vec![0.0; stride];
        for row in 0..taps * inputs {
            let (tap, input) = (row / inputs, row % inputs);
            sums.fill(0.0);
            for part in parts.clone() {
                for (sum, &number) in sums.iter_mut().zip(&part.weight_sums[row * stride..][..stride]) {
                    *sum += number;
                }
            }
            for (output, &sum) in sums[..outputs].iter().enumerate() {
                weights[(output * inputs + input) * taps + tap] = sum;
            }
        }
        let (gamma, beta) = (self.gamma_gradient[..outputs].to_vec(), self.beta_gradient[..outputs].to_vec());
        ConvNormGradient { weights, gamma, beta }
    }
}

/// What one part of the batch keeps of a layer. "Dense" are numbers of cells one after the other, "bordered" of boards
/// with borders of zeros.
#[derive(Clone, Debug)]
pub(super) struct ConvNormPart {
    /// What the convolution computed, dense.
    convolved: Aligned<f32>,
    mean: Vec<f32>,
    squared_deviations: Vec<f32>,
    gradient_sums: Vec<f32>,
    deviation_sums: Vec<f32>,
    /// `[taps, inputs, stride]`
    weight_sums: Aligned<f32>,
}

impl ConvNormPart {
    pub fn new(layer: &ConvNorm, cells: usize) -> Self {
        let list = || vec![0.0; layer.stride()];
        ConvNormPart {
            convolved: zeros(cells * layer.stride()),
            mean: list(),
            squared_deviations: list(),
            gradient_sums: list(),
            deviation_sums: list(),
            weight_sums: zeros(layer.taps * layer.inputs * layer.stride()),
        }
    }

    fn cells(&self, layer: &ConvNorm) -> usize {
        self.convolved.len() / layer.stride()
    }

    /// Convolves the bordered `input`, and gathers the statistics of the result.
    pub fn convolve(&mut self, layer: &ConvNorm, boards: &Boards, input: (&[f32], usize), bias: Option<Bias<'_>>) {
        let cells = self.cells(layer);
        Product {
            count: cells,
            input: input.0,
            input_stride: input.1,
            input_rows: &boards.bordered,
            taps: boards.taps(layer.taps),
            weights: &layer.weights,
            bias: bias.unwrap_or(Bias::Shared(&layer.no_bias)),
            output: &mut self.convolved,
            output_stride: layer.stride(),
            output_rows: &boards.dense,
            adds: false,
            rectifies: false,
        }
        .compute();
        self.mean.fill(0.0);
        add_cells(&self.convolved, &mut self.mean);
        for mean in &mut self.mean {
            *mean /= cells as f32;
        }
        self.squared_deviations.fill(0.0);
        add_squared_deviations(&self.convolved, &self.mean, &mut self.squared_deviations);
    }

    /// Writes the layer's result, normalised, with `skip` added and rectified, to the cells `rows` of `output`.
    pub fn normalize(&self, layer: &ConvNorm, rows: &Rows, skip: Option<&[f32]>, output: &mut [f32]) {
        Normalization {
            input: &self.convolved,
            rows,
            mean: &layer.mean,
            scale: &layer.scale,
            shift: &layer.beta,
            skip,
            output,
        }
        .compute();
    }

    /// Turns the dense gradient of the layer's result, which was written to `output`, into that before the rectifier,
    /// and gathers its sums.
    pub fn pass_rectifier(&mut self, layer: &ConvNorm, rows: &Rows, output: &[f32], gradient: &mut [f32]) {
        self.gradient_sums.fill(0.0);
        self.deviation_sums.fill(0.0);
        RectifierGradient {
            input: &self.convolved,
            rows,
            output,
            mean: &layer.mean,
            gradient,
            sums: &mut self.gradient_sums,
            deviation_sums: &mut self.deviation_sums,
        }
        .compute();
    }

    /// Writes the gradient of what the convolution computed, given the dense one before the rectifier, to `bordered`.
    pub fn pass_norm(&self, layer: &ConvNorm, boards: &Boards, gradient: &[f32], bordered: &mut [f32]) {
        NormGradient {
            input: &self.convolved,
            gradient,
            rows: &boards.bordered,
            mean: &layer.mean,
            gradient_factor: &layer.scale,
            deviation_factor: &layer.deviation_factor,
            constant: &layer.constant,
            output: bordered,
        }
        .compute();
    }

    /// Gathers the gradient of the weights from the bordered `input` and the bordered gradient of what was computed.
    pub fn gather_weights(&mut self, layer: &ConvNorm, boards: &Boards, input: (&[f32], usize), gradient: &[f32]) {
        WeightGradient {
            count: self.cells(layer),
            rows: &boards.bordered,
            input: input.0,
            input_stride: input.1,
            inputs: layer.inputs,
            taps: boards.taps(layer.taps),
            gradient,
            gradient_stride: layer.stride(),
            sums: &mut self.weight_sums,
        }
        .compute();
    }

    /// Writes the dense gradient of the convolution's input, or adds it, given the bordered one of what it computed.
    pub fn pass_convolution(
        &self,
        layer: &ConvNorm,
        boards: &Boards,
        gradient: &[f32],
        input_gradient: &mut [f32],
        adds: bool,
    ) {
        let Some(weights) = &layer.transposed else { return };
        Product {
            count: self.cells(layer),
            input: gradient,
            input_stride: layer.stride(),
            input_rows: &boards.bordered,
            taps: boards.mirrored_taps(layer.taps),
            weights,
            bias: Bias::Shared(&layer.no_bias),
            output: input_gradient,
            output_stride: weights.padded_outputs(),
            output_rows: &boards.dense,
            adds,
            rectifies: false,
        }
        .compute();
    }
}
