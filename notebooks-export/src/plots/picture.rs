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
    const fn opaque(red: u8, green: u8, blue: u8) -> Color {
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

/// A picture of [`WIDTH_PX`] × [`HEIGHT_PX`] on white.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Picture {
    shapes: Vec<Shape>,
}

impl Picture {
    /// A picture with nothing but a heading and the reason why there is nothing to see.
    pub(super) fn without_data(heading: &str, reason: &str) -> Picture {
        let (x, y) = (f64::from(WIDTH_PX) / 2.0, f64::from(HEIGHT_PX) / 2.0);
        let mut picture = Picture::default();
        picture.text(heading, (x, y - EM_PX), Anchor::Middle);
        picture.push(Shape::Text {
            text: reason.to_owned(),
            at: (x, y + EM_PX),
            anchor: Anchor::Middle,
            direction: Direction::Right,
            em_px: EM_PX,
            color: Color::DARK_GREY,
        });
        picture
    }

    /// Adds a shape on top.
    pub(super) fn push(&mut self, shape: Shape) {
        self.shapes.push(shape);
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
        self.push(Shape::Text {
            text: text.to_owned(),
            at,
            anchor,
            direction: Direction::Right,
            em_px: EM_PX,
            color: Color::BLACK,
        });
    }

    /// The shapes from bottom to top.
    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
}
