//! Pictures as PNG files in memory.

use std::fmt::Display;

use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBAColor, ShapeStyle, TextStyle};

use super::font::{BITMAP_SIZE_PER_EM, font};
use super::picture::{Anchor, Color, Direction, HEIGHT_PX, Picture, Point, Shape, WIDTH_PX, rectangle_of};
use crate::ExportError;

/// The bitmap is drawn so many times larger and averaged down, which smooths all edges.
const SUPERSAMPLING: u32 = 2;
/// Printed density: 16 cm for 1600 pixels.
const PIXELS_PER_METER: u32 = 10_000;

impl Picture {
    /// The picture as the bytes of a PNG file, 8 bits RGB.
    ///
    /// # Errors
    /// [`ExportError::Draw`] with the drawing library's reason.
    pub fn to_png(&self) -> Result<Vec<u8>, ExportError> {
        let failed = |reason: String| ExportError::Draw { reason };
        let size = (WIDTH_PX * SUPERSAMPLING, HEIGHT_PX * SUPERSAMPLING);
        let mut large = vec![255; size.0 as usize * size.1 as usize * 3];
        let mut target = BitMapBackend::with_buffer(&mut large, size);
        for shape in self.shapes() {
            draw_shape(shape, &mut target).map_err(failed)?;
        }
        target.present().map_err(reason).map_err(failed)?;
        drop(target);

        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, WIDTH_PX, HEIGHT_PX);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // On flat colours the fast compression after this filter is within a few per cent of the best.
        encoder.set_filter(png::FilterType::Up);
        encoder.set_compression(png::Compression::Fast);
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

/// Each pixel of the result, `[HEIGHT_PX, WIDTH_PX, 3]`, is the mean of a square of two by two of `large`.
fn averaged_down(large: &[u8]) -> Vec<u8> {
    let stride = WIDTH_PX as usize * SUPERSAMPLING as usize * 3;
    let mut small = Vec::with_capacity(WIDTH_PX as usize * HEIGHT_PX as usize * 3);
    for rows in large.chunks_exact(stride * SUPERSAMPLING as usize) {
        let (upper, lower) = rows.split_at(stride);
        for (upper, lower) in upper.chunks_exact(6).zip(lower.chunks_exact(6)) {
            for channel in 0..3 {
                let four = [upper[channel], upper[channel + 3], lower[channel], lower[channel + 3]];
                small.push((four.into_iter().map(u16::from).sum::<u16>().wrapping_add(2) / 4) as u8);
            }
        }
    }
    small
}

fn draw_shape(shape: &Shape, target: &mut BitMapBackend) -> Result<(), String> {
    match shape {
        Shape::Line { points, color, width_px } => {
            let points: Vec<_> = points.iter().map(|&point| large_point(point)).collect();
            let style = ShapeStyle { color: rgba(*color), filled: false, stroke_width: width_px * SUPERSAMPLING };
            draw_strokes(&points, style, target)
        }
        Shape::Polygon { points, color } => {
            // Rectangles are filled up to where the next one begins; the library's polygons overlap their neighbours.
            if let Some((low, high)) = rectangle_of(points) {
                let (low, (right, bottom)) = (large_point(low), large_point(high));
                return target.draw_rect(low, (right, bottom), &rgba(*color), true).map_err(reason);
            }
            let points: Vec<_> = points.iter().map(|&point| large_point(point)).collect();
            target.fill_polygon(points, &rgba(*color)).map_err(reason)
        }
        Shape::Disc { center, radius_px, color } => {
            target.draw_circle(large_point(*center), radius_px * SUPERSAMPLING, &rgba(*color), true).map_err(reason)
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
            // The library puts the baseline half a font size below the point.
            let font = font(em_px * f64::from(SUPERSAMPLING) * BITMAP_SIZE_PER_EM).transform(transform);
            let color = rgba(*color);
            let style = TextStyle::from(font).color(&color).pos(Pos::new(horizontal, VPos::Top));
            let rise = BITMAP_SIZE_PER_EM / 2.0 * em_px;
            let at = large_point((at.0 - down_x * rise, at.1 - down_y * rise));
            target.draw_text(text, &style, at).map_err(reason)
        }
    }
}

/// Draws each stroke by itself and rounds the bends with discs: the library's polygon of a bent thick line has spikes
/// and holes.
fn draw_strokes(points: &[(i32, i32)], style: ShapeStyle, target: &mut BitMapBackend) -> Result<(), String> {
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

/// A point of the picture on the large bitmap.
fn large_point((x, y): Point) -> (i32, i32) {
    let scale = f64::from(SUPERSAMPLING);
    ((x * scale).round() as i32, (y * scale).round() as i32)
}

fn rgba(color: Color) -> RGBAColor {
    let [red, green, blue] = color.rgb;
    RGBAColor(red, green, blue, color.opacity)
}
