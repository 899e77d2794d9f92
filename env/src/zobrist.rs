//! Zobrist keys, computed at compile time: one pseudo-random word for each feature of a position.

use crate::rng::splitmix64;

/// `N` independent 64-bit keys for one game; `salt` keeps the games' tables apart.
///
/// ```
/// use selfplay_env::zobrist;
///
/// const KEYS: [u64; 18] = zobrist::keys(1);
/// let (cross_on_a1, nought_on_b2) = (KEYS[0], KEYS[9 + 4]);
/// let hash = cross_on_a1 ^ nought_on_b2;
/// assert_eq!(hash ^ nought_on_b2, cross_on_a1);
/// ```
///
/// A position's hash is the XOR of the keys of its features, so an action changes it by a few XORs (Zobrist 1970).
pub const fn keys<const N: usize>(salt: u64) -> [u64; N] {
    let mut keys = [0; N];
    let mut index = 0;
    while index < N {
        keys[index] = splitmix64(splitmix64(salt).wrapping_add(index as u64));
        index += 1;
    }
    keys
}
