use std::fmt::Write;
use std::fs;
use std::path::Path;

use selfplay_registry::Games;
use selfplay_shipped::shipped_games;

use super::*;
use crate::config::RunConfig;
use selfplay_config::{ANY, ConfigValue};

fn configs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

/// The part of the page that explains every key.
fn explained() -> String {
    let mut page = String::new();
    for Section { path, text, keys } in sections(&RunConfig::shape(ANY)) {
        let heading = if path.is_empty() { "Top level".into() } else { format!("`[{path}]`") };
        let level = if path.contains('.') { "###" } else { "##" };
        let _ = write!(page, "\n{level} {heading}\n\n{text}");
        page.push_str(if text.is_empty() { "" } else { "\n\n" });
        page.push_str("| key | default | values | meaning |\n|---|---|---|---|\n");
        for (name, key) in &keys {
            let default = key.default.as_ref().map_or("–".into(), |default| format!("`{default}`"));
            let words: String = alternatives(key).iter().map(|(form, text)| format!("<br>`{form}`: {text}")).collect();
            let meaning = format!("{}{words}", key.text.trim()).replace('|', "\\|");
            let _ = writeln!(page, "| `{name}` | {default} | {} | {meaning} |", key.shape.expected());
        }
    }
    page
}

#[test]
fn the_page_on_configs_is_that_of_the_code() {
    let path = configs().join("README.md");
    let (mut page, mark) = (fs::read_to_string(&path).unwrap(), "<!-- keys -->\n");
    let start = page.find(mark).unwrap() + mark.len();
    let end = page.find("\n<!-- end -->").unwrap();
    page.replace_range(start..end, &explained());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), page, "UPDATE_EXPECT=1 cargo test rewrites configs/README.md");
}

/// What `schema` finds wrong with `value`; only the words that [`schema`] writes are known.
fn violations(schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (word, expected) in schema.as_object().unwrap() {
        let number = || value.as_f64().zip(expected.as_f64());
        let holds = match word.as_str() {
            "type" => match expected.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                kind => panic!("unknown type {kind}"),
            },
            "minimum" => number().is_none_or(|(value, end)| value >= end),
            "exclusiveMinimum" => number().is_none_or(|(value, end)| value > end),
            "maximum" => number().is_none_or(|(value, end)| value <= end),
            "exclusiveMaximum" => number().is_none_or(|(value, end)| value < end),
            "const" => value == expected,
            "enum" => expected.as_array().unwrap().contains(value),
            "required" => expected.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
            "oneOf" => {
                expected.as_array().unwrap().iter().filter(|one| violations(one, value, path).is_empty()).count() == 1
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    match expected.get(key) {
                        Some(schema) => wrong.extend(violations(schema, value, &joined(path, key))),
                        None => wrong.push(format!("{path}: unknown key {key}")),
                    }
                }
                true
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    wrong.extend(violations(expected.get(index).unwrap_or(expected), value, path));
                }
                true
            }
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= expected.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= expected.as_u64().unwrap()),
            "$schema" | "title" | "description" | "default" | "additionalProperties" => true,
            word => panic!("unknown word {word}"),
        };
        if !holds {
            wrong.push(format!("{path}: {value} is not {word} {expected}"));
        }
    }
    wrong
}

fn violations_of(toml: &str) -> Vec<String> {
    violations(
        &schema(&RunConfig::shape(ANY), &Games::new(&shipped_games()).ids()),
        &serde_json::to_value(toml::from_str::<toml::Table>(toml).unwrap()).unwrap(),
        "",
    )
}

#[test]
fn the_schema_accepts_every_shipped_config_and_its_resolved_form() {
    let folders = fs::read_dir(configs()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    for file in folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())) {
        let resolved = RunConfig::load(&file, &[], &Games::new(&shipped_games())).unwrap().to_toml();
        for text in [fs::read_to_string(&file).unwrap(), resolved] {
            assert_eq!(violations_of(&text), [""; 0], "{}", file.display());
        }
    }
}

#[test]
fn the_schema_refuses_what_the_program_refuses() {
    let small = "game = \"tictactoe\"\ngenerations = 2\n";
    for right in [
        "[selfplay.search]\nroot = { gumbel = { below_root = \"improved_policy\" } }",
        "[learner]\nschedule = { kind = \"step\", milestones = [[5, 0.5], [9, 0.1]] }",
        "[gate]\nmin_score = 0.5\ntime_ms = 5",
        "[selfplay.search]\nc_puct = 1",
    ] {
        assert_eq!(violations_of(&format!("{small}{right}")), [""; 0]);
    }
    for wrong in [
        "seed = -1",
        "precision = \"half\"",
        "[network]\nblock = 3",
        "[network]\nblocks = 2.5",
        "[replay]\nwindow_exponent = 0.0",
        "[selfplay.search]\nfpu = { absolute = 7.0 }",
        "[selfplay.search]\nroot = { gumbel = { considered = 8 } }",
        "[learner]\nschedule = { kind = \"cosine\", total_steps = 9 }",
        "[learner]\nschedule = { kind = \"step\", milestones = [[5, 0.0]] }",
        "[gate]\nsprt = { elo0 = 0.0, elo1 = 5.0, alpha = 0.5, beta = 0.1 }",
    ] {
        let text = format!("{small}{wrong}");
        assert_ne!(violations_of(&text), [""; 0], "{wrong}");
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("wrong.toml"), text).unwrap();
        assert!(
            RunConfig::load(&folder.path().join("wrong.toml"), &[], &Games::new(&shipped_games())).is_err(),
            "{wrong}"
        );
    }
    assert_ne!(violations_of("game = \"tictactoe\""), [""; 0], "`generations` is required");
    assert_ne!(violations_of("game = \"chess\"\ngenerations = 1"), [""; 0]);
}
