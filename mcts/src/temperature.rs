//! Temperatures: how random the choice of a move is over the course of a game, and how even the priors are.

use selfplay_config::{above, config_section};

config_section! {
    #[derive(Copy)]
    /// A temperature that starts at `initial` and halves its distance to `last` every `half_life_plies` plies
    /// (KataGo's schedule and numbers).
    ///
    /// A move is drawn in proportion to `visits^(1 / temperature)`; temperature 0 takes the best move.
    pub struct TemperatureSchedule {
        /// Temperature of the first action.
        pub initial: f32 = 0.75, in 0.0..;
        /// Temperature approached later.
        pub last: f32 = 0.15, in 0.0..;
        /// Plies in which the distance to `last` halves. KataGo's number is for a board of 19×19; shorter games
        /// want less.
        pub half_life_plies: f32 = 19.0, in above(0.0);
    }
}

impl TemperatureSchedule {
    /// The same temperature for every action.
    pub fn constant(temperature: f32) -> Self {
        TemperatureSchedule { initial: temperature, last: temperature, half_life_plies: 1.0 }
    }

    /// The temperature at `ply`, counted from 0.
    pub fn at(&self, ply: usize) -> f32 {
        self.last + (self.initial - self.last) * (-(ply as f32) / self.half_life_plies).exp2()
    }
}

/// `p^(1 / temperature)` for each of the `priors`, normalised to a sum of 1, in `buffer`; at temperature 1 the `priors`
/// themselves. Priors that are all 0 stay so.
pub(crate) fn tempered<'a>(priors: &'a [f32], temperature: f32, buffer: &'a mut Vec<f32>) -> &'a [f32] {
    if temperature == 1.0 {
        return priors;
    }
    // Relative to the greatest prior, so that at small temperatures the others underflow to 0 and never all of them.
    let greatest = priors.iter().copied().fold(0.0, f32::max);
    if greatest <= 0.0 {
        return priors;
    }
    buffer.clear();
    buffer.extend(priors.iter().map(|prior| (prior / greatest).powf(1.0 / temperature)));
    let sum: f32 = buffer.iter().sum();
    buffer.iter_mut().for_each(|prior| *prior /= sum);
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_to_the_last_temperature_halves() {
        let schedule = TemperatureSchedule { initial: 1.0, last: 0.2, half_life_plies: 10.0 };
        assert_eq!(schedule.at(0), 1.0);
        assert!((schedule.at(10) - 0.6).abs() < 1e-6);
        assert!((schedule.at(20) - 0.4).abs() < 1e-6);
        assert!((schedule.at(10_000) - 0.2).abs() < 1e-6);
        assert_eq!(TemperatureSchedule::constant(0.5).at(7), 0.5);
    }

    #[test]
    fn tempered_priors_are_more_even_and_sum_to_one() {
        let mut buffer = vec![9.0];
        let found = tempered(&[0.64, 0.36, 0.0], 2.0, &mut buffer);
        let expected = [0.8 / 1.4, 0.6 / 1.4, 0.0];
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6), "{found:?}");
        assert_eq!(tempered(&[0.0, 0.0], 2.0, &mut buffer), [0.0, 0.0]);
    }

    #[test]
    fn small_temperatures_leave_the_greatest_prior() {
        let mut buffer = Vec::new();
        for temperature in [0.02, 0.005, 1e-6, f32::MIN_POSITIVE, 1e-45] {
            let found = tempered(&[0.02, 0.03, 0.01], temperature, &mut buffer);
            assert!((found[1] - 1.0).abs() < 1e-6 && found[0] + found[2] < 1e-6, "{temperature}: {found:?}");
            assert_eq!(tempered(&[0.25; 4], temperature, &mut buffer), [0.25; 4], "{temperature}");
        }
        assert_eq!(tempered(&[1e-38, 3e-38], 1e30, &mut buffer), [0.5; 2]);
    }

    #[test]
    fn ranges_are_checked() {
        assert_eq!(TemperatureSchedule::default().validate(), Ok(()));
        assert!(TemperatureSchedule { initial: -0.1, ..Default::default() }.validate().is_err());
        assert!(TemperatureSchedule { last: f32::NAN, ..Default::default() }.validate().is_err());
        assert!(TemperatureSchedule { half_life_plies: 0.0, ..Default::default() }.validate().is_err());
    }
}
