//! Winograd's minimal filtering in one dimension: a window of three over a line, with fewer multiplications.
//!
//! `F(m, 3)` gives `m` results of a window of three from `m + 2` numbers with `m + 2` multiplications instead of `3 m`:
//! `y = Aᵀ ((G g) ⊙ (Bᵀ d))`, where `d` are the numbers, `g` the window (Lavin & Gray 2016, "Fast Algorithms for
//! Convolutional Neural Networks", section 4). The matrices follow from points at which polynomials are multiplied (Toom
//! and Cook). Row `p` of `G` holds the powers of the point `p` over `Π (p − q)`, row `p` of `Bᵀ` the coefficients of
//! `Π (x − q)` over the other points, column `p` of `Aᵀ` the powers of `p`. The point at infinity takes the highest
//! coefficient. The points are small and come in pairs `±p`, which share their even and odd parts, and with their inverses.
//! This keeps the matrices' entries near each other (Barabasz et al. 2020, "Error Analysis and Improving the Accuracy of
//! Winograd Convolution for Deep Neural Networks", table 3).
//!
//! Since a layer by tiles is linear in its weights, the gradient of a window is `Gᵀ ((A ∂y) ⊙ (Bᵀ d))`: the transposes of the
//! transforms of results and windows.
//!
//! In two dimensions each transform is done along the columns and then along the rows.

use pulp::Simd;

/// Numbers of a tile along one axis, at most.
pub const MAX_ELEMENTS: usize = 8;

/// How many results a tile has along one axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// `F(3, 3)`, with the points 0, 1, −1, 2, ∞.
    Three,
    /// `F(4, 3)`, with the points 0, 1, −1, 2, −2, ∞.
    Four,
    /// `F(5, 3)`, with the points 0, 1, −1, 2, −2, ½, ∞.
    Five,
    /// `F(6, 3)`, with the points 0, 1, −1, 2, −2, ½, −½, ∞.
    Six,
}

impl Side {
    /// The side with so many results.
    ///
    /// # Panics
    /// If there is none.
    pub const fn with_results(results: usize) -> Side {
        match results {
            3 => Side::Three,
            4 => Side::Four,
            5 => Side::Five,
            6 => Side::Six,
            _ => panic!("sides have 3 to 6 results"),
        }
    }

    /// Results along the axis.
    pub const fn results(self) -> usize {
        match self {
            Side::Three => 3,
            Side::Four => 4,
            Side::Five => 5,
            Side::Six => 6,
        }
    }

    /// Numbers along the axis before and after the transform: the multiplications.
    pub const fn elements(self) -> usize {
        self.results() + 2
    }

