//! How a table lies in its file.
//!
//! ```text
//! header       one line of JSON: Header
//! blocks       of BLOCK numbers each, the last one of the rest:
//!                crc32 of all that follows in the block
//!                for each group of GROUP numbers but the first: the bit at which it begins, 2 bytes
//!                words of the values, from the first bit of the first group on
//! directory    for each SEGMENT: the codes of its blocks; for each block: its bytes, 4 bytes
//! footer       place of the directory, 8 bytes; BLAKE3 of header and directory, 32 bytes; FOOTER
//! ```
//! Integers are little-endian. A value is a byte (see `value.rs`) and is written as a word of the code for the value before it
//! in its group; what stands before the first one counts as [`NO_POSITION`](ValueByte::NO_POSITION). Numbers without a
//! position are written as the value before them would have it, so only numbers with a position have values.

use serde::{Deserialize, Serialize};

use crate::value::ValueByte;

/// The version of this layout.
pub(crate) const VERSION: u32 = 1;
/// Numbers of a block, which is checked as a whole.
pub(crate) const BLOCK: usize = 4096;
/// Numbers of a group, which is read from its beginning.
pub(crate) const GROUP: usize = 64;
/// Blocks that share their codes.
pub(crate) const BLOCKS_PER_SEGMENT: usize = 4096;
/// The last bytes of a table.
pub(crate) const FOOTER: &[u8; 8] = b"TABLEEND";
/// Bytes of the whole footer.
pub(crate) const FOOTER_BYTES: usize = 8 + blake3::OUT_LEN + FOOTER.len();
/// Bytes of a block before its words, if it is full.
pub(crate) const BLOCK_HEAD: usize = 4 + 2 * (BLOCK / GROUP - 1);
/// What stands before the first value of a group.
pub(crate) const BEFORE_FIRST: u8 = ValueByte::NO_POSITION.0;
/// The longest header that is read.
pub(crate) const MAX_HEADER_BYTES: usize = 4096;

/// The first line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub selfplay_table: u32,
    pub game: String,
    pub rules: String,
    pub numbers: u64,
    /// Whether values tell the turns to the end; otherwise all wins are in 1 and all losses in 0.
    pub turns: bool,
}

/// Numbers in block `block` of a table with so many.
pub(crate) fn numbers_in(block: usize, numbers: u64) -> usize {
    let left = numbers - (block * BLOCK) as u64;
    left.min(BLOCK as u64) as usize
}

/// Blocks of a table with so many numbers.
pub(crate) fn blocks(numbers: u64) -> usize {
    numbers.div_ceil(BLOCK as u64) as usize
}
