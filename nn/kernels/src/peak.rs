//! The most this CPU can compute: the measure that speeds are shares of.

use pulp::{Arch, Simd, WithSimd};

/// Enough independent sums to hide the latency of a multiply-add on any CPU here.
const SUMS: usize = 12;

/// Does `rounds` rounds of multiply-adds on numbers in registers with the widest vectors, nothing else, and returns
/// how many floating-point operations that were (two for each multiply-add).
pub fn multiply_add_loop(rounds: u64) -> u64 {
    struct Loop(u64);
    impl WithSimd for Loop {
        type Output = u64;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> u64 {
            let factor = simd.splat_f32s(std::hint::black_box(0.999));
            let term = simd.splat_f32s(std::hint::black_box(0.01));
            let mut sums = [simd.splat_f32s(0.5); SUMS];
            for _ in 0..self.0 {
                for sum in &mut sums {
                    *sum = simd.mul_add_e_f32s(*sum, factor, term);
                }
            }
            std::hint::black_box(sums.map(|sum| simd.reduce_sum_f32s(sum)));
            2 * self.0 * (SUMS * S::F32_LANES) as u64
        }
    }
    Arch::new().dispatch(Loop(rounds))
}

#[cfg(test)]
mod tests {
    #[test]
    fn operations_are_counted() {
        let vectors = crate::packed::panel_width() as u64 / 2;
        assert_eq!(super::multiply_add_loop(5), 2 * 5 * 12 * vectors);
    }
}
