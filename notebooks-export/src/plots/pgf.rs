//! Pictures as PGF, for LaTeX: drawn by the `pgf` package, their texts set in the document's own font.

use std::fmt::Write;

use super::picture::{Anchor, Color, Direction, HEIGHT_PX, Picture, Point, Shape, WIDTH_PX, rectangle_of};
use super::svg::short;

/// What a file begins with: a pixel is a hundredth of a centimetre, and orders that come often have short names. They hold within
/// the picture alone.
const HEAD: &str = r"\begin{pgfpicture}
\pgfsetxvec{\pgfpoint{0.01cm}{0cm}}\pgfsetyvec{\pgfpoint{0cm}{0.01cm}}
\def\M#1 #2;{\pgfpathmoveto{\pgfpointxy{#1}{#2}}}
\def\L#1 #2;{\pgfpathlineto{\pgfpointxy{#1}{#2}}}
\def\R#1 #2 #3 #4;{\M#1 #2;\L#3 #2;\L#3 #4;\L#1 #4;\pgfpathclose}
\def\D#1 #2 #3;{\pgfpathcircle{\pgfpointxy{#1}{#2}}{#3cm}}
\def\C#1;#2;{\definecolor{selfplay}{RGB}{#1}\pgfsetcolor{selfplay}\pgfsetstrokeopacity{#2}\pgfsetfillopacity{#2}}
\def\W#1;{\pgfsetlinewidth{#1cm}}
\def\S{\pgfusepath{stroke}}
\def\F{\pgfusepath{fill}}
\def\T#1;#2 #3;#4;#5{\pgftext[at={\pgfpointxy{#2}{#3}},#1base]{\color{selfplay}\fontsize{#4}{#4}\selectfont #5}}
\pgfsetroundjoin
";

/// Points of TeX in a pixel.
const PT_PER_PX: f64 = 0.284_527_6;
const CM_PER_PX: f64 = 0.01;

impl Picture {
    /// The picture as the text of a PGF file, 16 cm wide and 10 cm high: `\input` it where `\usepackage{pgf}` and
    /// `\usepackage{xcolor}` stand in the preamble, in a `\resizebox` for another width.
    pub fn to_pgf(&self) -> String {
        let mut pgf = HEAD.to_owned();
        let _ = writeln!(pgf, "\\R0 0 {WIDTH_PX} {HEIGHT_PX};\\pgfusepath{{use as bounding box}}");
        let (mut color, mut width) = (None, None);
        for shape in self.shapes() {
            let own = color_of(shape);
            if color.replace(own) != Some(own) {
                let [red, green, blue] = own.rgb;
                let _ = writeln!(pgf, "\\C{red},{green},{blue};{};", own.opacity);
            }
            if let Shape::Line { width_px, .. } = shape
                && width.replace(*width_px) != Some(*width_px)
            {
                let _ = writeln!(pgf, "\\W{:.2};", f64::from(*width_px) * CM_PER_PX);
            }
            // Writing to a string cannot fail.
            let _ = write_shape(&mut pgf, shape);
        }
        pgf + "\\end{pgfpicture}%\n"
    }
}

fn color_of(shape: &Shape) -> Color {
    match shape {
        Shape::Line { color, .. }
        | Shape::Polygon { color, .. }
        | Shape::Disc { color, .. }
        | Shape::Text { color, .. } => *color,
    }
}

fn write_shape(pgf: &mut String, shape: &Shape) -> std::fmt::Result {
    match shape {
        Shape::Line { points, .. } => {
            write_path(pgf, points)?;
            writeln!(pgf, "\\S")
        }
        Shape::Polygon { points, .. } => {
            match rectangle_of(points) {
                Some((corner, opposite)) => write!(pgf, "\\R{} {};", place(corner), place(opposite))?,
                None => write_path(pgf, points)?,
            }
            writeln!(pgf, "\\F")
        }
        Shape::Disc { center, radius_px, .. } => {
            writeln!(pgf, "\\D{} {:.2};\\F", place(*center), f64::from(*radius_px) * CM_PER_PX)
        }
        Shape::Text { text, at, anchor, direction, em_px, .. } => {
            let side = match anchor {
                Anchor::Start => "left,",
                Anchor::Middle => "",
                Anchor::End => "right,",
            };
            let rotation = if *direction == Direction::Up { "rotate=90," } else { "" };
            writeln!(pgf, "\\T {side}{rotation};{};{:.1};{{{}}}", place(*at), em_px * PT_PER_PX, escaped(text))
        }
    }
}

fn write_path(pgf: &mut String, points: &[Point]) -> std::fmt::Result {
    for (index, &at) in points.iter().enumerate() {
        write!(pgf, "\\{}{};", if index == 0 { 'M' } else { 'L' }, place(at))?;
    }
    Ok(())
}

/// A point with the height counted from below.
fn place((x, y): Point) -> String {
    format!("{} {}", short(x), short(f64::from(HEIGHT_PX) - y))
}

/// `text` as LaTeX takes it; characters that its fonts lack are written in words or left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => safe.push_str("\\textbackslash{}"),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => safe.extend(['\\', character]),
            '<' | '>' | '|' | '"' => _ = write!(safe, "{{\\char{}}}", u32::from(character)),
            '−' => safe.push_str("$-$"),
            '×' => safe.push_str("$\\times$"),
            '·' => safe.push_str("$\\cdot$"),
            '≥' => safe.push_str("$\\geq$"),
            '≤' => safe.push_str("$\\leq$"),
            '±' => safe.push_str("$\\pm$"),
            '→' => safe.push_str("$\\rightarrow$"),
            '²' => safe.push_str("$^2$"),
            '³' => safe.push_str("$^3$"),
            '–' => safe.push_str("--"),
            '—' => safe.push_str("---"),
            '…' => safe.push_str("\\dots{}"),
            '“' => safe.push_str("``"),
            '”' => safe.push_str("''"),
            '’' => safe.push('\''),
            ' '..='~' => safe.push(character),
            // Letters of western languages are in every font of LaTeX.
            '\u{c0}'..='\u{17f}' => safe.push(character),
            _ => safe.push('?'),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_drawn_upright_and_in_print_size() {
        let mut picture = Picture::default();
        picture.line(vec![(0.0, 1000.0), (1600.0, 0.0)], Color::BLACK, 4);
        picture.text("50_% & <a> × 2…", (100.0, 900.0), Anchor::End);
        let pgf = picture.to_pgf();
        assert!(pgf.contains("\\C0,0,0;1;\n\\W0.04;\n\\M0 0;\\L1600 1000;\\S\n"), "{pgf}");
        assert!(pgf.contains("50\\_\\% \\& {\\char60}a{\\char62} $\\times$ 2\\dots{}"), "{pgf}");
        assert!(pgf.contains("\\T right,;100 100;8.5;{"), "{pgf}");
    }

    #[test]
    fn no_text_can_give_an_order() {
        let escaped = escaped("\\input{x} #1 ~^ $y$ \u{1}\u{202e}é");
        assert_eq!(escaped, "\\textbackslash{}input\\{x\\} \\#1 \\textasciitilde{}\\textasciicircum{} \\$y\\$ ??é");
    }
}
