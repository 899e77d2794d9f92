//! The variance between training runs of one config, and intervals that account for it.
//!
//! Every variant is trained once with each seed: a randomised complete block design with the seeds as blocks (Fisher,
//! "The Design of Experiments", 1935). The residuals of the two-way layout hold the seed variance and the error of the
//! matches together. With two variants this is the paired t test.

use crate::elo::EloEstimate;

/// Variance of the rating of a run around the mean of its variant, seeds' common part removed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SeedVariance {
    /// The variance in squared Elo points.
    pub variance: f64,
    /// (variants − 1) · (seeds − 1), at least 1.
    pub degrees_of_freedom: u32,
    /// Seeds that every variant was trained with, at least 2.
    pub seeds: u32,
}

impl SeedVariance {
    /// The variance in `ratings`, by variant and then by seed; `None` with fewer than two of either.
    ///
    /// # Panics
    /// If the variants have different numbers of seeds.
    pub fn new(ratings: &[Vec<f64>]) -> Option<Self> {
        let (variants, seeds) = (ratings.len(), ratings.first()?.len());
        assert!(ratings.iter().all(|row| row.len() == seeds), "every variant has a rating for each seed");
        if variants < 2 || seeds < 2 {
            return None;
        }
        let mean = |numbers: &mut dyn Iterator<Item = f64>, count: usize| numbers.sum::<f64>() / count as f64;
        let by_variant: Vec<f64> = ratings.iter().map(|row| mean(&mut row.iter().copied(), seeds)).collect();
        let by_seed: Vec<f64> =
            (0..seeds).map(|seed| mean(&mut ratings.iter().map(|row| row[seed]), variants)).collect();
        let grand = mean(&mut by_variant.iter().copied(), variants);
        let residual =
            |variant: usize, seed: usize| ratings[variant][seed] - by_variant[variant] - by_seed[seed] + grand;
        let cells = (0..variants).flat_map(|variant| (0..seeds).map(move |seed| (variant, seed)));
        let squared: f64 = cells.map(|(variant, seed)| residual(variant, seed).powi(2)).sum();
        let degrees_of_freedom = ((variants - 1) * (seeds - 1)) as u32;
        Some(SeedVariance {
            variance: squared / f64::from(degrees_of_freedom),
            degrees_of_freedom,
            seeds: seeds as u32,
        })
    }

    /// The 95 % interval of a difference of mean ratings in which the means of `trained` variants take part: 2 for two
    /// variants, 1 for a variant and a player without training.
    pub fn interval(&self, difference: f64, trained: u32) -> EloEstimate {
        let standard_error = (f64::from(trained) * self.variance / f64::from(self.seeds)).sqrt();
        let half_width = student_t_975(self.degrees_of_freedom) * standard_error;
        EloEstimate { elo: difference, low: difference - half_width, high: difference + half_width }
    }
}

/// The 97.5 % quantile of Student's t distribution.
pub fn student_t_975(degrees_of_freedom: u32) -> f64 {
    // By θ = atan(t / √ν), in which the distribution has a closed form.
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    while high - low > 1e-15 {
        let middle = 0.5 * (low + high);
        if middle == low || middle == high {
            break;
        }
        if central_probability(middle, degrees_of_freedom) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.tan() * f64::from(degrees_of_freedom).sqrt()
}

/// P(|t| ≤ √ν tan θ): Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
fn central_probability(theta: f64, degrees_of_freedom: u32) -> f64 {
    let (sine, cosine) = theta.sin_cos();
    let is_odd = !degrees_of_freedom.is_multiple_of(2);
    // 1, ½ cos², ½ ¾ cos⁴ … for even ν; cos, ⅔ cos³, ⅔ ⅘ cos⁵ … for odd ν.
    let (mut term, mut sum) = (if is_odd { cosine } else { 1.0 }, 0.0);
    let first = if is_odd { 2 } else { 1 };
    for step in (first..).step_by(2).take(degrees_of_freedom as usize / 2) {
        sum += term;
        term *= cosine * cosine * f64::from(step) / f64::from(step + 1);
    }
    if is_odd { (theta + sine * sum) / std::f64::consts::FRAC_PI_2 } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        for (degrees_of_freedom, quantile) in [
            (1, 12.706_205),
            (2, 4.302_653),
            (3, 3.182_446),
            (4, 2.776_445),
            (5, 2.570_582),
            (9, 2.262_157),
            (10, 2.228_139),
            (30, 2.042_272),
            (120, 1.979_930),
        ] {
            let found = student_t_975(degrees_of_freedom);
            assert!((found - quantile).abs() < 1e-6, "{degrees_of_freedom}: {found}");
        }
    }

    #[test]
    fn two_variants_are_the_paired_t_test() {
        // Differences 10, 30, 50: mean 30, standard deviation 20, standard error 20 / √3, t with 2 degrees 4.302653.
        let variance = SeedVariance::new(&[vec![0.0, 100.0, -20.0], vec![10.0, 130.0, 30.0]]).unwrap();
        let interval = variance.interval(30.0, 2);
        assert_eq!(variance.degrees_of_freedom, 2);
        assert!((interval.high - 30.0 - 4.302_653 * 20.0 / 3f64.sqrt()).abs() < 1e-4, "{interval:?}");
        assert!((interval.high + interval.low - 60.0).abs() < 1e-9);
    }

    #[test]
    fn a_common_part_of_a_seed_is_no_variance() {
        let same = SeedVariance::new(&[vec![0.0, 40.0], vec![25.0, 65.0], vec![-5.0, 35.0]]).unwrap();
        assert!(same.variance < 1e-20 && same.degrees_of_freedom == 2, "{same:?}");
        // Residuals of 2 × 2 ratings are ± a quarter of the interaction, 44 Elo: 4 · 11² / 1.
        let other = SeedVariance::new(&[vec![0.0, 44.0], vec![0.0, 0.0]]).unwrap();
        assert!((other.variance - 484.0).abs() < 1e-9, "{other:?}");
    }

    #[test]
    fn one_seed_or_one_variant_has_no_variance() {
        assert_eq!(SeedVariance::new(&[vec![0.0], vec![10.0]]), None);
        assert_eq!(SeedVariance::new(&[vec![0.0, 10.0]]), None);
        assert_eq!(SeedVariance::new(&[]), None);
    }
}
