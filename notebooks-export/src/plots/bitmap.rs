//! Figures as PNG files in memory.

use plotters::backend::BitMapBackend;

use super::canvas::Canvas;
use super::picture::Picture;
use super::size::{HEIGHT_PX, UNITS_PER_PX, WIDTH_PX};
use crate::ExportError;

/// Printed density: 16 cm for 1600 pixels.
const PIXELS_PER_METER: u32 = 10_000;

impl Picture {
    /// The picture as the bytes of a PNG file, 8 bits RGB.
    ///
    /// # Errors
    /// [`ExportError::Draw`] with the drawing library's reason.
    pub fn to_png(&self) -> Result<Vec<u8>, ExportError> {
        // Drawn larger and averaged down, which smooths all edges.
        let size = (WIDTH_PX * UNITS_PER_PX, HEIGHT_PX * UNITS_PER_PX);
        let mut large = vec![255; size.0 as usize * size.1 as usize * 3];
        self.draw(Canvas::Bitmap(BitMapBackend::with_buffer(&mut large, size)))?;

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
            .map_err(ExportError::draw)?;
        Ok(bytes)
    }
}

/// Each pixel of the result, `[HEIGHT_PX, WIDTH_PX, 3]`, is the mean of a square of two by two of `large`.
fn averaged_down(large: &[u8]) -> Vec<u8> {
    let stride = WIDTH_PX as usize * UNITS_PER_PX as usize * 3;
    let mut small = Vec::with_capacity(WIDTH_PX as usize * HEIGHT_PX as usize * 3);
    for rows in large.chunks_exact(stride * UNITS_PER_PX as usize) {
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
