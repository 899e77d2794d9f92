//! What a program or a person said, as reasons quote it.

/// How much of an answer reasons quote, in characters.
const QUOTED: usize = 80;

/// The beginning of `text`, on one line.
pub fn quoted(text: &str) -> String {
    let mut beginning: String = text.chars().take(QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(QUOTED).is_some() {
        beginning.push('…');
    }
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_on_one_line() {
        assert_eq!(quoted("a\tb\u{7}"), "a b ");
        assert_eq!(quoted(&"x".repeat(200)).chars().count(), 81);
    }
}
