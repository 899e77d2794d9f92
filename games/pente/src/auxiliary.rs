//! The final state: whose stone stands on each intersection, which also shows what was captured.

use super::Pente;
use selfplay_registry::auxiliary::write_cells;
use selfplay_registry::{AuxiliaryTargets, FinalState, Side};

impl<const N: usize> AuxiliaryTargets for Pente<N> {
    const FINAL_STATE: FinalState = FinalState::Cells;

    fn final_state(&self, side: Side, target: &mut [f32]) {
        assert_eq!(target.len(), Self::FINAL_STATE_LEN);
        write_cells(target, side, |cell| {
            Side::BOTH.into_iter().find(|&owner| self.rows(owner)[cell / N] >> (cell % N) & 1 == 1)
        });
    }
}
