//! The project's one random generator and how its seeds are derived.
//!
//! A run is a function of its config and seed, on every machine. The generator is a named, portable one, and each use
//! (a game, a match, initial weights) gets its own stream by hashing the run's seed with what it is for.

use rand::SeedableRng;
pub use rand::{Rng, RngExt};

/// The generator behind every random choice: Blackman and Vigna's xoshiro256++.
pub type GameRng = rand_xoshiro::Xoshiro256PlusPlus;

/// One step of SplitMix64 (Steele, Lea, Flood 2014): a bijective mix of 64 bits, usable in constants.
pub const fn splitmix64(input: u64) -> u64 {
    let mut z = input.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A seed for the stream named by `parts`, for example `[run_seed, generation, game_number]`.
///
/// Different lists give unrelated seeds; the order and the number of parts matter.
pub fn derive_seed(parts: &[u64]) -> u64 {
    parts.iter().fold(parts.len() as u64, |seed, &part| splitmix64(seed ^ splitmix64(part)))
}

/// A generator seeded with [`derive_seed`].
///
/// ```
/// use selfplay_env::rng::{RngExt, rng_for};
///
/// let (run_seed, generation, game) = (7, 3, 12);
/// let dice = || rng_for(&[run_seed, generation, game]).random_range(1..=6);
/// assert_eq!(dice(), dice());
/// ```
pub fn rng_for(parts: &[u64]) -> GameRng {
    GameRng::seed_from_u64(derive_seed(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_order_and_length() {
        let seeds = [derive_seed(&[1, 2]), derive_seed(&[2, 1]), derive_seed(&[1]), derive_seed(&[1, 2, 0])];
        for (i, a) in seeds.iter().enumerate() {
            for b in &seeds[i + 1..] {
                assert_ne!(a, b);
            }
        }
    }

    #[test]
    fn the_generator_is_the_same_on_every_machine() {
        let mut rng = rng_for(&[7]);
        let first = rng.next_u64();
        assert_eq!(first, rng_for(&[7]).next_u64());
        // SplitMix64's published first output for state 0.
        assert_eq!(splitmix64(0), 0xE220_A839_7B1D_CDAF);
    }
}
