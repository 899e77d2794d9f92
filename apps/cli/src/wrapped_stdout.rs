//! Output wrapped to the terminal's width: longer lines break between words, never within a number.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use terminal_size::{Width, terminal_size_of};
use textwrap::{Options, WordSeparator, WordSplitter};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Continuation lines align with the last column that begins within the first `1 / INDENT_SHARE` of the width.
const INDENT_SHARE: usize = 3;
/// Indent of other continuation lines, relative to the line's beginning.
const MIN_INDENT: usize = 4;
/// Stands for a space between a number and its unit, where no line is broken.
const BOUND: char = '\u{a0}';
const UNITS: [&str; 8] = ["%", "s", "ms", "h", "min", "Elo", "MiB", "nats"];
/// Narrower terminals are taken to be so wide.
const MIN_WIDTH: usize = 20;

/// Columns of the terminal that standard output is; `None` where it is none.
pub fn stdout_width() -> Option<usize> {
    terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width))
}

/// Standard output: on a terminal wrapped to its width, to files and programs as it is.
pub struct WrappedStdout<W: Write> {
    out: W,
    /// Characters in a line; `None` to leave lines as they are.
    width: Option<usize>,
    /// What has been written of the line that is not at its end.
    line: Vec<u8>,
}

impl WrappedStdout<io::Stdout> {
    /// The program's own standard output.
    pub fn stdout() -> Self {
        WrappedStdout::new(io::stdout(), stdout_width())
    }
}

impl<W: Write> WrappedStdout<W> {
    /// Writes on `out` lines of at most `width` characters.
    pub fn new(out: W, width: Option<usize>) -> Self {
        WrappedStdout { out, width, line: Vec::new() }
    }
}

impl<W: Write> Write for WrappedStdout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(width) = self.width else { return self.out.write(bytes) };
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let text = harmless(&String::from_utf8_lossy(&line[..line.len() - 1]));
                self.out.write_all(wrapped(&text, width).as_bytes())?;
                self.out.write_all(b"\n")?;
            }
        }
        Ok(bytes.len())
    }

    /// Writes what there is of the last line, too: it may be a question.
    fn flush(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out.write_all(harmless(&String::from_utf8_lossy(&line)).as_bytes())?;
        self.out.flush()
    }
}

/// `text` from any source, made safe for a terminal: only colour sequences keep their effect. Characters that would
/// move the cursor, clear the screen, query the terminal or change the writing direction are replaced by their code
/// points.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let colour = colour_len(rest);
        let is_harmful = letter.is_control() && letter != '\t' && letter != '\n' || DIRECTIONS.contains(&letter);
        let len = if colour > 0 { colour } else { letter.len_utf8() };
        match colour == 0 && is_harmful {
            true => shown.extend(letter.escape_unicode()),
            false => shown.push_str(&rest[..len]),
        }
        rest = &rest[len..];
    }
    shown
}

/// Characters that change the direction in which what follows is written.
const DIRECTIONS: [char; 9] =
    ['\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}'];

