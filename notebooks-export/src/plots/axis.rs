//! A number axis: its range, its ticks, and the numbers beside them.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// The range of an axis and the distance of its ticks, which stand at multiples of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    step: f64,
    /// Ticks stand within these bounds only.
    tick_bounds: (f64, f64),
}

/// Roughly how many ticks an axis has.
const TICKS: f64 = 7.0;
/// Larger numbers are drawn here, so that no difference of two overflows.
const MAX_NUMBER: f64 = 1e300;

impl Axis {
    /// An axis whose ends are ticks and which contains `low..=high`; where that is (nearly) a point, some room on both
    /// sides.
    pub fn rounded(low: f64, high: f64, min_step: f64) -> Axis {
        let (low, high) = (low.clamp(-MAX_NUMBER, MAX_NUMBER), high.clamp(-MAX_NUMBER, MAX_NUMBER));
        let room = if high - low < min_step { 2.0 * min_step } else { 0.0 };
        let step = tick_step(high - low + 2.0 * room, min_step);
        let (low, high) = (((low - room) / step).floor() * step, ((high + room) / step).ceil() * step);
        Axis { low, high, step, tick_bounds: (low, high) }
    }

    /// An axis from 0 to a little more than `high`.
    pub fn from_zero(high: f64, min_step: f64) -> Axis {
        let high = high.max(min_step).min(MAX_NUMBER) * 1.02;
        Axis { low: 0.0, high, step: tick_step(high, min_step), tick_bounds: (0.0, high) }
    }

    /// An axis from 0 for numbers of 0 or more between `low` and `high`; a single one stands in the middle.
    pub fn for_costs(low: f64, high: f64, min_step: f64) -> Axis {
        match () {
            () if high <= 0.0 => Axis { low: -1.0, high: 1.0, step: 1.0, tick_bounds: (0.0, 0.0) },
            () if low == high => Axis::from_zero(2.0 * high, min_step),
            () => Axis::from_zero(high, min_step),
        }
    }

    /// An axis that ends at these numbers, whether they are ticks or not.
    pub fn exact(low: f64, high: f64, min_step: f64) -> Axis {
        let (low, high) = (low.clamp(-MAX_NUMBER, MAX_NUMBER), high.clamp(-MAX_NUMBER, MAX_NUMBER));
        Axis { low, high, step: tick_step(high - low, min_step), tick_bounds: (low, high) }
    }

    /// An axis of whole numbers with half a unit of room on both sides, three halves around a single number; no tick
    /// stands beyond them.
    pub fn whole_numbers(first: f64, last: f64) -> Axis {
        let room = if last > first { 0.5 } else { 1.5 };
        let axis = Axis::exact(first - room, last + room, 1.0);
        Axis { tick_bounds: (first, last), ..axis }
    }

    /// A vertical axis of rows, the first at the top, with a tick at the middle of each.
    pub fn rows(count: usize) -> Axis {
        let last = count.saturating_sub(1) as f64;
        Axis { low: last + 0.5, high: -0.5, step: 1.0, tick_bounds: (0.0, last) }
    }

    /// The same axis with so few ticks that their texts fit side by side into `length`, given the room of a text.
    pub fn fitting(self, length: f64, room: impl Fn(&str) -> f64) -> Axis {
        let mut axis = self;
        loop {
            let ticks = axis.ticks();
            let largest = ticks.iter().map(|(_, text)| room(text)).fold(0.0, f64::max);
            let is_fitting = largest <= axis.step / (axis.high - axis.low).abs() * length;
            if is_fitting || ticks.len() <= 2 {
                return axis;
            }
            axis.step = round_step(1.5 * axis.step);
        }
    }

    /// Where `value` lies: 0 at the low end, 1 at the high end, nothing beyond.
    fn fraction(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The ticks in ascending order, each with its text.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        self.tick_values().into_iter().map(|value| (value, self.format_ext(&value))).collect()
    }

