//! A picture as a list of shapes, independent of the format it is written in.

/// Width of every picture in pixels; 16 cm in print.
pub const WIDTH_PX: u32 = 1600;
/// Height of every picture in pixels; 10 cm in print.
pub const HEIGHT_PX: u32 = 1000;
/// One em of all text.
pub const EM_PX: f64 = 30.0;

/// Pixels to the right and down from the upper left corner.
pub type Point = (f64, f64);

/// A colour with its opacity in 0..=1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Color {
    /// Red, green, blue.
    pub rgb: [u8; 3],
    /// 1 hides what is below.
    pub opacity: f64,
}

impl Color {
    /// A colour that hides what is below.
    pub const fn opaque(red: u8, green: u8, blue: u8) -> Color {
        Color { rgb: [red, green, blue], opacity: 1.0 }
    }

    /// The same colour with this opacity.
    pub const fn with_opacity(self, opacity: f64) -> Color {
        Color { opacity, ..self }
    }

    /// Texts and frames.
    pub const BLACK: Color = Color::opaque(0, 0, 0);
    /// Lines that stand back: baselines.
    pub const DARK_GREY: Color = Color::opaque(90, 90, 90);
    /// Grid lines.
    pub const LIGHT_GREY: Color = Color::opaque(222, 222, 222);
    /// Blue of Okabe and Ito.
    pub const BLUE: Color = Color::opaque(0, 114, 178);
    /// Orange of Okabe and Ito.
    pub const ORANGE: Color = Color::opaque(230, 159, 0);
    /// Vermilion of Okabe and Ito.
    pub const VERMILION: Color = Color::opaque(213, 94, 0);
    /// Bluish green of Okabe and Ito.
    pub const GREEN: Color = Color::opaque(0, 158, 115);
    /// Reddish purple of Okabe and Ito.
    pub const PURPLE: Color = Color::opaque(204, 121, 167);
    /// Sky blue of Okabe and Ito.
    pub const SKY: Color = Color::opaque(86, 180, 233);
    /// Areas that stand for what is left over.
    pub const GREY: Color = Color::opaque(170, 170, 170);
    /// Numbers on coloured cells, which are the same on a dark page: on light cells.
    pub const ON_LIGHT: Color = Color::opaque(1, 1, 1);
    /// The same on dark cells.
    pub const ON_DARK: Color = Color::opaque(255, 255, 255);

    /// Curves of several runs, in this order; told apart without colour vision and in print.
    pub const SERIES: [Color; 7] =
        [Color::BLUE, Color::VERMILION, Color::GREEN, Color::ORANGE, Color::PURPLE, Color::SKY, Color::BLACK];

    /// The colours that a page may replace by its own, each with the name of the page's variable.
    pub const NAMED: [(&'static str, Color); 10] = [
        ("ink", Color::BLACK),
        ("soft", Color::DARK_GREY),
        ("grid", Color::LIGHT_GREY),
        ("rest", Color::GREY),
        ("blue", Color::BLUE),
        ("orange", Color::ORANGE),
        ("vermilion", Color::VERMILION),
        ("green", Color::GREEN),
        ("purple", Color::PURPLE),
        ("sky", Color::SKY),
    ];
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text's middle is at the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// Which way a text runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From left to right.
    Right,
    /// From bottom to top.
    Up,
}

/// One shape; later shapes cover earlier ones.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// Straight strokes from point to point.
    Line {
        /// At least two points.
        points: Vec<Point>,
        /// Colour of the stroke.
        color: Color,
        /// Width of the stroke.
        width_px: u32,
    },
    /// A filled area.
    Polygon {
        /// Its corners in order.
        points: Vec<Point>,
        /// Colour of the area.
        color: Color,
    },
    /// A filled circle.
    Disc {
        /// Its centre.
        center: Point,
        /// Its radius.
        radius_px: u32,
        /// Its colour.
        color: Color,
    },
    /// A line of text.
    Text {
        /// What it says.
        text: String,
        /// A point on its baseline.
        at: Point,
        /// Which part of the text is at that point.
        anchor: Anchor,
        /// Which way it runs.
        direction: Direction,
        /// Size of an em.
        em_px: f64,
        /// Its colour.
        color: Color,
    },
}

/// The upper left and lower right corner of a polygon made by [`Picture::rectangle`].
pub(super) fn rectangle_of(points: &[Point]) -> Option<(Point, Point)> {
    let [(left, top), (right, upper), (last_right, bottom), (last_left, lower)] = *points else { return None };
    let is_rectangle = left == last_left && right == last_right && top == upper && bottom == lower;
    (is_rectangle && left <= right && top <= bottom).then_some(((left, top), (right, bottom)))
}

/// A picture of [`WIDTH_PX`] × [`HEIGHT_PX`] on white.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Picture {
    shapes: Vec<Shape>,
    /// Why there is nothing to see.
    missing: Option<String>,
}

impl Picture {
    /// A picture with nothing but a heading and the reason why there is nothing to see.
    pub(super) fn without_data(heading: &str, reason: &str) -> Picture {
        let (x, y) = (f64::from(WIDTH_PX) / 2.0, f64::from(HEIGHT_PX) / 2.0);
        let mut picture = Picture { missing: Some(reason.to_owned()), ..Picture::default() };
        picture.text(heading, (x, y - EM_PX), Anchor::Middle);
        picture.text_of(reason, (x, y + EM_PX), Anchor::Middle, EM_PX, Color::DARK_GREY);
        picture
    }

    /// The reason why there is nothing to see, in a sentence; `None` where there is something.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// Adds a shape on top.
    pub(super) fn push(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    /// Adds a filled rectangle from its upper left to its lower right corner.
    pub(super) fn rectangle(&mut self, (left, top): Point, (right, bottom): Point, color: Color) {
        self.push(Shape::Polygon { points: vec![(left, top), (right, top), (right, bottom), (left, bottom)], color });
    }

    /// Adds a text of this size and colour that runs to the right.
    pub(super) fn text_of(&mut self, text: &str, at: Point, anchor: Anchor, em_px: f64, color: Color) {
        self.push(Shape::Text { text: text.to_owned(), at, anchor, direction: Direction::Right, em_px, color });
    }

    /// Adds a black text that runs upwards.
    pub(super) fn text_up(&mut self, text: &str, at: Point, anchor: Anchor, em_px: f64) {
        let (text, direction, color) = (text.to_owned(), Direction::Up, Color::BLACK);
        self.push(Shape::Text { text, at, anchor, direction, em_px, color });
    }

    /// Adds strokes from point to point.
    pub(super) fn line(&mut self, points: Vec<Point>, color: Color, width_px: u32) {
        self.push(Shape::Line { points, color, width_px });
    }

    /// Adds a dashed horizontal line at height `y`.
    pub(super) fn dashed_line(&mut self, y: f64, from_x: f64, to_x: f64, color: Color) {
        const DASH_PX: f64 = 16.0;
        const GAP_PX: f64 = 10.0;
        let mut x = from_x;
        while x < to_x {
            self.line(vec![(x, y), ((x + DASH_PX).min(to_x), y)], color, 3);
            x += DASH_PX + GAP_PX;
        }
    }

    /// Adds a black text that runs to the right.
    pub(super) fn text(&mut self, text: &str, at: Point, anchor: Anchor) {
        self.text_of(text, at, anchor, EM_PX, Color::BLACK);
    }

    /// The shapes from bottom to top.
    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
}
