//! What rests on what, for all cells at once: shifts over the bits of a level instead of a look at each cell.

use super::tables::LEVEL_START;

/// Level 0, four cells a row.
const LEVEL_0: u32 = 0xFFFF;
/// The rows of a 3×3 level that starts at bit 0.
const ROWS_OF_3: [u32; 3] = [0o007, 0o070, 0o700];
/// The rows of a 2×2 level that starts at bit 0.
const ROWS_OF_2: [u32; 2] = [0b0011, 0b1100];
const SQUARE: u32 = 0b1111;

/// Cells whose supports are all among `occupied`, the whole of level 0 included.
#[inline]
pub(super) fn supported(occupied: u32) -> u32 {
    let [level_0, level_1, level_2] = levels(occupied);
    // Bit = upper left cell of a full square, with the row length of the level below; then with that of its own.
    let full = level_0 & level_0 >> 1 & level_0 >> 4 & level_0 >> 5;
    let on_1 = full & ROWS_OF_3[0] | full >> 1 & ROWS_OF_3[1] | full >> 2 & ROWS_OF_3[2];
    let full = level_1 & level_1 >> 1 & level_1 >> 3 & level_1 >> 4;
    let on_2 = full & ROWS_OF_2[0] | full >> 1 & ROWS_OF_2[1];
    let on_3 = u32::from(level_2 == SQUARE);
    LEVEL_0 | on_1 << LEVEL_START[1] | on_2 << LEVEL_START[2] | on_3 << LEVEL_START[3]
}

/// Cells on which a sphere of `occupied` rests.
#[inline]
pub(super) fn covered(occupied: u32) -> u32 {
    let [_, level_1, level_2] = levels(occupied);
    let spread = level_1 & ROWS_OF_3[0] | (level_1 & ROWS_OF_3[1]) << 1 | (level_1 & ROWS_OF_3[2]) << 2;
    let on_0 = spread | spread << 1 | spread << 4 | spread << 5;
    let spread = level_2 & ROWS_OF_2[0] | (level_2 & ROWS_OF_2[1]) << 1;
    let on_1 = spread | spread << 1 | spread << 3 | spread << 4;
    let on_2 = (occupied >> LEVEL_START[3]) * SQUARE;
    on_0 | on_1 << LEVEL_START[1] | on_2 << LEVEL_START[2]
}

/// The cells of the levels below the apex, each level from bit 0.
#[inline]
fn levels(occupied: u32) -> [u32; 3] {
    [occupied & LEVEL_0, occupied >> LEVEL_START[1] & 0o777, occupied >> LEVEL_START[2] & SQUARE]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{CELLS, cells_of, supports};
    use selfplay_registry::rng::{RngExt, rng_for};

    #[test]
    fn shifts_agree_with_the_table_of_supports() {
        let supports = supports();
        let mut rng = rng_for(&[30]);
        for _ in 0..20_000 {
            // Mostly full at the bottom, as in a game, so that full squares occur.
            let occupied = (rng.random::<u32>() | rng.random::<u32>()) & ((1 << CELLS) - 1);
            let stands = |cell: &usize| supports[*cell] & !occupied == 0;
            let expected = (0..CELLS).filter(stands).fold(0, |mask, cell| mask | 1 << cell);
            assert_eq!(supported(occupied), expected, "{occupied:b}");
            let expected = cells_of(occupied).fold(0, |mask, cell| mask | supports[usize::from(cell)]);
            assert_eq!(covered(occupied), expected, "{occupied:b}");
        }
    }
}
