//! Tables of text that fit into a terminal: columns that are not needed go first, then names are shortened.

/// Spaces between two columns.
const GAP: usize = 2;
/// Characters that are left of a long name.
const MIN_NAME: usize = 8;

/// One column of a table.
pub(super) struct Column {
    pub title: &'static str,
    pub cells: Vec<String>,
    pub kind: Kind,
}

/// How a column is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Aligned on the left, and shortened where there is no room.
    Name,
    /// Aligned on the right, always there.
    Number,
    /// Aligned on the right, left out where there is no room; the last of them first.
    Extra,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(self.title.chars().count())
    }
}

/// The columns as lines of at most `width` characters, if names of [`MIN_NAME`] characters can do it.
pub(super) fn table(mut columns: Vec<Column>, width: usize) -> String {
    let least = |column: &Column| match column.kind {
        Kind::Name => column.width().min(MIN_NAME),
        Kind::Number | Kind::Extra => column.width(),
    };
    let sum = |columns: &[Column]| columns.iter().map(|column| least(column) + GAP).sum::<usize>().saturating_sub(GAP);
    while sum(&columns) > width
        && let Some(last) = columns.iter().rposition(|column| column.kind == Kind::Extra)
    {
        columns.remove(last);
    }
    let mut room = width.saturating_sub(sum(&columns));
    for column in columns.iter_mut().filter(|column| column.kind == Kind::Name) {
        let least = least(column);
        let length = column.width().min(least + room);
        room -= length - least;
        column.cells.iter_mut().for_each(|cell| *cell = shortened(cell, length));
    }
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let mut text = line(&columns, |column| column.title);
    (0..rows).for_each(|row| text += &line(&columns, |column| &column.cells[row]));
    text
}

fn line<'a>(columns: &'a [Column], cell: impl Fn(&'a Column) -> &'a str) -> String {
    let padded = columns.iter().map(|column| {
        let width = column.width();
        match column.kind {
            Kind::Name => format!("{:width$}", cell(column)),
            Kind::Number | Kind::Extra => format!("{:>width$}", cell(column)),
        }
    });
    let line = padded.collect::<Vec<_>>().join(&" ".repeat(GAP));
    line.trim_end().to_owned() + "\n"
}

/// A name in `width` characters: of a longer one the middle is missing, nearer to its start, since ends differ more often.
fn shortened(name: &str, width: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= width {
        return name.to_owned();
    }
    let kept = width.saturating_sub(1);
    let start = kept / 3;
    let end = letters.len() - (kept - start);
    letters[..start].iter().chain(['…'].iter()).chain(&letters[end..]).collect()
}
