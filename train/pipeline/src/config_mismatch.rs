//! Where a config's text does not fit the declared keys. Serde decides whether it does; this explains why not.

use std::ops::Range;

use selfplay_config::suggestion::did_you_mean;
use selfplay_config::{Interval, Key, Shape};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key of a config that does not fit its declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch {
    /// The key, dotted.
    pub key: String,
    /// Where in the text.
    pub span: Range<usize>,
    /// Why.
    pub problem: Problem,
}

/// Why a key does not fit.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Problem {
    /// It is not declared.
    #[error("unknown field `{name}`{}, expected {}", did_you_mean(name, known.iter().copied()), one_of(known))]
    UnknownKey {
        /// Its name.
        name: String,
        /// The keys that are declared.
        known: Vec<&'static str>,
    },
    /// It holds a word that stands for nothing.
    #[error("unknown variant `{word}`{}, expected {}", did_you_mean(word, known.iter().copied()), one_of(known))]
    UnknownWord {
        /// The word.
        word: String,
        /// The words that are declared.
        known: Vec<&'static str>,
    },
    /// It holds another type of value.
    #[error("invalid type: {found}, expected {expected}")]
    Type {
        /// What it holds.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// It holds a number out of its range.
    #[error("invalid value: {found}, expected {expected}")]
    Range {
        /// What it holds.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// It is required and absent.
    #[error("missing field `{name}`{}", if *is_nested { ALL_TOGETHER } else { "" })]
    Missing {
        /// Its name.
        name: &'static str,
        /// Whether it stands in a table of the config.
        is_nested: bool,
    },
}

const ALL_TOGETHER: &str = ": its table has none of the others by default, so give them together, in braces";

fn one_of(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        [one, other] => format!("{one} or {other}"),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

/// The first key of the config in `text` that does not fit `shape`. `None` if all fit, as far as shapes tell, or if the text is
/// not TOML.
pub fn first_mismatch(shape: &Shape, text: &str) -> Option<Mismatch> {
    let document = DeTable::parse(text).ok()?;
    KeyLocation { path: String::new(), span: document.span() }.check_table(shape.keys(), document.get_ref())
}

/// A value's place in the config.
struct KeyLocation {
    path: String,
    span: Range<usize>,
}

impl KeyLocation {
    fn inner(&self, key: &str, span: Range<usize>) -> KeyLocation {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        KeyLocation { path, span }
    }

    fn mismatch(self, problem: Problem) -> Option<Mismatch> {
        Some(Mismatch { key: self.path, span: self.span, problem })
    }

    fn check_table(self, keys: Vec<&Key>, table: &DeTable<'_>) -> Option<Mismatch> {
        for (name, value) in table {
            let found = match keys.iter().find(|key| key.name == name.get_ref()) {
                Some(key) => self.inner(key.name, value.span()).check_value(&key.shape, value),
                None => self.inner(name.get_ref(), name.span()).mismatch(Problem::UnknownKey {
                    name: name.get_ref().to_string(),
                    known: keys.iter().map(|key| key.name).collect(),
                }),
            };
            if found.is_some() {
                return found;
            }
        }
        let missing = keys.into_iter().find(|key| key.is_required && table.get(key.name).is_none())?;
        let is_nested = !self.path.is_empty();
        self.mismatch(Problem::Missing { name: missing.name, is_nested })
    }

    fn check_value(self, shape: &Shape, value: &Spanned<DeValue<'_>>) -> Option<Mismatch> {
        match (shape, value.get_ref()) {
            (Shape::Flag, DeValue::Boolean(_)) | (Shape::Text(_), DeValue::String(_)) => None,
            (Shape::Whole(within), DeValue::Integer(number)) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
                self.check_number(shape, within, number as f64, value)
            }
            (Shape::Number(within), DeValue::Float(number)) => {
                self.check_number(shape, within, number.as_str().parse().ok()?, value)
            }
            (Shape::Number(within), DeValue::Integer(number)) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
                self.check_number(shape, within, number as f64, value)
            }
            (Shape::List(inner), DeValue::Array(items)) => items
                .iter()
                .find_map(|item| KeyLocation { path: self.path.clone(), span: item.span() }.check_value(inner, item)),
            (Shape::Pair(shapes), DeValue::Array(items)) if items.len() == 2 => {
                let mut both = shapes.iter().zip(items.iter());
                both.find_map(|(inner, item)| {
                    KeyLocation { path: self.path.clone(), span: item.span() }.check_value(inner, item)
                })
            }
            (Shape::Table(keys), DeValue::Table(table)) => self.check_table(keys.iter().collect(), table),
            (Shape::Choice { tag: None, alternatives }, DeValue::String(word)) => {
                match alternatives.iter().any(|key| key.name == word) {
                    true => None,
                    false => self.unknown_word(word, alternatives),
                }
            }
            (Shape::Choice { tag: None, alternatives }, DeValue::Table(table)) => {
                let (name, value) = table.iter().next()?;
                match alternatives.iter().find(|key| key.name == name.get_ref()) {
                    Some(key) => self.inner(key.name, value.span()).check_value(&key.shape, value),
                    None => KeyLocation { span: name.span(), ..self }.unknown_word(name.get_ref(), alternatives),
                }
            }
            (Shape::Choice { tag: Some(tag), alternatives }, DeValue::Table(table)) => {
                self.check_tagged(tag, alternatives, table)
            }
            (_, found) => self.mismatch(Problem::Type { found: described(found), expected: expected(shape) }),
        }
    }

    fn check_number(
        self,
        shape: &Shape,
        within: &Interval,
        number: f64,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<Mismatch> {
        match number.is_finite() && std::ops::RangeBounds::contains(within, &number) {
            true => None,
            false => self.mismatch(Problem::Range { found: described(value.get_ref()), expected: expected(shape) }),
        }
    }

    fn check_tagged(self, tag: &'static str, alternatives: &[Key], table: &DeTable<'_>) -> Option<Mismatch> {
        let Some(word) = table.get(tag) else {
            return self.mismatch(Problem::Missing { name: tag, is_nested: true });
        };
        let DeValue::String(name) = word.get_ref() else {
            let (found, expected) = (described(word.get_ref()), "a text".into());
            return self.inner(tag, word.span()).mismatch(Problem::Type { found, expected });
        };
        let Some(chosen) = alternatives.iter().find(|key| key.name == name) else {
            return self.inner(tag, word.span()).unknown_word(name, alternatives);
        };
        let held = Key { name: tag, text: "", default: None, is_required: true, shape: Shape::Text("a text") };
        self.check_table(chosen.shape.keys().into_iter().chain([&held]).collect(), table)
    }

    fn unknown_word(self, word: &str, alternatives: &[Key]) -> Option<Mismatch> {
        let known = alternatives.iter().map(|key| key.name).collect();
        self.mismatch(Problem::UnknownWord { word: word.to_owned(), known })
    }
}

/// The kind of value that `shape` stands for, with its range.
fn expected(shape: &Shape) -> String {
    let (kind, range) = match shape {
        Shape::Whole(_) => ("a whole number", shape.expected()),
        Shape::Number(_) => ("a number", shape.expected()),
        _ => return shape.expected(),
    };
    let range = range.trim().trim_start_matches("a finite number of ").trim_start_matches("a finite number");
    if range.is_empty() { kind.into() } else { format!("{kind}, {range}") }
}

/// As in `string "many"`.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("string {text:?}"),
        DeValue::Integer(number) => format!("integer `{number}`"),
        DeValue::Float(number) => format!("floating point `{number}`"),
        DeValue::Boolean(flag) => format!("boolean `{flag}`"),
        DeValue::Datetime(time) => format!("date `{time}`"),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}
