//! A position drawn with characters: flat boards as a grid, a pyramid level by level with its apex on top, other boards as
//! their games write them.

use selfplay_env::view::{BoardKind, Layout, Piece, View};
use selfplay_env::{Rules, Side};

use super::style::Style;

/// Colours of the ground on which stones stand, and of quadrants that are about to change places.
const WOOD: &str = "48;5;179";
const MOVING_WOOD: &str = "48;5;222";
const PANEL: &str = "48;5;25";

/// What is highlighted in addition to the pieces.
#[derive(Clone, Copy, Default)]
pub(super) struct Marks<'a> {
    /// The places of the last move; seen in colours only.
    pub(super) last: &'a [usize],
    /// The quadrants that are about to change places.
    pub(super) moving: &'a [usize],
}

/// Draws `view` of a game by `rules`, with tallies and hands below it; every line ends in a line break.
pub(super) fn draw(rules: &dyn Rules, view: &View, marks: Marks, style: Style) -> String {
    let layout = rules.layout();
    let names = rules.side_names();
    let symbols = names.map(|name| name.chars().next().unwrap_or('?'));
    let picture = Picture { layout: &layout, view, marks, style, symbols };
    let board = match layout.kind {
        BoardKind::Pyramid => picture.pyramid(),
        BoardKind::Text => view.text.clone(),
        _ => picture.grid(),
    };
    board + &beside(names, view)
}

/// Hands and counts, a line for each.
fn beside(names: [&str; 2], view: &View) -> String {
    let mut text = String::new();
    for tally in &view.tallies {
        let [first, second] = Side::BOTH.map(|side| format!("{} {}", names[side.index()], tally.counts[side.index()]));
        text.push_str(&format!("{}: {first}, {second}\n", tally.label));
    }
    for (name, hand) in names.iter().zip(view.hands.iter().flatten()) {
        let cards: Vec<String> = hand.iter().map(u8::to_string).collect();
        text.push_str(&format!("{name}'s hand: {}\n", if cards.is_empty() { "empty".into() } else { cards.join(" ") }));
    }
    text
}

struct Picture<'a> {
    layout: &'a Layout,
    view: &'a View,
    marks: Marks<'a>,
    style: Style,
    symbols: [char; 2],
}

