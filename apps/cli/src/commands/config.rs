//! `config`: the keys of a run's config, listed, explained one by one, or as a schema for editors.

use std::io::Write;

use selfplay_config::suggestion::did_you_mean_path;
use selfplay_config::{ANY, ConfigValue, Key, Shape};
use selfplay_registry::Games;

use crate::args::ConfigArgs;
use crate::error::CliError;
use selfplay_pipeline::RunConfig;
use selfplay_pipeline::config_keys::{Section, alternatives, schema, sections};

/// Prints what was asked for.
///
/// # Errors
/// A key that does not exist; if the output cannot be written.
pub fn config(args: &ConfigArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let shape = RunConfig::shape(ANY);
    if args.schema {
        writeln!(
            out,
            "{}",
            serde_json::to_string_pretty(&schema(&shape, &games.ids())).expect("a schema is plain data")
        )?;
        return Ok(());
    }
    let sections = sections(&shape);
    let Some(asked) = &args.key else {
        return sections.iter().try_for_each(|section| list(section, out));
    };
    if let Some(section) = sections.iter().find(|section| section.path == *asked) {
        return list(section, out);
    }
    let keys =
        || sections.iter().flat_map(|section| section.keys.iter().map(|(name, key)| (section.path_of(name), key)));
    match keys().find(|(path, key)| path == asked || tag_of(key).is_some_and(|tag| *asked == format!("{path}.{tag}"))) {
        Some((path, key)) => explain(&path, key, out),
        None => {
            let paths = keys().map(|(path, _)| path).chain(sections.iter().map(|section| section.path.clone()));
            let paths: Vec<String> = paths.collect();
            let hint = did_you_mean_path(asked, '.', paths.iter().map(String::as_str));
            Err(CliError::UnknownKey { key: asked.clone(), hint })
        }
    }
}

fn tag_of(key: &Key) -> Option<&'static str> {
    if let Shape::Choice { tag, .. } = key.shape { tag } else { None }
}

fn list(section: &Section, out: &mut dyn Write) -> Result<(), CliError> {
    if !section.path.is_empty() {
        writeln!(out, "\n[{}] {}", section.path, section.text)?;
    }
    for (name, key) in &section.keys {
        let default = key.default.as_deref().unwrap_or("–");
        writeln!(out, "{:<44} {default:<20} {}", section.path_of(name), key.shape.expected())?;
    }
    Ok(())
}

fn explain(path: &str, key: &Key, out: &mut dyn Write) -> Result<(), CliError> {
    writeln!(
        out,
        "{path} = {}",
        key.default.as_deref().unwrap_or(if key.is_required { "(required)" } else { "(none)" })
    )?;
    writeln!(out, "expects {}\n\n{}", key.shape.expected(), key.text.trim())?;
    for (form, text) in alternatives(key) {
        writeln!(out, "\n{form}\n    {text}")?;
    }
    for inner in key.shape.keys() {
        writeln!(out, "\n{path}.{}: {}\n    {}", inner.name, inner.shape.expected(), inner.text.trim())?;
    }
    Ok(())
}
