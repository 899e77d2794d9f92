//! A rectangle of data with its axes: grid, ticks, axis titles, and the way from numbers to pixels.

use super::axis::Axis;
use super::font::{CAPITAL_HEIGHT_EM, text_width_px};
use super::picture::{Anchor, Color, EM_PX, HEIGHT_PX, Picture, Point, WIDTH_PX};

/// Room for the vertical axis's numbers and title.
pub const LEFT_MARGIN_PX: f64 = 175.0;
/// Room for the half of the last number that stands beyond the horizontal axis.
pub const RIGHT_MARGIN_PX: f64 = 110.0;
/// Room for the horizontal axis's numbers and title.
pub const BOTTOM_MARGIN_PX: f64 = 120.0;
/// Length of a tick outside the frame.
const TICK_PX: f64 = 8.0;
/// Free space between a tick and its number.
const TICK_GAP_PX: f64 = 8.0;

/// Where the data of a plot lie, in pixels, and the two axes that map onto it.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Upper edge.
    pub top: f64,
    /// Lower edge.
    pub bottom: f64,
    /// The horizontal axis, low end on the left.
    pub x: Axis,
    /// The vertical axis, low end at the bottom.
    pub y: Axis,
}

impl Panel {
    /// The whole width of a picture, from `top` down to where the horizontal axis has its room.
    pub fn below(top: f64, x: Axis, y: Axis) -> Panel {
        let (right, bottom) = (f64::from(WIDTH_PX) - RIGHT_MARGIN_PX, f64::from(HEIGHT_PX) - BOTTOM_MARGIN_PX);
        Panel { left: LEFT_MARGIN_PX, right, top, bottom, x, y }
    }

    /// The pixel of the number `x`.
    pub fn x_px(&self, x: f64) -> f64 {
        self.left + self.x.fraction(x) * (self.right - self.left)
    }

    /// The pixel of the number `y`.
    pub fn y_px(&self, y: f64) -> f64 {
        self.bottom - self.y.fraction(y) * (self.bottom - self.top)
    }

    /// The pixel of a pair of numbers.
    pub fn point(&self, (x, y): (f64, f64)) -> Point {
        (self.x_px(x), self.y_px(y))
    }

    /// Draws grid lines, to be covered by data.
    pub fn draw_grid(&self, picture: &mut Picture) {
        for (value, _) in self.y.ticks() {
            let y = self.y_px(value);
            picture.line(vec![(self.left, y), (self.right, y)], Color::LIGHT_GREY, 1);
        }
        for (value, _) in self.x.ticks() {
            let x = self.x_px(value);
            picture.line(vec![(x, self.top), (x, self.bottom)], Color::LIGHT_GREY, 1);
        }
    }

    /// Draws the two axis lines, the vertical axis's ticks, and its title centred beside them; where numbers are too high
    /// to stand above each other, only every second, third … tick has one.
    pub fn draw_y_axis(&self, picture: &mut Picture, title: &str) {
        let corner = vec![(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        picture.line(corner, Color::BLACK, 2);
        let mut widest: f64 = 0.0;
        let ticks = self.y.ticks();
        let spacing = (self.bottom - self.top) / ticks.len().max(1) as f64;
        let every = (EM_PX / spacing).ceil().max(1.0) as usize;
        for (index, (value, text)) in ticks.iter().enumerate() {
            let y = self.y_px(*value);
            picture.line(vec![(self.left - TICK_PX, y), (self.left, y)], Color::BLACK, 2);
            if index.is_multiple_of(every) {
                let at = (self.left - TICK_PX - TICK_GAP_PX, y + CAPITAL_HEIGHT_EM / 2.0 * EM_PX);
                picture.text(text, at, Anchor::End);
                widest = widest.max(text_width_px(text, EM_PX));
            }
        }
        let at = (self.left - TICK_PX - TICK_GAP_PX - widest - 0.7 * EM_PX, (self.top + self.bottom) / 2.0);
        picture.text_up(title, at, Anchor::Middle, EM_PX);
    }

    /// Draws the horizontal axis's ticks and its title centred below them; where numbers are too wide to stand side by
    /// side, only every second, third … has one.
    pub fn draw_x_axis(&self, picture: &mut Picture, title: &str) {
        let numbers_y = self.bottom + TICK_PX + TICK_GAP_PX + CAPITAL_HEIGHT_EM * EM_PX;
        let ticks = self.x.ticks();
        let widest = ticks.iter().map(|(_, text)| text_width_px(text, EM_PX)).fold(0.0, f64::max);
        let spacing = (self.right - self.left) / ticks.len().max(1) as f64;
        let every = ((widest + EM_PX) / spacing).ceil().max(1.0) as usize;
        for (index, (value, text)) in ticks.iter().enumerate() {
            let x = self.x_px(*value);
            picture.line(vec![(x, self.bottom), (x, self.bottom + TICK_PX)], Color::BLACK, 2);
            if index.is_multiple_of(every) {
                picture.text(text, (x, numbers_y), Anchor::Middle);
            }
        }
        picture.text(title, ((self.left + self.right) / 2.0, numbers_y + 1.5 * EM_PX), Anchor::Middle);
    }
}
