//! Targets that the end of a game gives to its earlier positions. Training may ask a network to predict them; nothing
//! else reads them (Wu 2019, "Accelerating Self-Play Learning in Go", section 4.1: ownership and score).

use crate::{Side, TensorEncoding};

/// The kind of target that a game's last position gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalState {
    /// None.
    None,
    /// For each cell one of three classes, 1 where it holds and 0 elsewhere, `[class, row, column]`: own, opponent's,
    /// neither.
    Cells,
    /// One number in −1..=1, above 0 where the end was better for the own side.
    Margin,
}

impl FinalState {
    /// Classes of a cell: own, opponent's, neither.
    pub const CELL_CLASSES: usize = 3;

    /// Numbers of the target on a board of `cells` cells.
    pub const fn target_len(self, cells: usize) -> usize {
        match self {
            FinalState::None => 0,
            FinalState::Cells => Self::CELL_CLASSES * cells,
            FinalState::Margin => 1,
        }
    }
}

/// What a game's last position gives its earlier positions as a target; nothing, unless the game says what.
///
/// Contract: seen by the other side, the classes own and opponent's change places, or the margin changes its sign. A
/// symmetry of the game moves the classes of cells with the cells and leaves a margin unchanged.
pub trait AuxiliaryTargets: TensorEncoding {
    /// The kind of target.
    fn final_state_kind() -> FinalState {
        FinalState::None
    }

    /// Numbers of the target.
    fn final_state_len() -> usize {
        Self::final_state_kind().target_len(Self::encoding().cells())
    }

    /// Writes the target that this position gives as the last of its game. The target is seen by `side`, the side to
    /// move of the earlier position that is trained on it. Every number is overwritten.
    ///
    /// # Panics
    /// If `target` does not have [`final_state_len`](Self::final_state_len) numbers.
    fn final_state(&self, _side: Side, target: &mut [f32]) {
        assert_eq!(
            target.len(),
            0,
            "{}: final_state_kind names a target, so final_state must be implemented",
            Self::spec().id
        );
    }
}

/// Writes a target of the kind [`FinalState::Cells`], seen by `side`; `owner` says whose the cell number
/// row · width + column is.
///
/// # Panics
/// If the length of `target` is no multiple of three.
pub fn write_cells(target: &mut [f32], side: Side, owner: impl Fn(usize) -> Option<Side>) {
    assert!(target.len().is_multiple_of(FinalState::CELL_CLASSES), "{} numbers are no cells", target.len());
    let (own, others) = target.split_at_mut(target.len() / FinalState::CELL_CLASSES);
    let (opponents, neithers) = others.split_at_mut(own.len());
    for (cell, ((own, opponent), neither)) in own.iter_mut().zip(opponents).zip(neithers).enumerate() {
        let owner = owner(cell);
        *own = f32::from(owner == Some(side));
        *opponent = f32::from(owner == Some(side.opponent()));
        *neither = f32::from(owner.is_none());
    }
}
