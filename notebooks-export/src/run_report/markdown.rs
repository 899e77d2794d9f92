//! `report.md`: the report as text to paste, its pictures by relative path.

use std::fmt::Write;

use super::figures::{Figure, Section};
use super::html::title;
use super::summary::{ShortTable, facts, short_tables};
use super::text::{fenced, markdown};

/// The whole text.
pub fn page(sections: &[Section], comparison: &[Figure]) -> String {
    let mut text = format!("# {}\n\n", markdown(&title(sections)));
    match sections {
        [] => text.push_str("This report has no run.\n"),
        [section] => write_run(&mut text, section, "##"),
        _ => {
            for figure in comparison {
                let tables: Vec<(String, String)> = sections.iter().map(|section| table_of(figure, section)).collect();
                write_figure(&mut text, figure, "##", "", &tables);
            }
            for section in sections {
                let _ = writeln!(text, "## {}\n", markdown(&section.run.name));
                write_run(&mut text, section, "###");
            }
        }
    }
    text
}

/// Name and path of a figure's table in a comparison.
fn table_of(figure: &Figure, section: &Section) -> (String, String) {
    (format!("{}: {}", section.run.name, figure.table), format!("{}tables/{}.csv", section.prefix, figure.table))
}

/// All of one run, under headings that begin with `level`.
fn write_run(text: &mut String, section: &Section, level: &str) {
    text.push_str("| | |\n|---|---|\n");
    for (name, fact) in facts(section.run) {
        let _ = writeln!(text, "| {name} | {} |", markdown(&fact));
    }
    text.push('\n');
    let meta = &section.run.meta;
    for (heading, lines) in [("Warnings", &meta.warnings), ("The doctor's remarks", &meta.remarks)] {
        if !lines.is_empty() {
            let _ = writeln!(text, "**{heading}**\n");
            lines.iter().for_each(|line| {
                let _ = writeln!(text, "- {}", markdown(line));
            });
            text.push('\n');
        }
    }
    for figure in &section.figures {
        let tables = [(figure.table.to_owned(), format!("{}tables/{}.csv", section.prefix, figure.table))];
        write_figure(text, figure, level, &section.prefix, &tables);
    }
    for table in short_tables(section.run) {
        write_table(text, &table, level, &section.prefix);
    }
    let _ = writeln!(text, "{level} Config\n");
    match meta.config_text.trim() {
        "" => text.push_str("The config is not known.\n\n"),
        config => {
            let _ = writeln!(text, "{}", fenced(config, "toml"));
        }
    }
}

fn write_figure(text: &mut String, figure: &Figure, level: &str, folder: &str, tables: &[(String, String)]) {
    let _ = writeln!(text, "{level} {}\n", figure.title);
    match figure.picture.missing() {
        Some(reason) => {
            let _ = writeln!(text, "*{}*\n", markdown(reason));
        }
        None => {
            let _ = writeln!(text, "![{}]({folder}plots/{}.svg)\n", figure.title, figure.id);
        }
    }
    let links: Vec<String> = tables.iter().map(|(name, path)| format!("[{}.csv]({path})", markdown(name))).collect();
    let _ = writeln!(text, "{} {}\n", figure.caption, links.join(" \u{b7} "));
}

fn write_table(text: &mut String, table: &ShortTable, level: &str, prefix: &str) {
    let _ = writeln!(text, "{level} {}\n\n| {} |", table.title, table.columns.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(table.columns.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| markdown(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    let more = if table.left_out > 0 { format!("{} more rows in ", table.left_out) } else { "All columns: ".into() };
    let _ = writeln!(text, "\n{more}[{0}.csv]({prefix}tables/{0}.csv)\n", table.table);
}
