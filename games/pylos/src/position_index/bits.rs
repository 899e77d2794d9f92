//! Bits of a mask side by side, and back to their places; by bytes, so that any CPU does it in a few steps.

/// Cells of the pyramid, the apex among them.
pub(super) const BITS: u32 = 30;

/// For each byte of a mask, and each byte whose bits go there or come from there.
#[derive(Debug)]
pub(super) struct BitTables {
    gathered: Box<[[u8; 256]; 256]>,
    spread: Box<[[u8; 256]; 256]>,
}

impl BitTables {
    pub fn new() -> Self {
        let mut tables = BitTables { gathered: Box::new([[0; 256]; 256]), spread: Box::new([[0; 256]; 256]) };
        for mask in 0..256 {
            for bits in 0..256 {
                for (place, bit) in (0..8).filter(|bit| mask >> bit & 1 == 1).enumerate() {
                    tables.gathered[mask][bits] |= ((bits >> bit & 1) << place) as u8;
                    tables.spread[mask][bits] |= ((bits >> place & 1) << bit) as u8;
                }
            }
        }
        tables
    }

    /// The bits of `bits` at the places of `mask`, side by side from the lowest.
    #[inline]
    pub fn gather(&self, mask: u32, bits: u32) -> u32 {
        let (masks, bits) = (mask.to_le_bytes(), bits.to_le_bytes());
        let mut gathered = 0;
        let mut place = 0;
        for (mask, bits) in masks.into_iter().zip(bits) {
            gathered |= u32::from(self.gathered[usize::from(mask)][usize::from(bits)]) << place;
            place += mask.count_ones();
        }
        gathered
    }

    /// The lowest bits of `bits`, one for each place of `mask`, at these places.
    #[inline]
    pub fn spread(&self, mask: u32, mut bits: u32) -> u32 {
        let spread = mask.to_le_bytes().map(|mask| {
            let there = self.spread[usize::from(mask)][(bits & 0xFF) as usize];
            bits >>= mask.count_ones();
            there
        });
        u32::from_le_bytes(spread)
    }
}
