//! A layer's weights in the transformed domain.
#![allow(unsafe_code, reason = "vector loads and stores through pointers; `transform_weights` checks every range")]

use pulp::{Arch, Simd, WithSimd};

use super::tiling::Tiling;
use crate::packed::PackedWeights;

/// Replaces `transformed` by `G g Gᵀ` of each window of `weights`, whose taps are a 3×3 window row by row, or that window
/// turned by half.
///
/// # Panics
/// If the two are not of the same layer.
pub(crate) fn transform_weights(
    tiling: &Tiling,
    weights: &PackedWeights,
    turned: bool,
    transformed: &mut PackedWeights,
) {
    let of = |packed: &PackedWeights| (packed.inputs(), packed.outputs());
    assert_eq!((weights.taps(), transformed.taps()), (9, tiling.elements()), "windows of 3×3, and elements");
    assert_eq!(of(weights), of(transformed), "the same channels");
    let (inputs, padded) = (weights.inputs(), weights.padded_outputs());
    Arch::new().dispatch(Transform {
        tiling,
        inputs,
        padded,
        turned,
        from: weights.panels(),
        to: transformed.panels_mut(),
    });
}

struct Transform<'a> {
    tiling: &'a Tiling,
    inputs: usize,
    padded: usize,
    turned: bool,
    from: &'a [f32],
    to: &'a mut [f32],
}

impl WithSimd for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = crate::packed::PANEL_VECTORS * S::F32_LANES;
        let [rows, columns] = self.tiling.sides.map(super::transforms::Side::window_matrix);
        let (elements, inputs) = (self.tiling.elements(), self.inputs);
        assert_eq!(self.from.len(), 9 * inputs * self.padded, "all taps");
        assert_eq!(self.to.len(), elements * inputs * self.padded, "all elements");
        for panel in 0..self.padded / width {
            for input in 0..inputs {
                for vector in (0..width).step_by(S::F32_LANES) {
                    // SAFETY: the lengths were checked: panels hold `[taps, inputs, width]` numbers.
                    unsafe {
                        let from = self.from.as_ptr().add((panel * 9 * inputs + input) * width + vector);
                        let to = self.to.as_mut_ptr().add((panel * elements * inputs + input) * width + vector);
                        let tap = |tap: usize| {
                            let tap = if self.turned { 8 - tap } else { tap };
                            from.add(tap * inputs * width).cast::<S::f32s>().read_unaligned()
                        };
                        let mut window = [simd.splat_f32s(0.0); 9];
                        for (index, number) in window.iter_mut().enumerate() {
                            *number = tap(index);
                        }
                        let [a, b, c, d, e, f, g, h, i] = window;
                        for (row, row_weights) in rows.iter().enumerate() {
                            let (first, second) =
                                (weighed(simd, row_weights, a, d, g), weighed(simd, row_weights, b, e, h));
                            let third = weighed(simd, row_weights, c, f, i);
                            for (column, column_weights) in columns.iter().enumerate() {
                                let element = row * columns.len() + column;
                                let number = weighed(simd, column_weights, first, second, third);
                                to.add(element * inputs * width).cast::<S::f32s>().write_unaligned(number);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The sum of three numbers by their weights. (As a closure it would not be inlined.)
#[inline(always)]
fn weighed<S: Simd>(simd: S, weights: &[f32; 3], first: S::f32s, second: S::f32s, third: S::f32s) -> S::f32s {
    let sum = simd.mul_f32s(simd.splat_f32s(weights[0]), first);
    let sum = simd.mul_add_e_f32s(simd.splat_f32s(weights[1]), second, sum);
    simd.mul_add_e_f32s(simd.splat_f32s(weights[2]), third, sum)
}
