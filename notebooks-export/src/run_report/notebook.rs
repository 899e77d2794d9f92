//! `report.ipynb`: the report as a notebook (nbformat 4.5) that continues with the numbers.
//!
//! Its cells are the parts of `report.md`, then those of `notebook.py`, a Python program whose comments `# %%` begin a
//! cell.

use serde_json::{Value, json};

use super::figures::Section;

const PROGRAM: &str = include_str!("notebook.py");
/// The line of the program that the runs replace.
const RUNS: &str = "RUNS = [(\"tables\", \"this run\")]";

/// The notebook as JSON; `parts` are those of the text.
pub fn notebook(sections: &[Section], parts: &[String]) -> String {
    // A list, since two runs may share a name.
    let pair = |section: &Section| {
        format!("    ({}, {}),\n", quoted(&format!("{}tables", section.prefix)), quoted(&section.run.name))
    };
    let program = PROGRAM.replace(RUNS, &format!("RUNS = [\n{}]", sections.iter().map(pair).collect::<String>()));
    let mut cells: Vec<(&str, String)> = parts.iter().map(|part| ("markdown", part.trim().to_owned())).collect();
    for part in program.split("# %% ").skip(1) {
        let (kind, source) = part.split_once('\n').unwrap_or((part, ""));
        cells.push(match kind.trim() {
            "[markdown]" => {
                let lines = source.trim().lines().map(|line| line.strip_prefix("# ").unwrap_or(line));
                ("markdown", lines.collect::<Vec<_>>().join("\n"))
            }
            _ => ("code", source.trim().to_owned()),
        });
    }
    let cells: Vec<Value> = cells.iter().enumerate().map(|(index, (kind, source))| cell(index, kind, source)).collect();
    let notebook = json!({
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    format!("{notebook:#}\n")
}

/// A JSON string, which Python reads as the same text.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn cell(index: usize, kind: &str, source: &str) -> Value {
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let mut cell = json!({"cell_type": kind, "id": format!("cell-{index:03}"), "metadata": {}, "source": lines});
    if kind == "code" {
        cell["execution_count"] = Value::Null;
        cell["outputs"] = json!([]);
    }
    cell
}
