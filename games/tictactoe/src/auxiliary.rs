//! The final state: whose mark stands on each cell.

use super::TicTacToe;
use selfplay_registry::auxiliary::write_cells;
use selfplay_registry::{AuxiliaryTargets, FinalState, Side};

impl AuxiliaryTargets for TicTacToe {
    fn final_state_kind() -> FinalState {
        FinalState::Cells
    }

    fn final_state(&self, side: Side, target: &mut [f32]) {
        assert_eq!(target.len(), Self::final_state_len());
        write_cells(target, side, |cell| {
            Side::BOTH.into_iter().find(|owner| self.marks[owner.index()] >> cell & 1 == 1)
        });
    }
}
