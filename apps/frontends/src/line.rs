//! Lines of bounded length from whatever can be read.

use std::io::{self, BufRead};

/// One line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine {
    /// Its text without the line's end; bytes that are not UTF-8 are replacement characters.
    Text(String),
    /// It had more bytes than allowed, and was skipped.
    TooLong,
}

/// The next line of at most `limit` bytes, or `None` at the end of the input. A line longer than that is skipped to its
/// end and never held in memory; a last line may lack its end.
///
/// # Errors
/// What reading meets.
pub fn read_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<InputLine>> {
    let mut bytes = Vec::new();
    let mut is_too_long = false;
    let mut is_empty = true;
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = part.iter().position(|&byte| byte == b'\n');
        let text = &part[..end.unwrap_or(part.len())];
        is_empty &= part.is_empty();
        is_too_long |= bytes.len() + text.len() > limit;
        if !is_too_long {
            bytes.extend_from_slice(text);
        }
        let is_last = end.is_some() || part.is_empty();
        let used = text.len() + usize::from(end.is_some());
        input.consume(used);
        if is_last {
            break;
        }
    }
    if is_empty {
        return Ok(None);
    }
    if is_too_long {
        return Ok(Some(InputLine::TooLong));
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(Some(InputLine::Text(String::from_utf8_lossy(&bytes).into_owned())))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn lines_are_cut_at_their_ends_and_long_ones_skipped() {
        let input = b"one\r\n\n\xff!\nfar too long for this\nexactly8\n123456789\nlast";
        // Whatever the size of the buffer.
        for capacity in [1, 3, 64] {
            let mut reader = BufReader::with_capacity(capacity, &input[..]);
            let mut lines = Vec::new();
            while let Some(line) = read_line(&mut reader, 8).unwrap() {
                lines.push(line);
            }
            let text = |text: &str| InputLine::Text(text.into());
            let expected = [
                text("one"),
                text(""),
                text("\u{fffd}!"),
                InputLine::TooLong,
                text("exactly8"),
                InputLine::TooLong,
                text("last"),
            ];
            assert_eq!(lines, expected);
        }
    }
}
