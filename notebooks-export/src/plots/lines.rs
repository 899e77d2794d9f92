//! Curves in one panel or in several small ones, the plot that most numbers of a run need.

use super::axis::Axis;
use super::font::{shortened, text_width_px};
use super::labels::{Sign, draw_legend};
use super::panel::{BOTTOM_MARGIN_PX, LEFT_MARGIN_PX, Panel};
use super::picture::{Anchor, Color, EM_PX, HEIGHT_PX, Picture, Shape, WIDTH_PX};
use super::series::{means, pieces};

/// More points than this per curve are drawn as means of neighbours.
const MOST_POINTS: usize = 300;
/// Where no curve has more points, each has a mark.
const MOST_MARKS: usize = 60;
/// The widest name in a legend.
const NAME_WIDTH_PX: f64 = 640.0;

/// One curve: pairs of x and y, sorted by x.
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub color: Color,
    /// The pairs.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end of the 95 % interval of each pair, where it is known; empty where no pair's is.
    pub band: Vec<Option<(f64, f64)>>,
}

impl Curve {
    /// A curve without intervals.
    pub fn new(name: impl Into<String>, color: Color, points: Vec<(f64, f64)>) -> Curve {
        Curve { name: name.into(), color, points, band: Vec::new() }
    }

    /// How many neighbouring points one drawn point stands for.
    fn points_per_mean(&self) -> usize {
        self.points.len().div_ceil(MOST_POINTS).max(1)
    }
}

/// What the horizontal axis counts.
#[derive(Clone, Copy)]
pub enum XAxis {
    /// Whole numbers one by one, so that a missing one breaks the curve.
    EachWholeNumber,
    /// Any numbers from 0, in steps of at least this.
    FromZero(f64),
}

/// What one panel of curves is about.
pub struct LinePlot<'a> {
    /// What stands above the reason where there is no data.
    pub heading: &'a str,
    /// The reason then.
    pub reason: &'a str,
    /// Title of the horizontal axis.
    pub x_title: &'a str,
    /// What the horizontal axis counts.
    pub x: XAxis,
    /// Title of the vertical axis, with the unit.
    pub y_title: &'a str,
    /// The vertical axis has no finer steps.
    pub smallest_y_step: f64,
    /// Whether the vertical axis begins at 0.
    pub y_from_zero: bool,
    /// The curves; those without points are left out of the drawing and named in the legend.
    pub curves: Vec<Curve>,
    /// Remarks at the legend's end.
    pub notes: Vec<String>,
}

/// Draws all curves into one panel, the legend above it.
pub fn line_plot(plot: &LinePlot) -> Picture {
    let drawn = || plot.curves.iter().filter(|curve| !curve.points.is_empty());
    if drawn().next().is_none() {
        return Picture::without_data(plot.heading, plot.reason);
    }
    let mut legend: Vec<(Sign, String)> =
        drawn().map(|curve| (Sign::Line(curve.color), shortened(&curve.name, EM_PX, NAME_WIDTH_PX))).collect();
    if drawn().any(|curve| curve.band.iter().any(Option::is_some)) {
        legend.push((Sign::Area(Color::DARK_GREY.with_opacity(0.2)), "95 % interval".to_owned()));
    }
    let missing = plot.curves.iter().filter(|curve| curve.points.is_empty());
    legend.extend(
        missing.map(|curve| (Sign::Nothing, format!("({}: no data)", shortened(&curve.name, EM_PX, NAME_WIDTH_PX)))),
    );
    let most_per_mean = drawn().map(Curve::points_per_mean).max().unwrap_or(1);
    if most_per_mean > 1 {
        legend.push((Sign::Nothing, format!("(means of up to {most_per_mean} neighbours)")));
    }
    legend.extend(plot.notes.iter().map(|note| (Sign::Nothing, format!("({note})"))));

    let mut picture = Picture::default();
    let legend_bottom = draw_legend(&mut picture, &legend);
    let curves: Vec<&Curve> = drawn().collect();
    let y = y_axis(&curves, plot.smallest_y_step, plot.y_from_zero);
    let panel = Panel::below(legend_bottom + 1.2 * EM_PX, x_axis(plot.x, &curves), y);
    draw_curves(&mut picture, &panel, plot.x, &curves);
    panel.draw_y_axis(&mut picture, plot.y_title);
    panel.draw_x_axis(&mut picture, plot.x_title);
    picture
}

