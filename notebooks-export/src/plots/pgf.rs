//! Figures as PGF, for LaTeX: drawn by the `pgf` package, their texts set in the document's own font.

use std::convert::Infallible;
use std::fmt::{Arguments, Write};

use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontTransform,
};

use super::font::{baseline_em, em_of};
use super::size::{HEIGHT, WIDTH};

/// What a file begins with: a canvas unit is 1/200 cm, and frequent commands have short names. They hold within the
/// picture alone.
const HEAD: &str = r"\begin{pgfpicture}
\pgfsetxvec{\pgfpoint{0.005cm}{0cm}}\pgfsetyvec{\pgfpoint{0cm}{0.005cm}}
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

const CM_PER_UNIT: f64 = 0.005;
/// Points of TeX in a canvas unit.
const PT_PER_UNIT: f64 = CM_PER_UNIT * 28.452_76;

type PgfResult = Result<(), DrawingErrorKind<Infallible>>;

/// A backend that writes the text of a PGF file.
pub struct PgfBackend<'c> {
    text: &'c mut String,
    /// Red, green and blue, and the opacity.
    color: Option<((u8, u8, u8), f64)>,
    stroke_width: Option<u32>,
}

impl<'c> PgfBackend<'c> {
    /// Starts the file in `text`.
    pub fn new(text: &'c mut String) -> Self {
        *text = format!("{HEAD}\\R0 0 {WIDTH} {HEIGHT};\\pgfusepath{{use as bounding box}}\n");
        PgfBackend { text, color: None, stroke_width: None }
    }

    fn push(&mut self, text: Arguments) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(text);
    }

    fn set_color(&mut self, color: BackendColor) {
        let look = (color.rgb, color.alpha);
        if self.color.replace(look) != Some(look) {
            let (red, green, blue) = color.rgb;
            self.push(format_args!("\\C{red},{green},{blue};{};\n", color.alpha));
        }
    }

    fn set_stroke(&mut self, style: &impl BackendStyle) {
        self.set_color(style.color());
        let width = style.stroke_width();
        if self.stroke_width.replace(width) != Some(width) {
            self.push(format_args!("\\W{:.3};\n", f64::from(width) * CM_PER_UNIT));
        }
    }

    fn push_path(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        for (index, (x, y)) in points.into_iter().enumerate() {
            self.push(format_args!("\\{}{x} {};", if index == 0 { 'M' } else { 'L' }, HEIGHT - y));
        }
    }

    /// Ends a path that was drawn with the style set before.
    fn finish(&mut self, fill: bool) -> PgfResult {
        self.push(format_args!("{}\n", if fill { "\\F" } else { "\\S" }));
        Ok(())
    }
}

impl DrawingBackend for PgfBackend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs())
    }

    fn ensure_prepared(&mut self) -> PgfResult {
        Ok(())
    }

    fn present(&mut self) -> PgfResult {
        self.push(format_args!("\\end{{pgfpicture}}%\n"));
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> PgfResult {
        self.draw_rect((x, y), (x + 1, y + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> PgfResult {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> PgfResult {
        self.set_stroke(style);
        self.push(format_args!("\\R{left} {} {right} {};", HEIGHT - top, HEIGHT - bottom));
        self.finish(fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> PgfResult {
        self.set_stroke(style);
        self.push_path(path);
        self.finish(false)
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): BackendCoord, radius: u32, style: &S, fill: bool) -> PgfResult {
        self.set_stroke(style);
        self.push(format_args!("\\D{x} {} {:.3};", HEIGHT - y, f64::from(radius) * CM_PER_UNIT));
        self.finish(fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> PgfResult {
        self.set_color(style.color());
        self.push_path(corners);
        self.finish(true)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> PgfResult {
        let (em, anchor) = (em_of(style), style.anchor());
        let (right, down) = style.transform().transform(0, (baseline_em(anchor.v_pos) * em).round() as i32);
        let side = match anchor.h_pos {
            HPos::Left => "left,",
            HPos::Center => "",
            HPos::Right => "right,",
        };
        let rotation = match style.transform() {
            FontTransform::None => "",
            FontTransform::Rotate90 => "rotate=-90,",
            FontTransform::Rotate180 => "rotate=180,",
            FontTransform::Rotate270 => "rotate=90,",
        };
        self.set_color(style.color());
        let (x, y, size) = (x + right, HEIGHT - y - down, em * PT_PER_UNIT);
        self.push(format_args!("\\T {side}{rotation};{x} {y};{size:.1};{{{}}}\n", escaped(text)));
        Ok(())
    }
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
    use plotters::drawing::IntoDrawingArea;
    use plotters::element::PathElement;
    use plotters::style::Color;

    use super::super::canvas::Canvas;
    use super::super::palette;
    use super::super::text::draw_text;
    use super::*;

    #[test]
    fn shapes_are_drawn_upright_and_in_print_size() {
        let mut pgf = String::new();
        let area = Canvas::Pgf(PgfBackend::new(&mut pgf)).into_drawing_area();
        area.draw(&PathElement::new(vec![(0, 2000), (3200, 0)], Color::stroke_width(&palette::BLACK, 8))).unwrap();
        draw_text(&area, "50_% & <a> × 2…", (200, 1800), HPos::Right, 60.0, palette::BLACK).unwrap();
        area.present().unwrap();
        drop(area);
        assert!(pgf.contains("\\C0,0,0;1;\n\\W0.040;\n\\M0 0;\\L3200 2000;\\S\n"), "{pgf}");
        assert!(pgf.contains("50\\_\\% \\& {\\char60}a{\\char62} $\\times$ 2\\dots{}"), "{pgf}");
        // The baseline lies half a capital's height below the middle.
        assert!(pgf.contains("\\T right,;200 178;8.5;{"), "{pgf}");
        assert!(pgf.ends_with("\\end{pgfpicture}%\n"), "{pgf}");
    }

    #[test]
    fn no_text_can_give_an_order() {
        let escaped = escaped("\\input{x} #1 ~^ $y$ \u{1}\u{202e}é");
        assert_eq!(escaped, "\\textbackslash{}input\\{x\\} \\#1 \\textasciitilde{}\\textasciicircum{} \\$y\\$ ??é");
    }
}