    fn tick_values(&self) -> Vec<f64> {
        // A hair of tolerance, so that rounding does not lose the tick at an end.
        let first = (self.tick_bounds.0 / self.step - 1e-6).ceil() as i64;
        let last = (self.tick_bounds.1 / self.step + 1e-6).floor() as i64;
        (first..=last).map(|multiple| multiple as f64 * self.step).collect()
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.fraction(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Lines between ticks are not drawn.
        if hint.weight().allow_light_points() { Vec::new() } else { self.tick_values() }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        // Where numbers reach millions, in the unit that a tenth of still is no more than a step.
        let reaches_millions = self.low.abs().max(self.high.abs()) >= 1e6;
        let units = [(1e9, "\u{a0}G"), (1e6, "\u{a0}M")];
        let fitting = units.into_iter().find(|(unit, _)| reaches_millions && *unit <= 10.0 * self.step);
        let (unit, sign) = fitting.unwrap_or((1.0, ""));
        if *value == 0.0 && unit > 1.0 {
            return "0".to_owned();
        }
        let decimals = (-((self.step / unit).log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
        number_text(value / unit, decimals) + sign
    }
}

/// The smallest round step that gives at most [`TICKS`] + 1 ticks over `span`.
fn tick_step(span: f64, min_step: f64) -> f64 {
    round_step((span / TICKS).max(min_step))
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `wanted`.
fn round_step(wanted: f64) -> f64 {
    let decade = 10f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|&step| step >= wanted * 0.999)
        .unwrap_or(10.0 * decade)
}

/// `value` with so many decimals, digits in groups of three and a real minus sign.
pub fn number_text(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = String::new();
    if value < 0.0 && digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        text.push('\u{2212}');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_contain_the_data() {
        let axis = Axis::rounded(-130.0, 1240.0, 1.0);
        assert_eq!(texts(axis), ["\u{2212}200", "0", "200", "400", "600", "800", "1,000", "1,200", "1,400"]);
        assert_eq!((axis.fraction(-200.0), axis.fraction(1400.0), axis.fraction(600.0)), (0.0, 1.0, 0.5));
        assert_eq!(texts(Axis::from_zero(0.03, 1e-4)), ["0.000", "0.005", "0.010", "0.015", "0.020", "0.025", "0.030"]);
    }

    #[test]
    fn large_numbers_are_short() {
        assert_eq!(texts(Axis::from_zero(1.2e9, 1.0))[..3], ["0", "0.2\u{a0}G", "0.4\u{a0}G"]);
        assert_eq!(texts(Axis::from_zero(1e6, 1.0))[1], "0.2\u{a0}M");
        assert_eq!(texts(Axis::for_costs(0.0, 0.0, 1.0)), ["0"]);
    }

    #[test]
    fn a_point_gets_room_around_it() {
        assert_eq!(texts(Axis::rounded(0.0, 0.0, 10.0)), ["\u{2212}20", "\u{2212}10", "0", "10", "20"]);
        let axis = Axis::rounded(1.8931, 1.8931, 0.01);
        assert!((0.3..0.7).contains(&axis.fraction(1.8931)), "{axis:?}");
    }

    #[test]
    fn ticks_whose_texts_do_not_fit_are_left_out() {
        let axis = Axis::from_zero(0.0019, 1e-9);
        assert_eq!(texts(axis.fitting(100.0, |_| 40.0)), ["0.000", "0.001"]);
        assert_eq!(axis.fitting(1000.0, |_| 40.0), axis);
    }

    #[test]
    fn rows_go_down() {
        let axis = Axis::rows(3);
        assert_eq!(texts(axis), ["0", "1", "2"]);
        assert_eq!([0.0, 1.0, 2.0].map(|row| axis.map(&row, (600, 0))), [100, 300, 500]);
    }

    #[test]
    fn every_size_of_range_has_a_few_ticks() {
        for exponent in -3..12 {
            for factor in [1.0, 1.3, 2.7, 4.9, 5.1, 9.99] {
                let high = factor * 10f64.powi(exponent);
                for axis in [Axis::from_zero(high, 1e-9), Axis::rounded(high / 3.0, high, 1e-9)] {
                    let count = axis.ticks().len();
                    assert!((4..=10).contains(&count), "{count} ticks: {axis:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_grouped_and_zero_has_no_sign() {
        assert_eq!(number_text(-1_234_567.891, 1), "\u{2212}1,234,567.9");
        assert_eq!(number_text(-0.04, 1), "0.0");
        assert_eq!(number_text(999.0, 0), "999");
    }
}
