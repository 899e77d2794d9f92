//! A position as a picture: the board that the page draws, as an SVG file by itself.
//!
//! What is drawn is what `board.js` and `geometry.js` of the page draw, with the page's own look (`board.css`); a test
//! holds the two alike (`apps/python/tests/test_pictures.py`).

use std::fmt::Write;

use selfplay_env::Position;
use selfplay_env::view::{BoardKind, Layout, Piece, View};
use selfplay_notebooks_export::plots::escaped;

const LOOK: &str = include_str!("../../frontends/src/serve/assets/board.css");
/// Those of the page's colours that boards are drawn in.
const COLOURS: &str = ":root { --bg: #f5f3ee; --surface: #fffefb; --raised: #f0ede6; --ink: #20242a; --muted: #686d74; \
                       --line: #e2ded5; --accent: #2f6f62; --accent-ink: #ffffff; } text { font-family: sans-serif; \
                       text-anchor: middle; dominant-baseline: central; }";
/// A place of level 0 is so wide.
const UNIT: f64 = 100.0;
/// What is left around the places without labels beside them.
const BARE: f64 = 24.0;
/// Between the halves of a board in quadrants.
const GAP: f64 = 16.0;

/// The board of `position` as an SVG document, the places `last` of the last move marked.
///
/// Games whose boards are text are shown as text.
pub fn picture(position: &dyn Position, last: &[usize]) -> String {
    let (rules, view) = (position.rules(), position.view());
    let layout = rules.layout();
    let places = Places::new(&layout);
    let mut drawing = Drawing { layout: &layout, view: &view, places, svg: String::new() };
    if layout.kind == BoardKind::Text {
        return drawing.text_board();
    }
    let title = format!("{}, board", rules.title());
    drawing.board(&title, last);
    drawing.svg
}

/// Where the places lie; see `geometry.js`.
struct Places {
    width: f64,
    height: f64,
    left: f64,
    top: f64,
    inner: (f64, f64),
    row_label_x: f64,
    column_label_y: f64,
    gap: f64,
    rows: usize,
    columns: usize,
}

impl Places {
    fn new(layout: &Layout) -> Self {
        let is_below = layout.kind == BoardKind::Intersections;
        let labelled = if is_below { 70.0 } else { 46.0 };
        let beside = |has_labels: bool| if has_labels { labelled } else { BARE };
        let left = beside(!layout.row_labels.is_empty());
        let top = beside(!layout.column_labels.is_empty() && !is_below);
        let bottom = beside(is_below);
        let gap = if layout.kind == BoardKind::Quadrants { GAP } else { 0.0 };
        let inner = (layout.columns as f64 * UNIT + gap, layout.rows as f64 * UNIT + gap);
        Places {
            width: left + inner.0 + BARE,
            height: top + inner.1 + bottom,
            left,
            top,
            inner,
            row_label_x: left / 2.0 - 2.0,
            column_label_y: if is_below { top + inner.1 + bottom / 2.0 + 4.0 } else { top / 2.0 - 2.0 },
            gap,
            rows: layout.rows,
            columns: layout.columns,
        }
    }

    fn along(&self, start: f64, index: f64, count: usize) -> f64 {
        start + (index + 0.5) * UNIT + if index >= count as f64 / 2.0 { self.gap } else { 0.0 }
    }

    fn column_x(&self, column: f64) -> f64 {
        self.along(self.left, column, self.columns)
    }

    fn row_y(&self, row: f64) -> f64 {
        self.along(self.top, row, self.rows)
    }
}

struct Drawing<'a> {
    layout: &'a Layout,
    view: &'a View,
    places: Places,
    svg: String,
}

