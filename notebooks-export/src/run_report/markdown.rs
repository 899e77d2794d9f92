//! `report.md`: the report as text to paste, its pictures by relative path.

use std::fmt::Write;

use super::figures::{Figure, Section};
use super::html::title;
use super::summary::{ShortTable, facts, short_tables, verdict};
use super::text::{fenced, markdown};

/// The whole text, in parts that each stand under a heading of their own.
pub fn parts(sections: &[Section], comparison: &[Figure]) -> Vec<String> {
    let title = format!("# {}\n\n", markdown(&title(sections)));
    match sections {
        [] => vec![title + "This report has no run.\n"],
        [section] => run(section, "##", title),
        _ => {
            let tables = |figure: &Figure| sections.iter().map(|section| table_of(figure, section)).collect::<Vec<_>>();
            let mut parts = vec![title];
            parts.extend(comparison.iter().map(|shown| figure(shown, "##", "", &tables(shown))));
            for section in sections {
                parts.extend(run(section, "###", format!("## {}\n\n", markdown(&section.run.name))));
            }
            parts
        }
    }
}

/// Name and path of a figure's table in a comparison.
fn table_of(figure: &Figure, section: &Section) -> (String, String) {
    (format!("{}: {}", section.run.name, figure.table), format!("{}tables/{}.csv", section.prefix, figure.table))
}

/// All of one run below its `heading`, under headings that begin with `level`.
fn run(section: &Section, level: &str, heading: String) -> Vec<String> {
    let mut text = format!("{heading}**{}**\n\n| | |\n|---|---|\n", markdown(&verdict(section.run)));
    for (name, fact) in facts(section.run) {
        let _ = writeln!(text, "| {name} | {} |", markdown(&fact));
    }
    text.push('\n');
    let meta = &section.run.meta;
    for (heading, lines) in [("Warnings", &meta.warnings), ("The doctor's diagnostics", &meta.diagnostics)] {
        if !lines.is_empty() {
            let _ = writeln!(text, "**{heading}**\n");
            lines.iter().for_each(|line| {
                let _ = writeln!(text, "- {}", markdown(line));
            });
            text.push('\n');
        }
    }
    let mut parts = vec![text];
    parts.extend(section.figures.iter().map(|shown| {
        let tables = [(shown.table.to_owned(), format!("{}tables/{}.csv", section.prefix, shown.table))];
        figure(shown, level, &section.prefix, &tables)
    }));
    if !section.run.samples.is_empty() {
        parts.push(samples(section, level));
    }
    parts.extend(short_tables(section.run).iter().map(|shown| table(shown, level, &section.prefix)));
    parts.push(match meta.config_text.trim() {
        "" => format!("{level} Config\n\nThe config is not known.\n\n"),
        config => format!("{level} Config\n\n{}\n", fenced(config, "toml")),
    });
    parts
}

fn samples(section: &Section, level: &str) -> String {
    let mut text = format!("{level} Sample positions\n\n");
    for sample in &section.run.samples {
        let _ = writeln!(text, "**{}**\n\n{}", markdown(&sample.title), fenced(&sample.board, "text"));
        sample.lines.iter().for_each(|line| {
            let _ = writeln!(text, "- {}", markdown(line));
        });
        text.push('\n');
    }
    text
}

fn figure(shown: &Figure, level: &str, folder: &str, tables: &[(String, String)]) -> String {
    let picture = match shown.picture.missing() {
        Some(reason) => format!("*{}*", markdown(reason)),
        None => format!("![{}]({folder}plots/{}.svg)", shown.title, shown.id),
    };
    let tables = if shown.picture.missing().is_some() { &[] } else { tables };
    let links: Vec<String> = tables.iter().map(|(name, path)| format!("[{}.csv]({path})", markdown(name))).collect();
    format!("{level} {}\n\n{picture}\n\n{} {}\n\n", shown.title, shown.caption, links.join(" \u{b7} "))
}

fn table(shown: &ShortTable, level: &str, prefix: &str) -> String {
    let mut text = format!("{level} {}\n\n| {} |\n", shown.title, shown.columns.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(shown.columns.len()));
    for row in &shown.rows {
        let cells: Vec<String> = row.iter().map(|cell| markdown(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    let more = if shown.left_out > 0 { format!("{} more rows in ", shown.left_out) } else { "All columns: ".into() };
    let _ = writeln!(text, "\n{more}[{0}.csv]({prefix}tables/{0}.csv)\n", shown.table);
    text
}
