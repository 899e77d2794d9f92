//! The text of a config: where in it a key stands, what `--set` puts over it, and where two differ. Knows TOML, and no key.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// Whether setting the dotted key `set` may be what made `key` invalid: one is the other or holds it.
pub fn is_within(key: &str, set: &str) -> bool {
    let holds = |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
    let set = set.trim();
    key == set || holds(key, set) || holds(set, key)
}

/// A `--set` that cannot be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SetError {
    /// It has no value.
    #[error("expected key=value")]
    NoValue,
    /// Its key is no TOML.
    #[error("{}", .0.message())]
    Key(toml::de::Error),
}

/// A key with the value that `--set` gives it.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Number of parts of the dotted key.
    pub depth: usize,
    /// The tables that hold the value under the key's parts.
    pub table: toml::Table,
}

/// Reads `key=value` as TOML; a value that is no TOML is taken as a string, so that quotes are not needed.
pub fn parse_set(set: &str) -> Result<Change, SetError> {
    let (key, value) = set.split_once('=').ok_or(SetError::NoValue)?;
    let parse = |value: &str| toml::from_str::<toml::Table>(&format!("{key} = {value}"));
    let table =
        parse(value).or_else(|_| parse(&toml::Value::String(value.into()).to_string())).map_err(SetError::Key)?;
    Ok(Change { depth: key.split('.').count(), table })
}

/// Puts the value that stands `keys` keys deep in `change` into `table`, in place of what is there.
pub fn merge(table: &mut toml::Table, change: toml::Table, keys: usize) {
    for (key, value) in change {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) if keys > 1 => merge(old, new, keys - 1),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

/// The first key below `path` in which two tables differ, with both values.
pub fn first_difference(path: &str, old: &toml::Value, new: &toml::Value) -> Option<String> {
    let (toml::Value::Table(a), toml::Value::Table(b)) = (old, new) else {
        return (old != new).then(|| format!("{path} was {old}, now {new}"));
    };
    a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).find_map(|key| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (a.get(key), b.get(key)) {
            (Some(old), Some(new)) => first_difference(&path, old, new),
            (Some(old), None) => Some(format!("{path} was {old}, now it is absent")),
            (None, new) => Some(format!("{path} was absent, now {}", new?)),
        }
    })
}

/// Line of the byte `offset`, from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

/// Where the dotted key `path` is set in `text`, or as much of it as is; a default has no place.
pub fn span_of(text: &str, path: &str) -> Option<Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut place = None;
    for part in path.split('.') {
        let Some(value) = table.get(part) else { break };
        place = Some(value.span());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    place
}
