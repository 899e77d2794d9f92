//! What a game in a file says of itself.

use serde::Deserialize;

/// Everything that does not depend on a position.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// [`GameSpec::id`](selfplay_registry::GameSpec::id).
    pub id: String,
    /// [`GameSpec::title`](selfplay_registry::GameSpec::title).
    pub title: String,
    /// [`GameSpec::side_names`](selfplay_registry::GameSpec::side_names).
    pub side_names: [String; 2],
    /// [`GameSpec::action_count`](selfplay_registry::GameSpec::action_count).
    pub action_count: usize,
    /// [`GameSpec::max_plies`](selfplay_registry::GameSpec::max_plies).
    pub max_plies: Option<usize>,
    /// [`GameSpec::readme`](selfplay_registry::GameSpec::readme).
    pub readme: String,
    /// Rows of the board and of each plane.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Whether it says what stands on each cell.
    pub is_grid: bool,
    /// What each of its own planes holds; `None` if planes are derived from the board.
    #[serde(default)]
    pub planes: Option<Vec<String>>,
    /// [`EncodingSpec::version`](selfplay_registry::EncodingSpec::version).
    pub version: u32,
    /// Planes of the policy; 0 for a dense one.
    pub policy_planes: usize,
    /// The name of each action.
    pub names: Vec<String>,
    /// The cells that one points at for each action, in order.
    pub clicks: Option<Vec<Vec<usize>>>,
    /// Whether an action is a column, and what is put there falls to its lowest empty cell.
    pub falls: bool,
    /// The index of each symmetry that the game has, identity first, and what becomes of each action.
    pub images: Vec<(usize, Vec<u16>)>,
    /// Whether it draws its board itself.
    pub has_board: bool,
}

impl Facts {
    /// Cells of the board.
    pub fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// What becomes of `action` under the symmetry with this index.
    pub fn image(&self, action: u16, symmetry: usize) -> u16 {
        let image = self.images.iter().find(|(index, _)| *index == symmetry);
        image.map_or(action, |(_, actions)| actions[usize::from(action)])
    }
}
