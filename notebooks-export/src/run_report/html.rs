//! `report.html`: one page that needs no other file; only its links to tables and pictures do.

use std::fmt::Write;

use super::contents::PictureFiles;
use super::figures::{Figure, Section};
use super::summary::{ShortTable, facts, short_tables, verdict};
use crate::ExportError;
use crate::plots::escaped;
use crate::report_rows::{TABLES, TableDescription};

/// The whole page.
///
/// # Errors
/// [`ExportError::Draw`].
pub fn page(sections: &[Section], comparison: &[Figure], pictures: PictureFiles) -> Result<String, ExportError> {
    let title = title(sections);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escaped(&title),
        include_str!("page.css")
    );
    match sections {
        [] => html.push_str("<p class=\"missing\">This report has no run.</p>\n"),
        [section] => write_run(&mut html, section, "", pictures)?,
        _ => {
            html.push_str("<nav>");
            for (index, section) in sections.iter().enumerate() {
                let _ = write!(html, "<a href=\"#run-{index}\">{}</a> ", escaped(&section.run.name));
            }
            html.push_str("</nav>\n<h2>Comparison</h2>\n");
            write_overview(&mut html, sections);
            write_comparison(&mut html, sections, comparison, pictures)?;
            for (index, section) in sections.iter().enumerate() {
                let _ = writeln!(html, "<h2 id=\"run-{index}\">{}</h2>", escaped(&section.run.name));
                write_run(&mut html, section, &format!("run-{index}-"), pictures)?;
            }
        }
    }
    Ok(html + "</body>\n</html>\n")
}

/// The heading of a report.
pub fn title(sections: &[Section]) -> String {
    match sections {
        [] => "Report".to_owned(),
        [section] => section.run.name.clone(),
        _ => format!("Comparison of {} runs", sections.len()),
    }
}

/// All of one run; ids of elements begin with `id_prefix`.
fn write_run(html: &mut String, section: &Section, id_prefix: &str, pictures: PictureFiles) -> Result<(), ExportError> {
    let meta = &section.run.meta;
    let _ = writeln!(html, "<p class=\"verdict\">{}</p>", escaped(&verdict(section.run)));
    let mut figures = section.figures.iter();
    let figure_of = |html: &mut String, figure: &Figure| {
        let tables = [(figure.table.to_owned(), format!("{}tables/{}.csv", section.prefix, figure.table))];
        write_figure(html, figure, id_prefix, &section.prefix, &tables, pictures)
    };
    // The curve and the card are what everybody looks for.
    html.push_str("<div class=\"figures\">\n");
    if let Some(first) = figures.next() {
        figure_of(html, first)?;
    }
    html.push_str("<dl>");
    for (name, text) in facts(section.run) {
        let _ = writeln!(html, "<dt>{name}</dt><dd>{}</dd>", escaped(&text));
    }
    html.push_str("</dl>\n</div>\n");
    write_note(html, "Warnings", &meta.warnings);
    write_note(html, "The doctor's diagnostics", &meta.diagnostics);
    html.push_str("<nav>");
    for figure in &section.figures {
        let _ = write!(html, "<a href=\"#{id_prefix}{}\">{}</a> ", figure.id, figure.title);
    }
    let _ = writeln!(html, "<a href=\"#{id_prefix}tables\">Tables</a> <a href=\"#{id_prefix}config\">Config</a></nav>");

    html.push_str("<h3>Figures</h3>\n<div class=\"figures\">\n");
    for figure in figures {
        figure_of(html, figure)?;
    }
    html.push_str("</div>\n");
    write_samples(html, section);
    let _ = writeln!(html, "<div id=\"{id_prefix}tables\"></div>");
    for table in short_tables(section.run) {
        write_table(html, &table, &section.prefix);
    }
    write_downloads(html, section);
    let _ = writeln!(html, "<h3 id=\"{id_prefix}config\">Config</h3>");
    if meta.config_text.trim().is_empty() {
        html.push_str("<p class=\"missing\">The config is not known.</p>\n");
    } else {
        let _ = writeln!(html, "<pre>{}</pre>", escaped(meta.config_text.trim_end()));
    }
    Ok(())
}

/// Links to all files with numbers.
fn write_downloads(html: &mut String, section: &Section) {
    let prefix = &section.prefix;
    let filled = section.run.rows.filled();
    let link = |table: &TableDescription| format!("<a href=\"{prefix}tables/{0}.csv\">{0}.csv</a>", table.name);
    let links: Vec<String> = TABLES.iter().filter(|table| filled.contains(&table.name)).map(link).collect();
    if links.is_empty() {
        return;
    }
    let _ = writeln!(
        html,
        "<h3>All tables</h3>\n<p>{}. The notebook <a href=\"report.ipynb\">report.ipynb</a> reads them with pandas and the module <code>selfplay_trainer</code>.</p>",
        links.join(" \u{b7} ")
    );
}

