//! What a program said, as reasons quote it.

/// How much of an answer reasons quote, in characters.
const QUOTED: usize = 80;

/// The beginning of `text`, on one line.
pub fn quoted(text: &str) -> String {
    let mut beginning: String = text.chars().take(QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > QUOTED {
        beginning.push('…');
    }
    beginning
}
