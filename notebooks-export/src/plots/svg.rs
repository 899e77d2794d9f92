//! Pictures as SVG: small text, whole by itself or to stand in a page that has its own colours.

use std::fmt::Write;

use super::picture::{Anchor, Color, Direction, HEIGHT_PX, Picture, Point, Shape, WIDTH_PX, rectangle_of};

/// The family as SVG names it; a viewer without DejaVu Sans takes a narrower sans-serif, so that texts still fit.
const FAMILY: &str = "DejaVu Sans, sans-serif";

/// How colours are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paint {
    /// As they are.
    Plain,
    /// Those with a name as variables of the page's style sheet, such as `var(--ink)`.
    Variables,
}

impl Picture {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let mut svg = format!(
            "<svg width=\"{WIDTH_PX}\" height=\"{HEIGHT_PX}\" viewBox=\"0 0 {WIDTH_PX} {HEIGHT_PX}\" \
             xmlns=\"http://www.w3.org/2000/svg\" font-family=\"{FAMILY}\">\n\
             <rect width=\"{WIDTH_PX}\" height=\"{HEIGHT_PX}\" fill=\"#fff\"/>\n"
        );
        self.write_shapes(&mut svg, Paint::Plain);
        svg + "</svg>\n"
    }

    /// The picture as an SVG element inside an HTML page, named `title` for those who cannot see it, on the page's own
    /// background and in its colours: the variables of [`Color::NAMED`].
    pub fn to_inline_svg(&self, title: &str) -> String {
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH_PX} {HEIGHT_PX}\" role=\"img\" aria-label=\"{}\" font-family=\"{FAMILY}\">\n",
            escaped(title)
        );
        self.write_shapes(&mut svg, Paint::Variables);
        svg + "</svg>"
    }

    /// Writes the shapes; neighbours that look alike share one element or group.
    fn write_shapes(&self, svg: &mut String, paint: Paint) {
        for run in self.shapes().chunk_by(look_alike) {
            match &run[0] {
                Shape::Line { color, width_px, .. } => {
                    svg.push_str("<path fill=\"none\" d=\"");
                    run.iter().for_each(|shape| write_path(svg, shape));
                    let color = painted("stroke", *color, paint);
                    let _ = writeln!(svg, "\"{color} stroke-width=\"{width_px}\" stroke-linejoin=\"round\"/>");
                }
                Shape::Polygon { color, .. } => {
                    svg.push_str("<path d=\"");
                    for shape in run {
                        write_path(svg, shape);
                        svg.push('z');
                    }
                    let _ = writeln!(svg, "\"{}/>", painted("fill", *color, paint));
                }
                Shape::Disc { color, .. } => {
                    let _ = writeln!(svg, "<g{}>", painted("fill", *color, paint));
                    run.iter().for_each(|shape| write_disc(svg, shape));
                    svg.push_str("</g>\n");
                }
                Shape::Text { color, em_px, .. } => {
                    let (color, size) = (painted("fill", *color, paint), short(*em_px));
                    let _ = writeln!(svg, "<g{color} font-size=\"{size}\">");
                    run.iter().for_each(|shape| write_text(svg, shape));
                    svg.push_str("</g>\n");
                }
            }
        }
    }
}

/// Whether two shapes may share an element: the same kind and look, and opaque, since overlaps within one element are
/// painted once.
fn look_alike(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Line { color: a, width_px: c, .. }, Shape::Line { color: b, width_px: d, .. }) => a == b && c == d,
        (Shape::Polygon { color: a, .. }, Shape::Polygon { color: b, .. }) => a == b && a.opacity == 1.0,
        (Shape::Disc { color: a, .. }, Shape::Disc { color: b, .. }) => a == b,
        (Shape::Text { color: a, em_px: c, .. }, Shape::Text { color: b, em_px: d, .. }) => a == b && c == d,
        _ => false,
    }
}