/// Positions of games, with what the search thought of them.
fn write_samples(html: &mut String, section: &Section) {
    if section.run.samples.is_empty() {
        return;
    }
    html.push_str("<h3>Sample positions</h3>\n<div class=\"samples\">\n");
    for sample in &section.run.samples {
        let _ = write!(html, "<div><h4>{}</h4><pre>{}</pre><ul>", escaped(&sample.title), escaped(&sample.board));
        for line in &sample.lines {
            let _ = write!(html, "<li>{}</li>", escaped(line));
        }
        html.push_str("</ul></div>\n");
    }
    html.push_str("</div>\n");
}

fn write_note(html: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(html, "<div class=\"note\"><h3>{heading}</h3><ul>");
    for line in lines {
        let _ = write!(html, "<li>{}</li>", escaped(line));
    }
    html.push_str("</ul></div>\n");
}

/// A plot, or the reason why there is none, with links to its `tables`, pairs of name and path.
fn write_figure(
    html: &mut String,
    figure: &Figure,
    id_prefix: &str,
    folder: &str,
    tables: &[(String, String)],
    pictures: PictureFiles,
) -> Result<(), ExportError> {
    let _ = writeln!(html, "<figure id=\"{id_prefix}{}\">", figure.id);
    let links: Vec<String> =
        tables.iter().map(|(name, path)| format!("<a href=\"{path}\">{}.csv</a>", escaped(name))).collect();
    let mut links = links.join(" \u{b7} ");
    match figure.picture.missing() {
        Some(reason) => {
            let _ = writeln!(html, "<p class=\"missing\">{}</p>", escaped(reason));
            // There may be no such table either.
            links.clear();
        }
        None => {
            let _ = writeln!(html, "{}", figure.picture.to_inline_svg(figure.title)?);
            let path = format!("{folder}plots/{}", figure.id);
            let _ = write!(links, " \u{b7} <a href=\"{path}.svg\">SVG</a>");
            if pictures == PictureFiles::SvgAndPng {
                let _ = write!(links, " \u{b7} <a href=\"{path}.png\">PNG</a>");
            }
        }
    }
    let _ = writeln!(
        html,
        "<figcaption><strong>{}.</strong> {} {links}</figcaption>\n</figure>",
        figure.title, figure.caption
    );
    Ok(())
}

fn write_comparison(
    html: &mut String,
    sections: &[Section],
    figures: &[Figure],
    pictures: PictureFiles,
) -> Result<(), ExportError> {
    html.push_str("<div class=\"figures\">\n");
    for figure in figures {
        let table = |section: &Section| {
            (
                format!("{}: {}", section.run.name, figure.table),
                format!("{}tables/{}.csv", section.prefix, figure.table),
            )
        };
        write_figure(html, figure, "", "", &sections.iter().map(table).collect::<Vec<_>>(), pictures)?;
    }
    html.push_str("</div>\n");
    Ok(())
}

/// The runs side by side.
fn write_overview(html: &mut String, sections: &[Section]) {
    html.push_str("<div class=\"table\"><table><thead><tr><th></th>");
    for section in sections {
        let _ = write!(html, "<th class=\"word\">{}</th>", escaped(&section.run.name));
    }
    html.push_str("</tr></thead><tbody>\n");
    let all: Vec<_> = sections.iter().map(|section| facts(section.run)).collect();
    for (index, (name, _)) in all.first().into_iter().flatten().enumerate() {
        let _ = write!(html, "<tr><th class=\"word\">{name}</th>");
        for facts in &all {
            let _ = write!(html, "<td class=\"word\">{}</td>", escaped(&facts[index].1));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
}

fn write_table(html: &mut String, table: &ShortTable, prefix: &str) {
    let _ = write!(html, "<h3>{}</h3>\n<div class=\"table\"><table><thead><tr>", table.title);
    let class = |column: &str| match column {
        "player" | "opponent" | "role" | "verdict" => " class=\"word\"",
        _ => "",
    };
    for column in &table.columns {
        let _ = write!(html, "<th{}>{column}</th>", class(column));
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (column, text) in table.columns.iter().zip(row) {
            let _ = write!(html, "<td{}>{}</td>", class(column), escaped(text));
        }
        html.push_str("</tr>\n");
    }
    let more = if table.left_out > 0 { format!("{} more rows in ", table.left_out) } else { "All columns: ".into() };
    let _ = writeln!(
        html,
        "</tbody></table></div>\n<p>{more}<a href=\"{prefix}tables/{0}.csv\">{0}.csv</a></p>",
        table.table
    );
}
