//! The colours of all figures: the palette of Okabe and Ito (2008), which colour-blind readers can tell apart.

use plotters::style::RGBColor;

/// Texts and axes.
pub const BLACK: RGBColor = RGBColor(0, 0, 0);
/// Baselines and other reference lines.
pub const DARK_GREY: RGBColor = RGBColor(90, 90, 90);
/// Grid lines.
pub const LIGHT_GREY: RGBColor = RGBColor(222, 222, 222);
/// Areas that stand for the remainder.
pub const GREY: RGBColor = RGBColor(170, 170, 170);
/// Blue of Okabe and Ito.
pub const BLUE: RGBColor = RGBColor(0, 114, 178);
/// Orange of Okabe and Ito.
pub const ORANGE: RGBColor = RGBColor(230, 159, 0);
/// Vermilion of Okabe and Ito.
pub const VERMILION: RGBColor = RGBColor(213, 94, 0);
/// Bluish green of Okabe and Ito.
pub const GREEN: RGBColor = RGBColor(0, 158, 115);
/// Reddish purple of Okabe and Ito.
pub const PURPLE: RGBColor = RGBColor(204, 121, 167);
/// Sky blue of Okabe and Ito.
pub const SKY: RGBColor = RGBColor(86, 180, 233);
/// Texts on light cells. Cells look the same on a dark page, so this colour has no variable.
pub const ON_LIGHT: RGBColor = RGBColor(1, 1, 1);
/// Texts on dark cells.
pub const ON_DARK: RGBColor = RGBColor(255, 255, 255);

/// Colours of several curves in one chart, in this order; distinct without colour vision and in print.
pub const SERIES: [RGBColor; 7] = [BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK];

/// Opacity of the bands of intervals.
pub const BAND_OPACITY: f64 = 0.2;

/// The colours that a page may replace, each with the name of the page's CSS variable.
pub const NAMED: [(&str, RGBColor); 10] = [
    ("ink", BLACK),
    ("soft", DARK_GREY),
    ("grid", LIGHT_GREY),
    ("rest", GREY),
    ("blue", BLUE),
    ("orange", ORANGE),
    ("vermilion", VERMILION),
    ("green", GREEN),
    ("purple", PURPLE),
    ("sky", SKY),
];
