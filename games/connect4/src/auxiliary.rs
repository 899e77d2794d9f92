//! The final state: whose disc stands on each cell.

use super::Connect4;
use super::encoding::mask_of;
use selfplay_registry::auxiliary::write_cells;
use selfplay_registry::{AuxiliaryTargets, FinalState, Game, Side};

impl AuxiliaryTargets for Connect4 {
    fn final_state_kind() -> FinalState {
        FinalState::Cells
    }

    fn final_state(&self, side: Side, target: &mut [f32]) {
        assert_eq!(target.len(), Self::final_state_len());
        let mover = self.side_to_move();
        let (own, opponent) = self.own_and_opponent();
        write_cells(target, side, |cell| {
            let mask = mask_of(cell);
            if own & mask != 0 { Some(mover) } else { (opponent & mask != 0).then_some(mover.opponent()) }
        });
    }
}
