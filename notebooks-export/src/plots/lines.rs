//! Curves in one chart or in several small ones, the figure that most numbers of a run need.

use plotters::element::{Circle, Polygon, Rectangle};
use plotters::series::LineSeries;
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBColor};

use super::axis::Axis;
use super::canvas::Drawn;
use super::font::{shortened, text_width};
use super::labels::{Sign, draw_legend, note};
use super::palette;
use super::panel::{BOTTOM_MARGIN, Chart, LEFT_MARGIN, Panel, RowLabels};
use super::picture::Picture;
use super::series::{means, pieces};
use super::size::{EM, HEIGHT, WIDTH};
use super::text::draw_text;

/// More points than this per curve are drawn as means of neighbours.
const MAX_POINTS: usize = 300;
/// Where no curve has more points, each has a mark.
const MAX_MARKS: usize = 60;
/// The widest name in a legend.
const NAME_WIDTH: f64 = 1280.0;
/// Half the width of the bar that stands for the band of a single point.
const BAR: i32 = 20;

/// One curve: pairs of x and y, sorted by x.
#[derive(Clone)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub color: RGBColor,
    /// The pairs.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end of the 95 % interval of each pair, where it is known; empty where no pair's is.
    pub band: Vec<Option<(f64, f64)>>,
}

impl Curve {
    /// A curve without intervals.
    pub fn new(name: impl Into<String>, color: RGBColor, points: Vec<(f64, f64)>) -> Curve {
        Curve { name: name.into(), color, points, band: Vec::new() }
    }

    /// How many neighbouring points one drawn point stands for.
    fn points_per_mean(&self) -> usize {
        self.points.len().div_ceil(MAX_POINTS).max(1)
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

/// What one chart of curves is about.
pub struct LinePlot {
    /// What stands above the reason where there is no data.
    pub heading: &'static str,
    /// The reason then.
    pub reason: &'static str,
    /// Title of the horizontal axis.
    pub x_title: &'static str,
    /// What the horizontal axis counts.
    pub x: XAxis,
    /// Title of the vertical axis, with the unit.
    pub y_title: &'static str,
    /// The vertical axis has no finer steps.
    pub min_y_step: f64,
    /// Whether the vertical axis begins at 0.
    pub y_from_zero: bool,
    /// The curves; those without points are left out of the drawing and named in the legend.
    pub curves: Vec<Curve>,
    /// Notes at the legend's end.
    pub notes: Vec<String>,
}

/// Draws all curves into one chart, the legend above it.
pub fn line_plot(plot: LinePlot) -> Picture {
    let (curves, missing): (Vec<Curve>, Vec<Curve>) =
        plot.curves.into_iter().partition(|curve| !curve.points.is_empty());
    if curves.is_empty() {
        return Picture::without_data(plot.heading, plot.reason);
    }
    let name = |curve: &Curve| shortened(&curve.name, EM, NAME_WIDTH);
    let mut entries: Vec<(Sign, String)> = curves.iter().map(|curve| (Sign::Line(curve.color), name(curve))).collect();
    if curves.iter().any(|curve| curve.band.iter().any(Option::is_some)) {
        let band = palette::DARK_GREY.mix(palette::BAND_OPACITY);
        entries.push((Sign::Area(band), "95 % interval".to_owned()));
    }
    entries.extend(missing.iter().map(|curve| note(format_args!("{}: no data", name(curve)))));
    let max_per_mean = curves.iter().map(Curve::points_per_mean).max().unwrap_or(1);
    if max_per_mean > 1 {
        entries.push(note(format_args!("means of up to {max_per_mean} neighbours")));
    }
    entries.extend(plot.notes.iter().map(note));
    let (x, y) = (x_axis(plot.x, &curves), y_axis(&curves, plot.min_y_step, plot.y_from_zero));
    Picture::new(move |area| {
        let top = draw_legend(area, &entries)?;
        let mut chart = Panel::below(top, x, plot.x_title, y, plot.y_title).chart(area)?;
        draw_curves(&mut chart, plot.x, &curves)
    })
}

/// Draws each curve into a chart of its own under its name; all share the horizontal axis.
pub fn small_multiples(heading: &str, reason: &str, x_title: &'static str, x: XAxis, curves: Vec<Curve>) -> Picture {
    const COLUMN_GAP: i32 = 380;
    const ROW_GAP: i32 = 220;
    const TOP: i32 = 120;
    const RIGHT: i32 = WIDTH - 140;
    let curves: Vec<Curve> = curves.into_iter().filter(|curve| !curve.points.is_empty()).collect();
    if curves.is_empty() {
        return Picture::without_data(heading, reason);
    }
    let columns = match curves.len() {
        1 => 1,
        ..=8 => 2,
        _ => 3,
    };
    let rows = curves.len().div_ceil(columns);
    let width = (RIGHT - LEFT_MARGIN - (columns as i32 - 1) * COLUMN_GAP) / columns as i32;
    let height = (HEIGHT - BOTTOM_MARGIN - TOP - (rows as i32 - 1) * ROW_GAP) / rows as i32;
    let shared_x = x_axis(x, &curves);
    Picture::new(move |area| {
        for (index, curve) in curves.iter().enumerate() {
            let left = LEFT_MARGIN + (index % columns) as i32 * (width + COLUMN_GAP);
            let top = TOP + (index / columns) as i32 * (height + ROW_GAP);
            let is_lowest = index + columns >= curves.len();
            let panel = Panel {
                left,
                right: left + width,
                top,
                bottom: top + height,
                x: shared_x,
                y: y_axis(std::slice::from_ref(curve), 1e-9, false),
                x_title: Some(if is_lowest { x_title } else { "" }),
                y_title: "",
                y_labels: RowLabels::Numbers,
            };
            draw_curves(&mut panel.chart(area)?, x, std::slice::from_ref(curve))?;
            let per_mean = curve.points_per_mean();
            let note = if per_mean > 1 { format!(" (means of {per_mean})") } else { String::new() };
            let title = format!("{}{note}", curve.name);
            let em = EM * (f64::from(width + 120) / text_width(&title, EM)).min(1.0);
            draw_text(area, &title, (left, top - (1.05 * EM) as i32), HPos::Left, em, palette::BLACK)?;
        }
        Ok(())
    })
}

/// The horizontal axis for the range of all points.
fn x_axis(kind: XAxis, curves: &[Curve]) -> Axis {
    let xs = || curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0));
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    match kind {
        XAxis::EachWholeNumber => Axis::whole_numbers(low, high),
        XAxis::FromZero(step) => Axis::for_costs(low, high, step),
    }
}

