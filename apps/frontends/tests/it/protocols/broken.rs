//! Texts that were not written so.

use selfplay_env::rng::{GameRng, RngExt};

/// `text` with one to four of its bytes, words or lines changed, doubled, dropped or cut off, or what does not matter.
pub fn broken(text: &[u8], rng: &mut GameRng) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..rng.random_range(1..5) {
        let at = |rng: &mut GameRng, length: usize| rng.random_range(0..length.max(1)).min(length);
        let start = at(rng, bytes.len());
        let end = (start + rng.random_range(0..20usize)).min(bytes.len());
        match rng.random_range(0..12) {
            0 => bytes.truncate(start),
            1 => drop(bytes.drain(start..end)),
            2 => bytes.insert(start, rng.random()),
            3 if start < bytes.len() => bytes[start] = rng.random(),
            4 => bytes.splice(start..start, b"99999999999999999999".iter().copied()).for_each(drop),
            5 => bytes.splice(start..start, "−é\u{0}\u{feff}".bytes()).for_each(drop),
            6 => {
                let part = bytes[start..end].to_vec();
                bytes.splice(start..start, part).for_each(drop);
            }
            7 => bytes.splice(start..end, b"\n".iter().copied()).for_each(drop),
            8 => bytes.make_ascii_lowercase(),
            9 => bytes.extend(b"\nand more"),
            10 => {
                let end = bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| start + end);
                bytes.splice(end..end, b" \r".iter().copied()).for_each(drop);
            }
            _ => bytes.splice(start..end, b" -1 NaN ".iter().copied()).for_each(drop),
        }
    }
    bytes
}
