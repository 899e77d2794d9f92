//! Turns found backwards, for position_indices that cannot do so themselves: all of them, sorted by where they lead.

use std::ops::ControlFlow;

use selfplay_env::position_index::{PositionIndex, Turn, TurnGenerator};

/// Every turn of a game between two turn starts.
#[derive(Debug)]
pub(crate) struct Inverse {
    /// Where a turn leads and where it begins, in ascending order.
    turns: Vec<(u64, u64)>,
}

impl Inverse {
    /// Of all numbers with a position; `None` if the turns take more than `bytes`.
    pub fn new(position_index: &dyn PositionIndex, bytes: u64) -> Option<Self> {
        let most = usize::try_from(bytes).unwrap_or(usize::MAX) / size_of::<(u64, u64)>();
        let mut walker = position_index.walker();
        let mut turns = Vec::new();
        for number in 0..position_index.count() {
            if !walker.has_position(number) {
                continue;
            }
            walker.successors(number, &mut |turn| {
                if let Turn::To(next) = turn {
                    turns.push((next, number));
                }
                ControlFlow::Continue(())
            });
            if turns.len() > most {
                return None;
            }
        }
        turns.sort_unstable();
        turns.dedup();
        Some(Inverse { turns })
    }

    /// Tells `visit` every number from which a turn leads to `number`.
    pub fn predecessors(&self, number: u64, visit: &mut dyn FnMut(u64)) {
        let first = self.turns.partition_point(|&(next, _)| next < number);
        let led_here = self.turns[first..].iter().take_while(|&&(next, _)| next == number);
        led_here.for_each(|&(_, before)| visit(before));
    }
}

/// The predecessors of a number, from their source.
pub(crate) fn predecessors(
    walker: &mut dyn TurnGenerator,
    inverse: Option<&Inverse>,
    number: u64,
    visit: &mut dyn FnMut(u64),
) {
    match inverse {
        Some(inverse) => inverse.predecessors(number, visit),
        None => walker.predecessors(number, visit),
    }
}
