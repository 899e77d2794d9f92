//! Texts beside and above the data: line labels that never overlap, and the legend.

use super::font::{CAPITAL_HEIGHT_EM, shortened, text_width_px};
use super::panel::LEFT_MARGIN_PX;
use super::picture::{Anchor, Color, EM_PX, Picture, Shape, WIDTH_PX};

/// Distance of two labels' baselines, in ems.
const LINE_HEIGHT_EM: f64 = 1.25;
/// Width of the bent stroke from a line's end to its label.
const LEADER_PX: f64 = 36.0;
/// Free space between that stroke and the label.
const LEADER_GAP_PX: f64 = 8.0;
/// The widest that labels may get, strokes included.
const WIDEST_PX: f64 = 500.0;

/// A label for the horizontal line that ends at height `y`.
#[derive(Clone, PartialEq, Debug)]
pub struct LineLabel {
    /// The name, shortened where it does not fit.
    pub name: String,
    /// What follows the name and is never cut.
    pub suffix: String,
    /// Height of the line in pixels.
    pub y: f64,
}

/// Room in pixels that [`draw_line_labels`] needs to the right of the data.
pub fn line_labels_width_px(labels: &[LineLabel]) -> f64 {
    let widest =
        labels.iter().map(|label| text_width_px(&format!("{}{}", label.name, label.suffix), EM_PX)).fold(0.0, f64::max);
    (LEADER_PX + LEADER_GAP_PX + widest).min(WIDEST_PX)
}

/// Writes each label at `right`, as near to its line as the others allow, within `top..=bottom`.
///
/// Where so many lines end that their labels do not fit under each other, all become smaller.
pub fn draw_line_labels(picture: &mut Picture, labels: &[LineLabel], right: f64, top: f64, bottom: f64) {
    let distance = (LINE_HEIGHT_EM * EM_PX).min((bottom - top) / labels.len().max(1) as f64);
    let em_px = distance / LINE_HEIGHT_EM;
    let lines: Vec<f64> = labels.iter().map(|label| label.y).collect();
    let heights = spread(&lines, distance, top + distance / 2.0, bottom - distance / 2.0);
    for (label, height) in labels.iter().zip(heights) {
        let leader = vec![(right, label.y), (right + LEADER_PX / 4.0, label.y), (right + LEADER_PX, height)];
        picture.line(leader, Color::DARK_GREY, 1);
        let room = WIDEST_PX - LEADER_PX - LEADER_GAP_PX - text_width_px(&label.suffix, em_px);
        let text = format!("{}{}", shortened(&label.name, em_px, room), label.suffix);
        let at = (right + LEADER_PX + LEADER_GAP_PX, height + CAPITAL_HEIGHT_EM / 2.0 * em_px);
        picture.text_of(&text, at, Anchor::Start, em_px, Color::BLACK);
    }
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
    Line(Color),
    /// A stroke with a disc on it.
    LineAndDisc(Color),
    /// A small disc.
    Dot(Color),
    /// A diamond.
    Diamond(Color),
    /// A filled area.
    Area(Color),
    /// A dashed stroke.
    Dashes(Color),
    /// None: a remark.
    Nothing,
}

/// Writes the legend as rows of signs and texts above the data; returns the height of the last row's middle.
pub fn draw_legend(picture: &mut Picture, entries: &[(Sign, String)]) -> f64 {
    const FIRST_ROW_PX: f64 = 35.0;
    const SIGN_PX: f64 = 68.0;
    const GAP_PX: f64 = 12.0;
    const BETWEEN_PX: f64 = 40.0;
    let (left, right) = (LEFT_MARGIN_PX, f64::from(WIDTH_PX) - EM_PX);
    let (mut x, mut y) = (left, FIRST_ROW_PX);
    for (sign, text) in entries {
        let sign_px = if *sign == Sign::Nothing { 0.0 } else { SIGN_PX + GAP_PX };
        let width = sign_px + text_width_px(text, EM_PX);
        if x > left && x + width > right {
            (x, y) = (left, y + LINE_HEIGHT_EM * EM_PX);
        }
        let (end, middle) = (x + SIGN_PX, x + SIGN_PX / 2.0);
        match *sign {
            Sign::Line(color) => picture.line(vec![(x, y), (end, y)], color, 4),
            Sign::LineAndDisc(color) => {
                picture.line(vec![(x, y), (end, y)], color, 3);
                picture.push(Shape::Disc { center: (middle, y), radius_px: 6, color });
            }
            Sign::Dot(color) => picture.push(Shape::Disc { center: (middle, y), radius_px: 4, color }),
            Sign::Diamond(color) => draw_diamond(picture, (middle, y), 12.0, color),
            Sign::Area(color) => picture.rectangle((x, y - 12.0), (end, y + 12.0), color),
            Sign::Dashes(color) => picture.dashed_line(y, x, end, color),
            Sign::Nothing => {}
        }
        picture.text(text, (x + sign_px, y + CAPITAL_HEIGHT_EM / 2.0 * EM_PX), Anchor::Start);
        x += width + BETWEEN_PX;
    }
    y
}

/// Draws a diamond with a thin black edge; `radius_px` from its middle to its corners.
pub fn draw_diamond(picture: &mut Picture, (x, y): (f64, f64), radius_px: f64, color: Color) {
    for (radius, color) in [(radius_px, Color::BLACK), (radius_px - 3.0, color)] {
        let points = vec![(x - radius, y), (x, y - radius), (x + radius, y), (x, y + radius)];
        picture.push(Shape::Polygon { points, color });
    }
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