impl Picture<'_> {
    /// Columns of a cell, the space before it included.
    fn cell_width(&self) -> usize {
        match (self.layout.kind, self.style) {
            (BoardKind::Cards, _) => 4,
            (_, Style::Plain) => 2,
            (_, Style::Coloured) => 3,
        }
    }

    fn grid(&self) -> String {
        let indent = self.layout.row_labels.iter().map(String::len).max().unwrap_or(0);
        let is_halved = self.layout.kind == BoardKind::Quadrants;
        let half = |index: usize, count: usize| is_halved && index * 2 == count;
        let mut header = " ".repeat(indent);
        for (column, label) in self.layout.column_labels.iter().enumerate() {
            if half(column, self.layout.columns) {
                header.push_str("  ");
            }
            header.push_str(&self.centred(label));
        }
        let mut text = header.trim_end().to_owned() + "\n";
        for row in 0..self.layout.rows {
            if half(row, self.layout.rows) {
                let width = self.layout.columns / 2 * self.cell_width();
                let rule = "-".repeat(width);
                text.push_str(&format!("{} {rule}+{rule}\n", " ".repeat(indent)));
            }
            let label = self.layout.row_labels.get(row).map_or("", String::as_str);
            text.push_str(&format!("{label:>indent$}"));
            for column in 0..self.layout.columns {
                if half(column, self.layout.columns) {
                    text.push_str(" |");
                }
                text.push_str(&self.cell(row * self.layout.columns + column));
            }
            // The letters of the quadrants stand beside their middle rows.
            if is_halved && row % 3 == 1 {
                text.push_str(if row < 3 { "   quadrants A B" } else { "   quadrants C D" });
            }
            text.push('\n');
        }
        text
    }

    /// Levels from the apex down, each moved in by half a cell a level, and with the names of its first cells.
    fn pyramid(&self) -> String {
        let levels = self.layout.places.iter().map(|place| place.level).max().unwrap_or(0);
        let width = self.cell_width();
        let mut text = String::new();
        for level in (0..=levels).rev() {
            let side = self.layout.rows - level;
            let on_level: Vec<usize> =
                (0..self.layout.places.len()).filter(|&place| self.layout.places[place].level == level).collect();
            let indent = " ".repeat((level * width).div_ceil(2) + 1);
            let letters: String =
                on_level[..side].iter().map(|&place| self.centred(&self.layout.places[place].name[..1])).collect();
            text.push_str(&format!("{indent} {}\n", letters.trim_end()));
            for (row, places) in on_level.chunks(side).enumerate() {
                let cells: String = places.iter().map(|&place| self.cell(place)).collect();
                text.push_str(&format!("{indent}{}{cells}\n", row + 1));
            }
        }
        text
    }

    /// A label above a cell.
    fn centred(&self, label: &str) -> String {
        match (self.layout.kind, self.style) {
            (BoardKind::Cards, _) | (_, Style::Plain) => format!("{label:>width$}", width = self.cell_width()),
            (_, Style::Coloured) => format!("{label:^width$}", width = self.cell_width()),
        }
    }

    fn cell(&self, place: usize) -> String {
        let [empty, forbidden] = if self.style == Style::Plain { [".", "_"] } else { ["·", " "] };
        let symbol = match self.view.pieces[place] {
            None if self.is_fillable(place) => empty.into(),
            None => forbidden.into(),
            Some(Piece::Dead) => "x".into(),
            Some(Piece::Stone(_)) if self.style == Style::Coloured && self.layout.kind != BoardKind::Squares => {
                "●".into()
            }
            Some(Piece::Stone(side)) => self.symbols[side.index()].to_string(),
            Some(Piece::Card { owner, value }) => format!("{}{value}", self.symbols[owner.index()]),
        };
        if self.style == Style::Plain {
            return format!("{symbol:>width$}", width = self.cell_width());
        }
        let is_last = self.marks.last.contains(&place);
        let text = match self.layout.kind {
            BoardKind::Cards if is_last => format!("{:>4}", format!("[{symbol}")),
            BoardKind::Cards => format!("{symbol:>4}"),
            _ if is_last => format!("[{symbol}]"),
            _ => format!(" {symbol} "),
        };
        self.style.paint(&self.codes(place), &text)
    }

    /// Colours of a place: its ground, and the side of what stands there.
    fn codes(&self, place: usize) -> String {
        let side = match self.view.pieces[place] {
            Some(Piece::Stone(side) | Piece::Card { owner: side, .. }) => Some(side.index()),
            _ => None,
        };
        let (ground, colours, empty) = match self.layout.kind {
            BoardKind::Squares | BoardKind::Cards => ("", ["1;38;5;39", "1;38;5;208"], "38;5;245"),
            BoardKind::Columns => (PANEL, ["38;5;203", "38;5;220"], "38;5;75"),
            BoardKind::Quadrants if self.marks.moving.contains(&self.quadrant_of(place)) => {
                (MOVING_WOOD, ["38;5;231", "38;5;16"], "38;5;94")
            }
            _ => (WOOD, ["38;5;231", "38;5;16"], "38;5;94"),
        };
        let colour = side.map_or(empty, |side| colours[side]);
        let decisive = if self.view.decisive.contains(&place) { "1;4;" } else { "" };
        let ground = if ground.is_empty() { String::new() } else { format!(";{ground}") };
        format!("{decisive}{colour}{ground}")
    }

    /// The quadrant of a place: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
    fn quadrant_of(&self, place: usize) -> usize {
        let place = &self.layout.places[place];
        let [down, right] = [place.row * 2 >= self.layout.rows, place.column * 2 >= self.layout.columns];
        2 * usize::from(down) + usize::from(right)
    }

    /// Whether all that a place rests on is there; places on the ground rest on nothing.
    fn is_fillable(&self, place: usize) -> bool {
        let above = &self.layout.places[place];
        self.layout.places.iter().zip(&self.view.pieces).all(|(below, piece)| {
            let is_support = below.level + 1 == above.level
                && (above.row..=above.row + 1).contains(&below.row)
                && (above.column..=above.column + 1).contains(&below.column);
            !is_support || piece.is_some()
        })
    }
}
