//! Sums of products of two lists of numbers, many at a time.

use pulp::{Arch, Simd, WithSimd};

/// Adds `Σ a[i] · b[i]`, over the shorter of the two, to `sums` for each pair of lists.
pub fn append_dots<'a>(pairs: impl Iterator<Item = (&'a [f32], &'a [f32])>, sums: &mut Vec<f32>) {
    Arch::new().dispatch(Dots { pairs, sums });
}

struct Dots<'s, P> {
    pairs: P,
    sums: &'s mut Vec<f32>,
}

impl<'a, P: Iterator<Item = (&'a [f32], &'a [f32])>> WithSimd for Dots<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (a, b) in self.pairs {
            self.sums.push(dot(simd, a, b));
        }
    }
}

#[inline(always)]
fn dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let len = a.len().min(b.len());
    let (a, a_rest) = S::as_simd_f32s(&a[..len]);
    let (b, b_rest) = S::as_simd_f32s(&b[..len]);
    // Two sums hide some of the latency; the lists are short.
    let mut sums = [simd.splat_f32s(0.0); 2];
    for (index, (&a, &b)) in a.iter().zip(b).enumerate() {
        sums[index % 2] = simd.mul_add_e_f32s(a, b, sums[index % 2]);
    }
    let rest = simd.mul_f32s(simd.partial_load_f32s(a_rest), simd.partial_load_f32s(b_rest));
    simd.reduce_sum_f32s(simd.add_f32s(simd.add_f32s(sums[0], sums[1]), rest))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_length_is_summed() {
        let list = |len: usize, step: usize| -> Vec<f32> { (0..len).map(|i| (i * step % 11) as f32 - 4.0).collect() };
        let pairs: Vec<_> = (0..70).map(|len| (list(len, 1), list(len + len % 3, 7))).collect();
        let mut sums = Vec::new();
        super::append_dots(pairs.iter().map(|(a, b)| (a.as_slice(), b.as_slice())), &mut sums);
        let expected: Vec<f32> = pairs.iter().map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect();
        assert_eq!(sums, expected);
    }
}
