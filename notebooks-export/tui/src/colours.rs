//! What colours mean, and whether there are any.

use ratatui::style::{Color, Modifier, Style};

/// Whether the terminal is to show colours.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Colours {
    /// The sixteen that every colour terminal has, as its owner chose them.
    #[default]
    Sixteen,
    /// None: bold and dim letters alone.
    None,
}

/// What something is, which decides its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ink {
    Plain,
    Muted,
    Title,
    Warning,
    Elo,
    PolicyLoss,
    ValueLoss,
    First,
    Second,
    Draw,
}

impl Colours {
    /// None if `NO_COLOR` is set and not empty (no-color.org) or `TERM` is `dumb`, otherwise sixteen.
    pub fn from_environment() -> Self {
        let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        if is_unwanted || is_dumb { Colours::None } else { Colours::Sixteen }
    }

    /// How `ink` looks.
    pub(crate) fn style(self, ink: Ink) -> Style {
        let style = match ink {
            Ink::Title => Style::new().add_modifier(Modifier::BOLD),
            Ink::Warning => Style::new().add_modifier(Modifier::BOLD),
            Ink::Muted => Style::new().add_modifier(Modifier::DIM),
            _ => Style::new(),
        };
        let colour = match ink {
            Ink::Plain | Ink::Muted | Ink::Title => return style,
            Ink::Warning => Color::Red,
            Ink::Elo => Color::Cyan,
            Ink::PolicyLoss | Ink::First => Color::Yellow,
            Ink::ValueLoss => Color::Magenta,
            Ink::Second => Color::Blue,
            Ink::Draw => Color::Green,
        };
        if self == Colours::None { style } else { style.fg(colour) }
    }

    /// The colour of `ink` alone, for lines of dots.
    pub(crate) fn colour(self, ink: Ink) -> Color {
        self.style(ink).fg.unwrap_or(Color::Reset)
    }
}
