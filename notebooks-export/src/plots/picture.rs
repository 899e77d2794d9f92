//! A figure that can be drawn on any canvas.

use std::fmt;
use std::sync::Arc;

use plotters::drawing::IntoDrawingArea;

use super::canvas::{Area, Canvas, Drawn};
use super::pgf::PgfBackend;
use super::text::draw_missing;
use crate::ExportError;

/// A figure of [`WIDTH_PX`](super::WIDTH_PX) × [`HEIGHT_PX`](super::HEIGHT_PX) pixels, drawn when a format is asked for.
///
/// ```
/// use selfplay_notebooks_export::plots::loss_plot;
///
/// let picture = loss_plot(&[]);
/// assert_eq!(picture.missing(), Some("No training step has been recorded yet."));
/// assert!(picture.to_pgf()?.starts_with("\\begin{pgfpicture}"));
/// # Ok::<(), selfplay_notebooks_export::ExportError>(())
/// ```
#[derive(Clone)]
pub struct Picture {
    drawing: Arc<dyn Fn(&Area<'_>) -> Drawn + Send + Sync>,
    missing: Option<String>,
}

impl Picture {
    /// The figure that `drawing` draws.
    pub(super) fn new(drawing: impl Fn(&Area<'_>) -> Drawn + Send + Sync + 'static) -> Picture {
        Picture { drawing: Arc::new(drawing), missing: None }
    }

    /// A figure with nothing but a heading and the reason why there is no data.
    pub(super) fn without_data(heading: &str, reason: &str) -> Picture {
        let (heading, shown_reason) = (heading.to_owned(), reason.to_owned());
        let picture = Picture::new(move |area| draw_missing(area, &heading, &shown_reason));
        Picture { missing: Some(reason.to_owned()), ..picture }
    }

    /// The reason why there is nothing to see, in a sentence; `None` where there is something.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// The picture as the text of a PGF file, 16 cm wide and 10 cm high: `\input` it where `\usepackage{pgf}` and
    /// `\usepackage{xcolor}` stand in the preamble, in a `\resizebox` for another width.
    ///
    /// # Errors
    /// [`ExportError::Draw`] with the drawing library's reason.
    pub fn to_pgf(&self) -> Result<String, ExportError> {
        let mut pgf = String::new();
        self.draw(Canvas::Pgf(PgfBackend::new(&mut pgf)))?;
        Ok(pgf)
    }

    /// Draws on a canvas and finishes it.
    pub(super) fn draw(&self, canvas: Canvas<'_>) -> Result<(), ExportError> {
        let area = canvas.into_drawing_area();
        (self.drawing)(&area).and_then(|()| area.present()).map_err(ExportError::draw)
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Picture").field("missing", &self.missing).finish_non_exhaustive()
    }
}
