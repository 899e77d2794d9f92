//! Reports as they are kept: JSON whose last entries say what it belongs to and what its text must hash to.

use std::borrow::Cow;

use serde::Deserialize;

/// Before what a report is of, and before the checksum, which is the last entry.
const OF: &str = ",\n  \"of\": ";
const CHECKSUM: &str = ",\n  \"checksum\": \"";

/// A report that is as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opened<'a> {
    /// Its JSON without the checksum.
    pub report: Cow<'a, str>,
    /// What it says that it is of; older ones say nothing.
    pub of: Option<String>,
}

/// `report`, an object in JSON that is written prettily, with what it is `of` and the BLAKE3 hash of its text.
pub fn sealed(report: &str, of: Option<&str>) -> String {
    let with = |report: &str, key: &str, value: &str| {
        let entries = report.strip_suffix("\n}").expect("an object that is written prettily");
        format!("{entries}{key}{value}\n}}")
    };
    let report = match of {
        Some(of) => &with(report, OF, &serde_json::Value::from(of).to_string()),
        None => report,
    };
    with(report, CHECKSUM, &format!("{}\"", blake3::hash(report.as_bytes()).to_hex()))
}

/// A report that [`sealed`] made, or `None` if its checksum is another. Reports of older programs have none.
pub fn opened(text: &str) -> Option<Opened<'_>> {
    let report: Cow<str> = match text.rsplit_once(CHECKSUM) {
        None => text.into(),
        Some((entries, checksum)) => {
            let report = format!("{entries}\n}}");
            let expected = blake3::hash(report.as_bytes()).to_hex();
            if checksum.strip_suffix("\"\n}") != Some(expected.as_str()) {
                return None;
            }
            report.into()
        }
    };
    #[derive(Deserialize)]
    struct Of {
        of: Option<String>,
    }
    let of = serde_json::from_str::<Of>(&report).ok().and_then(|found| found.of);
    Some(Opened { report, of })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_character_of_a_report_is_noticed_or_changes_nothing() {
        let report = "{\n  \"games\": 12,\n  \"time\": {\n    \"seconds\": 0.5\n  }\n}";
        let text = sealed(report, Some("phases/gen-00003.gate.json of pylos with seed 1"));
        assert_eq!(opened(&text).unwrap().of.as_deref(), Some("phases/gen-00003.gate.json of pylos with seed 1"));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["games"], 12, "it is JSON for everybody");
        for (at, _) in text.char_indices() {
            for bit in 0..7 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                let read =
                    opened(&changed).and_then(|opened| serde_json::from_str::<serde_json::Value>(&opened.report).ok());
                let is_harmless = read.is_none_or(|mut read| {
                    // If the checksum's own key is damaged, it is an entry that is never read.
                    let object = read.as_object_mut().unwrap();
                    object.retain(|key, _| ["games", "time"].contains(&key.as_str()));
                    serde_json::Value::from(object.clone())
                        == serde_json::from_str::<serde_json::Value>(report).unwrap()
                });
                assert!(is_harmless, "{changed}");
            }
        }
        assert_eq!(opened(report).unwrap(), Opened { report: report.into(), of: None }, "older reports have none");
    }
}
