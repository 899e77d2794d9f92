//! The pyramid's geometry and the position index of actions, computed at compile time.
//!
//! A cell is an index 0..30: level by level from the bottom, each level row by row. A set of cells is a `u32` mask.

use selfplay_registry::{Action, Symmetry};

/// Cells of the pyramid.
pub(super) const CELLS: usize = 30;
/// Levels of the pyramid; level 0 is the bottom.
pub(super) const LEVELS: usize = 4;
/// The cell on top.
pub(super) const APEX: u8 = 29;
/// Cells along a side of each level.
pub(super) const LEVEL_SIDE: [usize; LEVELS] = [4, 3, 2, 1];
/// The first cell of each level.
pub(super) const LEVEL_START: [usize; LEVELS] = [0, 16, 25, 29];
/// Length of the policy vector: 30 places, 217 raises, 30 removals, 1 stop.
pub(super) const ACTION_COUNT: usize = FIRST_REMOVAL + CELLS + 1;

const RAISES: usize = 217;
const FIRST_RAISE: usize = CELLS;
const FIRST_REMOVAL: usize = FIRST_RAISE + RAISES;
const STOP: usize = FIRST_REMOVAL + CELLS;

/// One choice, with cells as indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ActionKind {
    /// A sphere from the reserve goes to `to`.
    Place { to: u8 },
    /// The own sphere on `from` goes up to `to`, which is on a higher level and does not rest on `from`.
    Raise { from: u8, to: u8 },
    /// The own sphere on `from` goes back to the reserve.
    Remove { from: u8 },
    /// No second removal.
    Stop,
}

impl ActionKind {
    /// The number of this action, or `None` for a raise that no position allows.
    #[inline]
    pub(super) fn action(self) -> Option<Action> {
        match self {
            ActionKind::Place { to } => Some(Action(u16::from(to))),
            ActionKind::Raise { from, to } => RAISE_ACTIONS[usize::from(from)][usize::from(to)],
            ActionKind::Remove { from } => Some(Action(FIRST_REMOVAL as u16 + u16::from(from))),
            ActionKind::Stop => Some(Action(STOP as u16)),
        }
    }
}

/// What each action is. Raises come in ascending order of their lower cell, then of their upper cell.
pub(super) static ACTIONS: [ActionKind; ACTION_COUNT] = action_kinds();
static RAISE_ACTIONS: [[Option<Action>; CELLS]; CELLS] = raise_actions();

/// The cells to which a sphere on each cell could be raised if they can be filled: those of higher levels that do not
/// rest on it.
pub(super) static RAISE_TARGETS: [u32; CELLS] = raise_targets();
/// The 14 squares and 14 lines whose completion lets a player remove spheres.
pub(super) static PATTERNS: [u32; PATTERN_COUNT] = patterns();
/// The patterns that each cell belongs to, at most four squares, a row and a column; unused entries are
/// [`NO_PATTERN`].
pub(super) static PATTERNS_THROUGH: [[u32; 6]; CELLS] = patterns_through();
/// Where each cell goes under each symmetry, by [`Symmetry::index`].
pub(super) static CELL_IMAGES: [[u8; CELLS]; 8] = cell_images();

const PATTERN_COUNT: usize = 28;
/// The first so many patterns are squares: what some cell above level 0 rests on.
pub(super) const SQUARES: usize = CELLS - LEVEL_START[1];
/// Has more cells than the pyramid, so no set of spheres contains it.
const NO_PATTERN: u32 = u32::MAX;

/// The cells of `mask` in ascending order.
#[inline]
pub(super) fn cells_of(mut mask: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let cell = (mask != 0).then_some(mask.trailing_zeros() as u8);
        mask &= mask.wrapping_sub(1);
        cell
    })
}

/// The level of `cell`.
pub(super) const fn level_of(cell: usize) -> usize {
    let mut level = LEVELS - 1;
    while cell < LEVEL_START[level] {
        level -= 1;
    }
    level
}

/// The row and column of `cell` on its level.
pub(super) const fn row_and_column(cell: usize) -> (usize, usize) {
    let level = level_of(cell);
    let index = cell - LEVEL_START[level];
    (index / LEVEL_SIDE[level], index % LEVEL_SIDE[level])
}

