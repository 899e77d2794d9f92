//! The final state: by how many points the cards on the board differ.

use super::Sum15;
use selfplay_registry::{AuxiliaryTargets, FinalState, Side};

impl<const N: usize> AuxiliaryTargets for Sum15<N> {
    fn final_state_kind() -> FinalState {
        FinalState::Margin
    }

    fn final_state(&self, side: Side, target: &mut [f32]) {
        assert_eq!(target.len(), Self::final_state_len());
        let points = |side| self.points(side) as f32;
        target[0] = (points(side) - points(side.opponent())) / Self::HAND_POINTS as f32;
    }
}
