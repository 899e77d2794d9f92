//! The final state: whose stone stands on each intersection, which also shows what was captured.

use super::Pente;
use selfplay_registry::auxiliary::write_cells;
use selfplay_registry::{AuxiliaryTargets, FinalState, Side};

impl<const N: usize> AuxiliaryTargets for Pente<N> {
    fn final_state_kind() -> FinalState {
        FinalState::Cells
    }

    fn final_state(&self, side: Side, target: &mut [f32]) {
        assert_eq!(target.len(), Self::final_state_len());
        write_cells(target, side, |cell| {
            Side::BOTH.into_iter().find(|&owner| self.rows(owner)[cell / N] >> (cell % N) & 1 == 1)
        });
    }
}
