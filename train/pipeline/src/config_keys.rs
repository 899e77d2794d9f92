//! The keys of a run's config as its declarations describe them: section by section, and as a schema for editors.

use std::ops::Bound::{Excluded, Included};

use selfplay_config::{Interval, Key, Shape};
use serde_json::{Map, Value, json};

/// A table of the config that may be left out in part.
pub struct Section {
    /// Its dotted key; empty for the top level.
    pub path: String,
    /// What it is about.
    pub text: &'static str,
    /// Its keys by their names in it, dotted where they are in a value.
    pub keys: Vec<(String, Key)>,
}

impl Section {
    /// The dotted key of one of its keys.
    pub fn path_of(&self, name: &str) -> String {
        joined(&self.path, name)
    }
}

/// All sections of a config of this `shape` in the order of the declarations.
pub fn sections(shape: &Shape) -> Vec<Section> {
    let mut sections = Vec::new();
    collect(String::new(), "", shape, &mut sections);
    sections
}

/// The schema of a config file of this `shape` for one of `games` (JSON Schema, draft 7, which editors for TOML understand).
pub fn schema(shape: &Shape, games: &[&str]) -> Value {
    let mut schema = schema_of(shape);
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["title"] = "Config of a selfplay run".into();
    schema["properties"]["game"]["enum"] = json!(games);
    schema
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

fn collect(path: String, text: &'static str, shape: &Shape, sections: &mut Vec<Section>) {
    let is_section = |key: &&Key| matches!(&key.shape, Shape::Table(keys) if keys.iter().any(|key| !key.is_required));
    let (inner, values): (Vec<&Key>, Vec<&Key>) = shape.keys().into_iter().partition(is_section);
    let mut keys = Vec::new();
    values.into_iter().for_each(|key| collect_value(key.name.into(), key, &mut keys));
    sections.push(Section { path: path.clone(), text: text.trim(), keys });
    for key in inner {
        collect(joined(&path, key.name), key.text, &key.shape, sections);
    }
}

fn collect_value(name: String, key: &Key, keys: &mut Vec<(String, Key)>) {
    keys.push((name.clone(), key.clone()));
    for inner in key.shape.keys() {
        collect_value(joined(&name, inner.name), inner, keys);
    }
}

fn schema_of(shape: &Shape) -> Value {
    match shape {
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Whole(within) => numbers("integer", within),
        Shape::Number(within) => numbers("number", within),
        Shape::Text(_) => json!({ "type": "string" }),
        Shape::List(shape) => json!({ "type": "array", "items": schema_of(shape) }),
        Shape::Pair(shapes) => {
            json!({ "type": "array", "items": shapes.each_ref().map(schema_of), "minItems": 2, "maxItems": 2 })
        }
        Shape::Table(keys) => table(keys.iter().map(|key| (key.name, key.is_required, described(key)))),
        Shape::Choice { tag, alternatives } => {
            json!({ "oneOf": alternatives.iter().map(|key| alternative(*tag, key)).collect::<Vec<_>>() })
        }
    }
}

fn alternative(tag: Option<&'static str>, key: &Key) -> Value {
    let word = || json!({ "const": key.name, "description": key.text.trim() });
    match tag {
        None if key.is_word() => word(),
        None => table([(key.name, true, described(key))].into_iter()),
        Some(tag) => {
            let keys = key.shape.keys().into_iter().map(|key| (key.name, true, described(key)));
            table([(tag, true, word())].into_iter().chain(keys))
        }
    }
}

fn table(keys: impl Iterator<Item = (&'static str, bool, Value)>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, is_required, schema) in keys {
        properties.insert(name.into(), schema);
        required.extend(is_required.then_some(name));
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn described(key: &Key) -> Value {
    let mut schema = schema_of(&key.shape);
    schema["description"] = key.text.trim().into();
    if let Some(default) = &key.default {
        let read: toml::Table = toml::from_str(&format!("value = {default}")).expect("defaults are written as TOML");
        schema["default"] = json!(read["value"]);
    }
    schema
}

fn numbers(kind: &str, within: &Interval) -> Value {
    let mut schema = json!({ "type": kind });
    let ends = [(within.0, "minimum", "exclusiveMinimum"), (within.1, "maximum", "exclusiveMaximum")];
    for (end, inclusive, exclusive) in ends {
        let is_whole = |number: f64| number.fract() == 0.0;
        let number = |number: f64| if is_whole(number) { json!(number as i64) } else { json!(number) };
        match end {
            Included(end) => schema[inclusive] = number(end),
            Excluded(end) => schema[exclusive] = number(end),
            _ => (),
        }
    }
    schema
}

/// The alternatives of a choice that are no keys, each with its meaning: words, and tables that hold the word.
pub fn alternatives(key: &Key) -> Vec<(String, &'static str)> {
    let Shape::Choice { tag, alternatives } = &key.shape else { return Vec::new() };
    let form = |alternative: &Key| match tag {
        Some(tag) => {
            let keys: String = alternative.shape.keys().iter().map(|key| format!(", {} = …", key.name)).collect();
            Some(format!("{{ {tag} = \"{}\"{keys} }}", alternative.name))
        }
        None => alternative.is_word().then(|| format!("\"{}\"", alternative.name)),
    };
    alternatives.iter().filter_map(|alternative| Some((form(alternative)?, alternative.text.trim()))).collect()
}

#[cfg(test)]
mod tests;
