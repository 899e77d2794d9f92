//! Pictures as SVG and PNG files in memory.

use std::fmt::Display;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBAColor, ShapeStyle, TextStyle};

use super::font::{BITMAP_SIZE_PER_EM, font};
use super::picture::{Anchor, Color, Direction, HEIGHT_PX, Picture, Point, Shape, WIDTH_PX};
use crate::ExportError;

/// The bitmap is drawn so many times larger and averaged down, which smooths all edges.
const SUPERSAMPLING: u32 = 2;
/// Printed density of the PNG: 16 cm for 1600 pixels.
const PIXELS_PER_METER: u32 = 10_000;

/// What differs between the two drawing backends.
#[derive(Clone, Copy)]
struct Backend {
    /// Pixels of the backend per pixel of the picture.
    scale: u32,
    /// The backend's "font size" that sets an em of one pixel.
    font_size_per_em: f64,
    /// How far below the point given to the backend the baseline of a text comes to lie, in ems.
    baseline_em: f64,
    /// Whether bent lines must be drawn stroke by stroke, with discs at the bends.
    draws_lines_piecewise: bool,
}

/// plotters-svg divides the size by 1.24 and moves text anchored at its top down by `0.76em`.
const SVG: Backend = Backend { scale: 1, font_size_per_em: 1.24, baseline_em: 0.76, draws_lines_piecewise: false };

/// plotters' `ab_glyph` renderer puts the baseline half a font size below the point; its polygon of a bent thick line
/// has spikes and holes.
const BITMAP: Backend = Backend {
    scale: SUPERSAMPLING,
    font_size_per_em: BITMAP_SIZE_PER_EM,
    baseline_em: BITMAP_SIZE_PER_EM / 2.0,
    draws_lines_piecewise: true,
};

impl Picture {
    /// The picture as the text of an SVG file.
    ///
    /// # Errors
    /// [`ExportError::Draw`] with the drawing library's reason.
    pub fn to_svg(&self) -> Result<String, ExportError> {
        let mut svg = String::new();
        draw(self, SVGBackend::with_string(&mut svg, (WIDTH_PX, HEIGHT_PX)), SVG)
            .map_err(|reason| ExportError::Draw { format: "SVG", reason })?;
        Ok(svg)
    }

    /// The picture as the bytes of a PNG file, 8 bits RGB.
    ///
    /// # Errors
    /// [`ExportError::Draw`] with the drawing library's reason.
    pub fn to_png(&self) -> Result<Vec<u8>, ExportError> {
        let failed = |reason: String| ExportError::Draw { format: "PNG", reason };
        let size = (WIDTH_PX * SUPERSAMPLING, HEIGHT_PX * SUPERSAMPLING);
        let mut large = vec![0; size.0 as usize * size.1 as usize * 3];
        draw(self, BitMapBackend::with_buffer(&mut large, size), BITMAP).map_err(failed)?;

        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, WIDTH_PX, HEIGHT_PX);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_filter(png::FilterType::Up);
        encoder.set_compression(png::Compression::Best);
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: PIXELS_PER_METER,
            yppu: PIXELS_PER_METER,
            unit: png::Unit::Meter,
        }));
        encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&averaged_down(&large)))
            .map_err(|error| failed(error.to_string()))?;
        Ok(bytes)
    }
}

/// Each pixel of the result, `[HEIGHT_PX, WIDTH_PX, 3]`, is the mean of a square of `large`.
fn averaged_down(large: &[u8]) -> Vec<u8> {
    let factor = SUPERSAMPLING as usize;
    let (width, height) = (WIDTH_PX as usize, HEIGHT_PX as usize);
    let mut small = Vec::with_capacity(width * height * 3);
    for index in 0..width * height * 3 {
        let (row, column, channel) = (index / (width * 3), index / 3 % width, index % 3);
        let mut sum = 0;
        for y in row * factor..(row + 1) * factor {
            for x in column * factor..(column + 1) * factor {
                sum += u32::from(large[(y * width * factor + x) * 3 + channel]);
            }
        }
        small.push(((sum + SUPERSAMPLING * SUPERSAMPLING / 2) / (SUPERSAMPLING * SUPERSAMPLING)) as u8);
    }
    small
}

fn draw<B: DrawingBackend>(picture: &Picture, mut target: B, backend: Backend) -> Result<(), String> {
    let (width, height) = target.get_size();
    let corners = ((0, 0), (width as i32, height as i32));
    target.draw_rect(corners.0, corners.1, &RGBAColor(255, 255, 255, 1.0), true).map_err(reason)?;
    for shape in picture.shapes() {
        draw_shape(shape, &mut target, backend)?;
    }
    target.present().map_err(reason)
}

fn draw_shape<B: DrawingBackend>(shape: &Shape, target: &mut B, backend: Backend) -> Result<(), String> {
    match shape {
        Shape::Line { points, color, width_px } => {
            let points: Vec<_> = points.iter().map(|&point| backend_point(point, backend)).collect();
            let style = ShapeStyle { color: rgba(*color), filled: false, stroke_width: width_px * backend.scale };
            if backend.draws_lines_piecewise {
                draw_strokes(&points, style, target)
            } else {
                target.draw_path(points, &style).map_err(reason)
            }
        }
        Shape::Polygon { points, color } => {
            let points = points.iter().map(|&point| backend_point(point, backend));
            target.fill_polygon(points, &rgba(*color)).map_err(reason)
        }
        Shape::Disc { center, radius_px, color } => {
            let center = backend_point(*center, backend);
            target.draw_circle(center, radius_px * backend.scale, &rgba(*color), true).map_err(reason)
        }
        Shape::Text { text, at, anchor, direction, em_px, color } => {
            let (transform, (down_x, down_y)) = match direction {
                Direction::Right => (FontTransform::None, (0.0, 1.0)),
                Direction::Up => (FontTransform::Rotate270, (1.0, 0.0)),
            };
            let horizontal = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            let font = font(em_px * f64::from(backend.scale) * backend.font_size_per_em).transform(transform);
            let color = rgba(*color);
            let style = TextStyle::from(font).color(&color).pos(Pos::new(horizontal, VPos::Top));
            let rise = backend.baseline_em * em_px;
            let at = backend_point((at.0 - down_x * rise, at.1 - down_y * rise), backend);
            target.draw_text(text, &style, at).map_err(reason)
        }
    }
}

/// Draws each stroke by itself and rounds the bends with discs.
fn draw_strokes<B: DrawingBackend>(points: &[(i32, i32)], style: ShapeStyle, target: &mut B) -> Result<(), String> {
    for ends in points.windows(2) {
        target.draw_line(ends[0], ends[1], &style).map_err(reason)?;
    }
    if let [_, bends @ .., _] = points {
        for &bend in bends {
            target.draw_circle(bend, style.stroke_width / 2, &style.color, true).map_err(reason)?;
        }
    }
    Ok(())
}

fn reason(error: impl Display) -> String {
    error.to_string()
}

fn backend_point((x, y): Point, backend: Backend) -> (i32, i32) {
    let scale = f64::from(backend.scale);
    ((x * scale).round() as i32, (y * scale).round() as i32)
}

fn rgba(color: Color) -> RGBAColor {
    let [red, green, blue] = color.rgb;
    RGBAColor(red, green, blue, color.opacity)
}
