//! A number axis: its range, its ticks, and how numbers are written beside it.

/// The range of an axis and the distance of its ticks, which stand at multiples of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    step: f64,
    /// Ticks stand within these bounds only.
    tick_bounds: (f64, f64),
}

/// Roughly how many ticks an axis gets.
const TICKS: f64 = 7.0;
/// Numbers beyond this are drawn here, so that no difference of two overflows.
const FARTHEST: f64 = 1e300;

impl Axis {
    /// An axis whose ends are ticks and which contains `low..=high`; where that is (nearly) a point, some room on both
    /// sides.
    pub fn rounded(low: f64, high: f64, smallest_step: f64) -> Axis {
        let (low, high) = (low.clamp(-FARTHEST, FARTHEST), high.clamp(-FARTHEST, FARTHEST));
        let room = if high - low < smallest_step { 2.0 * smallest_step } else { 0.0 };
        let step = tick_step(high - low + 2.0 * room, smallest_step);
        let (low, high) = (((low - room) / step).floor() * step, ((high + room) / step).ceil() * step);
        Axis { low, high, step, tick_bounds: (low, high) }
    }

    /// An axis from 0 to a little more than `high`.
    pub fn from_zero(high: f64, smallest_step: f64) -> Axis {
        let high = high.max(smallest_step).min(FARTHEST) * 1.02;
        Axis { low: 0.0, high, step: tick_step(high, smallest_step), tick_bounds: (0.0, high) }
    }

    /// An axis from 0 for numbers of 0 or more between `low` and `high`; a single one stands in the middle.
    pub fn of_costs(low: f64, high: f64, smallest_step: f64) -> Axis {
        match () {
            () if high <= 0.0 => Axis { low: -1.0, high: 1.0, step: 1.0, tick_bounds: (0.0, 0.0) },
            () if low == high => Axis::from_zero(2.0 * high, smallest_step),
            () => Axis::from_zero(high, smallest_step),
        }
    }

    /// An axis that ends at these numbers, whether they are ticks or not.
    pub fn exact(low: f64, high: f64, smallest_step: f64) -> Axis {
        let (low, high) = (low.clamp(-FARTHEST, FARTHEST), high.clamp(-FARTHEST, FARTHEST));
        Axis { low, high, step: tick_step(high - low, smallest_step), tick_bounds: (low, high) }
    }

    /// An axis of whole numbers with half a unit of room on both sides, three halves around a single number; no tick
    /// stands beyond them.
    pub fn whole_numbers(first: f64, last: f64) -> Axis {
        let room = if last > first { 0.5 } else { 1.5 };
        let axis = Axis::exact(first - room, last + room, 1.0);
        Axis { tick_bounds: (first, last), ..axis }
    }

    /// Where `value` lies: 0 at the low end, 1 at the high end, nothing beyond.
    pub fn fraction(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The ticks from low to high, each with its text.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        // A hair of tolerance, so that rounding does not lose the tick at an end.
        let first = (self.tick_bounds.0 / self.step - 1e-6).ceil() as i64;
        let last = (self.tick_bounds.1 / self.step + 1e-6).floor() as i64;
        // Where numbers reach millions, in the unit that a tenth of still is no more than a step.
        let reaches_millions = self.low.abs().max(self.high.abs()) >= 1e6;
        let units = [(1e9, "\u{a0}G"), (1e6, "\u{a0}M")];
        let fitting = units.into_iter().find(|(unit, _)| reaches_millions && *unit <= 10.0 * self.step);
        let (unit, sign) = fitting.unwrap_or((1.0, ""));
        let decimals = (-((self.step / unit).log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
        (first..=last)
            .map(|multiple| {
                let value = multiple as f64 * self.step;
                let text = number_text(value / unit, decimals);
                (value, if multiple == 0 && unit > 1.0 { "0".to_owned() } else { text + sign })
            })
            .collect()
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that gives at most [`TICKS`] + 1 ticks over `span`.
fn tick_step(span: f64, smallest_step: f64) -> f64 {
    let wanted = (span / TICKS).max(smallest_step);
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
        assert_eq!(texts(Axis::of_costs(0.0, 0.0, 1.0)), ["0"]);
    }

    #[test]
    fn a_point_gets_room_around_it() {
        assert_eq!(texts(Axis::rounded(0.0, 0.0, 10.0)), ["\u{2212}20", "\u{2212}10", "0", "10", "20"]);
        let axis = Axis::rounded(1.8931, 1.8931, 0.01);
        assert!((0.3..0.7).contains(&axis.fraction(1.8931)), "{axis:?}");
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
