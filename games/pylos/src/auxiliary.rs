//! The final state: by how many spheres the reserves differ.

use super::Pylos;
use super::rules::SPHERES;
use selfplay_registry::{AuxiliaryTargets, FinalState, Side};

impl AuxiliaryTargets for Pylos {
    fn final_state_kind() -> FinalState {
        FinalState::Margin
    }

    fn final_state(&self, side: Side, target: &mut [f32]) {
        assert_eq!(target.len(), Self::final_state_len());
        let reserve = |side| self.reserve(side) as f32;
        target[0] = (reserve(side) - reserve(side.opponent())) / SPHERES as f32;
    }
}
