//! Batch norm in training, with the rectifier and the skip connection behind it: forward and backward passes over all
//! cells of a batch, or of a part of one.
//!
//! The formulas are those of Ioffe and Szegedy 2015 ("Batch Normalization", algorithm 1 and section 3), split where
//! sums over the whole batch are needed. A caller adds up the sums of the parts and turns them into the factors of the
//! next pass. Numbers of a channel stand at its place in a cell. The number of places of a cell follows from the length of
//! the lists of channels, a multiple of [`panel_width`](crate::packed::panel_width). A list of sums adds its cells in
//! ascending order.

use pulp::{Arch, Simd, WithSimd};

use crate::grid::Rows;

/// Adds the numbers of every cell, `[cells, channels]`, to `sums`, `[channels]`.
///
/// # Panics
/// If there is no channel.
pub fn add_cells(numbers: &[f32], sums: &mut [f32]) {
    struct Sum<'a>(&'a [f32], &'a mut [f32]);
    impl WithSimd for Sum<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let stride = self.1.len();
            let sums = whole_mut::<S>(self.1);
            for cell in self.0.chunks_exact(stride) {
                for (sum, &number) in sums.iter_mut().zip(whole::<S>(cell)) {
                    *sum = simd.add_f32s(*sum, number);
                }
            }
        }
    }
    Arch::new().dispatch(Sum(numbers, sums));
}

/// Adds the squared distances from `means`, `[channels]`, of the numbers of every cell, `[cells, channels]`, to
/// `sums`, `[channels]`.
///
/// # Panics
/// If there is no channel or `means` is shorter than `sums`.
pub fn add_squared_deviations(numbers: &[f32], means: &[f32], sums: &mut [f32]) {
    struct Sum<'a>(&'a [f32], &'a [f32], &'a mut [f32]);
    impl WithSimd for Sum<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let stride = self.2.len();
            let (means, sums) = (whole::<S>(&self.1[..stride]), whole_mut::<S>(self.2));
            for cell in self.0.chunks_exact(stride) {
                for ((sum, &number), &mean) in sums.iter_mut().zip(whole::<S>(cell)).zip(means) {
                    let deviation = simd.sub_f32s(number, mean);
                    *sum = simd.mul_add_e_f32s(deviation, deviation, *sum);
                }
            }
        }
    }
    Arch::new().dispatch(Sum(numbers, means, sums));
}

/// `output = max(0, (input − mean) · scale + shift + skip)`.
#[derive(Debug)]
pub struct Normalization<'a> {
    /// The numbers to be normalised, `[cells, channels]`.
    pub input: &'a [f32],
    /// The cells of `skip` and `output`, at least as many as `input` has.
    pub rows: &'a Rows,
    /// `[channels]`
    pub mean: &'a [f32],
    /// `[channels]`
    pub scale: &'a [f32],
    /// `[channels]`
    pub shift: &'a [f32],
    /// What is added before the result is rectified, `channels` numbers for each cell.
    pub skip: Option<&'a [f32]>,
    /// Where the results go, `channels` numbers for each cell; other cells are left alone.
    pub output: &'a mut [f32],
}

impl Normalization<'_> {
    /// Computes it on the calling thread. What is not a number stays so.
    ///
    /// # Panics
    /// If there is no channel. Lists and buffers of unequal length are computed as far as the shortest.
    pub fn compute(self) {
        Arch::new().dispatch(self);
    }
}