    /// `G`, a row for each element.
    pub const fn window_matrix(self) -> &'static [[f32; 3]] {
        match self {
            Side::Three => &[
                [1.0 / 2.0, 0.0, 0.0],
                [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
                [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
                [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
                [0.0, 0.0, 1.0],
            ],
            Side::Four => &[
                [1.0 / 4.0, 0.0, 0.0],
                [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
                [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
                [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
                [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
                [0.0, 0.0, 1.0],
            ],
            Side::Five => &[
                [-1.0 / 2.0, 0.0, 0.0],
                [-1.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0],
                [1.0 / 9.0, -1.0 / 9.0, 1.0 / 9.0],
                [1.0 / 36.0, 1.0 / 18.0, 1.0 / 9.0],
                [-1.0 / 60.0, 1.0 / 30.0, -1.0 / 15.0],
                [32.0 / 45.0, 16.0 / 45.0, 8.0 / 45.0],
                [0.0, 0.0, 1.0],
            ],
            Side::Six => &[
                [1.0, 0.0, 0.0],
                [-2.0 / 9.0, -2.0 / 9.0, -2.0 / 9.0],
                [-2.0 / 9.0, 2.0 / 9.0, -2.0 / 9.0],
                [1.0 / 90.0, 1.0 / 45.0, 2.0 / 45.0],
                [1.0 / 90.0, -1.0 / 45.0, 2.0 / 45.0],
                [32.0 / 45.0, 16.0 / 45.0, 8.0 / 45.0],
                [32.0 / 45.0, -16.0 / 45.0, 8.0 / 45.0],
                [0.0, 0.0, 1.0],
            ],
        }
    }
}

/// Vectors along an axis; those beyond the tile's elements are not looked at.
pub type Line<S> = [<S as Simd>::f32s; MAX_ELEMENTS];

/// The arithmetic that the transforms are written in.
#[derive(Clone, Copy)]
struct Vectors<S>(S);

impl<S: Simd> Vectors<S> {
    #[inline(always)]
    fn add(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.add_f32s(a, b)
    }

    #[inline(always)]
    fn sub(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.sub_f32s(a, b)
    }

    #[inline(always)]
    fn times(self, factor: f32, a: S::f32s) -> S::f32s {
        self.0.mul_f32s(self.0.splat_f32s(factor), a)
    }

    /// `factor · a + b`
    #[inline(always)]
    fn with(self, factor: f32, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.mul_add_e_f32s(self.0.splat_f32s(factor), a, b)
    }
}

/// A linear map of the numbers along one axis.
pub trait Transform {
    /// How many numbers it takes, and how many it gives.
    fn sizes(side: Side) -> [usize; 2];
    /// Does it in place.
    fn transform<S: Simd>(simd: S, side: Side, line: &mut Line<S>);
}

/// `Bᵀ d`
pub struct TransformInput;

/// `Aᵀ m`
pub struct TransformResults;

/// `A y`, the transpose of the transform of results: what a gradient of results is for the sums of elements.
pub struct TransformGradient;

impl Transform for TransformInput {
    #[inline(always)]
    fn sizes(side: Side) -> [usize; 2] {
        [side.elements(), side.elements()]
    }

    #[inline(always)]
    fn transform<S: Simd>(simd: S, side: Side, d: &mut Line<S>) {
        let v = Vectors(simd);
        let [d0, d1, d2, d3, d4, d5, d6, d7] = *d;
        match side {
            Side::Three => {
                let odd = v.sub(d3, d1);
                d[0] = v.add(v.with(2.0, v.sub(d0, d2), d3), v.times(-1.0, d1));
                d[1] = v.with(-2.0, d1, v.sub(d3, d2));
                d[2] = v.with(-3.0, d2, v.with(2.0, d1, d3));
                d[3] = odd;
                d[4] = v.with(-2.0, odd, v.sub(d4, d2));
            }
            Side::Four => {
                let (even, odd) = (v.with(-4.0, d2, d4), v.with(-4.0, d1, d3));
                let (even2, odd2) = (v.sub(d4, d2), v.times(2.0, v.sub(d3, d1)));
                d[0] = v.with(4.0, d0, v.with(-5.0, d2, d4));
                d[1] = v.add(even, odd);
                d[2] = v.sub(even, odd);
                d[3] = v.add(even2, odd2);
                d[4] = v.sub(even2, odd2);
                d[5] = v.with(4.0, d1, v.with(-5.0, d3, d5));
            }
            Side::Five => {
                // The factor x − ½ of all rows but that of the point ½ itself comes first.
                let [e0, e1, e2] = [v.with(-0.5, d0, d1), v.with(-0.5, d1, d2), v.with(-0.5, d2, d3)];
                let [e3, e4, e5] = [v.with(-0.5, d3, d4), v.with(-0.5, d4, d5), v.with(-0.5, d5, d6)];
                let (even, odd) = (v.with(-4.0, e2, e4), v.with(-4.0, e1, e3));
                let (even2, odd2) = (v.sub(e4, e2), v.times(2.0, v.sub(e3, e1)));
                d[0] = v.with(4.0, e0, v.with(-5.0, e2, e4));
                d[1] = v.add(even, odd);
                d[2] = v.sub(even, odd);
                d[3] = v.add(even2, odd2);
                d[4] = v.sub(even2, odd2);
                d[5] = v.with(4.0, d1, v.with(-5.0, d3, d5));
                d[6] = v.with(4.0, e1, v.with(-5.0, e3, e5));
            }
            Side::Six => {
                let (even, odd) = (v.with(-4.25, d4, v.add(d2, d6)), v.with(-4.25, d3, v.add(d1, d5)));
                let even2 = v.with(0.25, d2, v.with(-1.25, d4, d6));
                let odd2 = v.with(0.5, d1, v.with(-2.5, d3, v.times(2.0, d5)));
                let even_half = v.with(4.0, d2, v.with(-5.0, d4, d6));
                let odd_half = v.with(2.0, d1, v.with(-2.5, d3, v.times(0.5, d5)));
                d[0] = v.with(5.25, v.sub(d4, d2), v.sub(d0, d6));
                d[1] = v.add(even, odd);
                d[2] = v.sub(even, odd);
                d[3] = v.add(even2, odd2);
                d[4] = v.sub(even2, odd2);
                d[5] = v.add(even_half, odd_half);
                d[6] = v.sub(even_half, odd_half);
                d[7] = v.with(5.25, v.sub(d3, d5), v.sub(d7, d1));
            }
        }
    }
}

impl Transform for TransformResults {
    #[inline(always)]
    fn sizes(side: Side) -> [usize; 2] {
        [side.elements(), side.results()]
    }

    #[inline(always)]
    fn transform<S: Simd>(simd: S, side: Side, m: &mut Line<S>) {
        let v = Vectors(simd);
        let [m0, m1, m2, m3, m4, m5, m6, m7] = *m;
        let (sum, difference) = (v.add(m1, m2), v.sub(m1, m2));
        match side {
            Side::Three => {
                m[0] = v.add(m0, v.add(sum, m3));
                m[1] = v.with(2.0, m3, difference);
                m[2] = v.add(v.with(4.0, m3, sum), m4);
            }
            Side::Four => {
                let (sum2, difference2) = (v.add(m3, m4), v.sub(m3, m4));
                m[0] = v.add(m0, v.add(sum, sum2));
                m[1] = v.with(2.0, difference2, difference);
                m[2] = v.with(4.0, sum2, sum);
                m[3] = v.add(v.with(8.0, difference2, difference), m5);
            }
            Side::Five => {
                let (sum2, difference2) = (v.add(m3, m4), v.sub(m3, m4));
                m[0] = v.add(v.add(m0, sum), v.add(sum2, m5));
                m[1] = v.with(2.0, difference2, v.with(0.5, m5, difference));
                m[2] = v.with(4.0, sum2, v.with(0.25, m5, sum));
                m[3] = v.with(8.0, difference2, v.with(0.125, m5, difference));
                m[4] = v.add(v.with(16.0, sum2, v.with(0.0625, m5, sum)), m6);
            }
            Side::Six => {
                let (sum2, difference2) = (v.add(m3, m4), v.sub(m3, m4));
                let (sum_half, difference_half) = (v.add(m5, m6), v.sub(m5, m6));
                m[0] = v.add(v.add(m0, sum), v.add(sum2, sum_half));
                m[1] = v.with(2.0, difference2, v.with(0.5, difference_half, difference));
                m[2] = v.with(4.0, sum2, v.with(0.25, sum_half, sum));
                m[3] = v.with(8.0, difference2, v.with(0.125, difference_half, difference));
                m[4] = v.with(16.0, sum2, v.with(0.0625, sum_half, sum));
                m[5] = v.add(v.with(32.0, difference2, v.with(0.031_25, difference_half, difference)), m7);
            }
        }
    }
}

impl Transform for TransformGradient {
    #[inline(always)]
    fn sizes(side: Side) -> [usize; 2] {
        [side.results(), side.elements()]
    }

    #[inline(always)]
    fn transform<S: Simd>(simd: S, side: Side, y: &mut Line<S>) {
        let v = Vectors(simd);
        let [y0, y1, y2, y3, y4, y5, _, _] = *y;
        match side {
            Side::Three => {
                let even = v.add(y0, y2);
                y[1] = v.add(even, y1);
                y[2] = v.sub(even, y1);
                y[3] = v.with(4.0, y2, v.with(2.0, y1, y0));
                y[4] = y2;
            }
            Side::Four => {
                let (even, odd) = (v.add(y0, y2), v.add(y1, y3));
                let (even2, odd2) = (v.with(4.0, y2, y0), v.with(8.0, y3, v.times(2.0, y1)));
                y[1] = v.add(even, odd);
                y[2] = v.sub(even, odd);
                y[3] = v.add(even2, odd2);
                y[4] = v.sub(even2, odd2);
                y[5] = y3;
            }
            Side::Five => {
                let (even, odd) = (v.add(v.add(y0, y2), y4), v.add(y1, y3));
                let (even2, odd2) = (v.with(16.0, y4, v.with(4.0, y2, y0)), v.with(8.0, y3, v.times(2.0, y1)));
                let odd_half = v.with(0.125, y3, v.times(0.5, y1));
                y[1] = v.add(even, odd);
                y[2] = v.sub(even, odd);
                y[3] = v.add(even2, odd2);
                y[4] = v.sub(even2, odd2);
                y[5] = v.add(v.with(0.0625, y4, v.with(0.25, y2, y0)), odd_half);
                y[6] = y4;
            }
            Side::Six => {
                let (even, odd) = (v.add(v.add(y0, y2), y4), v.add(v.add(y1, y3), y5));
                let even2 = v.with(16.0, y4, v.with(4.0, y2, y0));
                let odd2 = v.with(32.0, y5, v.with(8.0, y3, v.times(2.0, y1)));
                let even_half = v.with(0.0625, y4, v.with(0.25, y2, y0));
                let odd_half = v.with(0.031_25, y5, v.with(0.125, y3, v.times(0.5, y1)));
                y[1] = v.add(even, odd);
                y[2] = v.sub(even, odd);
                y[3] = v.add(even2, odd2);
                y[4] = v.sub(even2, odd2);
                y[5] = v.add(even_half, odd_half);
                y[6] = v.sub(even_half, odd_half);
                y[7] = y5;
            }
        }
    }
}
