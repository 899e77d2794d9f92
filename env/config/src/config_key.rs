//! The keys of a run's config: what each may hold, and what is said where one holds something else.
//!
//! [`config_section!`](macro@crate::config_section) and [`config_choice!`](macro@crate::config_choice) declare them, each key once:
//! name, type, default, range and meaning. What is read, checked, explained and documented follows from that.

use std::fmt::Display;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use std::path::PathBuf;

/// A key with a value that it must not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{key}` is {value}: expected {expected}")]
pub struct InvalidKey {
    /// The key, dotted, from the table on that was checked.
    pub key: String,
    /// What it holds.
    pub value: String,
    /// What would be right.
    pub expected: String,
}

impl InvalidKey {
    /// The same, seen from the table that holds the checked one under the key `outer`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.key = if self.key.is_empty() { outer.into() } else { format!("{outer}.{}", self.key) };
        self
    }
}

/// [`InvalidKey`] unless `is_allowed`.
///
/// # Errors
/// See above.
pub fn check(is_allowed: bool, key: &str, value: impl Display, expected: &str) -> Result<(), InvalidKey> {
    if is_allowed {
        return Ok(());
    }
    Err(InvalidKey { key: key.into(), value: value.to_string(), expected: expected.into() })
}

/// [`InvalidKey`] unless exactly one of the key and its alternative is set.
///
/// # Errors
/// See above.
pub fn check_choice(is_set: bool, key: &str, is_alternative_set: bool, alternative: &str) -> Result<(), InvalidKey> {
    let state = if is_set { "set" } else { "absent" };
    check(is_set != is_alternative_set, key, format!("{state} like `{alternative}`"), "exactly one of the two")
}

/// The numbers between two ends.
pub type Interval = (Bound<f64>, Bound<f64>);

/// Every number.
pub const ANY: Interval = (Unbounded, Unbounded);

/// The range as an [`Interval`].
pub fn interval<T: Copy + Into<f64>>(range: impl RangeBounds<T>) -> Interval {
    (range.start_bound().map(|&end| end.into()), range.end_bound().map(|&end| end.into()))
}

/// Everything greater than `least`.
pub fn above(least: f64) -> Interval {
    (Excluded(least), Unbounded)
}

/// A key as its table declares it, or an alternative of a [`Shape::Choice`].
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub text: &'static str,
    /// What it holds if it is left out, as TOML; `None` for nothing.
    pub default: Option<String>,
    /// Whether it must not be left out.
    pub is_required: bool,
    /// What it may hold.
    pub shape: Shape,
}

impl Key {
    /// Whether it is an alternative with nothing to say beside its name.
    pub fn is_word(&self) -> bool {
        matches!(&self.shape, Shape::Table(keys) if keys.is_empty())
    }
}

/// What a key may hold.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// True or false.
    Flag,
    /// A whole number.
    Whole(Interval),
    /// A finite number.
    Number(Interval),
    /// A text, described.
    Text(&'static str),
    /// Any number of values.
    List(Box<Shape>),
    /// A list of two.
    Pair(Box<[Shape; 2]>),
    /// A table with these keys.
    Table(Vec<Key>),
    /// One of several alternatives. Without a tag it is the alternative's name alone, or a table with that one key if
    /// there is more to say; with a tag it is a table in which the tag's key holds the name.
    Choice {
        /// The key that holds the name.
        tag: Option<&'static str>,
        /// What there is to choose from; the shape of a name alone is an empty table.
        alternatives: Vec<Key>,
    },
}