impl WithSimd for Normalization<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let stride = self.mean.len();
        let zero = simd.splat_f32s(0.0);
        let (mean, scale, shift) = (whole::<S>(self.mean), whole::<S>(self.scale), whole::<S>(self.shift));
        for (input, place) in self.input.chunks_exact(stride).zip(self.rows.as_slice()) {
            let input = whole::<S>(input);
            let start = *place as usize * stride;
            let output = whole_mut::<S>(&mut self.output[start..][..stride]);
            let channels = output.iter_mut().zip(input).zip(mean).zip(scale).zip(shift);
            // Unlike the maximum of the CPU, this keeps what is not a number.
            let rectified = |sum| simd.select_f32s(simd.less_than_f32s(sum, zero), zero, sum);
            match self.skip {
                Some(skip) => {
                    for (((((output, &input), &mean), &scale), &shift), &skip) in
                        channels.zip(whole::<S>(&skip[start..][..stride]))
                    {
                        let sum = simd.mul_add_e_f32s(simd.sub_f32s(input, mean), scale, shift);
                        *output = rectified(simd.add_f32s(sum, skip));
                    }
                }
                None => {
                    for ((((output, &input), &mean), &scale), &shift) in channels {
                        *output = rectified(simd.mul_add_e_f32s(simd.sub_f32s(input, mean), scale, shift));
                    }
                }
            }
        }
    }
}

/// The first backward pass: the gradient behind the rectifier becomes that before it, and is summed up.
#[derive(Debug)]
pub struct RectifierGradient<'a> {
    /// What was normalised, `[cells, channels]`.
    pub input: &'a [f32],
    /// The cells of `output`, at least as many as `input` has.
    pub rows: &'a Rows,
    /// The results of the forward pass, `channels` numbers for each cell.
    pub output: &'a [f32],
    /// `[channels]`
    pub mean: &'a [f32],
    /// The gradient, `[cells, channels]`; it becomes 0 where the result was 0.
    pub gradient: &'a mut [f32],
    /// `Σ gradient` is added, `[channels]`.
    pub sums: &'a mut [f32],
    /// `Σ gradient · (input − mean)` is added, `[channels]`.
    pub deviation_sums: &'a mut [f32],
}

impl RectifierGradient<'_> {
    /// Computes it on the calling thread.
    ///
    /// # Panics
    /// If there is no channel. Lists and buffers of unequal length are computed as far as the shortest.
    pub fn compute(self) {
        Arch::new().dispatch(self);
    }
}

impl WithSimd for RectifierGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let mut pass = self;
        let channels = whole::<S>(pass.mean).len();
        let mut first = 0;
        while first < channels {
            match channels - first {
                1 => pass.vectors::<S, 1>(simd, &mut first),
                2 | 3 => pass.vectors::<S, 2>(simd, &mut first),
                _ => pass.vectors::<S, 4>(simd, &mut first),
            }
        }
    }
}

impl RectifierGradient<'_> {
    /// The pass for `N` vectors of channels, whose sums stay in registers, from vector number `first`, which becomes
    /// that of the vector behind them.
    #[inline(always)]
    fn vectors<S: Simd, const N: usize>(&mut self, simd: S, first: &mut usize) {
        let zero = simd.splat_f32s(0.0);
        let lanes = S::F32_LANES;
        let stride = self.mean.len();
        let part = *first * lanes..(*first + N) * lanes;
        let mean = whole::<S>(&self.mean[part.clone()]);
        let (sums, deviation_sums) =
            (whole_mut::<S>(&mut self.sums[part.clone()]), whole_mut::<S>(&mut self.deviation_sums[part.clone()]));
        let (mut sum, mut deviation_sum, mut means) = ([zero; N], [zero; N], [zero; N]);
        sum.copy_from_slice(sums);
        deviation_sum.copy_from_slice(deviation_sums);
        means.copy_from_slice(mean);
        let cells = self.gradient.chunks_exact_mut(stride).zip(self.input.chunks_exact(stride));
        for ((gradient, input), place) in cells.zip(self.rows.as_slice()) {
            let output = whole::<S>(&self.output[*place as usize * stride..][..stride][part.clone()]);
            let (gradient, input) = (whole_mut::<S>(&mut gradient[part.clone()]), whole::<S>(&input[part.clone()]));
            for index in 0..N {
                let passes = simd.less_than_f32s(zero, output[index]);
                let number = simd.select_f32s(passes, gradient[index], zero);
                gradient[index] = number;
                sum[index] = simd.add_f32s(sum[index], number);
                let deviation = simd.sub_f32s(input[index], means[index]);
                deviation_sum[index] = simd.mul_add_e_f32s(number, deviation, deviation_sum[index]);
            }
        }
        sums.copy_from_slice(&sum);
        deviation_sums.copy_from_slice(&deviation_sum);
        *first += N;
    }
}

