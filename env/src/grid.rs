//! Boards of cells in rows and columns, numbered row by row from the top left: names, and a picture in characters.

/// The letters of a column: `a` to `z`, then `aa`, `ab` and so on.
pub fn column_name(column: usize) -> String {
    let letter = char::from(b'a' + (column % 26) as u8);
    if column < 26 { letter.into() } else { column_name(column / 26 - 1) + &letter.to_string() }
}

/// What people call a cell of a board that is `columns` wide, such as `b3`: column, and row from the top, from 1 on.
pub fn cell_name(cell: usize, columns: usize) -> String {
    format!("{}{}", column_name(cell % columns), cell / columns + 1)
}

/// The board with the `mark` of each cell, framed by the names of rows and columns. Every line ends in a line break.
pub fn picture((rows, columns): (usize, usize), mark: impl Fn(usize) -> char) -> String {
    let indent = rows.to_string().len();
    let width = 1 + column_name(columns.saturating_sub(1)).len();
    let mut text = " ".repeat(indent);
    (0..columns).for_each(|column| text.push_str(&format!("{:>width$}", column_name(column))));
    text.push('\n');
    for row in 0..rows {
        text.push_str(&format!("{:>indent$}", row + 1));
        (0..columns).for_each(|column| text.push_str(&format!("{:>width$}", mark(row * columns + column))));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_on_after_z() {
        assert_eq!([0, 25, 26, 27, 52].map(column_name), ["a", "z", "aa", "ab", "ba"]);
        assert_eq!(cell_name(7, 5), "c2");
    }

    #[test]
    fn marks_stand_below_the_names_of_their_columns() {
        let board = picture((2, 3), |cell| if cell == 4 { 'X' } else { '.' });
        assert_eq!(board, "  a b c\n1 . . .\n2 . X .\n");
    }
}
