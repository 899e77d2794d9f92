//! Planes of boards that are kept as masks: bits to numbers, and counts of bits.
//!
//! All cells are treated alike, without branches, so that the compiler computes several at a time.

/// Where a board's cells lie in its masks.
pub struct BitPlanes<const CELLS: usize> {
    /// `[cell]`: the lower and the upper half of the mask with its bit, since vectors of short words hold more of them.
    masks: [[u32; 2]; CELLS],
}

impl<const CELLS: usize> BitPlanes<CELLS> {
    /// For masks in which the cell number row · `WIDTH` + column has the bit number `bits[cell]`, 0 to 63.
    pub const fn new(bits: [u8; CELLS]) -> Self {
        let mut masks = [[0; 2]; CELLS];
        let mut cell = 0;
        while cell < CELLS {
            masks[cell][bits[cell] as usize / 32] = 1 << (bits[cell] % 32);
            cell += 1;
        }
        BitPlanes { masks }
    }

    /// For masks whose bits are in the order of the cells.
    pub const fn in_order() -> Self {
        let mut bits = [0; CELLS];
        let mut cell = 0;
        while cell < CELLS {
            bits[cell] = cell as u8;
            cell += 1;
        }
        Self::new(bits)
    }

    /// Writes 1 for each cell of `set` and 0 for the others.
    #[inline]
    pub fn write_set(&self, set: u64, plane: &mut [f32]) {
        self.write_numbers([set], 1.0, plane);
    }

    /// Writes the number of each cell, whose binary `digits` stand in as many masks, the least first, times `unit`.
    ///
    /// # Panics
    /// If `plane` is not `CELLS` long.
    #[inline]
    pub fn write_numbers<const DIGITS: usize>(&self, digits: [u64; DIGITS], unit: f32, plane: &mut [f32]) {
        assert_eq!(plane.len(), CELLS);
        let digits = digits.map(|digit| [digit as u32, (digit >> 32) as u32]);
        for (number, mask) in plane.iter_mut().zip(&self.masks) {
            let digit = |place: usize| {
                let [low, high] = digits[place];
                if low & mask[0] | high & mask[1] != 0 { 1 << place } else { 0 }
            };
            *number = (0..DIGITS).map(digit).sum::<i32>() as f32 * unit;
        }
    }
}

/// A count for each bit of a mask, up to [`MOST`](Self::MOST), its binary digits in as many masks.
#[derive(Clone, Copy, Debug)]
pub struct BitCounts<const DIGITS: usize> {
    /// The last says that the count is [`MOST`](Self::MOST) or would be more; the others mean nothing then.
    digits: [u64; DIGITS],
}

impl<const DIGITS: usize> BitCounts<DIGITS> {
    /// Where the counts end: the greatest digit alone.
    pub const MOST: u32 = 1 << (DIGITS - 1);

    /// Zeros.
    pub const fn new() -> Self {
        BitCounts { digits: [0; DIGITS] }
    }

    /// Adds one for each bit of `set`.
    #[inline]
    pub fn add(&mut self, set: u64) {
        let mut carry = set;
        for digit in &mut self.digits[..DIGITS - 1] {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
        self.digits[DIGITS - 1] |= carry;
    }

    /// The digits of the counts of the bits in `set`, the least first, and zeros elsewhere.
    #[inline]
    pub fn digits_of(&self, set: u64) -> [u64; DIGITS] {
        let most = self.digits[DIGITS - 1];
        let mut digits = self.digits.map(|digit| digit & !most & set);
        digits[DIGITS - 1] = most & set;
        digits
    }
}

impl<const DIGITS: usize> Default for BitCounts<DIGITS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{RngExt, rng_for};

    #[test]
    fn planes_hold_counts_of_bits_up_to_the_most() {
        let mut rng = rng_for(&[39]);
        for _ in 0..500 {
            // Cells in any order, at both ends of the mask and about its middle.
            let mut bits = [0, 63, 31, 32, 33, 7];
            bits.rotate_left(rng.random_range(0..6));
            let sets: Vec<u64> = (0..rng.random_range(0..12)).map(|_| rng.random()).collect();
            let shown = rng.random::<u64>();
            let mut counts = BitCounts::<3>::new();
            sets.iter().for_each(|&set| counts.add(set));
            let (planes, mut plane) = (BitPlanes::new(bits), [f32::NAN; 6]);
            planes.write_numbers(counts.digits_of(shown), 0.25, &mut plane);
            let expected = bits.map(|bit| {
                let count = sets.iter().filter(|&&set| set >> bit & 1 == 1).count().min(4);
                if shown >> bit & 1 == 1 { count as f32 / 4.0 } else { 0.0 }
            });
            assert_eq!(plane, expected);
            planes.write_set(shown, &mut plane);
            assert_eq!(plane, bits.map(|bit| (shown >> bit & 1) as f32));
            BitPlanes::<6>::in_order().write_set(shown, &mut plane);
            assert_eq!(plane, [0, 1, 2, 3, 4, 5].map(|bit| (shown >> bit & 1) as f32));
        }
    }
}
