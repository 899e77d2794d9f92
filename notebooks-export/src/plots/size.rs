//! The size of every figure.

/// Width of every figure in pixels; 16 cm in print.
pub const WIDTH_PX: u32 = 1600;
/// Height of every figure in pixels; 10 cm in print.
pub const HEIGHT_PX: u32 = 1000;
/// Canvas units per pixel: half pixels smooth curves, and bitmaps are averaged down from them.
pub const UNITS_PER_PX: u32 = 2;
/// Width of the canvas.
pub const WIDTH: i32 = (WIDTH_PX * UNITS_PER_PX) as i32;
/// Height of the canvas.
pub const HEIGHT: i32 = (HEIGHT_PX * UNITS_PER_PX) as i32;
/// One em of most texts.
pub const EM: f64 = 60.0;