/// Bytes of the sequence for a colour that `text` begins with; 0 if it begins with none.
fn colour_len(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\x1b[") else { return 0 };
    let len = codes.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if codes[len..].starts_with('m') { 2 + len + 1 } else { 0 }
}

/// `line` in lines of at most `width` characters, broken between words alone.
pub fn wrapped(line: &str, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    if textwrap::core::display_width(line) <= width {
        return line.to_owned();
    }
    let indent = " ".repeat(indent_of(line, width));
    let line = &bound(line);
    let options = Options::new(width)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .subsequent_indent(&indent);
    textwrap::wrap(line, options).join("\n").replace(BOUND, " ")
}

/// `line` with every unit bound to its number.
fn bound(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for (number, word) in line.split(' ').enumerate() {
        let is_unit = UNITS.contains(&word.trim_end_matches([',', ';', '.', ')']));
        let follows_number = text.ends_with(|last: char| last.is_ascii_digit());
        match number == 0 {
            true => {}
            false if is_unit && follows_number => text.push(BOUND),
            false => text.push(' '),
        }
        text.push_str(word);
    }
    text
}

/// The indent of continuation lines: under the last column that begins early enough.
fn indent_of(line: &str, width: usize) -> usize {
    let letters: Vec<char> = line.chars().collect();
    let begins = |&column: &usize| letters[column] != ' ' && letters[..column].ends_with(&[' ', ' ']);
    let start = letters.iter().take_while(|&&letter| letter == ' ').count();
    let column = (start + 1..letters.len().min(width / INDENT_SHARE + 1)).rev().find(begins);
    column.unwrap_or_else(|| (start + MIN_INDENT).min(width / INDENT_SHARE))
}

/// How warnings and errors look: a word and the sentence, wrapped as all else.
pub struct Messages {
    width: Option<usize>,
    is_coloured: bool,
}

impl Messages {
    /// For the program's standard error.
    pub fn stderr() -> Self {
        let stderr = io::stderr();
        let width = terminal_size_of(&stderr).map(|(Width(width), _)| usize::from(width));
        Messages { width, is_coloured: stderr.is_terminal() }
    }
}

impl<S, N> FormatEvent<S, N> for Messages
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let (word, colour) = match *event.metadata().level() {
            Level::ERROR => ("error: ", "31"),
            Level::WARN => ("warning: ", "33"),
            _ => ("", "0"),
        };
        let mut sentence = String::new();
        context.field_format().format_fields(Writer::new(&mut sentence), event)?;
        let text = format!("{word}{}", if self.is_coloured { harmless(&sentence) } else { sentence });
        let text = self.width.map_or_else(|| text.clone(), |width| wrapped(&text, width));
        match text.strip_prefix(word).filter(|_| self.is_coloured && !word.is_empty()) {
            Some(rest) => writeln!(to, "\x1b[{colour}m{word}\x1b[0m{rest}"),
            None => writeln!(to, "{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_colours_a_terminal_and_does_nothing_else_to_it() {
        assert_eq!(harmless("a \x1b[1;31mred\x1b[0m tab\t é"), "a \x1b[1;31mred\x1b[0m tab\t é");
        for (text, shown) in [
            ("\x1b[2J", "\\u{1b}[2J"),
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("back\rto the start", "back\\u{d}to the start"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("\u{202e}txet", "\\u{202e}txet"),
            ("\x1b[", "\\u{1b}["),
        ] {
            assert_eq!(harmless(text), shown);
        }
        let mut output = WrappedStdout::new(Vec::new(), Some(80));
        writeln!(output, "\x1b[2Jname").unwrap();
        write!(output, "\x07").unwrap();
        output.flush().unwrap();
        assert_eq!(output.out, b"\\u{1b}[2Jname\n\\u{7}");
        let mut file = WrappedStdout::new(Vec::new(), None);
        writeln!(file, "\x1b[2Jname").unwrap();
        assert_eq!(file.out, b"\x1b[2Jname\n", "files and programs get what there is");
    }

    #[test]
    fn lines_are_wrapped_between_words_under_their_last_column() {
        let line = "generation   3  gate       promoted: 0.500 [0.423, 0.577] in 8 game pairs";
        assert_eq!(
            wrapped(line, 60),
            "generation   3  gate       promoted: 0.500 [0.423, 0.577] in\n                8 game pairs"
        );
        assert_eq!(wrapped(line, 200), line);
        let shares = wrapped("first/draw/second 56/30/14 %, 0 cut, 100 s", 26);
        assert_eq!(shares, "first/draw/second\n    56/30/14 %, 0 cut,\n    100 s");
        let long = "a/very/long/path/that/has/no/space/in/it/at/all";
        assert_eq!(
            wrapped(&format!("champion   {long}"), 30),
            format!("champion\n    {long}").replace("    a", "    a")
        );
        for width in [1, 20, 40, 80] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(wrapped(line, width).split_whitespace().collect::<Vec<_>>(), words, "no word is broken");
        }
    }

    #[test]
    fn only_whole_lines_are_wrapped_and_the_rest_is_written_when_asked_for() {
        let mut output = WrappedStdout::new(Vec::new(), Some(20));
        write!(output, "one two three four five six\nyour move").unwrap();
        output.flush().unwrap();
        assert_eq!(String::from_utf8(output.out).unwrap(), "one two three four\n    five six\nyour move");
        let mut plain = WrappedStdout::new(Vec::new(), None);
        writeln!(plain, "one two three four five six").unwrap();
        assert_eq!(plain.out, b"one two three four five six\n");
    }
}
