//! The pyramid as data for drawing: places are the cells, level by level from the ground.

use super::notation::cell_name;
use super::rules::Pylos;
use super::tables::{ACTIONS, APEX, ActionKind, CELLS, LEVEL_SIDE, level_of, row_and_column};
use selfplay_registry::view::{BoardKind, Click, Drawable, Layout, Piece, Place, Tally, View, letters};
use selfplay_registry::{Action, Game, Side};

impl Drawable for Pylos {
    fn layout() -> Layout {
        let place = |cell| {
            let (row, column) = row_and_column(cell);
            Place { name: cell_name(cell as u8), row, column, level: level_of(cell) }
        };
        let [side, ..] = LEVEL_SIDE;
        let row_labels = (1..=side).map(|row| row.to_string()).collect();
        let column_labels = letters('a', side).collect();
        let places = (0..CELLS).map(place).collect();
        Layout { kind: BoardKind::Pyramid, rows: side, columns: side, places, row_labels, column_labels }
    }

    fn view(&self) -> View {
        let has_sphere = |side: Side, cell: usize| self.spheres(side) >> cell & 1 == 1;
        let piece = |cell| Side::BOTH.into_iter().find(|&side| has_sphere(side, cell)).map(Piece::Stone);
        let pieces: Vec<_> = (0..CELLS).map(piece).collect();
        let apex = usize::from(APEX);
        let decisive = (self.outcome().is_some() && pieces[apex].is_some()).then_some(apex).into_iter().collect();
        let reserve = Tally { label: "reserve", counts: Side::BOTH.map(|side| self.reserve(side)) };
        View { decisive, tallies: vec![reserve], ..View::new(pieces, self.task()) }
    }

    fn clicks(&self, action: Action) -> Vec<Click> {
        let place = |cell: u8| Click::Place(usize::from(cell));
        match ACTIONS[action.index()] {
            ActionKind::Place { to } => vec![place(to)],
            ActionKind::Raise { from, to } => vec![place(from), place(to)],
            ActionKind::Remove { from } => vec![place(from)],
            ActionKind::Stop => vec![Click::Stop],
        }
    }
}
