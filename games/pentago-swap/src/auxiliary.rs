//! The final state: which cells belong to a completed line, and whose.
//!
//! Not whose stone stands on each cell: every swap moves eighteen of the thirty-six cells, so where a stone ends up is
//! known only near the end, and says little about who wins. A completed line is the reason of the result.

use super::PentagoSwap;
use super::geometry::{BIT_OF_CELL, WINDOWS};
use selfplay_registry::auxiliary::write_cells;
use selfplay_registry::{AuxiliaryTargets, FinalState, Side};

impl AuxiliaryTargets for PentagoSwap {
    fn final_state_kind() -> FinalState {
        FinalState::Cells
    }

    fn final_state(&self, side: Side, target: &mut [f32]) {
        assert_eq!(target.len(), Self::final_state_len());
        let lines = self.stones.map(|stones| {
            WINDOWS.iter().filter(|&window| window & !stones == 0).fold(0, |cells, window| cells | window)
        });
        write_cells(target, side, |cell| {
            Side::BOTH.into_iter().find(|owner| lines[owner.index()] >> BIT_OF_CELL[cell] & 1 == 1)
        });
    }
}
