//! Weights in the order in which the product reads them.

use aligned_vec::{AVec, CACHELINE_ALIGN, ConstAlign};
use pulp::{Arch, Simd, WithSimd};

/// Numbers that start at a cache line.
pub type Aligned<T> = AVec<T, ConstAlign<CACHELINE_ALIGN>>;

/// `len` zeros that start at a cache line.
pub fn zeros<T: Copy + Default>(len: usize) -> Aligned<T> {
    AVec::from_iter(CACHELINE_ALIGN, std::iter::repeat_n(T::default(), len))
}

/// Outputs computed side by side: two vectors, which with twelve cells (six, where there are only 16 registers) fill
/// the registers with sums and keep both multipliers of a core busy.
pub(crate) const PANEL_VECTORS: usize = 2;

/// Inputs are read in groups of so many by the weight gradient.
pub(crate) const INPUT_GROUP: usize = 4;

/// Outputs in one panel on this CPU: 32 with AVX-512, 16 with AVX2, 8 with NEON.
pub fn panel_width() -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;

        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F32_LANES
        }
    }
    PANEL_VECTORS * Arch::new().dispatch(Lanes)
}

/// Outputs with those that fill up the last panel; without vectors, to a multiple of what a weight gradient reads at a time.
fn padded(outputs: usize, panel_width: usize) -> usize {
    outputs.next_multiple_of(panel_width.max(INPUT_GROUP))
}

/// A matrix `[taps · inputs, outputs]` cut into panels of [`panel_width`] outputs, each stored row by row; the last
/// ones are filled up with zeros.
#[derive(Clone, Debug)]
pub(crate) struct PackedWeights {
    taps: usize,
    inputs: usize,
    outputs: usize,
    panel_width: usize,
    panels: Aligned<f32>,
}

impl PackedWeights {
    /// Packs the matrix whose number in `row = tap · inputs + input` and `column = output` is `weight(row, column)`.
    pub fn new(taps: usize, inputs: usize, outputs: usize, weight: impl Fn(usize, usize) -> f32) -> Self {
        let panel_width = panel_width();
        let mut packed = PackedWeights {
            taps,
            inputs,
            outputs,
            panel_width,
            panels: zeros(taps * inputs * padded(outputs, panel_width)),
        };
        packed.fill(weight);
        packed
    }

    /// Replaces the numbers; see [`PackedWeights::new`].
    pub fn fill(&mut self, weight: impl Fn(usize, usize) -> f32) {
        let rows = self.taps * self.inputs;
        for (panel, numbers) in self.panels.chunks_exact_mut((rows * self.panel_width).max(1)).enumerate() {
            let first = panel * self.panel_width;
            let columns = self.panel_width.min(self.outputs.saturating_sub(first));
            for (row, numbers) in numbers.chunks_exact_mut(self.panel_width).enumerate() {
                for (column, number) in numbers[..columns].iter_mut().enumerate() {
                    *number = weight(row, first + column);
                }
            }
        }
    }

    /// Cells that contribute to an output.
    pub fn taps(&self) -> usize {
        self.taps
    }

    /// Numbers read of each of them.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Outputs of a cell.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Outputs of a cell with those that fill up the last panels: the least stride of an output buffer.
    pub fn padded_outputs(&self) -> usize {
        padded(self.outputs, self.panel_width)
    }

    pub(crate) fn panels(&self) -> &[f32] {
        &self.panels
    }

    pub(crate) fn panels_mut(&mut self) -> &mut [f32] {
        &mut self.panels
    }
}
