//! The report for people.

use super::layout::{Column, Kind, table};
use super::{EloLine, EloReport};
use selfplay_ratings::ratings::{Anchor, RatingBasis};

use crate::wrapped::wrapped;

/// Players in the table of likelihoods, at most, to keep it readable.
const MAX_LIKELIHOODS: usize = 20;
/// Columns of likelihoods side by side, at least, however narrow the terminal is.
const MIN_BLOCK: usize = 2;

impl EloReport {
    /// The table of ratings, what is to be said about it, and the likelihoods of superiority, in lines of at most `width`
    /// characters; of at most about 40 if it is less.
    pub fn text(&self, width: usize) -> String {
        let rated: Vec<&EloLine> = self.players.iter().filter(|line| line.elo.is_some()).collect();
        let mut text = if rated.is_empty() { String::new() } else { ratings(&rated, width) };
        for note in self.notes(&rated) {
            text += &wrapped(note.split_whitespace(), width);
        }
        if rated.len() > 1 {
            text.push('\n');
            text += &self.likelihoods(rated.len(), width);
        }
        text
    }

    fn notes(&self, rated: &[&EloLine]) -> Vec<String> {
        let mut notes = Vec::new();
        let has_marks = rated.iter().any(|line| line.basis == RatingBasis::Prior);
        if has_marks {
            notes.push(
                "* Won or lost all games: only the prior bounds this rating and that end of its interval.".into(),
            );
        }
        notes.extend(self.unrated.iter().map(|unrated| format!("{unrated}.")));
        let zero = match &self.anchor {
            Anchor::Player { name, elo } => format!("{name} is at {elo}"),
            Anchor::Mean if has_marks => "the mean of those without * is at 0".into(),
            Anchor::Mean => "the mean is at 0".into(),
        };
        let game = self.game.as_ref().map_or(String::new(), |game| format!(" of {game}"));
        notes.push(format!(
            "{} games{game}; {zero}, and the 95 % intervals are those of the difference to it. The first move is worth {} \
             Elo. Prior: {}.",
            self.games, self.first_player_elo, self.prior
        ));
        if self.stopped > 0 {
            notes.push(format!("{} truncated games count as draws.", self.stopped));
        }
        if self.repeats > 0 {
            let percent = 100.0 * self.repeats as f64 / self.games.max(1) as f64;
            notes.push(format!(
                "{} games ({percent:.1} %) are duplicates of an earlier game of the same players, so the intervals are too narrow.",
                self.repeats
            ));
        }
        notes
    }

    /// The likelihoods of superiority of the first players, in blocks of columns that fit.
    fn likelihoods(&self, rated: usize, width: usize) -> String {
        let shown = rated.min(MAX_LIKELIHOODS);
        let mut title = "Likelihood in % that the player in the row is stronger than that in the column".to_owned();
        if shown < rated {
            title += &format!(", of the first {shown}");
        }
        let mut text = wrapped(title.split_whitespace(), width);
        let titles: Vec<String> = (1..=shown).map(|number| number.to_string()).collect();
        let cell = |row: usize, column: usize| self.los[row][column].map_or("-".into(), percent);
        let per_block = (width.saturating_sub(3) / 7).max(MIN_BLOCK);
        for first in (0..shown).step_by(per_block) {
            let block = first..(first + per_block).min(shown);
            let line = |label: &str, cells: Vec<String>| {
                let cells: String = cells.iter().map(|cell| format!("  {cell:>5}")).collect();
                format!("{label:>3}{cells}\n")
            };
            text += &line("", block.clone().map(|column| titles[column].clone()).collect());
            for (row, title) in titles.iter().enumerate() {
                text += &line(title, block.clone().map(|column| cell(row, column)).collect());
            }
        }
        text
    }
}

fn ratings(lines: &[&EloLine], width: usize) -> String {
    let cells = |cell: &dyn Fn(&EloLine) -> String| lines.iter().map(|line| cell(line)).collect::<Vec<_>>();
    let elo = |elo: Option<f64>| elo.map_or("-".into(), |elo| format!("{elo:+.0}"));
    let interval = |line: &EloLine| match (line.elo_low, line.elo_high) {
        (low, high) if low == high => "fixed".into(),
        (low, high) => format!("{} to {}", elo(low), elo(high)),
    };
    let mark = |line: &EloLine| if line.basis == RatingBasis::Prior { "*" } else { "" };
    let column = |title, kind, cells| Column { title, cells, kind };
    let numbers = (1..=lines.len()).map(|number| number.to_string()).collect();
    let columns = vec![
        column("#", Kind::Number, numbers),
        column("player", Kind::Name, cells(&|line| line.player.clone())),
        column("Elo", Kind::Number, cells(&|line| elo(line.elo) + mark(line))),
        column("95 %", Kind::Number, cells(&interval)),
        column("games", Kind::Extra, cells(&|line| line.games.to_string())),
        column("score", Kind::Extra, cells(&|line| format!("{:.1} %", 100.0 * line.score))),
        column("drawn", Kind::Extra, cells(&|line| format!("{:.1} %", 100.0 * line.draw_share))),
        column("opponents", Kind::Extra, cells(&|line| line.opponents.to_string())),
    ];
    table(columns, width)
}

/// A likelihood in per cent; a finite number of samples never shows certainty.
fn percent(los: f64) -> String {
    match 100.0 * los {
        percent if percent < 0.1 => "<0.1".into(),
        percent if percent > 99.9 => ">99.9".into(),
        percent => format!("{percent:.1}"),
    }
}
