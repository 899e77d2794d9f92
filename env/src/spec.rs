//! The facts about a game that never change while a program runs.

/// What is fixed about a game: its name, its players, the size of its action space and of its board.
///
/// ```
/// use selfplay_env::GameSpec;
///
/// const SPEC: GameSpec = GameSpec::new("squava", "Squava, 5×5", 25).side_names(["X", "O"]).grid(5, 5);
/// assert_eq!(SPEC.action_count, 25);
/// assert_eq!(SPEC.max_plies, None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GameSpec {
    /// The id on command lines, in configs and in checkpoints, such as `pentago-swap`.
    pub id: &'static str,
    /// One line for tables: name and board.
    pub title: &'static str,
    /// Names of the two players, first player first.
    pub side_names: [&'static str; 2],
    /// Length of the policy vector; every [`Action`](crate::Action) is below it.
    pub action_count: usize,
    /// An upper bound on the actions in one game; `None` if only repetition ends it, or the bound is unknown.
    pub max_plies: Option<usize>,
    /// Rows and columns of a board whose cells hold a piece of one player or nothing
    /// ([`Game::owner`](crate::Game::owner)). The board as text, its picture and the network's input follow from it.
    pub grid: Option<(usize, usize)>,
    /// Rules and notation for players, in Markdown. The program shows the text above the first `##` heading, so
    /// `include_str!("../README.md")` fits.
    pub readme: &'static str,
}

impl GameSpec {
    /// A game with players called First and Second, no bound on its length, no grid and no rules text.
    pub const fn new(id: &'static str, title: &'static str, action_count: usize) -> Self {
        GameSpec { id, title, side_names: ["First", "Second"], action_count, max_plies: None, grid: None, readme: "" }
    }

    /// Names the players, first player first.
    pub const fn side_names(self, side_names: [&'static str; 2]) -> Self {
        GameSpec { side_names, ..self }
    }

    /// Bounds the number of actions in a game.
    pub const fn max_plies(self, max_plies: usize) -> Self {
        GameSpec { max_plies: Some(max_plies), ..self }
    }

    /// Declares a board of cells.
    pub const fn grid(self, rows: usize, columns: usize) -> Self {
        GameSpec { grid: Some((rows, columns)), ..self }
    }

    /// Sets the rules text.
    pub const fn readme(self, readme: &'static str) -> Self {
        GameSpec { readme, ..self }
    }

    /// Rows and columns of the [grid](Self::grid).
    ///
    /// # Panics
    /// If the game has none: it must then implement every method whose default is derived from the grid.
    pub const fn grid_size(&self) -> (usize, usize) {
        match self.grid {
            Some(size) => size,
            None => panic!(
                "a game without a grid implements Game::board, TensorEncoding::encoding and TensorEncoding::encode"
            ),
        }
    }
}
