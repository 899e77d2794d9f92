//! For tests: where texts lie in a picture.

use super::font::{CAPITAL_HEIGHT_EM, text_width_px};
use super::picture::{Anchor, Direction, HEIGHT_PX, Picture, Shape, WIDTH_PX};

/// Each text, but for empty ones, with its left, top, right and bottom, from the baseline to the height of capitals.
fn text_boxes(picture: &Picture) -> Vec<(&str, [f64; 4])> {
    let mut boxes = Vec::new();
    for shape in picture.shapes() {
        let Shape::Text { text, at: (x, y), anchor, direction, em_px, .. } = shape else { continue };
        if text.is_empty() {
            continue;
        }
        let width = text_width_px(text, *em_px);
        let before = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let height = CAPITAL_HEIGHT_EM * em_px;
        let bounds = match direction {
            Direction::Right => [x - before, y - height, x - before + width, *y],
            Direction::Up => [x - height, y + before - width, *x, y + before],
        };
        boxes.push((text.as_str(), bounds));
    }
    boxes
}

/// Fails if a text of `picture` is cut off or lies over another; returns how many texts there are.
pub(crate) fn assert_texts_are_apart(picture: &Picture, name: &str) -> usize {
    let boxes = text_boxes(picture);
    for (index, (text, a)) in boxes.iter().enumerate() {
        let [left, top, right, bottom] = *a;
        let is_inside = left >= 0.0 && top >= 0.0 && right <= f64::from(WIDTH_PX) && bottom <= f64::from(HEIGHT_PX);
        assert!(is_inside, "{name}: `{text}` is cut off: {a:?}");
        for (other, b) in &boxes[index + 1..] {
            let is_apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(is_apart, "{name}: `{text}` {a:?} lies over `{other}` {b:?}");
        }
    }
    boxes.len()
}
