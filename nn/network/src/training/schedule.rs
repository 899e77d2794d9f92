//! How the learning rate changes over the steps of a run.

use std::ops::Bound::Excluded;

use selfplay_config::{InvalidKey, above, check, config_choice};

config_choice! {
    #[serde(tag = "kind")]
    /// The factor on the base learning rate after the warm-up, by number of steps taken.
    pub enum Schedule, default Constant, then check_steps {
        /// 1 for ever: for runs without a planned end.
        Constant = "constant",
        /// From 1 along half a cosine, then constant (Loshchilov and Hutter 2017, "SGDR", equation 5, without
        /// restarts).
        Cosine {
            /// Steps until the factor reaches `min_lr_ratio`.
            total_steps: u64, in 1..;
            /// Factor at the end.
            min_lr_ratio: f64, in 0.0..=1.0;
        } = "cosine",
        /// Falls at milestones, as in AlphaZero.
        Step {
            /// Pairs `[steps, factor]` with rising steps: from that many steps on, the rate is multiplied by the factor,
            /// on top of earlier ones.
            milestones: Vec<(u64, f64)>, in above(0.0);
        } = "step",
        /// Falls whenever the mean ladder score has not grown for a while (as PyTorch's `ReduceLROnPlateau`). Take a
        /// ladder that the networks do not soon beat in every game: at a score of 1 the rate would fall for ever.
        Plateau {
            /// Generations without a better score after which the rate falls.
            patience: u32, in 1..;
            /// What the rate is multiplied by.
            factor: f64, in (Excluded(0.0), Excluded(1.0));
            /// By how much a mean score, in 0 to 1, must be better to count.
            threshold: f64, in 0.0..1.0;
        } = "plateau",
    }
}

impl Schedule {
    fn check_steps(&self) -> Result<(), InvalidKey> {
        let Schedule::Step { milestones } = self else { return Ok(()) };
        let wrong = milestones.windows(2).find(|pair| pair[0].0 >= pair[1].0);
        check(wrong.is_none(), "milestones", wrong.map_or(0, |pair| pair[1].0), "a list with rising steps")
    }

    /// How often the rate has fallen after generations with these mean scores against the ladder, oldest first: each
    /// time `patience` generations in a row were no better than the best before them. 0 for other schedules.
    pub fn plateau_drops(&self, scores: &[f64]) -> u32 {
        let Schedule::Plateau { patience, threshold, .. } = self else { return 0 };
        let (mut best, mut waited, mut drops) = (f64::NEG_INFINITY, 0, 0);
        for &score in scores {
            if score > best + threshold {
                (best, waited) = (score, 0);
            } else {
                waited += 1;
                if waited == *patience {
                    drops += 1;
                    waited = 0;
                }
            }
        }
        drops
    }

    /// The factor on the base learning rate for the step after `step` steps: a linear rise over the first
    /// `warmup_steps`, times the schedule, which has fallen `drops` times if it is one that waits for plateaus.
    pub fn factor(&self, step: u64, warmup_steps: u64, drops: u32) -> f64 {
        let warmup = if step < warmup_steps { (step + 1) as f64 / warmup_steps as f64 } else { 1.0 };
        warmup
            * match self {
                Schedule::Constant => 1.0,
                Schedule::Plateau { factor, .. } => factor.powi(drops as i32),
                Schedule::Cosine { total_steps, min_lr_ratio } => {
                    let progress = (step as f64 / *total_steps as f64).min(1.0);
                    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
                    min_lr_ratio + (1.0 - min_lr_ratio) * cosine
                }
                Schedule::Step { milestones } => {
                    milestones.iter().filter(|(steps, _)| *steps <= step).map(|(_, factor)| factor).product()
                }
            }
    }
}

#[cfg(test)]
mod tests {
    use selfplay_config::{ANY, ConfigValue};

    use super::*;

    #[test]
    fn warmup_rises_to_the_schedule() {
        let factors: Vec<f64> = (0..6).map(|step| Schedule::Constant.factor(step, 4, 0)).collect();
        assert_eq!(factors, [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn cosine_goes_from_one_through_the_middle_to_the_end() {
        let schedule = Schedule::Cosine { total_steps: 100, min_lr_ratio: 0.1 };
        assert_eq!(schedule.factor(0, 0, 0), 1.0);
        assert!((schedule.factor(50, 0, 0) - 0.55).abs() < 1e-12);
        assert!((schedule.factor(100, 0, 0) - 0.1).abs() < 1e-12);
        assert_eq!(schedule.factor(1_000, 0, 0), schedule.factor(100, 0, 0));
    }

    #[test]
    fn milestones_multiply() {
        let schedule = Schedule::Step { milestones: vec![(10, 0.5), (20, 0.1)] };
        assert_eq!([9, 10, 19, 20].map(|step| schedule.factor(step, 0, 0)), [1.0, 0.5, 0.5, 0.05]);
    }

    #[test]
    fn impossible_schedules_are_refused() {
        for schedule in [
            Schedule::Cosine { total_steps: 0, min_lr_ratio: 0.1 },
            Schedule::Cosine { total_steps: 9, min_lr_ratio: 1.1 },
            Schedule::Step { milestones: vec![(5, 0.0)] },
            Schedule::Step { milestones: vec![(5, 0.1), (5, 0.1)] },
        ] {
            assert!(schedule.check(ANY).is_err(), "{schedule:?}");
        }
        assert!(Schedule::Step { milestones: vec![(5, 0.1), (6, 0.1)] }.check(ANY).is_ok());
    }

    #[test]
    fn the_rate_falls_when_the_strength_stands_still() {
        let schedule = Schedule::Plateau { patience: 2, factor: 0.5, threshold: 0.01 };
        assert!(schedule.check(ANY).is_ok());
        let scores = [0.1, 0.2, 0.2, 0.205, 0.1, 0.15, 0.3, 0.3];
        let drops: Vec<u32> = (0..=scores.len()).map(|count| schedule.plateau_drops(&scores[..count])).collect();
        assert_eq!(drops, [0, 0, 0, 0, 1, 1, 2, 2, 2]);
        assert_eq!(schedule.factor(1000, 10, 2), 0.25);
        assert_eq!(Schedule::Constant.plateau_drops(&scores), 0);
        for wrong in [
            Schedule::Plateau { patience: 0, factor: 0.5, threshold: 0.0 },
            Schedule::Plateau { patience: 1, factor: 1.0, threshold: 0.0 },
            Schedule::Plateau { patience: 1, factor: 0.5, threshold: f64::NAN },
        ] {
            assert!(wrong.check(ANY).is_err(), "{wrong:?}");
        }
    }
}