/// The vertical axis for the range of all points and intervals.
fn y_axis(curves: &[Curve], min_step: f64, from_zero: bool) -> Axis {
    let points = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
    let bands = curves.iter().flat_map(|curve| curve.band.iter().flatten().flat_map(|&(low, high)| [low, high]));
    let (low, high) =
        points.chain(bands).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    // Numbers that are all but one get room that their digits can be read in.
    let largest = low.abs().max(high.abs());
    let min_step = if high - low < 1e-3 * largest { min_step.max(0.1 * largest) } else { min_step };
    if from_zero { Axis::from_zero(high, min_step) } else { Axis::rounded(low, high, min_step) }
}

/// Draws the bands and the curves.
fn draw_curves(chart: &mut Chart, x: XAxis, curves: &[Curve]) -> Drawn {
    let max_step = match x {
        XAxis::EachWholeNumber => 1.5,
        XAxis::FromZero(_) => f64::INFINITY,
    };
    for curve in curves {
        let pairs: Vec<_> = curve.points.iter().zip(&curve.band).collect();
        for piece in pairs.chunk_by(|a, b| a.1.is_some() == b.1.is_some()) {
            let ends: Vec<(f64, (f64, f64))> = piece.iter().filter_map(|&(at, band)| Some((at.0, (*band)?))).collect();
            draw_band(chart, &ends, curve.points_per_mean(), curve.color)?;
        }
    }
    let are_marked = curves.iter().all(|curve| curve.points.len() <= MAX_MARKS);
    for curve in curves {
        for piece in pieces(&curve.points, max_step) {
            draw_curve(chart, means(piece, curve.points_per_mean()), curve.color, if are_marked { 10 } else { 0 })?;
        }
    }
    Ok(())
}

/// Draws a curve with marks of this radius, or a single point as a disc.
pub fn draw_curve(chart: &mut Chart, points: Vec<(f64, f64)>, color: RGBColor, mark: u32) -> Drawn {
    if let [center] = points[..] {
        chart.draw_series([Circle::new(center, 14, color.filled())])?;
    } else {
        let style = color.stroke_width(6).filled();
        chart.draw_series(LineSeries::new(points, style).point_size(mark))?;
    }
    Ok(())
}

/// Draws the band of the intervals `ends`, each with its x, as means of `per_mean` neighbours; a bar for a single one.
pub fn draw_band(chart: &mut Chart, ends: &[(f64, (f64, f64))], per_mean: usize, color: RGBColor) -> Drawn {
    let side = |end: fn(&(f64, f64)) -> f64| {
        means(&ends.iter().map(|(x, band)| (*x, end(band))).collect::<Vec<_>>(), per_mean)
    };
    let (low, high) = (side(|band| band.0), side(|band| band.1));
    let style = color.mix(palette::BAND_OPACITY).filled();
    match (&low[..], &high[..]) {
        ([], _) => {}
        ([low], [high]) => {
            let ((x, low), (_, high)) = (chart.backend_coord(low), chart.backend_coord(high));
            let screen = chart.plotting_area().use_screen_coord();
            screen.draw(&Rectangle::new([(x - BAR, high), (x + BAR, low)], style))?;
        }
        _ => {
            let corners: Vec<_> = high.into_iter().chain(low.into_iter().rev()).collect();
            chart.draw_series([Polygon::new(corners, style)])?;
        }
    }
    Ok(())
}
