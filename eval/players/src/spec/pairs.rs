//! The `key=value` pairs of a player specification: read, checked, and written back.

use std::fmt::{self, Display};
use std::str::FromStr;

use selfplay_config::suggestion::did_you_mean;
use selfplay_mcts::SearchConfig;

use crate::error::EvalError;
use crate::time_control::parse_time_ms;

/// What a count must be.
pub const POSITIVE_INTEGER: &str = "a whole number of at least 1";
/// What a weight must be.
pub const NOT_NEGATIVE: &str = "a finite number of at least 0";
const POLICY_TEMPERATURE: &str = "a finite number above 0";
const TIME: &str = "a time such as `500ms` or `2s`, above 0 and at most an hour";
const MEMORY: &str = "a whole number of MiB from 1 to 1,048,576";
const MOST_MEMORY_MIB: u32 = 1 << 20;

/// A comma within a value.
const ESCAPED_COMMA: &str = "\\,";

/// `text` between its commas.
fn parts_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let this = rest?;
        let comma = this.match_indices(',').map(|(at, _)| at).find(|&at| !this[..at].ends_with('\\'));
        rest = comma.map(|at| &this[at + 1..]);
        Some(&this[..comma.unwrap_or(this.len())])
    })
}

/// The pairs of one specification, as they stand in it.
pub struct Pairs<'a> {
    spec: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Pairs<'a> {
    /// Splits `text`, a part of `spec`, checking that every key is one of `keys` and stands once.
    pub fn read(spec: &'a str, text: &'a str, keys: &[&str]) -> Result<Self, EvalError> {
        Self::read_renamed(spec, text, keys, &[])
    }

    /// As [`read`](Self::read), with the keys that once had another name: that name, and today's.
    pub fn read_renamed(
        spec: &'a str,
        text: &'a str,
        keys: &[&str],
        renamed: &[(&str, &'static str)],
    ) -> Result<Self, EvalError> {
        let known = || if keys.is_empty() { "none".into() } else { keys.join(", ") };
        let wrong = |reason: String| Err(EvalError::of_spec(spec, reason));
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in parts_of(text).filter(|_| !text.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return wrong(format!("`{part}` is not of the form key=value; the keys are {}", known()));
            };
            let key = renamed.iter().find(|(old, _)| *old == key).map_or(key, |&(_, new)| new);
            if !keys.contains(&key) {
                let meant = did_you_mean(key, keys.iter().copied());
                return wrong(format!("there is no key `{key}`{meant}; the keys are {}", known()));
            }
            if pairs.iter().any(|&(other, _)| other == key) {
                return wrong(format!("the key `{key}` stands twice"));
            }
            pairs.push((key, value));
        }
        Ok(Pairs { spec, pairs })
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.pairs.iter().find(|&&(other, _)| other == key).map(|&(_, value)| value)
    }

    /// The error for a key that must be there.
    pub fn missing(&self, missing: &'static str) -> EvalError {
        EvalError::of_spec(self.spec, format!("{missing} is missing"))
    }

    fn bad(&self, key: &'static str, value: &str, expected: &'static str) -> EvalError {
        EvalError::of_spec(self.spec, format!("`{key}` is `{value}`: expected {expected}"))
    }

    /// The error for keys that another one rules out.
    pub fn unfit(&self, keys: &'static str, needed: &'static str) -> EvalError {
        EvalError::of_spec(self.spec, format!("{keys} only with {needed}"))
    }

    /// A number that `is_allowed`, if the key is there.
    pub fn number<T: FromStr>(
        &self,
        key: &'static str,
        expected: &'static str,
        is_allowed: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, EvalError> {
        let Some(text) = self.get(key) else { return Ok(None) };
        let number = text.parse().ok().filter(is_allowed);
        number.map(Some).ok_or_else(|| self.bad(key, text, expected))
    }

    /// A count of at least 1.
    pub fn count<T: FromStr + PartialOrd + From<u8>>(&self, key: &'static str) -> Result<Option<T>, EvalError> {
        self.number(key, POSITIVE_INTEGER, |count| *count >= T::from(1))
    }

    /// A time in milliseconds.
    pub fn time_ms(&self, key: &'static str) -> Result<Option<u64>, EvalError> {
        let Some(text) = self.get(key) else { return Ok(None) };
        parse_time_ms(text).map(Some).ok_or_else(|| self.bad(key, text, TIME))
    }

    /// A memory in MiB.
    pub fn memory_mib(&self) -> Result<Option<u32>, EvalError> {
        self.number("memory", MEMORY, |mib| (1..=MOST_MEMORY_MIB).contains(mib))
    }

    /// One of `choices`, by its word.
    pub fn choice<T: Copy>(
        &self,
        key: &'static str,
        expected: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, EvalError> {
        let Some(text) = self.get(key) else { return Ok(None) };
        let chosen = choices.iter().find(|(word, _)| *word == text).map(|&(_, choice)| choice);
        chosen.map(Some).ok_or_else(|| self.bad(key, text, expected))
    }

    /// Any text but an empty one; `\,` in it is a comma.
    pub fn text(&self, key: &'static str, expected: &'static str) -> Result<Option<String>, EvalError> {
        match self.get(key) {
            Some("") => Err(self.bad(key, "", expected)),
            text => Ok(text.map(|text| text.replace(ESCAPED_COMMA, ","))),
        }
    }

    /// The key `checkpoint`, which must be there.
    pub fn checkpoint(&self) -> Result<String, EvalError> {
        let checkpoint = self.text("checkpoint", "a path, `released` or `uniform`")?;
        checkpoint.ok_or_else(|| self.missing("`checkpoint` (a path, `released` or `uniform`)"))
    }

    /// The key `precision`.
    pub fn precision(&self) -> Result<Option<String>, EvalError> {
        self.text("precision", "`f32` or `int8`")
    }

    /// The key `temperature`, 0 if it is not there.
    pub fn temperature(&self) -> Result<f32, EvalError> {
        Ok(self.not_negative("temperature")?.unwrap_or(0.0))
    }

    /// The key `policy_temperature`, 1 if it is not there.
    pub fn policy_temperature(&self) -> Result<f32, EvalError> {
        let is_allowed = |temperature: &f32| temperature.is_finite() && *temperature > 0.0;
        Ok(self.number("policy_temperature", POLICY_TEMPERATURE, is_allowed)?.unwrap_or(1.0))
    }

    /// The key `c_puct`, a search's own if it is not there.
    pub fn c_puct(&self) -> Result<f32, EvalError> {
        Ok(self.not_negative("c_puct")?.unwrap_or(SearchConfig::default().c_puct))
    }

    fn not_negative(&self, key: &'static str) -> Result<Option<f32>, EvalError> {
        self.number(key, NOT_NEGATIVE, |number: &f32| number.is_finite() && *number >= 0.0)
    }
}

/// The time for each turn in milliseconds, if there is one, and the command of a specification `spec` of a program
/// outside, whose text behind the colon is `text`: a pair `time=…` may stand first, the command is all that follows,
/// commas included.
///
/// # Errors
/// A time that is none, or no command.
pub fn command_of<'a>(spec: &'a str, text: &'a str) -> Result<(Option<u64>, &'a str), EvalError> {
    let (pairs, command) = match text.split_once(',') {
        Some((pair, command)) if pair.starts_with("time=") => (pair, command),
        _ if text.starts_with("time=") => (text, ""),
        _ => ("", text),
    };
    let pairs = Pairs::read(spec, pairs, &["time"])?;
    match command.trim() {
        "" => Err(pairs.missing("the program's command, after all options,")),
        _ => Ok((pairs.time_ms("time")?, command)),
    }
}

/// A specification being written: its kind, then the pairs that differ from their defaults.
pub struct Written {
    kind: &'static str,
    pairs: Vec<String>,
}

impl Written {
    /// Only the kind so far.
    pub fn new(kind: &'static str) -> Self {
        Written { kind, pairs: Vec::new() }
    }

    /// Adds a pair, if there is a value.
    pub fn pair<T: Display>(mut self, key: &str, value: Option<T>) -> Self {
        self.pairs.extend(value.map(|value| format!("{key}={value}")));
        self
    }

    /// Adds the pair of a path or another text that may have commas.
    pub fn text_pair(self, key: &str, value: &str) -> Self {
        self.pair(key, Some(value.replace(',', ESCAPED_COMMA)))
    }

    /// Adds a pair, unless the value is the default.
    pub fn unless_default<T: Display + PartialEq>(self, key: &str, value: T, default: T) -> Self {
        let value = (value != default).then_some(value);
        self.pair(key, value)
    }

    /// Adds a time, if there is one.
    pub fn time(self, key: &str, ms: Option<u64>) -> Self {
        self.pair(key, ms.map(|ms| format!("{ms}ms")))
    }

    /// Adds a text as it is.
    pub fn part(mut self, text: &str) -> Self {
        self.pairs.push(text.into());
        self
    }
}

impl Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pairs.is_empty() {
            true => f.write_str(self.kind),
            false => write!(f, "{}:{}", self.kind, self.pairs.join(",")),
        }
    }
}
