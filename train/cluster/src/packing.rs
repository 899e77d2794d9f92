//! Serialised results: compressed, split into parts and joined again. No length is trusted before it is checked.

use std::io::Read;

use crate::error::InvalidResult;
use crate::wire::Part;

/// Bytes in a part, at most: with what stands around them less than the megabyte that servers take.
pub const PART_BYTES: usize = 384 * 1024;
/// Bytes of a compressed result, at most.
pub const MAX_PACKED: usize = 64 << 20;
/// Bytes of a result, at most.
pub const MAX_UNPACKED: usize = 512 << 20;
/// The library's own choice between speed and size.
const LEVEL: i32 = 3;

/// Compresses a result.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, LEVEL).expect("memory refuses nothing")
}

/// The opposite of [`pack`], for results of at most `max` bytes.
pub fn unpack(bytes: &[u8], max: usize) -> Result<Vec<u8>, InvalidResult> {
    let max = max.min(MAX_UNPACKED);
    let mut unpacked = Vec::new();
    let reader = zstd::Decoder::new(bytes).map_err(InvalidResult::NotCompressed)?;
    // One byte more than is allowed shows that the result is too long.
    reader.take(max as u64 + 1).read_to_end(&mut unpacked).map_err(InvalidResult::NotCompressed)?;
    if unpacked.len() > max {
        return Err(InvalidResult::TooLong(max));
    }
    Ok(unpacked)
}

/// The parts of a packed result; `part` is all but its bytes and their numbers.
pub fn parts(packed: &[u8], part: &Part) -> Vec<Part> {
    let chunks: Vec<&[u8]> = if packed.is_empty() { vec![packed] } else { packed.chunks(PART_BYTES).collect() };
    let (length, count) = (packed.len() as u32, chunks.len() as u32);
    let numbered = (0..).zip(chunks);
    numbered.map(|(index, bytes)| Part { length, index, count, bytes: bytes.to_vec(), ..part.clone() }).collect()
}

/// Checks a part by itself.
///
/// # Errors
/// Lengths and numbers that no part can have.
pub fn check_part(part: &Part) -> Result<(), InvalidResult> {
    let length = part.length as usize;
    if length > MAX_PACKED {
        return Err(InvalidResult::TooManyBytes { length, most: MAX_PACKED });
    }
    let count = length.div_ceil(PART_BYTES).max(1);
    let place = part.index as usize * PART_BYTES;
    let expected = length.saturating_sub(place).min(PART_BYTES);
    if (part.count as usize, part.bytes.len()) != (count, expected) || part.index >= part.count {
        let Part { index, count, .. } = *part;
        return Err(InvalidResult::NoSuchPart { index, count, bytes: part.bytes.len(), length });
    }
    Ok(())
}

/// The hash that tells a result from another.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_and_cut_comes_back() {
        for length in [0, 1, 5000, 3 * PART_BYTES + 7] {
            let bytes: Vec<u8> =
                (0..length as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect();
            let packed = pack(&bytes);
            let cut = parts(&packed, &Part::example());
            assert!(cut.iter().all(|part| check_part(part).is_ok()));
            let together: Vec<u8> = cut.iter().flat_map(|part| part.bytes.clone()).collect();
            assert_eq!(unpack(&together, MAX_UNPACKED).unwrap(), bytes);
            assert_eq!(unpack(&together, bytes.len()).unwrap(), bytes);
            assert!(bytes.is_empty() || unpack(&together, bytes.len() - 1).is_err(), "one byte too many");
        }
    }

    #[test]
    fn damage_is_told_and_lengths_are_not_believed() {
        let packed = pack(&[7; 1000]);
        for wrong in [&packed[..packed.len() - 1], b"nonsense", b""] {
            assert!(unpack(wrong, MAX_UNPACKED).is_err());
        }
        let whole = parts(&packed, &Part::example()).remove(0);
        for wrong in [
            Part { length: u32::MAX, ..whole.clone() },
            Part { count: 2, ..whole.clone() },
            Part { index: 1, ..whole.clone() },
            Part { length: whole.length + 1, ..whole.clone() },
            Part { bytes: Vec::new(), ..whole.clone() },
        ] {
            assert!(check_part(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let bomb = zstd::encode_all(std::io::repeat(0).take(MAX_UNPACKED as u64 + 5), 1).unwrap();
        assert!(bomb.len() < 1 << 20);
        assert!(matches!(unpack(&bomb, usize::MAX), Err(InvalidResult::TooLong(MAX_UNPACKED))));
    }
}
