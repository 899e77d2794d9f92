//! From reports to rows by the names of fields: a number that both know by one name needs no line of its own.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The fields of a report, by their names.
pub fn fields_of(report: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(report) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("reports are plain data with names"),
    }
}

/// The row of `generation` whose columns are the `fields` of their names; one that may be empty is so where there is no
/// such field.
pub fn row_of<R: DeserializeOwned>(generation: u32, mut fields: Map<String, Value>) -> R {
    fields.insert("generation".into(), generation.into());
    serde_json::from_value(Value::Object(fields)).expect("every other column has a field")
}
