//! For tests: where texts lie in a figure, read from its SVG.

use super::font::{CAPITAL_HEIGHT_EM, text_width};
use super::picture::Picture;
use super::size::{HEIGHT, WIDTH};

/// Each text with its left, top, right and bottom, from the baseline to the height of capitals.
fn text_boxes(svg: &str) -> Vec<(String, [f64; 4])> {
    let elements = svg.split("<text ").skip(1).map(|element| element.split_once(">\n").unwrap());
    let boxes = elements.map(|(attributes, rest)| {
        let value = |name: &str| {
            let start = format!("{name}=\"");
            let from = attributes.split(' ').find_map(|attribute| attribute.strip_prefix(&start));
            from.unwrap_or_else(|| panic!("`{name}` in {attributes}")).trim_end_matches('"')
        };
        let number = |name: &str| value(name).parse::<f64>().unwrap();
        let text = rest.split_once("\n</text>").unwrap().0;
        let text = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
            .into_iter()
            .fold(text.to_owned(), |text, (escaped, character)| text.replace(escaped, character));
        let em = number("font-size");
        let width = text_width(&text, em);
        let before = match value("text-anchor") {
            "start" => 0.0,
            "middle" => width / 2.0,
            _ => width,
        };
        let fall = match value("dy") {
            "0.76em" => 0.76 * em,
            "0.5ex" => 0.27 * em,
            _ => -0.27 * em,
        };
        let ((x, y), height) = ((number("x"), number("y")), CAPITAL_HEIGHT_EM * em);
        let bounds = match attributes.contains("rotate(270") {
            false => [x - before, y + fall - height, x - before + width, y + fall],
            true => [x + fall - height, y + before - width, x + fall, y + before],
        };
        (text, bounds)
    });
    boxes.collect()
}

/// Fails if a text of `picture` is cut off or lies over another; returns how many texts there are.
pub(crate) fn assert_texts_are_apart(picture: &Picture, name: &str) -> usize {
    let boxes = text_boxes(&picture.to_svg().unwrap());
    for (index, (text, a)) in boxes.iter().enumerate() {
        let [left, top, right, bottom] = *a;
        let is_inside = left >= 0.0 && top >= 0.0 && right <= f64::from(WIDTH) && bottom <= f64::from(HEIGHT);
        assert!(is_inside, "{name}: `{text}` is cut off: {a:?}");
        for (other, b) in &boxes[index + 1..] {
            let is_apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(is_apart, "{name}: `{text}` {a:?} lies over `{other}` {b:?}");
        }
    }
    boxes.len()
}
