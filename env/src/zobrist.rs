//! Zobrist keys, computed at compile time: one pseudo-random word for each feature of a position.

use crate::Side;
use crate::rng::splitmix64;

/// `N` independent 64-bit keys for one game; `salt` keeps the games' tables apart.
///
/// A position's hash is the XOR of the keys of its features, so a decision changes it by a few XORs (Zobrist 1970).
pub const fn keys<const N: usize>(salt: u64) -> [u64; N] {
    let mut keys = [0; N];
    let mut index = 0;
    while index < N {
        keys[index] = splitmix64(splitmix64(salt).wrapping_add(index as u64));
        index += 1;
    }
    keys
}

/// What a game in which `starter` made the first decision adds to its hashes: nothing for the first player. For games
/// whose rules depend on who began.
#[inline]
pub const fn starter_key(starter: Side) -> u64 {
    const SECOND_STARTED: [u64; 1] = keys(0x73_7461_7274);
    match starter {
        Side::First => 0,
        Side::Second => SECOND_STARTED[0],
    }
}