fn write_path(svg: &mut String, shape: &Shape) {
    let (Shape::Line { points, .. } | Shape::Polygon { points, .. }) = shape else { return };
    if let (Shape::Polygon { .. }, Some(((left, top), (right, bottom)))) = (shape, rectangle_of(points)) {
        let (x, y) = (short(left), short(top));
        // Sizes between written corners, so that neighbours meet.
        let (width, height) = (short(rounded(right) - rounded(left)), short(rounded(bottom) - rounded(top)));
        let _ = write!(svg, "M{x} {y}h{width}v{height}h-{width}");
        return;
    }
    for (index, &(x, y)) in points.iter().enumerate() {
        svg.push(match index {
            0 => 'M',
            1 => 'L',
            _ => ' ',
        });
        let _ = write!(svg, "{} {}", short(x), short(y));
    }
}

fn write_disc(svg: &mut String, shape: &Shape) {
    let Shape::Disc { center: (x, y), radius_px, .. } = shape else { return };
    let _ = writeln!(svg, "<circle cx=\"{}\" cy=\"{}\" r=\"{radius_px}\"/>", short(*x), short(*y));
}

fn write_text(svg: &mut String, shape: &Shape) {
    let Shape::Text { text, at, anchor, direction, .. } = shape else { return };
    let (x, y): Point = *at;
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let place = match direction {
        Direction::Right => format!("x=\"{}\" y=\"{}\"", short(x), short(y)),
        Direction::Up => format!("transform=\"translate({} {}) rotate(-90)\"", short(x), short(y)),
    };
    let _ = writeln!(svg, "<text {place}{anchor}>{}</text>", escaped(text));
}

/// The attribute `name` with a colour, and its opacity where it is not opaque.
fn painted(name: &str, color: Color, paint: Paint) -> String {
    let [red, green, blue] = color.rgb;
    let variable = Color::NAMED.iter().find(|(_, named)| named.rgb == color.rgb && paint == Paint::Variables);
    let value = match variable {
        Some((variable, _)) => format!("var(--{variable})"),
        None => format!("#{red:02x}{green:02x}{blue:02x}"),
    };
    let opacity = match color.opacity {
        1.0 => String::new(),
        opacity => format!(" {name}-opacity=\"{opacity}\""),
    };
    format!(" {name}=\"{value}\"{opacity}")
}

fn rounded(px: f64) -> f64 {
    (px * 10.0).round() / 10.0
}

/// A number of pixels with at most one decimal.
pub(super) fn short(px: f64) -> String {
    let text = format!("{:.1}", rounded(px));
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// `text` as XML and HTML take it, in elements and attributes; characters that XML cannot hold are replaced.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(character),
            character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                safe.push('\u{fffd}');
            }
            character => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_element() {
        let mut picture = Picture::default();
        picture.text("</text><script>\"a\" & 'b'\u{1}", (10.0, 20.25), Anchor::Middle);
        let svg = picture.to_svg();
        assert!(svg.contains(
            "<text x=\"10\" y=\"20.3\" text-anchor=\"middle\">&lt;/text&gt;&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;\u{fffd}</text>"
        ));
    }

    #[test]
    fn neighbours_of_one_look_share_an_element_and_a_page_has_its_own_colours() {
        let mut picture = Picture::default();
        picture.line(vec![(0.0, 0.0), (5.0, 5.0)], Color::BLACK, 2);
        picture.line(vec![(1.0, 0.0), (6.0, 5.5)], Color::BLACK, 2);
        picture.push(Shape::Polygon {
            points: vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
            color: Color::BLUE.with_opacity(0.2),
        });
        let svg = picture.to_svg();
        assert!(svg.contains("d=\"M0 0L5 5M1 0L6 5.5\" stroke=\"#000000\" stroke-width=\"2\""), "{svg}");
        let inline = picture.to_inline_svg("a \"plot\"");
        assert!(
            inline.contains("stroke=\"var(--ink)\"") && inline.contains("fill=\"var(--blue)\" fill-opacity=\"0.2\"")
        );
        assert!(inline.contains("aria-label=\"a &quot;plot&quot;\""));
    }
}
