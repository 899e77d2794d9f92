//! Curves over an axis, drawn with dots of a quarter of a letter's height, over a shaded band.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line, Points};

use crate::colours::{Colours, Ink};
use crate::text::{number, width};

/// Points in order of x.
pub(crate) struct Curve {
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) ink: Ink,
    /// A letter at its end that tells it from others without colours; none for a curve that is alone.
    pub(crate) sign: &'static str,
}

/// A horizontal line with a name.
pub(crate) struct Level {
    pub(crate) y: f64,
    pub(crate) name: String,
}

/// What is drawn. Curves hold at least one point together.
pub(crate) struct Chart {
    pub(crate) curves: Vec<Curve>,
    /// (x, lower end, upper end) in order of x; may be empty.
    pub(crate) band: Vec<(f64, f64, f64)>,
    pub(crate) levels: Vec<Level>,
    /// What x counts.
    pub(crate) x_title: &'static str,
}

/// The part of the area that holds curves, and what it shows.
struct Plot {
    area: Rect,
    x: [f64; 2],
    y: [f64; 2],
}

impl Plot {
    fn row(&self, y: f64) -> u16 {
        let share = (self.y[1] - y) / (self.y[1] - self.y[0]);
        self.area.y + (share * f64::from(self.area.height)).clamp(0.0, f64::from(self.area.height - 1)) as u16
    }

    /// The x in the middle of a column, counted from the left end of the plot.
    fn x_at(&self, column: u16) -> f64 {
        self.x[0] + (self.x[1] - self.x[0]) * (f64::from(column) + 0.5) / f64::from(self.area.width)
    }

    fn column(&self, x: f64) -> u16 {
        let share = (x - self.x[0]) / (self.x[1] - self.x[0]);
        self.area.x + (share * f64::from(self.area.width)).clamp(0.0, f64::from(self.area.width - 1)) as u16
    }
}

impl Chart {
    /// Draws into `area`, which is at least 8 columns and 3 rows large.
    pub(crate) fn render(&self, area: Rect, buffer: &mut Buffer, colours: Colours) {
        let plot = self.axes(area, buffer, colours);
        for level in &self.levels {
            let row = plot.row(level.y);
            for x in plot.area.left()..plot.area.right() {
                buffer[(x, row)].set_symbol("┄").set_style(colours.style(Ink::Muted));
            }
        }
        self.shade(&plot, buffer, colours);
        let canvas = Canvas::default().marker(Marker::Braille).x_bounds(plot.x).y_bounds(plot.y).paint(|context| {
            for curve in &self.curves {
                let color = colours.colour(curve.ink);
                context.draw(&Points { coords: &curve.points, color });
                for ends in curve.points.windows(2) {
                    let [(x1, y1), (x2, y2)] = [ends[0], ends[1]];
                    context.draw(&Line { x1, y1, x2, y2, color });
                }
                context.layer();
            }
        });
        canvas.render(plot.area, buffer);
        // Dots keep nothing of the pale style of what they cover.
        for position in plot.area.positions() {
            let cell = &mut buffer[position];
            if !["░", "┄", " "].contains(&cell.symbol()) {
                cell.modifier = Modifier::empty();
            }
        }
        self.names(&plot, buffer, colours);
    }

    /// Writes the axes and returns what is between them.
    fn axes(&self, area: Rect, buffer: &mut Buffer, colours: Colours) -> Plot {
        let y = self.bounds();
        let xs = || self.curves.iter().flat_map(|curve| &curve.points).map(|point| point.0);
        let (first, last) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
        let muted = colours.style(Ink::Muted);
        let labels = [y[1], (y[0] + y[1]) / 2.0, y[0]].map(number);
        let column = labels.iter().map(|label| width(label)).max().unwrap_or(0) as u16;
        let inner = Rect {
            x: area.x + column + 1,
            width: area.width.saturating_sub(column + 1).max(1),
            height: area.height - 1,
            ..area
        };
        let rows = [inner.top(), inner.top() + (inner.height - 1) / 2, inner.bottom() - 1];
        for (index, (label, row)) in labels.iter().zip(rows).enumerate() {
            if index != 1 || inner.height >= 5 {
                let x = area.x + column - width(label) as u16;
                buffer.set_stringn(x, row, label, usize::from(area.right() - x), muted);
            }
        }
        let (left, right) = (format!("{first:.0}"), format!("{last:.0}"));
        let bottom = area.bottom() - 1;
        let room = usize::from(inner.width);
        buffer.set_stringn(inner.x, bottom, &left, room, muted);
        if first < last && left.len() + right.len() < room {
            buffer.set_stringn(inner.right() - right.len() as u16, bottom, &right, right.len(), muted);
        }
        let free = room.saturating_sub(left.len() + right.len());
        if free >= self.x_title.len() + 4 {
            let middle = inner.x + (room - self.x_title.len()) as u16 / 2;
            buffer.set_stringn(middle, bottom, self.x_title, self.x_title.len(), muted);
        }
        // One point stands in the middle.
        let x = if first < last { [first, last] } else { [first - 1.0, first + 1.0] };
        Plot { area: inner, x, y }
    }

    fn bounds(&self) -> [f64; 2] {
        let ys = self.curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
        let band = self.band.iter().flat_map(|&(_, low, high)| [low, high]);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for y in ys.chain(band).chain(self.levels.iter().map(|level| level.y)) {
            (low, high) = (low.min(y), high.max(y));
        }
        let margin = if high > low { (high - low) * 0.02 } else { (high.abs() * 0.1).max(0.1) };
        [low - margin, high + margin]
    }

    fn shade(&self, plot: &Plot, buffer: &mut Buffer, colours: Colours) {
        let style = colours.style(Ink::Elo).patch(colours.style(Ink::Muted));
        let mut fill = |x: u16, low: f64, high: f64| {
            for row in plot.row(high)..=plot.row(low) {
                buffer[(x, row)].set_symbol("░").set_style(style);
            }
        };
        if let [(x, low, high)] = self.band[..] {
            fill(plot.column(x), low, high);
            return;
        }
        for column in 0..plot.area.width {
            let x = plot.x_at(column);
            let next = self.band.partition_point(|point| point.0 < x);
            if let (Some(&from), Some(&to)) = (self.band.get(next.wrapping_sub(1)), self.band.get(next)) {
                let part = (x - from.0) / (to.0 - from.0);
                let between = |a: f64, b: f64| a + (b - a) * part;
                fill(plot.area.x + column, between(from.1, to.1), between(from.2, to.2));
            }
        }
    }

    /// Names of levels at the left where the row is free of curves, signs of curves at their ends.
    fn names(&self, plot: &Plot, buffer: &mut Buffer, colours: Colours) {
        for level in &self.levels {
            let row = plot.row(level.y);
            let columns = (width(&level.name) as u16 + 1).min(plot.area.width);
            let is_free = (0..columns).all(|column| buffer[(plot.area.x + column, row)].symbol() == "┄");
            if is_free && plot.area.height >= 6 {
                buffer.set_stringn(plot.area.x, row, &level.name, usize::from(columns), colours.style(Ink::Muted));
            }
        }
        for curve in &self.curves {
            if let Some(&(x, y)) = curve.points.last() {
                buffer.set_stringn(plot.column(x), plot.row(y), curve.sign, 1, colours.style(curve.ink));
            }
        }
    }
}
