//! Whether text is coloured, and how.

use std::io::IsTerminal;

/// How the terminal is written to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Style {
    /// Characters alone.
    #[default]
    Plain,
    /// With colours (256-colour escape sequences).
    Coloured,
}

impl Style {
    /// Coloured if `output` is a terminal that supports colour. Plain if the environment variable `NO_COLOR` is not
    /// empty (no-color.org), or `TERM` is `dumb`.
    pub fn for_output(output: &impl IsTerminal) -> Style {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if output.is_terminal() && !is_set("NO_COLOR") && !is_dumb { Style::Coloured } else { Style::Plain }
    }

    /// `text` in these colours (codes of SGR, such as `1;38;5;39`), or as it is.
    pub(super) fn paint(self, codes: &str, text: &str) -> String {
        match self {
            Style::Coloured if !codes.is_empty() => format!("\x1b[{codes}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}
