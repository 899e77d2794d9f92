//! The bundled font: styles and widths of texts.

use std::sync::LazyLock;

use plotters::style::text_anchor::VPos;
use plotters::style::{FontDesc, FontFamily, FontStyle, RGBColor, TextStyle, register_font};
use plotters_backend::BackendTextStyle;

/// The family as plotters and SVG name it.
pub const FAMILY: &str = "DejaVu Sans";

static REGISTERED: LazyLock<()> = LazyLock::new(|| {
    let bytes = include_bytes!("../../fonts/DejaVuSans-subset.ttf");
    assert!(register_font(FAMILY, FontStyle::Normal, bytes).is_ok(), "the bundled font is a valid TrueType file");
});

/// The "size" of a font in plotters, in ems: `plotters-svg` divides by this.
const SIZE_PER_EM: f64 = 1.24;
/// The size that plotters' rasteriser needs, in ems: DejaVu's ascent + descent (hhea table, 2384 of 2048 units).
pub const RASTER_SIZE_PER_EM: f64 = 2384.0 / 2048.0;
/// Height of a capital letter in ems (1493 of 2048 units).
pub const CAPITAL_HEIGHT_EM: f64 = 0.729;

/// The font at plotters' `size`.
pub fn font(size: f64) -> FontDesc<'static> {
    LazyLock::force(&REGISTERED);
    FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal)
}

/// The style of a text with this em, in canvas units.
pub fn text_style(em: f64, color: RGBColor) -> TextStyle<'static> {
    font(em * SIZE_PER_EM).color(&color)
}

/// The em of a style made by [`text_style`].
pub fn em_of(style: &impl BackendTextStyle) -> f64 {
    style.size() / SIZE_PER_EM
}

/// Distance from the reference point of a text down to its baseline, in ems, as `plotters-svg` sets it.
pub fn baseline_em(position: VPos) -> f64 {
    match position {
        VPos::Top => 0.76,
        VPos::Center => 0.27,
        VPos::Bottom => -0.27,
    }
}

/// Width of `text` where one em has `em` units.
pub fn text_width(text: &str, em: f64) -> f64 {
    // Measured large, because plotters returns whole units.
    const MEASURING_EM: f64 = 1000.0;
    let ((left, _), (right, _)) =
        font(MEASURING_EM * RASTER_SIZE_PER_EM).layout_box(text).expect("a registered font can be measured");
    f64::from(right - left) * em / MEASURING_EM
}

/// The width of the widest of some texts.
pub fn max_text_width<'a>(texts: impl IntoIterator<Item = &'a str>, em: f64) -> f64 {
    texts.into_iter().map(|text| text_width(text, em)).fold(0.0, f64::max)
}

/// `text`, or as much of its beginning and end as fits into `width` with an ellipsis between: names of players often
/// differ only at the end.
pub fn shortened(text: &str, em: f64, width: f64) -> String {
    if text_width(text, em) <= width {
        return text.to_owned();
    }
    let mut characters: Vec<char> = text.chars().collect();
    loop {
        let middle = characters.len().div_ceil(2);
        let short = characters[..middle].iter().chain(&['…']).chain(&characters[middle..]).collect::<String>();
        if characters.is_empty() || text_width(&short, em) <= width {
            return short;
        }
        characters.remove(middle - 1);
    }
}

/// `text` without the characters that XML cannot hold.
pub fn printable(text: &str) -> String {
    let is_printable = |character: char| match character {
        '\t' | '\n' | '\r' => true,
        character => !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}'),
    };
    text.chars().map(|character| if is_printable(character) { character } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // DejaVu Sans: a digit is 1303 of 2048 units wide.
        let width = text_width("0000", 100.0);
        assert!((width - 4.0 * 100.0 * 1303.0 / 2048.0).abs() < 1.0, "{width}");
    }

    #[test]
    fn long_texts_are_cut_to_the_width() {
        assert_eq!(shortened("alpha-beta", 20.0, 500.0), "alpha-beta");
        let short = shortened("alpha-beta with a very long name, depth 4", 20.0, 150.0);
        assert!(short.starts_with("alpha") && short.contains('…') && short.ends_with("h 4"), "{short}");
        assert!(text_width(&short, 20.0) <= 150.0);
        assert_eq!(shortened("alpha-beta", 20.0, 0.0), "…");
    }
}