/// The second backward pass: `output = gradient · gradient_factor + (input − mean) · deviation_factor + constant`.
#[derive(Debug)]
pub struct NormGradient<'a> {
    /// What was normalised, `[cells, channels]`.
    pub input: &'a [f32],
    /// The gradient of what came of it, `[cells, channels]`.
    pub gradient: &'a [f32],
    /// The cells of `output`, at least as many as `input` has.
    pub rows: &'a Rows,
    /// `[channels]`
    pub mean: &'a [f32],
    /// `[channels]`
    pub gradient_factor: &'a [f32],
    /// `[channels]`
    pub deviation_factor: &'a [f32],
    /// `[channels]`
    pub constant: &'a [f32],
    /// Where the results go, `channels` numbers for each cell; other cells are left alone.
    pub output: &'a mut [f32],
}

impl NormGradient<'_> {
    /// Computes it on the calling thread.
    ///
    /// # Panics
    /// If there is no channel. Lists and buffers of unequal length are computed as far as the shortest.
    pub fn compute(self) {
        Arch::new().dispatch(self);
    }
}

impl WithSimd for NormGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let stride = self.mean.len();
        let (mean, constant) = (whole::<S>(self.mean), whole::<S>(self.constant));
        let (by_gradient, by_deviation) = (whole::<S>(self.gradient_factor), whole::<S>(self.deviation_factor));
        let cells = self.gradient.chunks_exact(stride).zip(self.input.chunks_exact(stride));
        for ((gradient, input), place) in cells.zip(self.rows.as_slice()) {
            let output = whole_mut::<S>(&mut self.output[*place as usize * stride..][..stride]);
            let numbers = output.iter_mut().zip(whole::<S>(gradient)).zip(whole::<S>(input)).zip(mean);
            let factors = by_gradient.iter().zip(by_deviation).zip(constant);
            for ((((output, &gradient), &input), &mean), ((&by_gradient, &by_deviation), &constant)) in
                numbers.zip(factors)
            {
                let rest = simd.mul_add_e_f32s(simd.sub_f32s(input, mean), by_deviation, constant);
                *output = simd.mul_add_e_f32s(gradient, by_gradient, rest);
            }
        }
    }
}

/// A list of channels as vectors.
#[inline(always)]
fn whole<S: Simd>(numbers: &[f32]) -> &[S::f32s] {
    let (vectors, rest) = S::as_simd_f32s(numbers);
    assert!(rest.is_empty(), "channels fill whole vectors");
    vectors
}

