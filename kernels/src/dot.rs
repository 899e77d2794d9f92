//! The sum of the products of two lists of numbers.

use pulp::{Arch, Simd, WithSimd};

/// `Σ a[i] · b[i]` over the shorter of the two.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    Arch::new().dispatch(Dot(a, b))
}

struct Dot<'a>(&'a [f32], &'a [f32]);

impl WithSimd for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let len = self.0.len().min(self.1.len());
        let (a, a_rest) = S::as_simd_f32s(&self.0[..len]);
        let (b, b_rest) = S::as_simd_f32s(&self.1[..len]);
        // Two sums hide some of the latency; the lists are short.
        let mut sums = [simd.splat_f32s(0.0); 2];
        for (index, (&a, &b)) in a.iter().zip(b).enumerate() {
            sums[index % 2] = simd.mul_add_e_f32s(a, b, sums[index % 2]);
        }
        let rest = simd.mul_f32s(simd.partial_load_f32s(a_rest), simd.partial_load_f32s(b_rest));
        simd.reduce_sum_f32s(simd.add_f32s(simd.add_f32s(sums[0], sums[1]), rest))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_length_is_summed() {
        for len in 0..70 {
            let a: Vec<f32> = (0..len).map(|i| i as f32).collect();
            let b: Vec<f32> = (0..len).map(|i| (i % 5) as f32 - 1.0).collect();
            let expected: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!(super::dot(&a, &b), expected, "{len}");
        }
    }
}
