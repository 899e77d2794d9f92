//! The page that tells what stands in the tables, made of the rows' own descriptions: `docs/tables.md`.

use std::fmt::Write;

use crate::report_rows::TABLES;
use crate::rows::Column;

const INTRODUCTION: &str = "\
# Tables

Every table is a CSV file in UTF-8: a header, then a line for each row, fields with commas or quotes in double quotes,
numbers with a decimal point. An empty field is an unknown number, never a zero. Scores count a win 1, a
draw ½ and a loss 0. A run folder holds its tables next to the plots. A report holds them in `tables/`, or in
`<run>/tables/` where it compares several runs. Reports round fractions to six significant digits.

*Curve* is what TensorBoard shows the column as, if it does.

This page is generated from the declarations in `env/metrics/src/` and `notebooks-export/src/rows/`; a test keeps the two alike.
";

/// The page `docs/tables.md`.
pub fn tables_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for table in TABLES {
        let _ = writeln!(page, "\n## `{}.csv`\n\n{}\n", table.name, table.meaning.trim());
        let has_curves = table.columns.iter().any(|column| column.curve.is_some());
        page.push_str(match has_curves {
            true => "| column | values | unit | curve | meaning |\n|---|---|---|---|---|\n",
            false => "| column | values | unit | meaning |\n|---|---|---|---|\n",
        });
        for Column { name, kind, may_be_empty, unit, meaning, curve } in table.columns {
            let empty = if *may_be_empty { ", or empty" } else { "" };
            let unit = if unit.is_empty() { "\u{2013}" } else { unit };
            let curve = match (has_curves, curve) {
                (false, _) => String::new(),
                (true, None) => " |".into(),
                (true, Some(curve)) => format!(" `{curve}` |"),
            };
            let meaning = meaning.trim().replace('|', "\\|");
            let _ = writeln!(page, "| `{name}` | {kind}{empty} | {unit} |{curve} {meaning} |");
        }
    }
    page
}
