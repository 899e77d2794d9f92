//! The bundled font: its registration and the width of texts set in it.

use std::sync::LazyLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

/// The name under which the drawing library knows the font.
const FAMILY: &str = "DejaVu Sans";

static REGISTERED: LazyLock<()> = LazyLock::new(|| {
    let bytes = include_bytes!("../../fonts/DejaVuSans-subset.ttf");
    assert!(register_font(FAMILY, FontStyle::Normal, bytes).is_ok(), "the bundled font is a valid TrueType file");
});

/// The bitmap renderer's "size" of a font, in ems: DejaVu's ascent + descent (hhea table, 2384 of 2048 units).
pub const BITMAP_SIZE_PER_EM: f64 = 2384.0 / 2048.0;

/// Height of a capital letter in ems (1493 of 2048 units).
pub const CAPITAL_HEIGHT_EM: f64 = 0.729;

/// The font at the drawing library's `size`.
pub fn font(size: f64) -> FontDesc<'static> {
    LazyLock::force(&REGISTERED);
    FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal)
}

/// Width of `text` in pixels where one em has `em_px`.
pub fn text_width_px(text: &str, em_px: f64) -> f64 {
    // Measured large, because the library returns whole pixels.
    const MEASURING_EM_PX: f64 = 1000.0;
    let ((left, _), (right, _)) =
        font(MEASURING_EM_PX * BITMAP_SIZE_PER_EM).layout_box(text).expect("a registered font can be measured");
    f64::from(right - left) * em_px / MEASURING_EM_PX
}

/// `text`, or as much of its beginning and end as fits into `width_px` with an ellipsis between: names of players often
/// differ only at the end.
pub fn shortened(text: &str, em_px: f64, width_px: f64) -> String {
    if text_width_px(text, em_px) <= width_px {
        return text.to_owned();
    }
    let mut characters: Vec<char> = text.chars().collect();
    loop {
        let middle = characters.len().div_ceil(2);
        let short = characters[..middle].iter().chain(&['…']).chain(&characters[middle..]).collect::<String>();
        if characters.is_empty() || text_width_px(&short, em_px) <= width_px {
            return short;
        }
        characters.remove(middle - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // DejaVu Sans: a digit is 1303 of 2048 units wide.
        let width = text_width_px("0000", 100.0);
        assert!((width - 4.0 * 100.0 * 1303.0 / 2048.0).abs() < 1.0, "{width}");
    }

    #[test]
    fn long_texts_are_cut_to_the_width() {
        assert_eq!(shortened("alpha-beta", 20.0, 500.0), "alpha-beta");
        let short = shortened("alpha-beta with a very long name, depth 4", 20.0, 150.0);
        assert!(short.starts_with("alpha") && short.contains('…') && short.ends_with("h 4"), "{short}");
        assert!(text_width_px(&short, 20.0) <= 150.0);
        assert_eq!(shortened("alpha-beta", 20.0, 0.0), "…");
    }
}
