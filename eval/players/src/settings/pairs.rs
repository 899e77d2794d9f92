//! The `key=value` pairs of a player specification, read and written.

use std::fmt::{self, Display};

use selfplay_config::suggestion::did_you_mean;

use super::Key;
use super::domain::Domain;
use crate::error::EvalError;

/// Whether the pairs of a specification may be followed by a text, such as a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// Pairs only.
    None,
    /// All that follows the pairs, commas included.
    Text,
}

impl Tail {
    /// That of settings whose fields have these: a text if one is.
    pub const fn any(tails: &[Tail]) -> Tail {
        match tails {
            [] => Tail::None,
            [Tail::Text, ..] => Tail::Text,
            [Tail::None, others @ ..] => Tail::any(others),
        }
    }
}

/// The pairs of one specification, as they stand in it.
#[derive(Debug)]
pub struct Pairs<'a> {
    spec: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
    tail: &'a str,
}

impl<'a> Pairs<'a> {
    /// Splits `text`, the part of `spec` behind the colon, checking that every key is one of `keys` and stands once.
    ///
    /// # Errors
    /// [`EvalError::Spec`] with the part that is wrong.
    pub fn read(spec: &'a str, text: &'a str, keys: &[Key], tail: Tail) -> Result<Self, EvalError> {
        let mut pairs = Pairs { spec, pairs: Vec::new(), tail: "" };
        let mut rest = (!text.is_empty()).then_some(text);
        while let Some(text) = rest {
            let comma = text.match_indices(',').map(|(at, _)| at).find(|&at| !text[..at].ends_with('\\'));
            let part = &text[..comma.unwrap_or(text.len())];
            let pair = part.split_once('=');
            let is_known = |(key, _): (&str, &str)| keys.iter().any(|known| known.name == key);
            match pair {
                Some((key, _)) if pairs.get(key).is_some() => {
                    return Err(pairs.wrong(format!("the key `{key}` stands twice")));
                }
                Some(pair) if is_known(pair) => pairs.pairs.push(pair),
                _ if tail == Tail::Text => {
                    pairs.tail = text;
                    break;
                }
                Some((key, _)) => {
                    let meant = did_you_mean(key, keys.iter().map(|key| key.name));
                    return Err(pairs.wrong(format!("there is no key `{key}`{meant}; the keys are {}", names(keys))));
                }
                None => {
                    let reason = format!("`{part}` is not of the form key=value; the keys are {}", names(keys));
                    return Err(pairs.wrong(reason));
                }
            }
            rest = comma.map(|at| &text[at + 1..]);
        }
        Ok(pairs)
    }

    /// Reads the value of `key` into `value`, which holds the default.
    ///
    /// # Errors
    /// [`EvalError::Spec`] for a value outside `domain`, and for a key that is missing although its default is outside.
    pub fn take<T>(&self, key: &str, domain: &impl Domain<T>, value: &mut T) -> Result<(), EvalError> {
        match self.get(key) {
            Some(text) => {
                let read = domain.read(text);
                let bad = || self.wrong(format!("`{key}` is `{text}`: expected {}", domain.expected()));
                *value = read.ok_or_else(bad)?;
            }
            None if !domain.contains(value) => {
                return Err(self.wrong(format!("`{key}` ({}) is missing", domain.expected())));
            }
            None => {}
        }
        Ok(())
    }

    /// Reads the text after the pairs into `value`.
    ///
    /// # Errors
    /// [`EvalError::Spec`] if there is none.
    pub fn take_tail(&self, expected: &str, value: &mut String) -> Result<(), EvalError> {
        if self.tail.trim().is_empty() {
            return Err(self.wrong(format!("{expected} is missing")));
        }
        value.clear();
        value.push_str(self.tail);
        Ok(())
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.pairs.iter().find(|&&(other, _)| other == key).map(|&(_, value)| value)
    }

    fn wrong(&self, reason: String) -> EvalError {
        EvalError::for_spec(self.spec, reason)
    }
}

fn names(keys: &[Key]) -> String {
    match keys {
        [] => "none".into(),
        _ => keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", "),
    }
}

/// A specification being written: its kind, then the pairs that differ from their defaults.
#[derive(Debug)]
pub struct Written {
    kind: &'static str,
    parts: Vec<String>,
}

impl Written {
    /// Only the kind so far.
    pub fn new(kind: &'static str) -> Self {
        Written { kind, parts: Vec::new() }
    }

    /// Adds a pair, unless the value is the default.
    pub fn pair<T: PartialEq>(&mut self, key: &str, domain: &impl Domain<T>, value: &T, default: &T) {
        if value != default {
            self.parts.extend(domain.written(value).map(|value| format!("{key}={value}")));
        }
    }

    /// Adds the text after the pairs.
    pub fn tail(&mut self, text: &str) {
        self.parts.push(text.into());
    }
}

impl Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts.is_empty() {
            true => f.write_str(self.kind),
            false => write!(f, "{}:{}", self.kind, self.parts.join(",")),
        }
    }
}
