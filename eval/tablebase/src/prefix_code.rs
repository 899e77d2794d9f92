//! Prefix codes (Huffman 1952) in canonical form, so that lengths alone say which code it is (Schwartz and Kallick 1964).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of a code word, at most.
pub(crate) const MAX_BITS: usize = 15;

/// A code for bytes, to write with.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    /// Word and length of each byte; the length is 0 where it has none.
    words: [(u16, u8); 256],
}

/// The same code, to read with.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    /// For each length: the first word of the length, the first place of its bytes and their number.
    lengths: [(u16, u16, u16); MAX_BITS + 1],
    /// The bytes, by ascending length of their words, then by ascending byte.
    bytes: Vec<u8>,
}

/// Bits written one after the other, the first ones into the highest bits of a byte.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    pub bytes: Vec<u8>,
    waiting: u64,
    waiting_bits: u32,
}

/// Bits read in the same order.
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    next: usize,
}

/// The lengths of a shortest code of at most [`MAX_BITS`] bits for bytes that occur so often; 0 for those that do not.
pub(crate) fn lengths(counts: &[u64; 256]) -> [u8; 256] {
    let mut counts = *counts;
    loop {
        let lengths = huffman(&counts);
        if lengths.iter().all(|&length| usize::from(length) <= MAX_BITS) {
            return lengths;
        }
        // Rare bytes count for more until their words are short enough.
        counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 4 + 1);
    }
}

fn huffman(counts: &[u64; 256]) -> [u8; 256] {
    let used = (0..256usize).filter(|&byte| counts[byte] > 0);
    let mut heap: BinaryHeap<Reverse<(u64, usize, Vec<usize>)>> =
        used.map(|byte| Reverse((counts[byte], byte, vec![byte]))).collect();
    let mut lengths = [0u8; 256];
    if let [Reverse((_, _, only))] = heap.as_slice() {
        // A lone byte needs a word all the same.
        lengths[only[0]] = 1;
        return lengths;
    }
    while let Some(Reverse((count, order, mut bytes))) = heap.pop() {
        let Some(Reverse((other_count, _, others))) = heap.pop() else { break };
        bytes.extend(others);
        bytes.iter().for_each(|&byte| lengths[byte] += 1);
        heap.push(Reverse((count + other_count, order, bytes)));
    }
    lengths
}

/// Bytes that have words of each length, in the order of the words.
fn in_order(lengths: &[u8; 256]) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..=u8::MAX).filter(|&byte| lengths[usize::from(byte)] > 0).collect();
    bytes.sort_by_key(|&byte| (lengths[usize::from(byte)], byte));
    bytes
}

impl Encoder {
    /// The code with these lengths.
    pub fn new(lengths: &[u8; 256]) -> Self {
        let mut words = [(0, 0); 256];
        let (mut next, mut length) = (0u16, 0u8);
        for byte in in_order(lengths) {
            next <<= lengths[usize::from(byte)] - length;
            length = lengths[usize::from(byte)];
            words[usize::from(byte)] = (next, length);
            next += 1;
        }
        Encoder { words }
    }

    /// Writes one byte that has a word.
    pub fn write(&self, byte: u8, to: &mut BitWriter) {
        let (word, length) = self.words[usize::from(byte)];
        debug_assert!(length > 0, "only bytes that were counted are written");
        to.write(u64::from(word), u32::from(length));
    }
}

impl Decoder {
    /// The code with these lengths; `None` if there is no such code.
    pub fn new(lengths: &[u8; 256]) -> Option<Self> {
        let bytes = in_order(lengths);
        let mut table = [(0, 0, 0); MAX_BITS + 1];
        let (mut word, mut place) = (0u32, 0u16);
        for (length, entry) in table.iter_mut().enumerate().skip(1) {
            word <<= 1;
            let count = lengths.iter().filter(|&&found| usize::from(found) == length).count() as u16;
            *entry = (word as u16, place, count);
            word += u32::from(count);
            place += count;
            if word > 1 << length {
                return None;
            }
        }
        (usize::from(place) == bytes.len()).then_some(Decoder { lengths: table, bytes })
    }

    /// Reads one byte; `None` if no word begins so.
    #[inline]
    pub fn read(&self, from: &mut BitReader<'_>) -> Option<u8> {
        let bits = from.peek();
        for length in 1..=MAX_BITS {
            let word = bits >> (MAX_BITS - length);
            let (first, place, count) = self.lengths[length];
            if let Some(ahead) = word.checked_sub(first)
                && ahead < count
            {
                from.next += length;
                return Some(self.bytes[usize::from(place + ahead)]);
            }
        }
        None
    }
}

impl BitWriter {
    /// Bits written so far.
    pub fn bits(&self) -> usize {
        8 * self.bytes.len() + self.waiting_bits as usize
    }

    fn write(&mut self, word: u64, length: u32) {
        self.waiting = self.waiting << length | word;
        self.waiting_bits += length;
        while self.waiting_bits >= 8 {
            self.waiting_bits -= 8;
            self.bytes.push((self.waiting >> self.waiting_bits) as u8);
        }
    }

    /// All bytes, the last one filled up with zeros.
    pub fn finish(mut self) -> Vec<u8> {
        let left = (8 - self.waiting_bits % 8) % 8;
        self.write(0, left);
        self.bytes
    }
}

impl<'a> BitReader<'a> {
    /// Begins at bit number `bit`.
    pub fn new(bytes: &'a [u8], bit: usize) -> Self {
        BitReader { bytes, next: bit }
    }

    /// The next [`MAX_BITS`] bits; beyond the end they are zeros.
    #[inline]
    fn peek(&self) -> u16 {
        let first = self.next / 8;
        let byte = |ahead: usize| u32::from(self.bytes.get(first + ahead).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        (bits >> (24 - MAX_BITS - self.next % 8) & ((1 << MAX_BITS) - 1)) as u16
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::rng::{RngExt, rng_for};

    use super::*;

    fn check(data: &[u8]) -> usize {
        let mut counts = [0; 256];
        data.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        let lengths = lengths(&counts);
        let (encoder, decoder) = (Encoder::new(&lengths), Decoder::new(&lengths).unwrap());
        let mut written = BitWriter::default();
        data.iter().for_each(|&byte| encoder.write(byte, &mut written));
        let bits = written.bits();
        let bytes = written.finish();
        let mut reader = BitReader::new(&bytes, 0);
        assert!(data.iter().all(|&byte| decoder.read(&mut reader) == Some(byte)));
        bits
    }

    #[test]
    fn what_is_written_is_read() {
        let mut rng = rng_for(&[3]);
        check(&[7]);
        check(&[7; 100]);
        check(&(0..=255).collect::<Vec<u8>>());
        // Frequencies that double, so that a shortest code would be longer than words may be.
        let steep: Vec<u8> = (0..20u8).flat_map(|byte| vec![byte; 1 << byte]).collect();
        check(&steep);
        let skewed: Vec<u8> = (0..10_000).map(|_| (rng.random::<f64>().powi(4) * 30.0) as u8).collect();
        let bits = check(&skewed);
        assert!(bits < 5 * skewed.len(), "{bits}");
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let mut lengths = [0; 256];
        lengths[..3].fill(1);
        assert!(Decoder::new(&lengths).is_none());
        lengths[0] = 200;
        assert!(Decoder::new(&lengths).is_none());
        let decoder = Decoder::new(&[0; 256]).unwrap();
        assert_eq!(decoder.read(&mut BitReader::new(&[255], 0)), None);
    }
}
