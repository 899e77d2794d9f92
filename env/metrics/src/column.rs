//! Columns of tables.

use serde::Serialize;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name, in the file's header.
    pub name: &'static str,
    /// What values look like: `whole number`, `number`, `text`, `true or false`, or the words that are possible.
    pub kind: &'static str,
    /// Whether the value may be missing, because it is unknown.
    pub may_be_empty: bool,
    /// The unit, or the range of numbers without one; empty for names and plain numbers.
    pub unit: &'static str,
    /// What it means, in a sentence or two.
    pub meaning: &'static str,
    /// The curve that it is a point of in TensorBoard, if it is of one.
    pub curve: Option<&'static str>,
}

/// One line of a table.
pub trait TableRow: Serialize + 'static {
    /// Name of the table, as in error messages; its file is `<name>.csv`.
    const TABLE: &'static str;
    /// What one line is, in a sentence.
    const MEANING: &'static str;
    /// The names of the columns in order.
    const COLUMNS: &'static [&'static str];
    /// The columns in order, described.
    const DESCRIBED: &'static [Column];

    /// The number in each column, in order; `None` where it is unknown or the column holds none.
    fn numbers(&self) -> Vec<Option<f64>>;

    /// The columns whose number is known, each with it.
    fn known_numbers(&self) -> impl Iterator<Item = (&'static Column, f64)> {
        Self::DESCRIBED.iter().zip(self.numbers()).filter_map(|(column, number)| Some((column, number?)))
    }

    /// The first column that holds an infinite number or none at all (NaN), with what it holds.
    fn not_finite(&self) -> Option<(&'static str, f64)> {
        self.known_numbers().find(|(_, number)| !number.is_finite()).map(|(column, number)| (column.name, number))
    }

    /// The same row with every number that is not whole rounded to six significant digits.
    fn rounded(&self) -> Self;
}

/// A type that columns have.
pub trait Cell: Sized + Clone {
    /// As in [`Column::kind`].
    const KIND: &'static str;
    /// As in [`Column::may_be_empty`].
    const MAY_BE_EMPTY: bool = false;

    /// As in [`TableRow::numbers`].
    fn number(&self) -> Option<f64> {
        None
    }

    /// As in [`TableRow::rounded`].
    fn rounded(&self) -> Self {
        self.clone()
    }
}

impl Cell for u32 {
    const KIND: &'static str = "whole number";

    fn number(&self) -> Option<f64> {
        Some(f64::from(*self))
    }
}
impl Cell for u64 {
    const KIND: &'static str = "whole number";

    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}
impl Cell for String {
    const KIND: &'static str = "text";
}
impl Cell for bool {
    const KIND: &'static str = "true or false";
}
impl Cell for f64 {
    const KIND: &'static str = "number";

    fn number(&self) -> Option<f64> {
        Some(*self)
    }

    fn rounded(&self) -> f64 {
        // By way of decimal digits, so that the shortest text that gives the number back is short too.
        format!("{self:.5e}").parse().unwrap_or(*self)
    }
}
impl<T: Cell> Cell for Option<T> {
    const KIND: &'static str = T::KIND;
    const MAY_BE_EMPTY: bool = true;

    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(Cell::number)
    }

    fn rounded(&self) -> Self {
        self.as_ref().map(Cell::rounded)
    }
}
