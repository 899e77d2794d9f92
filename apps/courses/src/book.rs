//! A book of best moves, as a text file: one position a line, by the moves that lead to it.
//!
//! ```text
//! book 1 pentago-swap
//! # The first move, and the second after a reply.
//! : b2:AB
//! b2:AB c3:CD : e5:AC
//! ```
//!
//! The first line names the format, its version and the game. Then each line holds the moves from the initial
//! position, a colon between spaces, and the best move. Blank lines and lines that begin with `#` are for people. A
//! position stands once; its images under the game's symmetries are the same position.

use std::collections::HashMap;
use std::path::Path;

use selfplay_env::{Action, NotationError, PlayError, Position, Rules, Symmetry};
use selfplay_players::{EvalError, FileError};
use selfplay_storage::write_file;

const FORMAT: &str = "book 1";

/// Best moves of a game's positions.
#[derive(Clone, Debug)]
pub struct Book {
    rules: &'static dyn Rules,
    /// By the hash of the image of the position that has the least hash: the best move on that image, and the number of
    /// the entry.
    best: HashMap<u64, (Action, usize)>,
    entries: Vec<BookEntry>,
}

/// Why a position cannot stand in a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file is of something else.
    #[error("found `{found}`, expected the header `{expected}`")]
    Header {
        /// Its first line.
        found: String,
        /// What that would be.
        expected: String,
    },
    /// A word is no move of the game.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// A move on the way to the position is not legal.
    #[error(transparent)]
    Decision(#[from] PlayError),
    /// The best move is not legal.
    #[error("the best move {0}")]
    BestMove(PlayError),
    /// A line has none.
    #[error("no best move: expected moves, ` : ` and the best move")]
    NoBestMove,
    /// A line continues after the best move.
    #[error("unexpected `{0}` after the best move")]
    More(String),
    /// The position, or an image of it, has a best move.
    #[error("duplicate position (up to symmetry) of `{earlier}`")]
    Repeated {
        /// The moves that lead to it.
        earlier: String,
    },
}

/// A position of a book.
#[derive(Clone, Debug)]
pub struct BookEntry {
    /// What leads to it from the initial position.
    pub actions: Vec<Action>,
    /// The position.
    pub position: Box<dyn Position>,
    /// What to play there.
    pub best: Action,
}

impl Book {
    /// A book without positions of the game of `rules`.
    pub fn new(rules: &'static dyn Rules) -> Self {
        Book { rules, best: HashMap::new(), entries: Vec::new() }
    }

    /// All positions, in the order of the file.
    pub fn entries(&self) -> &[BookEntry] {
        &self.entries
    }

    /// The book's move in `position` or the image of its move in an image of `position`; `None` where it has none.
    pub fn best(&self, position: &dyn Position) -> Option<Action> {
        let (hash, symmetry) = least_image(position);
        let &(best, _) = self.best.get(&hash)?;
        let best = self.rules.transform_action(best, symmetry.inverse());
        // Only another position with the same hash could make it illegal.
        position.is_legal(best).then(|| position.canonical_action(best))
    }

    /// Adds a position.
    ///
    /// # Errors
    /// [`BookError`] if a move or `best` is not legal, or the position or an image of it stands already.
    pub fn insert(&mut self, actions: Vec<Action>, best: Action) -> Result<(), BookError> {
        let mut position = self.rules.initial();
        for &action in &actions {
            position.try_play(action)?;
        }
        position.clone().try_play(best).map_err(BookError::BestMove)?;
        let (hash, symmetry) = least_image(&*position);
        if let Some((_, entry)) = self.best.get(&hash) {
            let earlier = &self.entries[*entry].actions;
            return Err(BookError::Repeated { earlier: self.rules.format_line(earlier) });
        }
        self.best.insert(hash, (self.rules.transform_action(best, symmetry), self.entries.len()));
        self.entries.push(BookEntry { actions, position, best });
        Ok(())
    }

    /// Reads a book of the game of `rules` from a file.
    ///
    /// # Errors
    /// [`EvalError::File`] if the file cannot be read, or with the first line that is wrong.
    pub fn read(rules: &'static dyn Rules, path: &Path) -> Result<Self, EvalError> {
        let text = std::fs::read_to_string(path).map_err(|error| FileError::new(path, error))?;
        Self::parse(rules, &text, &path.display().to_string())
    }

    /// Reads a book of the game of `rules` from `text`; `path` is what errors call it.
    ///
    /// # Errors
    /// [`EvalError::File`] with the first line that is wrong.
    pub fn parse(rules: &'static dyn Rules, text: &str, path: &str) -> Result<Self, EvalError> {
        let wrong =
            |line: usize, error: BookError| EvalError::from(FileError::at_line(Path::new(path), line + 1, error));
        let header = header(rules);
        let mut lines = text.lines().map(str::trim).enumerate();
        match lines.next() {
            Some((_, first)) if first == header => {}
            first => {
                let found = first.map_or("", |(_, line)| line).to_owned();
                return Err(wrong(0, BookError::Header { found, expected: header }));
            }
        }
        let mut book = Self::new(rules);
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let entry = parse_line(rules, line);
            entry.and_then(|(actions, best)| book.insert(actions, best)).map_err(|error| wrong(number, error))?;
        }
        Ok(book)
    }

    /// The book as text; [`parse`](Self::parse) reads it back.
    pub fn to_text(&self) -> String {
        let mut text = header(self.rules) + "\n";
        for entry in &self.entries {
            let moves = self.rules.format_line(&entry.actions);
            let gap = if moves.is_empty() { "" } else { " " };
            text.push_str(&format!("{moves}{gap}: {}\n", self.rules.action_name(entry.best)));
        }
        text
    }

    /// Writes the book to a file, which appears whole or not at all.
    ///
    /// # Errors
    /// [`EvalError::File`] with what the system says.
    pub fn write(&self, path: &Path) -> Result<(), EvalError> {
        write_file(path, self.to_text().as_bytes()).map_err(|error| FileError::new(path, error).into())
    }
}

fn header(rules: &dyn Rules) -> String {
    format!("{FORMAT} {}", rules.id())
}

/// The moves and the best move of a line.
fn parse_line(rules: &dyn Rules, line: &str) -> Result<(Vec<Action>, Action), BookError> {
    let mut words = line.split_whitespace();
    let action = |word: &str| rules.parse_action(word);
    let actions = words.by_ref().take_while(|&word| word != ":").map(action).collect::<Result<_, _>>()?;
    match (words.next(), words.next()) {
        (Some(best), None) => Ok((actions, action(best)?)),
        (None, _) => Err(BookError::NoBestMove),
        (_, Some(more)) => Err(BookError::More(more.to_owned())),
    }
}

/// The least hash of the images of `position`, and a symmetry that leads to that image.
pub(super) fn least_image(position: &dyn Position) -> (u64, Symmetry) {
    let images =
        position.rules().symmetries().iter().map(|&symmetry| (position.transform(symmetry).position_hash(), symmetry));
    images.min_by_key(|&(hash, _)| hash).expect("every game has the identity")
}
