//! `report.ipynb`: a notebook (nbformat 4.5) that draws every plot again from the tables.
//!
//! Its cells are those of `notebook.py`, a Python program whose comments `# %%` begin a cell.

use serde_json::{Value, json};

use super::figures::Section;
use super::html::title;
use super::text::markdown;

const PROGRAM: &str = include_str!("notebook.py");
/// The line of the program that the runs replace.
const RUNS: &str = "RUNS = [(\"this run\", \"tables\")]";

/// The notebook as JSON.
pub fn notebook(sections: &[Section]) -> String {
    // A list, since two runs may share a name.
    let pair = |section: &Section| {
        format!("    ({}, {}),\n", quoted(&section.run.name), quoted(&format!("{}tables", section.prefix)))
    };
    let program = PROGRAM.replace(RUNS, &format!("RUNS = [\n{}]", sections.iter().map(pair).collect::<String>()));
    let heading = format!("# {}\n\nEvery plot of the report, drawn again from its tables.", markdown(&title(sections)));
    let mut cells = vec![cell(0, "markdown", &heading)];
    for (index, part) in program.split("# %% ").skip(1).enumerate() {
        let (kind, source) = part.split_once('\n').unwrap_or((part, ""));
        match kind.trim() {
            "[markdown]" => {
                let lines: Vec<&str> = source.trim().lines().map(|line| line.trim_start_matches("# ")).collect();
                cells.push(cell(index + 1, "markdown", &lines.join("\n")));
            }
            _ => cells.push(cell(index + 1, "code", source.trim())),
        }
    }
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
    let mut cell = json!({"cell_type": kind, "id": format!("cell-{index:02}"), "metadata": {}, "source": lines});
    if kind == "code" {
        cell["execution_count"] = Value::Null;
        cell["outputs"] = json!([]);
    }
    cell
}
