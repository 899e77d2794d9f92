//! Colours for numbers in heat maps, in so few steps that equal cells share an element of the SVG.

use plotters::coord::ranged1d::Ranged;
use plotters::element::{PathElement, Rectangle};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBColor};

use super::axis::Axis;
use super::canvas::{Area, Drawn};
use super::palette;
use super::size::EM;
use super::text::draw_text;

/// Steps of a scale.
const STEPS: usize = 32;
/// ColorBrewer's sequential "Blues" (Brewer and Harrower), light to dark.
const BLUES: [[f64; 3]; 5] =
    [[247.0, 251.0, 255.0], [198.0, 219.0, 239.0], [107.0, 174.0, 214.0], [33.0, 113.0, 181.0], [8.0, 48.0, 107.0]];
/// ColorBrewer's diverging "RdBu", from loss to win; distinguishable without red-green vision.
const RED_BLUE: [[f64; 3]; 5] =
    [[178.0, 24.0, 43.0], [244.0, 165.0, 130.0], [247.0, 247.0, 247.0], [146.0, 197.0, 222.0], [33.0, 102.0, 172.0]];

/// A scale of colours for numbers in 0..=1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shades {
    /// Light to dark: nothing to much.
    Sequential,
    /// Red over white to blue: a half is white.
    Diverging,
}

impl Shades {
    /// The colour of `fraction` in 0..=1.
    pub fn color(self, fraction: f64) -> RGBColor {
        let stops = match self {
            Shades::Sequential => BLUES,
            Shades::Diverging => RED_BLUE,
        };
        let step = (fraction.clamp(0.0, 1.0) * STEPS as f64).round() / STEPS as f64;
        let place = step * (stops.len() - 1) as f64;
        let below = (place.floor() as usize).min(stops.len() - 2);
        let part = place - below as f64;
        let [red, green, blue] = [0, 1, 2]
            .map(|channel| (stops[below][channel] * (1.0 - part) + stops[below + 1][channel] * part).round() as u8);
        RGBColor(red, green, blue)
    }

    /// The colour of a text on that of `fraction`.
    pub fn ink(self, fraction: f64) -> RGBColor {
        let RGBColor(red, green, blue) = self.color(fraction);
        let light = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
        if light > 140.0 { palette::ON_LIGHT } else { palette::ON_DARK }
    }

    /// Draws the scale as an upright bar between two corners with the axis's ticks on its right.
    pub fn draw_bar(self, area: &Area, (left, top): (i32, i32), (right, bottom): (i32, i32), axis: Axis) -> Drawn {
        let edge = |step: usize| bottom - (bottom - top) * step as i32 / (STEPS + 1) as i32;
        for step in 0..=STEPS {
            let color = self.color(step as f64 / STEPS as f64);
            area.draw(&Rectangle::new([(left, edge(step + 1)), (right, edge(step))], color.filled()))?;
        }
        for (value, text) in axis.ticks() {
            let y = axis.map(&value, (bottom, top));
            area.draw(&PathElement::new(vec![(right, y), (right + 16, y)], palette::BLACK.stroke_width(4)))?;
            draw_text(area, &text, (right + 32, y), HPos::Left, EM, palette::BLACK)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_the_scale_and_texts_can_be_read_on_both() {
        assert_eq!(Shades::Sequential.color(-1.0), RGBColor(247, 251, 255));
        assert_eq!(Shades::Sequential.color(1.0), RGBColor(8, 48, 107));
        assert_eq!(Shades::Diverging.color(0.5), RGBColor(247, 247, 247));
        assert_eq!((Shades::Sequential.ink(0.0), Shades::Sequential.ink(1.0)), (palette::ON_LIGHT, palette::ON_DARK));
    }
}
