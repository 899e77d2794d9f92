//! The one drawing surface of all figures: plotters' SVG or bitmap backend, or PGF.

use std::error::Error;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::style::TextStyle;
use plotters::style::text_anchor::{Pos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};

use super::font::{RASTER_SIZE_PER_EM, baseline_em, em_of, font, printable, text_width};
use super::pgf::PgfBackend;
use super::size::{HEIGHT, WIDTH};

/// A part of the canvas to draw on.
pub type Area<'c> = DrawingArea<Canvas<'c>, Shift>;

/// What drawing returns.
pub type Drawn<T = ()> = Result<T, DrawingAreaErrorKind<CanvasError>>;

/// Why a backend could not draw.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct CanvasError(Box<dyn Error + Send + Sync>);

/// A backend that a figure is drawn on. Being one type, it lets each figure compile once.
pub enum Canvas<'c> {
    /// SVG text.
    Svg(SVGBackend<'c>),
    /// Pixels.
    Bitmap(BitMapBackend<'c>),
    /// PGF text.
    Pgf(PgfBackend<'c>),
}

/// Calls the same method of any backend.
macro_rules! delegate {
    ($canvas:expr, $backend:ident => $call:expr) => {
        match $canvas {
            Canvas::Svg($backend) => $call.map_err(canvas_error),
            Canvas::Bitmap($backend) => $call.map_err(canvas_error),
            Canvas::Pgf($backend) => $call.map_err(canvas_error),
        }
    };
}

type CanvasResult<T = ()> = Result<T, DrawingErrorKind<CanvasError>>;

fn canvas_error<E>(error: DrawingErrorKind<E>) -> DrawingErrorKind<CanvasError>
where
    E: Error + Send + Sync + 'static,
{
    match error {
        DrawingErrorKind::DrawingError(error) => DrawingErrorKind::DrawingError(CanvasError(Box::new(error))),
        DrawingErrorKind::FontError(error) => DrawingErrorKind::FontError(error),
    }
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = CanvasError;

    fn get_size(&self) -> (u32, u32) {
        (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs())
    }

    fn ensure_prepared(&mut self) -> CanvasResult {
        delegate!(self, backend => backend.ensure_prepared())
    }

    fn present(&mut self) -> CanvasResult {
        delegate!(self, backend => backend.present())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> CanvasResult {
        delegate!(self, backend => backend.draw_pixel(at, color))
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> CanvasResult {
        delegate!(self, backend => backend.draw_line(from, to, style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> CanvasResult {
        delegate!(self, backend => backend.draw_rect(upper_left, lower_right, style, fill))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> CanvasResult {
        let Canvas::Bitmap(bitmap) = self else {
            return delegate!(self, backend => backend.draw_path(path, style));
        };
        // Stroke by stroke, with discs on the bends: the bitmap backend's outline of a bent thick path has spikes and
        // holes.
        let points: Vec<BackendCoord> = path.into_iter().collect();
        for ends in points.windows(2) {
            bitmap.draw_line(ends[0], ends[1], style).map_err(canvas_error)?;
        }
        if let [_, bends @ .., _] = &points[..] {
            for &bend in bends {
                bitmap.draw_circle(bend, style.stroke_width() / 2, &style.color(), true).map_err(canvas_error)?;
            }
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> CanvasResult {
        delegate!(self, backend => backend.draw_circle(center, radius, style, fill))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> CanvasResult {
        delegate!(self, backend => backend.fill_polygon(corners, style))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> CanvasResult {
        let text = printable(text);
        if text.is_empty() {
            return Ok(());
        }
        let Canvas::Bitmap(bitmap) = self else {
            return delegate!(self, backend => backend.draw_text(&text, style, at));
        };
        // The rasteriser scales fonts otherwise than the SVG backend, and puts the baseline half a size below the point.
        let (em, anchor) = (em_of(style), style.anchor());
        let size = em * RASTER_SIZE_PER_EM;
        let fall = (baseline_em(anchor.v_pos) * em - size / 2.0).round() as i32;
        let (right, down) = style.transform().transform(0, fall);
        let raster_style = TextStyle {
            font: font(size).transform(style.transform()),
            color: style.color(),
            pos: Pos::new(anchor.h_pos, VPos::Top),
        };
        bitmap.draw_text(&text, &raster_style, (at.0 + right, at.1 + down)).map_err(canvas_error)
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> CanvasResult<(u32, u32)> {
        let em = em_of(style);
        Ok((text_width(text, em).ceil() as u32, em.ceil() as u32))
    }
}
