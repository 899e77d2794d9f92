//! Numbers and sentences as people read them in a small space.

use std::time::Duration;

use ratatui::text::Line;
use selfplay_notebooks_export::RunState;

/// Three digits or so: `1.23`, `45.6`, `789`, `12,345` as `12.3k`, `2,345,678` as `2.35M`.
pub(crate) fn number(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 999_500.0 => (value / 1e6, "M"),
        size if size >= 9_999.5 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let decimals = match scaled.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$}{unit}")
}

/// `52 %`; with a decimal, `4.5 %`, where whole numbers would hide the differences.
pub(crate) fn percent(share: f64) -> String {
    let decimals = usize::from(share > 0.0 && share < 0.095);
    format!("{:.decimals$} %", share * 100.0)
}

/// `12 s`, `4 min 10 s`, `3 h 05 min`, `2 d 4 h`.
pub(crate) fn duration(seconds: f64) -> String {
    // Beyond what a duration holds there is nothing to tell apart.
    let seconds = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX).as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// `running`, `stopped 4 min 10 s ago`.
pub(crate) fn state(state: RunState, now_unix_seconds: u64) -> String {
    let ago = |since: u64| duration(now_unix_seconds.saturating_sub(since) as f64);
    match state {
        RunState::Running => "running".into(),
        RunState::Stopped { since_unix_seconds } => format!("stopped {} ago", ago(since_unix_seconds)),
        RunState::Finished { since_unix_seconds } => format!("finished {} ago", ago(since_unix_seconds)),
    }
}

/// Columns that `text` takes.
pub(crate) fn width(text: &str) -> usize {
    Line::from(text).width()
}

/// The first of `versions` that fits into `columns`; the last if none does.
pub(crate) fn fitting(versions: &[String], columns: u16) -> &str {
    let fits = versions.iter().find(|text| width(text) <= usize::from(columns));
    fits.or(versions.last()).map_or("", String::as_str)
}

/// `text` in lines of at most `columns`, broken at spaces where there are any; further lines are indented by two.
pub(crate) fn wrapped(text: &str, columns: u16) -> Vec<String> {
    let columns = usize::from(columns).max(4);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if width(&line) + 1 + width(word) > columns && !line.trim().is_empty() {
            lines.push(std::mem::replace(&mut line, "  ".into()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        for letter in word.chars() {
            if width(&line) + width(&letter.to_string()) > columns {
                lines.push(std::mem::replace(&mut line, "  ".into()));
            }
            line.push(letter);
        }
    }
    lines.push(line);
    lines
}
