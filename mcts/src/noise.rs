//! Random numbers for the root: Dirichlet noise for its priors (Silver et al. 2018, Methods), and Gumbel variables.

use rand_distr::{Distribution, Gamma, Gumbel};
use selfplay_env::rng::GameRng;

/// A sample of the symmetric Dirichlet distribution over `count` ≥ 1 moves with total concentration
/// `total_concentration` > 0: `count` shares summing to 1.
///
/// Independent Gamma variables divided by their sum (Devroye 1986, "Non-Uniform Random Variate Generation", XI.4).
///
/// # Panics
/// If an argument is out of its range.
pub(crate) fn dirichlet(total_concentration: f32, count: usize, rng: &mut GameRng) -> Vec<f32> {
    let shape = f64::from(total_concentration) / count as f64;
    let gamma = Gamma::new(shape, 1.0).expect("the concentration is validated and positive");
    let draws: Vec<f64> = (0..count).map(|_| gamma.sample(rng)).collect();
    let sum: f64 = draws.iter().sum();
    if sum > 0.0 {
        draws.iter().map(|draw| (draw / sum) as f32).collect()
    } else {
        // Tiny concentrations can make every draw underflow to 0.
        vec![1.0 / count as f32; count]
    }
}

/// `count` independent standard Gumbel variables (Danihelka et al. 2022, section 2): adding them to logits and taking
/// the greatest `k` sums draws `k` moves without replacement.
pub(crate) fn gumbels(count: usize, rng: &mut GameRng) -> Vec<f32> {
    let gumbel = Gumbel::new(0.0_f64, 1.0).expect("the standard distribution exists");
    (0..count).map(|_| gumbel.sample(rng) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_env::rng::rng_for;

    #[test]
    fn shares_sum_to_one_and_follow_the_generator() {
        for (alpha, count) in [(10.83, 361), (10.83, 1), (0.001, 7), (1e-30, 3)] {
            let shares = dirichlet(alpha, count, &mut rng_for(&[5]));
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5 && shares.iter().all(|&s| s >= 0.0));
            assert_eq!(shares, dirichlet(alpha, count, &mut rng_for(&[5])));
        }
        assert_ne!(dirichlet(10.83, 9, &mut rng_for(&[5])), dirichlet(10.83, 9, &mut rng_for(&[6])));
    }

    #[test]
    fn the_variance_is_that_of_the_distribution() {
        // Var(share) = m (1 − m) / (α + 1) with mean m = 1/n and total concentration α.
        let (alpha, count, samples) = (4.0, 8, 20_000);
        let mut rng = rng_for(&[9]);
        let mean = 1.0 / count as f64;
        let sum_of_squares: f64 =
            (0..samples).map(|_| (f64::from(dirichlet(alpha, count, &mut rng)[0]) - mean).powi(2)).sum();
        let expected = mean * (1.0 - mean) / (f64::from(alpha) + 1.0);
        assert!((sum_of_squares / f64::from(samples) / expected - 1.0).abs() < 0.05);
    }

    #[test]
    fn gumbel_variables_have_their_moments() {
        let count = 50_000;
        let draws = gumbels(count, &mut rng_for(&[3]));
        let mean = draws.iter().map(|&g| f64::from(g)).sum::<f64>() / count as f64;
        let variance = draws.iter().map(|&g| (f64::from(g) - mean).powi(2)).sum::<f64>() / count as f64;
        // Euler's constant and π²/6.
        assert!((mean - 0.577_215_7).abs() < 0.02, "{mean}");
        assert!((variance - std::f64::consts::PI.powi(2) / 6.0).abs() < 0.05, "{variance}");
    }
}
