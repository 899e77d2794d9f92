//! Conformance checks of the network's inputs and targets: planes and final states.

use crate::encoding::encoding_of;
use crate::failed_check::failed;
use crate::{CompleteGame, EncodingSpec, FailedCheck, FinalState, Side};

/// Every number of the planes is small.
pub(crate) fn check_encoding<G: CompleteGame>(position: &G) -> Result<(), FailedCheck> {
    let planes = encoding_of(position);
    match planes.iter().position(|x| !(-1.0..=1.0).contains(x)) {
        Some(index) => {
            let encoding = G::encoding();
            let (plane, cell) = (index / encoding.cells(), index % encoding.cells());
            let (row, column) = (cell / encoding.width, cell % encoding.width);
            let (name, number) = (encoding.plane_names[plane], planes[index]);
            Err(failed!(
                "plane {plane} ({name}) is {number} in row {row}, column {column}, not in -1..=1 (NaN: not written)"
            ))
        }
        None => Ok(()),
    }
}

fn final_state_of<G: CompleteGame>(position: &G, side: Side) -> Vec<f32> {
    let mut target = vec![f32::NAN; G::final_state_len()];
    position.final_state(side, &mut target);
    target
}

/// Final states are possible, each side's is the other's reversed, and they move with the board.
pub(crate) fn check_final_state<G: CompleteGame>(position: &G) -> Result<(), FailedCheck> {
    let exchanged = G::sides_are_alike().then(|| position.exchanged());
    let EncodingSpec { height, width, .. } = G::encoding();
    let cells = height * width;
    for side in Side::BOTH {
        let target = final_state_of(position, side);
        let is_possible = match G::final_state_kind() {
            FinalState::None => true,
            FinalState::Margin => (-1.0..=1.0).contains(&target[0]),
            FinalState::Cells => (0..cells).all(|cell| {
                let classes = [target[cell], target[cells + cell], target[2 * cells + cell]];
                classes.iter().all(|&x| x == 0.0 || x == 1.0) && classes.iter().sum::<f32>() == 1.0
            }),
        };
        if !is_possible {
            return Err(failed!("the final state seen by {side:?} is impossible: {target:?}"));
        }
        if exchanged.as_ref().is_some_and(|exchanged| final_state_of(exchanged, side.opponent()) != target) {
            return Err("with the sides exchanged the final state is another".into());
        }
        let mut by_opponent = final_state_of(position, side.opponent());
        match G::final_state_kind() {
            FinalState::None => {}
            FinalState::Margin => by_opponent[0] = -by_opponent[0],
            FinalState::Cells => by_opponent[..2 * cells].rotate_left(cells),
        }
        if by_opponent != target {
            return Err(failed!("the final state seen by {side:?} is not the other side's reversed"));
        }
        for &symmetry in G::symmetries() {
            let found = final_state_of(&position.transform(symmetry), side);
            let mut expected = target.clone();
            for (class, of_class) in target.chunks_exact(cells).enumerate().filter(|_| target.len() > 1) {
                for (cell, &number) in of_class.iter().enumerate() {
                    let (row, column) = symmetry.map(cell / width, cell % width, height, width);
                    expected[class * cells + row * width + column] = number;
                }
            }
            if found != expected {
                return Err(failed!("{symmetry}, the final state does not move with the board"));
            }
        }
    }
    Ok(())
}
