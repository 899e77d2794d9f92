//! Texts beside and above the data: line labels that never overlap, and the legend.

use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBAColor, RGBColor};

use super::canvas::{Area, Drawn};
use super::font::{shortened, text_width};
use super::palette;
use super::panel::LEFT_MARGIN;
use super::size::{EM, WIDTH};
use super::text::draw_text;

/// Distance of two labels' baselines, in ems.
const LINE_HEIGHT_EM: f64 = 1.25;
/// Width of the bent stroke from a line's end to its label.
const LEADER: i32 = 72;
/// Free space between that stroke and the label.
const LEADER_GAP: i32 = 16;
/// The widest that labels may get, strokes included.
const MAX_WIDTH: f64 = 1000.0;
/// Length of a dash.
pub const DASH: i32 = 32;
/// Free space between two dashes.
pub const DASH_GAP: i32 = 20;

/// A label for the horizontal line that ends at height `y`.
#[derive(Clone, PartialEq, Debug)]
pub struct LineLabel {
    /// The name, shortened where it does not fit.
    pub name: String,
    /// What follows the name and is never cut.
    pub suffix: String,
    /// Height of the line on the canvas.
    pub y: i32,
}

/// Room that [`draw_line_labels`] needs to the right of the data.
pub fn line_labels_width(labels: &[LineLabel]) -> i32 {
    let widths = labels.iter().map(|label| text_width(&format!("{}{}", label.name, label.suffix), EM));
    (f64::from(LEADER + LEADER_GAP) + widths.fold(0.0, f64::max)).min(MAX_WIDTH) as i32
}

/// Writes each label at `right`, as near to its line as the others allow, within `top..=bottom`.
///
/// Where so many lines end that their labels do not fit under each other, all become smaller.
pub fn draw_line_labels(area: &Area, labels: &[LineLabel], right: i32, top: i32, bottom: i32) -> Drawn {
    let distance = (LINE_HEIGHT_EM * EM).min(f64::from(bottom - top) / labels.len().max(1) as f64);
    let em = distance / LINE_HEIGHT_EM;
    let lines: Vec<f64> = labels.iter().map(|label| f64::from(label.y)).collect();
    let heights = spread(&lines, distance, f64::from(top) + distance / 2.0, f64::from(bottom) - distance / 2.0);
    for (label, height) in labels.iter().zip(heights) {
        let height = height.round() as i32;
        let leader = vec![(right, label.y), (right + LEADER / 4, label.y), (right + LEADER, height)];
        area.draw(&PathElement::new(leader, palette::DARK_GREY.stroke_width(2)))?;
        let room = MAX_WIDTH - f64::from(LEADER + LEADER_GAP) - text_width(&label.suffix, em);
        let text = format!("{}{}", shortened(&label.name, em, room), label.suffix);
        draw_text(area, &text, (right + LEADER + LEADER_GAP, height), HPos::Left, em, palette::BLACK)?;
    }
    Ok(())
}

/// Moves `wanted` as little as possible (least squares) so that all are `distance` apart and in `low..=high`; the
/// order of equal ones is that of the input.
///
/// Isotonic regression by pooling adjacent violators, on the positions less their rank times `distance`.
fn spread(wanted: &[f64], distance: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));

    // Runs of neighbours that touch: the mean of what they want, and how many they are.
    let mut runs: Vec<(f64, usize)> = Vec::new();
    for (rank, &index) in order.iter().enumerate() {
        let mut run = (wanted[index] - rank as f64 * distance, 1);
        while let Some(&(mean, count)) = runs.last().filter(|(mean, _)| *mean >= run.0) {
            let total = count + run.1;
            run = ((mean * count as f64 + run.0 * run.1 as f64) / total as f64, total);
            runs.pop();
        }
        runs.push(run);
    }

    let last_rank = wanted.len().saturating_sub(1) as f64;
    let highest = (high - last_rank * distance).max(low);
    let placed = runs.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean.clamp(low, highest), count));
    let mut heights = vec![0.0; wanted.len()];
    for (rank, (index, base)) in order.into_iter().zip(placed).enumerate() {
        heights[index] = base + rank as f64 * distance;
    }
    heights
}

