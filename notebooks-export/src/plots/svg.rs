//! Figures as SVG: whole files, or elements of a page that has its own colours.

use plotters::backend::SVGBackend;

use super::canvas::Canvas;
use super::font::{FAMILY, printable};
use super::palette;
use super::picture::Picture;
use super::size::{HEIGHT, HEIGHT_PX, WIDTH, WIDTH_PX};
use crate::ExportError;

impl Picture {
    /// The picture as the text of an SVG file.
    ///
    /// # Errors
    /// [`ExportError::Draw`] with the drawing library's reason.
    pub fn to_svg(&self) -> Result<String, ExportError> {
        let body = self.svg_body()?;
        Ok(format!(
            "<svg width=\"{WIDTH_PX}\" height=\"{HEIGHT_PX}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             xmlns=\"http://www.w3.org/2000/svg\" {LOOK}>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n{body}"
        ))
    }

    /// The picture as an SVG element inside an HTML page, with `title` as its text alternative, on the page's own
    /// background and in its colours: the CSS variables `--ink`, `--soft`, `--grid`, `--rest`, `--blue`, `--orange`,
    /// `--vermilion`, `--green`, `--purple` and `--sky`.
    ///
    /// # Errors
    /// [`ExportError::Draw`] with the drawing library's reason.
    pub fn to_inline_svg(&self, title: &str) -> Result<String, ExportError> {
        let title = escaped(title);
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\" {LOOK}>\n");
        let mut body = self.svg_body()?;
        for (name, color) in palette::NAMED {
            // Texts cannot hold the quotation marks of an attribute.
            let plain = format!("=\"#{:02X}{:02X}{:02X}\"", color.0, color.1, color.2);
            body = body.replace(&plain, &format!("=\"var(--{name})\""));
        }
        svg.push_str(body.trim_end());
        Ok(svg)
    }

    /// All elements and the end of the document, with what all share left to the root element.
    fn svg_body(&self) -> Result<String, ExportError> {
        let mut svg = String::new();
        self.draw(Canvas::Svg(SVGBackend::with_string(&mut svg, (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs()))))?;
        let (_head, body) = svg.split_once(">\n").unwrap_or_default();
        let family = format!(" font-family=\"{FAMILY}\"");
        Ok(body.replace(&family, "").replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", ""))
    }
}

/// Attributes of the root element. A viewer without DejaVu Sans takes a narrower sans-serif, so that texts still fit.
const LOOK: &str = "font-family=\"DejaVu Sans, sans-serif\" stroke-linejoin=\"round\"";

/// `text` as XML and HTML take it, in elements and attributes; characters that XML cannot hold are replaced.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            character => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use plotters::element::{PathElement, Polygon};
    use plotters::style::Color;
    use plotters::style::text_anchor::HPos;

    use super::super::text::draw_text;
    use super::*;

    #[test]
    fn texts_cannot_leave_their_element() {
        let picture = Picture::new(|area| {
            let text = "</text><script>\"a\" & 'b'\u{1}";
            draw_text(area, text, (20, 40), HPos::Center, 60.0, palette::BLACK)
        });
        let svg = picture.to_svg().unwrap();
        assert!(svg.contains("&lt;/text&gt;&lt;script&gt;&quot;a&quot; &amp; &apos;b&apos;\u{fffd}\n</text>"), "{svg}");
    }

    #[test]
    fn a_page_has_its_own_colours() {
        let picture = Picture::new(|area| {
            area.draw(&PathElement::new(vec![(0, 0), (5, 5)], palette::BLACK.stroke_width(4)))?;
            area.draw(&Polygon::new(vec![(0, 0), (1, 0), (1, 1)], palette::BLUE.mix(0.2).filled()))
        });
        assert!(picture.to_svg().unwrap().contains("stroke=\"#000000\" stroke-width=\"4\" points=\"0,0 5,5 \""));
        let inline = picture.to_inline_svg("a \"plot\"").unwrap();
        assert!(inline.contains("stroke=\"var(--ink)\"") && inline.contains("opacity=\"0.2\" fill=\"var(--blue)\""));
        assert!(inline.contains("aria-label=\"a &quot;plot&quot;\"") && inline.ends_with("</svg>"));
    }
}
