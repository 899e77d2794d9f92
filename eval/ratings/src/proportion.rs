//! A share of successes with its uncertainty.

use serde::{Deserialize, Serialize};

use crate::elo::Z_95;

/// Successes among independent trials.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Proportion {
    /// Trials that succeeded; at most `trials`.
    pub successes: u32,
    /// Trials.
    pub trials: u32,
}

impl Proportion {
    /// Counts one more trial.
    pub fn count(&mut self, is_success: bool) {
        self.trials += 1;
        self.successes += u32::from(is_success);
    }

    /// Share of successes in 0..=1; 1 without trials.
    pub fn share(&self) -> f64 {
        if self.trials == 0 { 1.0 } else { f64::from(self.successes) / f64::from(self.trials) }
    }

    /// The 95 % interval of Wilson ("Probable inference, the law of succession, and statistical inference", 1927), which
    /// is right near 0 and 1 as well; everything without trials.
    pub fn interval(&self) -> [f64; 2] {
        if self.trials == 0 {
            return [0.0, 1.0];
        }
        let (trials, share, z) = (f64::from(self.trials), self.share(), Z_95);
        let middle = share + z * z / (2.0 * trials);
        let reach = z * (share * (1.0 - share) / trials + z * z / (4.0 * trials * trials)).sqrt();
        let scale = 1.0 + z * z / trials;
        [((middle - reach) / scale).max(0.0), ((middle + reach) / scale).min(1.0)]
    }
}

impl std::iter::Sum for Proportion {
    fn sum<I: Iterator<Item = Proportion>>(parts: I) -> Proportion {
        parts.fold(Proportion::default(), |sum, part| Proportion {
            successes: sum.successes + part.successes,
            trials: sum.trials + part.trials,
        })
    }
}

/// As in `496 of 500, 99.2 % (95 % 98.0 to 99.7)`.
impl std::fmt::Display for Proportion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [low, high] = self.interval().map(|end| 100.0 * end);
        let Proportion { successes, trials } = self;
        write!(f, "{successes} of {trials}, {:.1} % (95 % {low:.1} to {high:.1})", 100.0 * self.share())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // R: prop.test(15, 20, correct = FALSE) and binom::binom.confint(0, 10, methods = "wilson").
        let close = |proportion: Proportion, expected: [f64; 2]| {
            let found = proportion.interval();
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        };
        close(Proportion { successes: 15, trials: 20 }, [0.531_299_2, 0.888_138_4]);
        close(Proportion { successes: 0, trials: 10 }, [0.0, 0.277_532_8]);
        close(Proportion { successes: 10, trials: 10 }, [0.722_467_2, 1.0]);
        assert_eq!(Proportion::default().interval(), [0.0, 1.0]);
    }

    #[test]
    fn it_is_shown_with_its_interval() {
        let mut proportion = Proportion { successes: 495, trials: 499 };
        proportion.count(true);
        assert_eq!(proportion.to_string(), "496 of 500, 99.2 % (95 % 98.0 to 99.7)");
    }
}