/// A list of channels as vectors.
#[inline(always)]
fn whole_mut<S: Simd>(numbers: &mut [f32]) -> &mut [S::f32s] {
    let (vectors, rest) = S::as_mut_simd_f32s(numbers);
    assert!(rest.is_empty(), "channels fill whole vectors");
    vectors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::packed::panel_width;

    /// Small numbers without a pattern.
    fn numbers(len: usize, salt: usize) -> Vec<f32> {
        (0..len).map(|index| ((index * 7919 + salt * 104_729) % 199) as f32 / 100.0 - 1.0).collect()
    }

    fn close(found: f32, expected: f64, what: &str) {
        assert!((f64::from(found) - expected).abs() < 1e-3, "{what}: {found} for {expected}");
    }

    fn check(grid: Grid, boards: usize, channels: usize) {
        let rows = grid.rows(boards);
        let stride = channels.next_multiple_of(panel_width());
        let (dense, bordered) = (rows.len() * stride, boards * grid.bordered_cells() * stride);
        let (input, skip) = (numbers(dense, 1), numbers(bordered, 2));
        let (mean, scale, shift) = (numbers(stride, 3), numbers(stride, 4), numbers(stride, 5));
        let column = |channel: usize| (0..rows.len()).map(move |cell| cell * stride + channel);
        let f = |number: f32| f64::from(number);

        let (mut sums, mut squares) = (vec![1.0; stride], vec![2.0; stride]);
        add_cells(&input, &mut sums);
        add_squared_deviations(&input, &mean, &mut squares);
        for channel in 0..stride {
            close(sums[channel], 1.0 + column(channel).map(|at| f(input[at])).sum::<f64>(), "sum");
            let square = column(channel).map(|at| (f(input[at]) - f(mean[channel])).powi(2)).sum::<f64>();
            close(squares[channel], 2.0 + square, "squared deviations");
        }

        for skip in [None, Some(&skip[..])] {
            let mut output = vec![-7.0; bordered];
            let (mean, scale, shift) = (&mean[..], &scale[..], &shift[..]);
            Normalization { input: &input, rows: &rows, mean, scale, shift, skip, output: &mut output }.compute();
            for (at, &number) in input.iter().enumerate() {
                let (channel, place) = (at % stride, rows.as_slice()[at / stride] as usize * stride + at % stride);
                let sum = (f(number) - f(mean[channel])) * f(scale[channel]) + f(shift[channel]);
                close(output[place], (sum + skip.map_or(0.0, |skip| f(skip[place]))).max(0.0), "normalised");
            }
            assert_eq!(output.iter().filter(|&&number| number == -7.0).count(), bordered - dense, "the border is kept");
        }

        let before = numbers(dense, 6);
        let (mut gradient, mut sums, mut products) = (before.clone(), vec![1.0; stride], vec![2.0; stride]);
        RectifierGradient {
            input: &input,
            rows: &rows,
            output: &skip,
            mean: &mean,
            gradient: &mut gradient,
            sums: &mut sums,
            deviation_sums: &mut products,
        }
        .compute();
        for at in 0..dense {
            let passes = skip[rows.as_slice()[at / stride] as usize * stride + at % stride] > 0.0;
            assert_eq!(gradient[at], if passes { before[at] } else { 0.0 });
        }
        for channel in 0..stride {
            let product = |at: usize| f(gradient[at]) * (f(input[at]) - f(mean[channel]));
            close(sums[channel], 1.0 + column(channel).map(|at| f(gradient[at])).sum::<f64>(), "gradient");
            close(products[channel], 2.0 + column(channel).map(product).sum::<f64>(), "gradient by deviation");
        }

        let mut output = vec![-7.0; bordered];
        NormGradient {
            input: &input,
            gradient: &gradient,
            rows: &rows,
            mean: &mean,
            gradient_factor: &scale,
            deviation_factor: &shift,
            constant: &mean,
            output: &mut output,
        }
        .compute();
        for at in 0..dense {
            let (channel, place) = (at % stride, rows.as_slice()[at / stride] as usize * stride + at % stride);
            let by_deviation = (f(input[at]) - f(mean[channel])) * f(shift[channel]);
            close(output[place], f(gradient[at]) * f(scale[channel]) + by_deviation + f(mean[channel]), "before norm");
        }
    }

    #[test]
    fn passes_follow_their_formulas() {
        check(Grid { height: 1, width: 1 }, 1, 1);
        check(Grid { height: 3, width: 5 }, 3, 5);
        check(Grid { height: 6, width: 6 }, 2, 64);
        check(Grid { height: 19, width: 19 }, 1, 33);
        check(Grid { height: 4, width: 4 }, 2, 70);
    }

    #[test]
    fn what_is_not_a_number_is_not_rectified_away() {
        let width = panel_width();
        let (list, mut output) = (vec![1.0; width], vec![0.0; width]);
        Normalization {
            input: &vec![f32::NAN; width],
            rows: &Rows::every(1, 1),
            mean: &list,
            scale: &list,
            shift: &list,
            skip: None,
            output: &mut output,
        }
        .compute();
        assert!(output.iter().all(|number| number.is_nan()));
    }
}