/// The sign in front of a legend's text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sign {
    /// A stroke.
    Line(RGBColor),
    /// A stroke with a disc on it.
    LineAndDisc(RGBColor),
    /// A small disc.
    Dot(RGBColor),
    /// A diamond.
    Diamond(RGBColor),
    /// A filled area.
    Area(RGBAColor),
    /// A dashed stroke.
    Dashes(RGBColor),
    /// None: a note.
    Nothing,
}

/// A note in a legend, in parentheses.
pub fn note(text: impl std::fmt::Display) -> (Sign, String) {
    (Sign::Nothing, format!("({text})"))
}

/// Draws the legend as rows of signs and texts above the data, where it covers nothing; returns the height at which a
/// chart below it begins.
pub fn draw_legend(area: &Area, entries: &[(Sign, String)]) -> Drawn<i32> {
    const FIRST_ROW: i32 = 70;
    const SIGN: i32 = 136;
    const GAP: i32 = 24;
    const BETWEEN: i32 = 80;
    let (mut x, mut y) = (LEFT_MARGIN, FIRST_ROW);
    for (sign, text) in entries {
        let before = if *sign == Sign::Nothing { 0 } else { SIGN + GAP };
        let width = before + text_width(text, EM).ceil() as i32;
        if x > LEFT_MARGIN && x + width > WIDTH - EM as i32 {
            (x, y) = (LEFT_MARGIN, y + (LINE_HEIGHT_EM * EM) as i32);
        }
        let (stroke, middle) = (vec![(x, y), (x + SIGN, y)], (x + SIGN / 2, y));
        match *sign {
            Sign::Line(color) => area.draw(&PathElement::new(stroke, color.stroke_width(8)))?,
            Sign::LineAndDisc(color) => {
                area.draw(&PathElement::new(stroke, color.stroke_width(6)))?;
                area.draw(&Circle::new(middle, 12, color.filled()))?;
            }
            Sign::Dot(color) => area.draw(&Circle::new(middle, 8, color.filled()))?,
            Sign::Diamond(color) => draw_diamond(area, middle, 24, color)?,
            Sign::Area(color) => area.draw(&Rectangle::new([(x, y - 24), (x + SIGN, y + 24)], color.filled()))?,
            Sign::Dashes(color) => {
                area.draw(&DashedPathElement::new(stroke, DASH, DASH_GAP, color.stroke_width(6)))?;
            }
            Sign::Nothing => {}
        }
        draw_text(area, text, (x + before, y), HPos::Left, EM, palette::BLACK)?;
        x += width + BETWEEN;
    }
    Ok(y + (1.2 * EM) as i32)
}

/// Draws a diamond with a black edge; `radius` from its middle to its corners.
pub fn draw_diamond(area: &Area, (x, y): (i32, i32), radius: i32, color: RGBColor) -> Drawn {
    for (radius, color) in [(radius, palette::BLACK), (radius - 6, color)] {
        let corners = vec![(x - radius, y), (x, y - radius), (x + radius, y), (x, y + radius)];
        area.draw(&Polygon::new(corners, color.filled()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_place_where_there_is_room() {
        assert_eq!(spread(&[300.0, 100.0], 30.0, 0.0, 400.0), [300.0, 100.0]);
    }

    #[test]
    fn close_labels_move_apart_about_their_middle() {
        assert_eq!(spread(&[200.0, 200.0, 200.0], 30.0, 0.0, 400.0), [170.0, 200.0, 230.0]);
        assert_eq!(spread(&[110.0, 100.0], 30.0, 0.0, 400.0), [120.0, 90.0]);
    }

    #[test]
    fn labels_stay_inside_and_apart_however_crowded() {
        let wanted: Vec<f64> = (0..20).map(|i| 395.0 + f64::from(i % 7)).collect();
        let mut heights = spread(&wanted, 20.0, 0.0, 400.0);
        heights.sort_by(f64::total_cmp);
        assert!(heights[0] >= 0.0 && heights[19] <= 400.0, "{heights:?}");
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 19.99), "{heights:?}");
    }
}
