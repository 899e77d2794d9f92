//! A position as plain data for drawing, and each action as the clicks that compose it: one form for every screen.
//!
//! A screen that draws a [`Layout`] and a [`View`], and collects [`Click`]s until they are those of one legal action,
//! plays any game without knowing its rules.

use crate::grid::{cell_name, column_name};
use crate::{Action, Game, Outcome, Side};

/// What a board looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardKind {
    /// Marks in squares.
    Squares,
    /// Discs that fall: pointing at a column selects its lowest empty place.
    Columns,
    /// Stones in squares.
    Stones,
    /// Stones on the crossings of lines.
    Intersections,
    /// Stones in squares, in four quadrants that change places.
    Quadrants,
    /// Spheres on levels, each resting on four below: a place of level L lies L / 2 to the right of and below the
    /// place with the same row and column of level 0.
    Pyramid,
    /// Number cards in squares.
    Cards,
    /// No places: the board is shown as [text](View::text).
    Text,
}

impl BoardKind {
    /// A short name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            BoardKind::Squares => "squares",
            BoardKind::Columns => "columns",
            BoardKind::Stones => "stones",
            BoardKind::Intersections => "intersections",
            BoardKind::Quadrants => "quadrants",
            BoardKind::Pyramid => "pyramid",
            BoardKind::Cards => "cards",
            BoardKind::Text => "text",
        }
    }
}

/// Where a piece can stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// What people call it, different for each place of a board.
    pub name: String,
    /// Row on its level, from the top.
    pub row: usize,
    /// Column on its level, from the left.
    pub column: usize,
    /// Level above the ground, 0 on flat boards.
    pub level: usize,
}

/// The board of a game without its pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// What it looks like.
    pub kind: BoardKind,
    /// Rows of level 0.
    pub rows: usize,
    /// Columns of level 0.
    pub columns: usize,
    /// All places; everything else refers to them by their index here.
    pub places: Vec<Place>,
    /// Labels next to the rows of level 0, from the top; empty where there are none.
    pub row_labels: Vec<String>,
    /// Labels above or below the columns of level 0, from the left; empty where there are none.
    pub column_labels: Vec<String>,
}

impl Layout {
    /// A flat board whose places are numbered row by row; `name` names the place in a row and column.
    pub fn flat(kind: BoardKind, rows: usize, columns: usize, name: impl Fn(usize, usize) -> String) -> Layout {
        let places = (0..rows * columns).map(|index| {
            let (row, column) = (index / columns, index % columns);
            Place { name: name(row, column), row, column, level: 0 }
        });
        let places = places.collect();
        Layout { kind, rows, columns, places, row_labels: Vec::new(), column_labels: Vec::new() }
    }

    /// The board of a game with a [grid](crate::GameSpec::grid), its rows and columns labelled as [`cell_name`] has them.
    pub fn grid(kind: BoardKind, (rows, columns): (usize, usize)) -> Layout {
        let layout = Layout::flat(kind, rows, columns, |row, column| cell_name(row * columns + column, columns));
        layout.labelled((1..=rows).map(|row| row.to_string()), (0..columns).map(column_name))
    }

    /// No board but text.
    pub fn text() -> Layout {
        Layout::flat(BoardKind::Text, 0, 0, |_, _| String::new())
    }

    /// The same board with these labels.
    pub fn labelled(
        mut self,
        rows: impl IntoIterator<Item = String>,
        columns: impl IntoIterator<Item = String>,
    ) -> Layout {
        self.row_labels = rows.into_iter().collect();
        self.column_labels = columns.into_iter().collect();
        self
    }
}

/// What stands on a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// A mark, disc, stone or sphere of this side.
    Stone(Side),
    /// A number card.
    Card {
        /// Whose it is.
        owner: Side,
        /// The number on it.
        value: u8,
    },
    /// Nothing, and nothing ever again.
    Dead,
}

impl Piece {
    /// The same piece of the other side.
    pub fn exchanged(self) -> Piece {
        match self {
            Piece::Stone(side) => Piece::Stone(side.opponent()),
            Piece::Card { owner, value } => Piece::Card { owner: owner.opponent(), value },
            Piece::Dead => Piece::Dead,
        }
    }
}

/// A count that is shown for each side next to the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tally {
    /// What is counted, such as `captured pairs`.
    pub label: &'static str,
    /// How many, first player's first.
    pub counts: [u32; 2],
}

/// A position without its history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// What stands on each place of the layout.
    pub pieces: Vec<Option<Piece>>,
    /// The places of what decided a finished game, such as its five in a row, ascending.
    pub decisive: Vec<usize>,
    /// Counts that are shown next to the board.
    pub tallies: Vec<Tally>,
    /// Cards in hand, ascending, first player's first; `None` in games without cards.
    pub hands: Option<[Vec<u8>; 2]>,
    /// For each place the sum that counts there against the game's limit; empty in games without such sums.
    pub sums: Vec<u32>,
    /// The whole position as text, where the layout is [`BoardKind::Text`]; empty elsewhere.
    pub text: String,
    /// What the side to move does now, to follow its name, such as `drops a disc`.
    pub task: &'static str,
}

