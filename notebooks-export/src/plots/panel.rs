//! A chart with its axes, drawn by plotters in our look.

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::style::Color;
use plotters::style::text_anchor::VPos;

use super::axis::Axis;
use super::canvas::{Area, Canvas, Drawn};
use super::font::{CAPITAL_HEIGHT_EM, baseline_em, max_text_width, text_style, text_width};
use super::palette;
use super::size::{EM, HEIGHT, WIDTH};

/// Room for the vertical axis's numbers and title.
pub const LEFT_MARGIN: i32 = 350;
/// Room for the half of the last number that stands beyond the horizontal axis.
pub const RIGHT_MARGIN: i32 = 220;
/// Room for the horizontal axis's numbers and title.
pub const BOTTOM_MARGIN: i32 = 240;
/// Length of a tick outside the chart; its number stands twice as far away.
const TICK: i32 = 16;

/// The chart of plotters over our axes.
pub type Chart<'c> = ChartContext<'c, Canvas<'c>, Cartesian2d<Axis, Axis>>;

/// The labels of the ticks of a vertical axis.
#[derive(Clone, Copy, Debug)]
pub enum RowLabels<'a> {
    /// The numbers of the axis.
    Numbers,
    /// The names of [`Axis::rows`].
    Names {
        /// A name for each row.
        names: &'a [String],
        /// The em of the names.
        em: f64,
    },
}

/// Where the data of a chart lie on the canvas, and its two axes.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// Left edge.
    pub left: i32,
    /// Right edge.
    pub right: i32,
    /// Upper edge.
    pub top: i32,
    /// Lower edge.
    pub bottom: i32,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Title of the horizontal axis; without any, the axis has no numbers either.
    pub x_title: Option<&'a str>,
    /// Title of the vertical axis.
    pub y_title: &'a str,
    /// The title of the vertical axis.
    pub y_labels: RowLabels<'a>,
}

impl<'a> Panel<'a> {
    /// The whole width of the canvas, from `top` down to where the horizontal axis has its room.
    pub fn below(top: i32, x: Axis, x_title: &'a str, y: Axis, y_title: &'a str) -> Panel<'a> {
        let (right, bottom) = (WIDTH - RIGHT_MARGIN, HEIGHT - BOTTOM_MARGIN);
        let y_labels = RowLabels::Numbers;
        Panel { left: LEFT_MARGIN, right, top, bottom, x, y, x_title: Some(x_title), y_title, y_labels }
    }

    /// Draws grid and axes; series are added to the chart.
    pub fn chart<'c>(&self, area: &Area<'c>) -> Drawn<Chart<'c>> {
        let (width, height) = (f64::from(self.right - self.left), f64::from(self.bottom - self.top));
        let x = self.x.fitting(width, |text| text_width(text, EM) + 0.7 * EM);
        let (y, widest) = match self.y_labels {
            RowLabels::Numbers => {
                let y = self.y.fitting(height, |_| EM);
                let ticks = y.ticks();
                (y, max_text_width(ticks.iter().map(|(_, text)| text.as_str()), EM))
            }
            RowLabels::Names { names, em } => (self.y, max_text_width(names.iter().map(String::as_str), em)),
        };
        let title_room = if self.y_title.is_empty() { 0.0 } else { 1.35 * EM };
        let beside = 2 * TICK + (widest + title_room) as i32;
        let below = match self.x_title {
            None => 1,
            Some("") => 2 * TICK + EM as i32,
            Some(_) => 2 * TICK + (2.6 * EM) as i32,
        };
        let mut chart = ChartBuilder::on(area)
            .margin_left(self.left - beside)
            .margin_right(WIDTH - self.right)
            .margin_top(self.top)
            .margin_bottom(HEIGHT - self.bottom - below)
            .y_label_area_size(beside)
            .x_label_area_size(below)
            .build_cartesian_2d(x, y)?;
        let name_of = |row: &f64| match self.y_labels {
            RowLabels::Numbers => String::new(),
            RowLabels::Names { names, .. } => names.get(row.round() as usize).cloned().unwrap_or_default(),
        };
        let mut mesh = chart.configure_mesh();
        let style = text_style(EM, palette::BLACK);
        mesh.bold_line_style(palette::LIGHT_GREY.stroke_width(2))
            .axis_style(palette::BLACK.stroke_width(4))
            .label_style(style.clone())
            .axis_desc_style(style)
            .set_all_tick_mark_size(TICK)
            .y_desc(self.y_title)
            .x_desc(self.x_title.unwrap_or_default());
        let em = match self.y_labels {
            RowLabels::Numbers => EM,
            RowLabels::Names { em, .. } => {
                mesh.y_label_style(text_style(em, palette::BLACK)).y_label_formatter(&name_of);
                em
            }
        };
        // Plotters centres texts by the height of small letters.
        mesh.y_label_offset(((CAPITAL_HEIGHT_EM / 2.0 - baseline_em(VPos::Center)) * em) as i32);
        let no_text = |_: &f64| String::new();
        if self.x_title.is_none() {
            mesh.set_tick_mark_size(LabelAreaPosition::Bottom, 0).x_label_formatter(&no_text);
        }
        mesh.draw()?;
        Ok(chart)
    }
}
