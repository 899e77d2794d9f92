//! The text of a config: where in it a key stands, what `--set` puts over it, where two differ, and what serde says is wrong in
//! words for whoever wrote it. Knows TOML, and no key.

use std::ops::Range;

use selfplay_config::suggestion::did_you_mean;
use toml::de::{DeTable, DeValue};

/// What serde says is wrong, with the name that was probably meant, or with what a table lacks that was not there before.
pub fn explained(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let name = names.next().unwrap_or_default();
    if let Some((begin, rest)) = message.split_once(", expected")
        && message.starts_with("unknown ")
    {
        return format!("{begin}{}, expected{rest}", did_you_mean(name, names));
    }
    if let Some((begin, number)) = message.rsplit_once(", expected ")
        && message.starts_with("invalid ")
    {
        let number = match number {
            "u32" | "u64" | "usize" => "a whole number, 0 or more",
            "f32" | "f64" => "a number",
            other => other,
        };
        return format!("{begin}, expected {number}");
    }
    match message.starts_with("missing field") && name != "game" {
        true => format!("{message}: its table has none of the others by default, so give them together, in braces"),
        false => message.to_owned(),
    }
}

/// Whether setting the dotted key `set` may be what made `key` invalid: one is the other or holds it.
pub fn is_within(key: &str, set: &str) -> bool {
    let holds = |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
    let set = set.trim();
    key == set || holds(key, set) || holds(set, key)
}

/// Reads `key=value` as TOML; a value that is no TOML is taken as a string, so that quotes are not needed. Returns the
/// number of parts of the dotted key as well.
pub fn parse_set(set: &str) -> Result<(usize, toml::Table), String> {
    let (key, value) = set.split_once('=').ok_or("expected key=value")?;
    let parse = |value: &str| toml::from_str::<toml::Table>(&format!("{key} = {value}"));
    let table = parse(value)
        .or_else(|_| parse(&toml::Value::String(value.into()).to_string()))
        .map_err(|error| error.message().to_owned())?;
    Ok((key.split('.').count(), table))
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
