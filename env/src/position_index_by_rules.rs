//! A position index whose turns are those of the rules: slower than one that knows them by heart, and right for small games.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use crate::position_index::{PositionIndex, Turn, TurnGenerator};
use crate::{Action, Game};

/// The position index of a game that says [`number`](Game::number) and [`at_number`](Game::at_number), with numbers below
/// `COUNT`.
pub struct NumberedByRules<G, const COUNT: u64>(PhantomData<fn() -> G>);

impl<G: Game, const COUNT: u64> NumberedByRules<G, COUNT> {
    /// The one value.
    pub const IT: Self = NumberedByRules(PhantomData);
}

impl<G: Game, const COUNT: u64> PositionIndex for NumberedByRules<G, COUNT> {
    fn name(&self) -> &'static str {
        "played"
    }

    fn count(&self) -> u64 {
        COUNT
    }

    fn initial(&self) -> u64 {
        number_of(&G::initial())
    }

    fn walker(&self) -> Box<dyn TurnGenerator + '_> {
        Box::new(Walker::<G>(PhantomData))
    }
}

struct Walker<G>(PhantomData<G>);

impl<G: Game> TurnGenerator for Walker<G> {
    fn has_position(&mut self, number: u64) -> bool {
        G::at_number(number).is_some()
    }

    fn successors(&mut self, number: u64, visit: &mut dyn FnMut(Turn) -> ControlFlow<()>) {
        let position = G::at_number(number).expect("only numbers with a position have successors");
        let side = position.side_to_move();
        let (mut ends, mut others) = (Vec::new(), Vec::new());
        let _: ControlFlow<()> = for_each_turn(&position, &mut Vec::new(), &mut |reached: &G, _| {
            match reached.outcome() {
                Some(outcome) => ends.push(Turn::Ends(outcome.value_for(side))),
                None => others.push(Turn::To(number_of(reached))),
            }
            ControlFlow::Continue(())
        });
        // Whether the visitor broke off is its own business.
        let _ = ends.into_iter().chain(others).try_for_each(visit);
    }
}

/// Tells `visit` every position in which the turn of `position`'s side to move may end, and the actions that lead there,
/// until it breaks off.
pub fn for_each_turn<G: Game, B>(
    position: &G,
    line: &mut Vec<Action>,
    visit: &mut dyn FnMut(&G, &[Action]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    for action in actions {
        let mut next = position.clone();
        next.play(action);
        line.push(action);
        let went_on = if next.outcome().is_some() || next.starts_turn() {
            visit(&next, line)
        } else {
            for_each_turn(&next, line, visit)
        };
        line.pop();
        went_on?;
    }
    ControlFlow::Continue(())
}

fn number_of<G: Game>(position: &G) -> u64 {
    position.number().expect("a game with a position index numbers every turn start")
}