/// The cell in `row` and `column` of `level`.
pub(super) const fn cell_at(level: usize, row: usize, column: usize) -> usize {
    LEVEL_START[level] + row * LEVEL_SIDE[level] + column
}

/// The 2×2 square of `level` whose smallest row and column are `row` and `column`.
const fn square(level: usize, row: usize, column: usize) -> u32 {
    1 << cell_at(level, row, column)
        | 1 << cell_at(level, row, column + 1)
        | 1 << cell_at(level, row + 1, column)
        | 1 << cell_at(level, row + 1, column + 1)
}

/// The four cells that each cell rests on; empty on level 0.
pub(super) const fn supports() -> [u32; CELLS] {
    let mut supports = [0; CELLS];
    let mut cell = LEVEL_START[1];
    while cell < CELLS {
        let (row, column) = row_and_column(cell);
        supports[cell] = square(level_of(cell) - 1, row, column);
        cell += 1;
    }
    supports
}

const fn raise_targets() -> [u32; CELLS] {
    let supports = supports();
    let mut targets = [0; CELLS];
    let mut from = 0;
    while from < CELLS {
        let mut to = 0;
        while to < CELLS {
            if level_of(to) > level_of(from) && supports[to] >> from & 1 == 0 {
                targets[from] |= 1 << to;
            }
            to += 1;
        }
        from += 1;
    }
    targets
}

const fn patterns() -> [u32; PATTERN_COUNT] {
    let mut patterns = [0; PATTERN_COUNT];
    let mut count = 0;
    // A square is what some cell of the level above rests on.
    let supports = supports();
    let mut above = LEVEL_START[1];
    while above < CELLS {
        patterns[count] = supports[above];
        count += 1;
        above += 1;
    }
    let mut level = 0;
    while level < 2 {
        let side = LEVEL_SIDE[level];
        let mut line = 0;
        while line < side {
            let mut along = 0;
            while along < side {
                patterns[count] |= 1 << cell_at(level, line, along);
                patterns[count + 1] |= 1 << cell_at(level, along, line);
                along += 1;
            }
            count += 2;
            line += 1;
        }
        level += 1;
    }
    patterns
}

const fn patterns_through() -> [[u32; 6]; CELLS] {
    let patterns = patterns();
    let mut through = [[NO_PATTERN; 6]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (mut index, mut found) = (0, 0);
        while index < PATTERN_COUNT {
            if patterns[index] >> cell & 1 == 1 {
                through[cell][found] = patterns[index];
                found += 1;
            }
            index += 1;
        }
        cell += 1;
    }
    through
}

const fn cell_images() -> [[u8; CELLS]; 8] {
    let mut images = [[0; CELLS]; 8];
    let mut index = 0;
    while index < 8 {
        let mut cell = 0;
        while cell < CELLS {
            let level = level_of(cell);
            let image = Symmetry::ALL[index].map_cell(cell - LEVEL_START[level], LEVEL_SIDE[level]);
            images[index][cell] = (LEVEL_START[level] + image) as u8;
            cell += 1;
        }
        index += 1;
    }
    images
}

const fn action_kinds() -> [ActionKind; ACTION_COUNT] {
    let targets = raise_targets();
    let mut kinds = [ActionKind::Stop; ACTION_COUNT];
    let mut next_raise = FIRST_RAISE;
    let mut cell = 0;
    while cell < CELLS {
        kinds[cell] = ActionKind::Place { to: cell as u8 };
        kinds[FIRST_REMOVAL + cell] = ActionKind::Remove { from: cell as u8 };
        let mut to = 0;
        while to < CELLS {
            if targets[cell] >> to & 1 == 1 {
                kinds[next_raise] = ActionKind::Raise { from: cell as u8, to: to as u8 };
                next_raise += 1;
            }
            to += 1;
        }
        cell += 1;
    }
    assert!(next_raise == FIRST_REMOVAL);
    kinds
}

const fn raise_actions() -> [[Option<Action>; CELLS]; CELLS] {
    let kinds = action_kinds();
    let mut actions = [[None; CELLS]; CELLS];
    let mut index = FIRST_RAISE;
    while index < FIRST_REMOVAL {
        if let ActionKind::Raise { from, to } = kinds[index] {
            actions[from as usize][to as usize] = Some(Action(index as u16));
        }
        index += 1;
    }
    actions
}