impl Shape {
    /// The keys inside: those of a table, or the alternatives that are keys and the keys of those that are tables.
    pub fn keys(&self) -> Vec<&Key> {
        match self {
            Shape::Table(keys) => keys.iter().collect(),
            Shape::Choice { tag: None, alternatives } => alternatives.iter().filter(|key| !key.is_word()).collect(),
            Shape::Choice { tag: Some(_), alternatives } => {
                alternatives.iter().flat_map(|key| key.shape.keys()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What would be right, as in "expected 1 to 100".
    pub fn expected(&self) -> String {
        match self {
            Shape::Flag => "true or false".into(),
            Shape::Whole(within) => expected_number(within, ""),
            Shape::Number(within) => expected_number(within, "a finite number "),
            Shape::Text(text) => (*text).into(),
            Shape::List(shape) => format!("a list, each {}", shape.expected()),
            Shape::Pair(shapes) => format!("[{}, {}]", shapes[0].expected(), shapes[1].expected()),
            Shape::Table(_) => "a table".into(),
            Shape::Choice { tag, alternatives } => {
                let form = |key: &Key| match (tag, key.shape.keys().as_slice()) {
                    (None, _) if key.is_word() => format!("\"{}\"", key.name),
                    (None, _) => format!("{{ {} = … }}", key.name),
                    (Some(tag), []) => format!("{{ {tag} = \"{}\" }}", key.name),
                    (Some(tag), _) => format!("{{ {tag} = \"{}\", … }}", key.name),
                };
                alternatives.iter().map(form).collect::<Vec<_>>().join(" or ")
            }
        }
    }
}

fn expected_number(within: &Interval, endless: &str) -> String {
    let least = match within.0 {
        Included(least) => format!("at least {}", grouped(least)),
        Excluded(least) => format!("above {}", grouped(least)),
        Unbounded => String::new(),
    };
    match (within.0, within.1) {
        (Included(least), Included(most)) => format!("{} to {}", grouped(least), grouped(most)),
        (_, Included(most)) => format!("{least} and at most {}", grouped(most)),
        (_, Excluded(most)) => format!("{least} and below {}", grouped(most)),
        (Included(_), Unbounded) if !endless.is_empty() => format!("{endless}of {least}"),
        (_, Unbounded) => format!("{endless}{least}"),
    }
}

/// The number with a comma between thousands.
fn grouped(number: f64) -> String {
    let text = number.to_string();
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

/// A type that keys have.
pub trait ConfigValue {
    /// What values look like; numbers lie `within`.
    fn shape(within: Interval) -> Shape;

    /// Checks the value, and all that it holds.
    ///
    /// # Errors
    /// The first key in it that is out of its range; an empty key is the value itself.
    fn check(&self, _within: Interval) -> Result<(), InvalidKey> {
        Ok(())
    }

    /// The value as TOML; `None` if it is left out.
    fn written(&self) -> Option<String>;
}

macro_rules! numbers {
    ($shape:ident, $format:literal: $($number:ty),+) => {$(
        impl ConfigValue for $number {
            fn shape(within: Interval) -> Shape {
                Shape::$shape(within)
            }

            fn check(&self, within: Interval) -> Result<(), InvalidKey> {
                let number = *self as f64;
                check(number.is_finite() && within.contains(&number), "", self, &Self::shape(within).expected())
            }

            fn written(&self) -> Option<String> {
                Some(format!($format, self))
            }
        }
    )+};
}
numbers!(Whole, "{}": u32, u64, usize);
numbers!(Number, "{:?}": f32, f64);

impl ConfigValue for bool {
    fn shape(_: Interval) -> Shape {
        Shape::Flag
    }

    fn written(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl ConfigValue for String {
    fn shape(_: Interval) -> Shape {
        Shape::Text("a text")
    }

    fn written(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
}

impl ConfigValue for PathBuf {
    fn shape(_: Interval) -> Shape {
        Shape::Text("a path")
    }

    fn written(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
}

impl<T: ConfigValue> ConfigValue for Option<T> {
    fn shape(within: Interval) -> Shape {
        T::shape(within)
    }

    fn check(&self, within: Interval) -> Result<(), InvalidKey> {
        self.as_ref().map_or(Ok(()), |value| value.check(within))
    }

    fn written(&self) -> Option<String> {
        self.as_ref().and_then(ConfigValue::written)
    }
}

impl<T: ConfigValue> ConfigValue for Vec<T> {
    fn shape(within: Interval) -> Shape {
        Shape::List(Box::new(T::shape(within)))
    }

    fn check(&self, within: Interval) -> Result<(), InvalidKey> {
        self.iter().try_for_each(|value| value.check(within))
    }

    fn written(&self) -> Option<String> {
        let values: Vec<String> = self.iter().filter_map(ConfigValue::written).collect();
        Some(format!("[{}]", values.join(", ")))
    }
}

/// A whole number with a number `within`.
impl ConfigValue for (u64, f64) {
    fn shape(within: Interval) -> Shape {
        Shape::Pair(Box::new([u64::shape(interval(0..)), f64::shape(within)]))
    }

    fn check(&self, within: Interval) -> Result<(), InvalidKey> {
        let value = self.written().unwrap_or_default();
        check(self.1.check(within).is_ok(), "", value, &Self::shape(within).expected())
    }

    fn written(&self) -> Option<String> {
        Some(format!("[{}, {:?}]", self.0, self.1))
    }
}

/// An inline table of keys with their values, those left out left out.
pub fn inline_table(keys: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Option<String> {
    let keys = keys.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}", value?)));
    Some(format!("{{ {} }}", keys.collect::<Vec<_>>().join(", ")))
}