impl Drawing<'_> {
    fn add(&mut self, shape: impl AsRef<str>) {
        self.svg.push_str(shape.as_ref());
    }

    fn centre(&self, place: usize) -> (f64, f64) {
        let place = &self.layout.places[place];
        let shift = place.level as f64 / 2.0;
        (self.places.column_x(place.column as f64 + shift), self.places.row_y(place.row as f64 + shift))
    }

    fn radius(&self, place: usize) -> f64 {
        let radius = match self.layout.kind {
            BoardKind::Squares => 30.0,
            BoardKind::Columns => 40.0,
            BoardKind::Stones => 36.0,
            BoardKind::Intersections => 45.0,
            BoardKind::Quadrants => 37.0,
            BoardKind::Pyramid => 49.0,
            BoardKind::Cards | BoardKind::Text => 42.0,
        };
        radius * (1.0 + 0.04 * self.layout.places[place].level as f64)
    }

    fn board(&mut self, title: &str, last: &[usize]) {
        let (kind, Places { width, height, .. }) = (self.layout.kind.name(), &self.places);
        let head = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" class=\"kind-{kind}\" \
             data-kind=\"{kind}\" data-theme=\"light\" role=\"img\" aria-label=\"{}\"><style>{COLOURS}{LOOK}</style>",
            escaped(title)
        );
        self.add(head);
        self.add(
            "<defs><radialGradient id=\"stone-0\" cx=\"0.36\" cy=\"0.3\" r=\"0.75\"><stop offset=\"0\" \
             class=\"light-0\"/><stop offset=\"1\" class=\"dark-0\"/></radialGradient><radialGradient id=\"stone-1\" \
             cx=\"0.36\" cy=\"0.3\" r=\"0.75\"><stop offset=\"0\" class=\"light-1\"/><stop offset=\"1\" \
             class=\"dark-1\"/></radialGradient></defs><g class=\"base\">",
        );
        self.base();
        self.add("</g><g aria-hidden=\"true\">");
        self.labels();
        self.add("</g><g class=\"pieces\">");
        self.pieces();
        self.add("</g><g class=\"marks\">");
        for &place in last {
            let is_left = self.view.pieces[place].is_none();
            self.ring(place, if is_left { "last left" } else { "last" }, 0.0);
        }
        for &place in &self.view.decisive {
            self.ring(place, "decisive", 3.0);
        }
        self.add("</g></svg>");
    }

    fn base(&mut self) {
        let all = 0..self.layout.places.len();
        match self.layout.kind {
            BoardKind::Squares | BoardKind::Stones | BoardKind::Cards => all.for_each(|place| self.tile(place, "tile")),
            BoardKind::Columns => {
                self.plate(10.0);
                all.for_each(|place| self.hole(place, 41));
            }
            BoardKind::Intersections => {
                self.plate(4.0);
                self.crossings();
            }
            BoardKind::Pyramid => {
                self.plate(10.0);
                let layout = self.layout;
                all.filter(|&place| layout.places[place].level == 0).for_each(|place| self.hole(place, 34));
            }
            BoardKind::Quadrants | BoardKind::Text => {}
        }
    }

    fn plate(&mut self, over: f64) {
        let Places { left, top, inner: (width, height), .. } = self.places;
        let (x, y, width, height) = (left - over, top - over, width + 2.0 * over, height + 2.0 * over);
        self.add(format!(
            "<rect class=\"plate\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"28\"/>"
        ));
    }

    fn tile(&mut self, place: usize, class: &str) {
        let (x, y) = self.centre(place);
        let (x, y) = (x - 46.0, y - 46.0);
        self.add(format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"92\" height=\"92\" rx=\"14\"/>"));
    }

    fn hole(&mut self, place: usize, radius: u32) {
        let (x, y) = self.centre(place);
        self.add(format!("<circle class=\"hole\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"));
    }

    fn crossings(&mut self) {
        let Places { rows, columns, .. } = self.places;
        let [left, right] = [0, columns - 1].map(|column| self.places.column_x(column as f64));
        let [top, bottom] = [0, rows - 1].map(|row| self.places.row_y(row as f64));
        let line = |x1: f64, y1: f64, x2: f64, y2: f64| {
            format!("<line class=\"grid-line\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>")
        };
        for row in 0..rows {
            let y = self.places.row_y(row as f64);
            self.add(line(left, y, right, y));
        }
        for column in 0..columns {
            let x = self.places.column_x(column as f64);
            self.add(line(x, top, x, bottom));
        }
        let (x, y) = ((left + right) / 2.0, (top + bottom) / 2.0);
        self.add(format!("<circle class=\"star\" cx=\"{x}\" cy=\"{y}\" r=\"9\"/>"));
    }

    fn labels(&mut self) {
        let size = (self.places.width * 0.033).clamp(16.0, 46.0);
        let text = |x: f64, y: f64, label: &str| {
            format!("<text class=\"label\" x=\"{x}\" y=\"{y}\" font-size=\"{size:.1}\">{}</text>", escaped(label))
        };
        for (column, label) in self.layout.column_labels.iter().enumerate() {
            let (x, y) = (self.places.column_x(column as f64), self.places.column_label_y);
            self.add(text(x, y, label));
        }
        for (row, label) in self.layout.row_labels.iter().enumerate() {
            let (x, y) = (self.places.row_label_x, self.places.row_y(row as f64));
            self.add(text(x, y, label));
        }
    }

    /// The pieces of all places, lower levels first; those of a board in quadrants in a group for each, with its panel.
    fn pieces(&mut self) {
        let count = self.view.pieces.len();
        if self.layout.kind != BoardKind::Quadrants {
            (0..count).for_each(|place| self.piece(place));
            return;
        }
        let half = (self.layout.columns / 2, self.layout.rows / 2);
        for quadrant in 0..4 {
            let (down, right) = (quadrant / 2, quadrant % 2);
            let x = self.places.column_x((right * half.0) as f64) - UNIT / 2.0 + 3.0;
            let y = self.places.row_y((down * half.1) as f64) - UNIT / 2.0 + 3.0;
            let size = half.0 as f64 * UNIT - 6.0;
            self.add(format!(
                "<g class=\"quadrant\" data-quadrant=\"{quadrant}\"><rect class=\"plate\" x=\"{x}\" y=\"{y}\" \
                 width=\"{size}\" height=\"{size}\" rx=\"26\"/>"
            ));
            let is_inside = |place: &usize| {
                let place = &self.layout.places[*place];
                (place.row >= half.1, place.column >= half.0) == (down == 1, right == 1)
            };
            let inside: Vec<usize> = (0..count).filter(is_inside).collect();
            inside.iter().for_each(|&place| self.hole(place, 33));
            inside.iter().for_each(|&place| self.piece(place));
            self.add("</g>");
        }
    }

    fn piece(&mut self, place: usize) {
        let Some(piece) = self.view.pieces[place] else { return };
        let ((x, y), r) = (self.centre(place), self.radius(place));
        let side = match piece {
            Piece::Stone(owner) | Piece::Card { owner, .. } => owner.index().to_string(),
            Piece::Dead => "undefined".into(),
        };
        let shapes = match (piece, self.layout.kind) {
            (Piece::Dead, _) => "<rect class=\"dead\" x=\"-46\" y=\"-46\" width=\"92\" height=\"92\" rx=\"14\"/><path \
                                 class=\"dead-cross\" d=\"M-14 -14 L14 14 M14 -14 L-14 14\"/>"
                .to_owned(),
            (Piece::Card { value, .. }, _) => format!(
                "<rect class=\"card-face\" x=\"-40\" y=\"-40\" width=\"80\" height=\"80\" rx=\"12\"/><text \
                 class=\"card-value\" y=\"-2\">{value}</text><text class=\"card-sum\" y=\"28\">Σ {}</text>",
                self.view.sums[place]
            ),
            (_, BoardKind::Squares) if side == "0" => {
                format!("<path class=\"mark\" d=\"M-{r} -{r} L{r} {r} M{r} -{r} L-{r} {r}\"/>")
            }
            (_, BoardKind::Squares) => format!("<circle class=\"mark\" r=\"{}\"/>", r * 1.08),
            (_, BoardKind::Columns) => {
                format!("<circle class=\"disc\" r=\"{r}\"/><circle class=\"disc-ring\" r=\"{:.1}\"/>", r * 0.68)
            }
            _ => format!(
                "<circle class=\"shadow\" cx=\"{:.3}\" cy=\"{:.3}\" r=\"{r}\"/><circle class=\"stone\" r=\"{r}\" \
                 fill=\"url(#stone-{side})\"/>",
                r * 0.07,
                r * 0.12
            ),
        };
        self.add(format!(
            "<g class=\"piece side-{side}\" data-place=\"{place}\" transform=\"translate({x} {y})\">{shapes}</g>"
        ));
    }

    fn ring(&mut self, place: usize, class: &str, grow: f64) {
        if [BoardKind::Squares, BoardKind::Stones, BoardKind::Cards].contains(&self.layout.kind) {
            return self.tile(place, class);
        }
        let ((x, y), r) = (self.centre(place), self.radius(place) + grow);
        self.add(format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"));
    }

    /// A board that is text.
    fn text_board(&mut self) -> String {
        let lines: Vec<&str> = self.view.text.lines().collect();
        let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let (width, height) = (10 * columns + 20, 20 * lines.len() + 20);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" \
             font-size=\"16\">"
        );
        for (row, line) in lines.iter().enumerate() {
            let y = 20 * row + 24;
            write!(svg, "<text x=\"10\" y=\"{y}\" xml:space=\"preserve\">{}</text>", escaped(line)).expect("a string");
        }
        svg + "</svg>"
    }
}