impl View {
    /// A view of pieces alone.
    pub fn new(pieces: Vec<Option<Piece>>, task: &'static str) -> View {
        View {
            pieces,
            decisive: Vec::new(),
            tallies: Vec::new(),
            hands: None,
            sums: Vec::new(),
            text: String::new(),
            task,
        }
    }

    /// A view of a board of stones where rows of at least `length` stones of one colour decide, in any of the eight
    /// directions; they are marked if the game is over. Places are numbered row by row.
    pub fn from_rows(
        pieces: Vec<Option<Piece>>,
        columns: usize,
        length: usize,
        outcome: Option<Outcome>,
        task: &'static str,
    ) -> View {
        let decisive = outcome.map_or(Vec::new(), |_| rows_of(&pieces, columns, length));
        View { decisive, ..View::new(pieces, task) }
    }
}

/// One thing to point at while composing an action.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Click {
    /// A place, by its index in the layout.
    Place(usize),
    /// A quadrant: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
    Quadrant(usize),
    /// A card in the hand of the side to move, by its number.
    Card(u8),
    /// The button to do no more.
    Stop,
    /// The action itself, by its action index, in a list of all that are legal.
    Listed(usize),
}

/// A game that can be drawn and played by pointing.
///
/// Contract (checked for any game by [`conformance`](crate::conformance)):
/// * A view has a piece or nothing on every place of the layout, and the names of all places are different.
/// * The legal actions have different clicks, also as sets. No action's clicks begin with all those of another.
/// * With the sides exchanged, the same is drawn in the other colours.
pub trait Drawable: Game {
    /// The board: stones in squares for a game with a [grid](crate::GameSpec::grid), text for others.
    fn layout() -> Layout {
        match Self::spec().grid {
            Some(grid) => Layout::grid(BoardKind::Stones, grid),
            None => Layout::text(),
        }
    }

    /// What is drawn on the board and around it: the grid's pieces, or the [board](Game::board) as text.
    fn view(&self) -> View {
        const TASK: &str = "decides";
        match Self::spec().grid {
            Some((rows, columns)) => {
                View::new((0..rows * columns).map(|cell| self.owner(cell).map(Piece::Stone)).collect(), TASK)
            }
            None => View { text: self.board(), ..View::new(Vec::new(), TASK) },
        }
    }

    /// What one points at to make the legal action `action` here, in order: a cell of the grid if there are as many
    /// actions as cells, else the action in a list.
    fn clicks(&self, action: Action) -> Vec<Click> {
        match Self::spec().grid {
            Some((rows, columns)) if rows * columns == Self::spec().action_count => vec![Click::Place(action.index())],
            _ => vec![Click::Listed(action.index())],
        }
    }

    /// The places that show the legal action `action` once it is made: to be marked as the last action.
    fn touched(&self, action: Action) -> Vec<usize> {
        let place = |click| match click {
            Click::Place(place) => Some(place),
            _ => None,
        };
        self.clicks(action).into_iter().filter_map(place).collect()
    }
}

/// The letters of `count` columns from `first` on.
pub fn letters(first: char, count: usize) -> impl Iterator<Item = String> {
    (first..).take(count).map(String::from)
}

/// The places in rows of at least `length` stones of one colour, ascending.
fn rows_of(pieces: &[Option<Piece>], columns: usize, length: usize) -> Vec<usize> {
    let rows = pieces.len() / columns;
    let mut in_a_row = vec![false; pieces.len()];
    for start in 0..pieces.len() {
        let Some(piece) = pieces[start] else { continue };
        for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            let place = |step: isize| {
                let row = (start / columns) as isize + step * down;
                let column = (start % columns) as isize + step * right;
                let is_on_board = row < rows as isize && (0..columns as isize).contains(&column);
                is_on_board.then(|| row as usize * columns + column as usize)
            };
            let run: Vec<usize> = (0..).map_while(place).take_while(|&place| pieces[place] == Some(piece)).collect();
            if run.len() >= length {
                run.into_iter().for_each(|place| in_a_row[place] = true);
            }
        }
    }
    (0..pieces.len()).filter(|&place| in_a_row[place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_all_directions_and_do_not_wrap() {
        let board = |stones: &[usize]| -> Vec<Option<Piece>> {
            (0..20).map(|place| stones.contains(&place).then_some(Piece::Stone(Side::First))).collect()
        };
        for row in [[0, 1, 2], [2, 7, 12], [0, 6, 12], [4, 8, 12]] {
            assert_eq!(rows_of(&board(&row), 5, 3), row);
        }
        assert!(rows_of(&board(&[3, 4, 5]), 5, 3).is_empty());
        assert!(rows_of(&board(&[3, 9, 10]), 5, 3).is_empty());
    }
}
