//! The values that a key may have: how they are read, checked and written.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use selfplay_config::{ConfigValue, Interval};

use crate::time_control::parse_time_ms;

/// A comma within a value.
const ESCAPED_COMMA: &str = "\\,";

/// The values of type `T` that a key may have.
pub trait Domain<T> {
    /// What is expected, for error messages.
    fn expected(&self) -> String;

    /// The value that `text` stands for, if it is in the domain.
    fn read(&self, text: &str) -> Option<T>;

    /// Whether the domain has `value`.
    fn contains(&self, value: &T) -> bool;

    /// The text that reads as `value`; `None` for a key that is left out.
    fn written(&self, value: &T) -> Option<String>;
}

/// A key that may be left out: no value is the default.
impl<T, D: Domain<T>> Domain<Option<T>> for D {
    fn expected(&self) -> String {
        Domain::<T>::expected(self)
    }

    fn read(&self, text: &str) -> Option<Option<T>> {
        Domain::<T>::read(self, text).map(Some)
    }

    fn contains(&self, value: &Option<T>) -> bool {
        value.as_ref().is_none_or(|value| Domain::<T>::contains(self, value))
    }

    fn written(&self, value: &Option<T>) -> Option<String> {
        value.as_ref().and_then(|value| Domain::<T>::written(self, value))
    }
}

/// The finite numbers between two ends.
#[derive(Clone, Copy, Debug)]
pub struct Numbers(pub Interval);

/// A type of numbers.
pub trait Number: ConfigValue + Display + FromStr {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for usize {}
impl Number for f32 {}
impl Number for f64 {}

impl<T: Number> Domain<T> for Numbers {
    fn expected(&self) -> String {
        T::shape(self.0).expected()
    }

    fn read(&self, text: &str) -> Option<T> {
        text.parse().ok().filter(|number| self.contains(number))
    }

    fn contains(&self, value: &T) -> bool {
        value.check(self.0).is_ok()
    }

    fn written(&self, value: &T) -> Option<String> {
        Some(value.to_string())
    }
}

/// Times such as `500ms` or `2s`, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Time;

impl Domain<u64> for Time {
    fn expected(&self) -> String {
        "a time such as `500ms` or `2s`, above 0 and at most an hour".into()
    }

    fn read(&self, text: &str) -> Option<u64> {
        parse_time_ms(text)
    }

    /// Programs may set times above an hour.
    fn contains(&self, ms: &u64) -> bool {
        *ms > 0
    }

    fn written(&self, ms: &u64) -> Option<String> {
        Some(format!("{ms}ms"))
    }
}

/// Every text but the empty one, described; `\,` in it is a comma.
#[derive(Clone, Copy, Debug)]
pub struct Text(pub &'static str);

impl Domain<String> for Text {
    fn expected(&self) -> String {
        self.0.into()
    }

    fn read(&self, text: &str) -> Option<String> {
        (!text.is_empty()).then(|| text.replace(ESCAPED_COMMA, ","))
    }

    fn contains(&self, value: &String) -> bool {
        !value.is_empty()
    }

    fn written(&self, value: &String) -> Option<String> {
        Some(value.replace(',', ESCAPED_COMMA))
    }
}

impl Domain<PathBuf> for Text {
    fn expected(&self) -> String {
        self.0.into()
    }

    fn read(&self, text: &str) -> Option<PathBuf> {
        Domain::<String>::read(self, text).map(PathBuf::from)
    }

    fn contains(&self, value: &PathBuf) -> bool {
        !value.as_os_str().is_empty()
    }

    fn written(&self, value: &PathBuf) -> Option<String> {
        Domain::<String>::written(self, &value.display().to_string())
    }
}

/// The words of a [`Keyword`].
#[derive(Clone, Copy, Debug)]
pub struct Words;

/// A choice between words.
pub trait Keyword: Copy + PartialEq + 'static {
    /// Each word with what it stands for.
    const WORDS: &'static [(&'static str, Self)];
}

impl Keyword for bool {
    const WORDS: &'static [(&'static str, bool)] = &[("on", true), ("off", false)];
}

impl<T: Keyword> Domain<T> for Words {
    fn expected(&self) -> String {
        let words: Vec<String> = T::WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
        match words.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => words.concat(),
        }
    }

    fn read(&self, text: &str) -> Option<T> {
        T::WORDS.iter().find(|(word, _)| *word == text).map(|&(_, choice)| choice)
    }

    fn contains(&self, _value: &T) -> bool {
        true
    }

    fn written(&self, value: &T) -> Option<String> {
        T::WORDS.iter().find(|(_, choice)| choice == value).map(|&(word, _)| word.to_owned())
    }
}
