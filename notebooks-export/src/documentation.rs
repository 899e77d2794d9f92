//! The page that tells what stands in the tables, made of the rows' own descriptions: `docs/tables.md`.

use std::fmt::Write;

use crate::rows::{
    AblationRow, CalibrationRow, Column, CrossTableRow, EloRow, GenerationRow, LadderRow, LossRow, MatchRow,
    OpeningPolicyRow, SelfPlayRow, TableRow, ThroughputRow, ValueErrorRow,
};

/// A table as the page describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableDescription {
    /// Its name; the file is `<name>.csv`.
    pub name: &'static str,
    /// What one line is.
    pub meaning: &'static str,
    /// Its columns in order.
    pub columns: &'static [Column],
}

const fn described<R: TableRow>() -> TableDescription {
    TableDescription { name: R::TABLE, meaning: R::MEANING, columns: R::DESCRIBED }
}

/// All tables in the order of the page.
pub const TABLES: [TableDescription; 12] = [
    described::<GenerationRow>(),
    described::<SelfPlayRow>(),
    described::<LossRow>(),
    described::<ThroughputRow>(),
    described::<MatchRow>(),
    described::<LadderRow>(),
    described::<EloRow>(),
    described::<CrossTableRow>(),
    described::<AblationRow>(),
    described::<CalibrationRow>(),
    described::<ValueErrorRow>(),
    described::<OpeningPolicyRow>(),
];

const INTRODUCTION: &str = "\
# Tables

Every table is a CSV file in UTF-8: a header, then a line for each row, fields with commas or quotes in double quotes,
numbers with a decimal point. An empty field is a number that is not known; it is never a zero. Scores count a win 1, a
draw ½ and a loss 0. A run folder holds its tables beside the pictures; a report holds them in `tables/`, or in
`<run>/tables/` where it compares several runs, with numbers that are not whole rounded to six significant digits.

This page is made from the code (`notebooks-export/src/rows/`); a test keeps the two alike.
";

/// The page `docs/tables.md`.
pub fn tables_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for table in TABLES {
        let _ = writeln!(page, "\n## `{}.csv`\n\n{}\n", table.name, table.meaning.trim());
        page.push_str("| column | values | unit | meaning |\n|---|---|---|---|\n");
        for Column { name, kind, may_be_empty, unit, meaning } in table.columns {
            let empty = if *may_be_empty { ", or empty" } else { "" };
            let unit = if unit.is_empty() { "\u{2013}" } else { unit };
            let _ = writeln!(page, "| `{name}` | {kind}{empty} | {unit} | {} |", meaning.trim().replace('|', "\\|"));
        }
    }
    page
}
