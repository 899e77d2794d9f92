//! Texts next to the charts.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBColor};

use super::canvas::{Area, Drawn};
use super::font::{CAPITAL_HEIGHT_EM, baseline_em, text_style};
use super::palette;
use super::size::{EM, HEIGHT, WIDTH};

/// Draws `text` with the middle of its capitals at height `y`; `anchor` is the part of it at `x`.
pub fn draw_text(area: &Area, text: &str, at: (i32, i32), anchor: HPos, em: f64, color: RGBColor) -> Drawn {
    let style = text_style(em, color).pos(Pos::new(anchor, VPos::Top));
    area.draw_text(text, &style, (at.0, at.1 - rise(em)))
}

/// Draws `text` from bottom to top with the middle of its capitals at `x`; `anchor` is the part of it at height `y`.
pub fn draw_text_up(area: &Area, text: &str, at: (i32, i32), anchor: HPos, em: f64, color: RGBColor) -> Drawn {
    let style = text_style(em, color).transform(FontTransform::Rotate270).pos(Pos::new(anchor, VPos::Top));
    area.draw_text(text, &style, (at.0 - rise(em), at.1))
}

/// From the middle of the capitals up to the reference point of [`VPos::Top`].
fn rise(em: f64) -> i32 {
    ((baseline_em(VPos::Top) - CAPITAL_HEIGHT_EM / 2.0) * em).round() as i32
}

/// Draws `heading` and below it why there is no data, in the middle of the canvas.
pub fn draw_missing(area: &Area, heading: &str, reason: &str) -> Drawn {
    let em = EM.round() as i32;
    draw_text(area, heading, (WIDTH / 2, HEIGHT / 2 - em), HPos::Center, EM, palette::BLACK)?;
    draw_text(area, reason, (WIDTH / 2, HEIGHT / 2 + em), HPos::Center, EM, palette::DARK_GREY)
}
