//! Words in lines of a limited length.

/// `words` with spaces between them, in as few lines of at most `width` characters as they fit in, each with its end. A
/// longer word is cut.
pub(crate) fn wrapped<'a>(words: impl Iterator<Item = &'a str>, width: usize) -> String {
    let width = width.max(1);
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        for letter in word.chars() {
            if column == width {
                text.push('\n');
                column = 0;
            }
            text.push(letter);
            column += 1;
        }
    }
    if column > 0 {
        text.push('\n');
    }
    text
}