/// Draws each curve into a panel of its own under its name; all share the horizontal axis.
pub fn small_multiples(heading: &str, reason: &str, x_title: &str, x: XAxis, curves: &[Curve]) -> Picture {
    const COLUMN_GAP_PX: f64 = 190.0;
    const ROW_GAP_PX: f64 = 110.0;
    let curves: Vec<&Curve> = curves.iter().filter(|curve| !curve.points.is_empty()).collect();
    if curves.is_empty() {
        return Picture::without_data(heading, reason);
    }
    let columns = match curves.len() {
        1 => 1,
        ..=8 => 2,
        _ => 3,
    };
    let rows = curves.len().div_ceil(columns);
    let (left, top) = (LEFT_MARGIN_PX, 60.0);
    let right = f64::from(WIDTH_PX) - 70.0;
    let bottom = f64::from(HEIGHT_PX) - BOTTOM_MARGIN_PX;
    let width = (right - left - (columns - 1) as f64 * COLUMN_GAP_PX) / columns as f64;
    let height = (bottom - top - (rows - 1) as f64 * ROW_GAP_PX) / rows as f64;
    let mut picture = Picture::default();
    let shared_x = x_axis(x, &curves);
    for (index, curve) in curves.iter().enumerate() {
        let left = left + (index % columns) as f64 * (width + COLUMN_GAP_PX);
        let top = top + (index / columns) as f64 * (height + ROW_GAP_PX);
        let y = y_axis(&[curve], 1e-9, false);
        let panel = Panel { left, right: left + width, top, bottom: top + height, x: shared_x, y };
        draw_curves(&mut picture, &panel, x, &[curve]);
        panel.draw_y_axis(&mut picture, "");
        let is_lowest = index + columns >= curves.len();
        let per_mean = curve.points_per_mean();
        let note = if per_mean > 1 { format!(" (means of {per_mean})") } else { String::new() };
        let title = format!("{}{note}", curve.name);
        let em_px = EM_PX * ((width + 60.0) / text_width_px(&title, EM_PX)).min(1.0);
        picture.text_of(&title, (left, top - 0.7 * EM_PX), Anchor::Start, em_px, Color::BLACK);
        panel.draw_x_axis(&mut picture, if is_lowest { x_title } else { "" });
    }
    picture
}

/// The horizontal axis for the range of all points.
fn x_axis(kind: XAxis, curves: &[&Curve]) -> Axis {
    let xs = || curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0));
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    match kind {
        XAxis::EachWholeNumber => Axis::whole_numbers(low, high),
        XAxis::FromZero(step) => Axis::of_costs(low, high, step),
    }
}

/// The vertical axis for the range of all points and intervals.
fn y_axis(curves: &[&Curve], smallest_step: f64, from_zero: bool) -> Axis {
    let points = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
    let bands = curves.iter().flat_map(|curve| curve.band.iter().flatten().flat_map(|&(low, high)| [low, high]));
    let (low, high) =
        points.chain(bands).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    // Numbers that are all but one get room that their digits can be read in.
    let largest = low.abs().max(high.abs());
    let smallest_step = if high - low < 1e-3 * largest { smallest_step.max(0.1 * largest) } else { smallest_step };
    if from_zero { Axis::from_zero(high, smallest_step) } else { Axis::rounded(low, high, smallest_step) }
}

/// Draws the grid, the bands and the curves.
fn draw_curves(picture: &mut Picture, panel: &Panel, x: XAxis, curves: &[&Curve]) {
    let widest_step = match x {
        XAxis::EachWholeNumber => 1.5,
        XAxis::FromZero(_) => f64::INFINITY,
    };
    panel.draw_grid(picture);
    for curve in curves {
        let pairs: Vec<_> = curve.points.iter().zip(&curve.band).collect();
        for piece in pairs.chunk_by(|a, b| a.1.is_some() == b.1.is_some()) {
            draw_band(picture, panel, curve, piece.iter().filter_map(|&(at, band)| Some((at.0, (*band)?))));
        }
    }
    let are_marked = curves.iter().all(|curve| curve.points.len() <= MOST_MARKS);
    for curve in curves {
        for piece in pieces(&curve.points, widest_step) {
            let points: Vec<_> =
                means(piece, curve.points_per_mean()).into_iter().map(|pair| panel.point(pair)).collect();
            if let [center] = points[..] {
                picture.push(Shape::Disc { center, radius_px: 7, color: curve.color });
            } else {
                picture.line(points, curve.color, 3);
            }
        }
        if are_marked {
            for &point in &curve.points {
                picture.push(Shape::Disc { center: panel.point(point), radius_px: 5, color: curve.color });
            }
        }
    }
}

/// Draws the band of a piece of `curve`: its x and the interval there.
fn draw_band(picture: &mut Picture, panel: &Panel, curve: &Curve, piece: impl Iterator<Item = (f64, (f64, f64))>) {
    let piece: Vec<_> = piece.collect();
    let side = |of: fn(&(f64, f64)) -> f64| {
        let pairs: Vec<(f64, f64)> = piece.iter().map(|(x, band)| (*x, of(band))).collect();
        means(&pairs, curve.points_per_mean()).into_iter().map(|pair| panel.point(pair)).collect::<Vec<_>>()
    };
    let (low, high) = (side(|band| band.0), side(|band| band.1));
    let color = curve.color.with_opacity(0.2);
    match (&low[..], &high[..]) {
        ([], _) => (),
        ([(x, low)], [(_, high)]) => picture.rectangle((x - 10.0, *high), (x + 10.0, *low), color),
        _ => picture.push(Shape::Polygon { points: high.into_iter().chain(low.into_iter().rev()).collect(), color }),
    }
}

/// The widest of some texts, in pixels.
pub fn widest_px<'a>(texts: impl Iterator<Item = &'a str>, em_px: f64) -> f64 {
    texts.map(|text| text_width_px(text, em_px)).fold(0.0, f64::max)
}
