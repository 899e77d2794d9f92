//! Tells whether a stored game is what the rules make of its actions, in every way the game can be looked at.
//!
//! A game is replayed as it was recorded, under each symmetry of its board and with the sides exchanged, all at once, and
//! the positions are compared after every action. So a rule that fails for one colour or in one corner shows itself in
//! the very games that a network would learn it from.

use std::fmt;

use crate::difference::{Difference, ReplayState, check_same};
use crate::encoding::encoding_of;
use crate::{Action, CompleteGame, Game, Outcome, PlayError, Symmetry};

/// A way to replay a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayMode {
    /// The recorded actions from the initial position.
    AsRecorded,
    /// The canonical actions for the successors of the actions as a symmetry of the board shows them.
    Under(Symmetry),
    /// The canonical actions for the successors of the actions, from the exchanged initial position: the other side
    /// makes the first action.
    Exchanged,
}

impl fmt::Display for ReplayMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayMode::AsRecorded => write!(f, "as recorded"),
            ReplayMode::Under(symmetry) => write!(f, "{symmetry}"),
            ReplayMode::Exchanged => write!(f, "with the sides exchanged"),
        }
    }
}

/// What a replay and a stored game disagree about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayFault {
    /// No position has such an action.
    #[error("there is no action {index}, the last is {last}")]
    NoSuchAction {
        /// As recorded.
        index: usize,
        /// The game's last action.
        last: usize,
    },
    /// The rules forbid the action.
    #[error(transparent)]
    Illegal(#[from] PlayError),
    /// Before the action, which is legal, another action is legal in the recorded game and not here, or here alone.
    #[error("before it, {action} is legal in only one of the rules and the recorded game")]
    Legality {
        /// In the game's notation, as it is called here.
        action: String,
    },
    /// The replay has reached another position than the recorded one seen in the same manner.
    #[error("{0}")]
    Position(#[from] Difference),
    /// The side to move does not see what the other side would see in its place.
    #[error("the encoding is another")]
    Encoding,
    /// The game is recorded with another end.
    #[error("the recorded outcome is {recorded:?}, the rules say {by_the_rules:?}")]
    End {
        /// As recorded; `None` for a game that was not finished.
        recorded: Option<Outcome>,
        /// After the last action.
        by_the_rules: Option<Outcome>,
    },
}

/// Where a stored game and the rules part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game}, {}, replayed {manner}: {fault}", self.place())]
pub struct ReplayError {
    /// Id of the game.
    pub game: &'static str,
    /// The action that was made or was to be made, counted from 1; 0 for the initial position.
    pub number: usize,
    /// That action in the game's notation as recorded; `None` for the initial position and for an action that the
    /// game does not have.
    pub action: Option<String>,
    /// The replay that went wrong.
    pub manner: ReplayMode,
    /// What went wrong.
    pub fault: ReplayFault,
}

impl ReplayError {
    fn place(&self) -> String {
        match (&self.action, self.number) {
            (_, 0) => "before the first action".into(),
            (Some(action), number) => format!("action {number} ({action})"),
            (None, number) => format!("action {number}"),
        }
    }
}

/// Replays a game from its `actions`, which ended with `outcome` (`None`: it was stopped before the rules ended it), as
/// recorded, under every symmetry and, if its sides are alike, with these exchanged.
///
/// Before every action the same actions must be legal in all replays, and after it all of them must be in the same
/// position and have the same outcome, each seen in its manner. The cost is that of playing the game once in each
/// manner and listing the legal actions of every position. In Pylos, where an image of a position has an image of its
/// history, it grows with the square of the number of turns as well.
///
/// # Errors
/// The first disagreement, with the number of the action and the manner.
pub fn check_game<G: CompleteGame>(actions: &[Action], outcome: Option<Outcome>) -> Result<(), ReplayError> {
    let error = |number: usize, manner: ReplayMode, fault: ReplayFault| {
        let action = number.checked_sub(1).and_then(|index| actions.get(index));
        let action = action.filter(|action| action.index() < G::spec().action_count);
        ReplayError { game: G::spec().id, number, action: action.map(|&action| G::action_name(action)), manner, fault }
    };
    let mut recorded = G::initial();
    let mut images: Vec<Image<G>> = Image::all().collect();
    for image in &images {
        image.check(&recorded).map_err(|fault| error(0, image.manner, fault))?;
    }
    let mut legal = Vec::new();
    for (number, &action) in (1..).zip(actions) {
        recorded.legal_actions(&mut legal);
        play_checked(&mut recorded, action).map_err(|fault| error(number, ReplayMode::AsRecorded, fault))?;
        for image in &mut images {
            let replayed = image.play(action, &legal).and_then(|()| image.check(&recorded));
            replayed.map_err(|fault| error(number, image.manner, fault))?;
        }
    }
    let by_the_rules = recorded.outcome();
    if by_the_rules != outcome {
        let fault = ReplayFault::End { recorded: outcome, by_the_rules };
        return Err(error(actions.len(), ReplayMode::AsRecorded, fault));
    }
    Ok(())
}

fn play_checked<G: Game>(position: &mut G, action: Action) -> Result<(), ReplayFault> {
    if action.index() >= G::spec().action_count {
        return Err(ReplayFault::NoSuchAction { index: action.index(), last: G::spec().action_count - 1 });
    }
    Ok(position.try_play(action)?)
}

/// A replay that is compared with the recorded game.
struct Image<G> {
    manner: ReplayMode,
    position: G,
}

impl<G: CompleteGame> Image<G> {
    /// Every other manner, before the first action.
    fn all() -> impl Iterator<Item = Self> {
        let image = |manner: ReplayMode, position: G| Image { manner, position };
        // Under the identity actions are still replaced by canonical ones, so it is a replay of its own.
        let under = G::symmetries().iter().map(move |&symmetry| image(ReplayMode::Under(symmetry), G::initial()));
        under.chain(G::sides_are_alike().then(|| image(ReplayMode::Exchanged, G::initial().exchanged())))
    }

    /// The action that does here what `action` does in the recorded game.
    fn image_of(&self, action: Action) -> Action {
        match self.manner {
            ReplayMode::Under(symmetry) => G::transform_action(action, symmetry),
            ReplayMode::AsRecorded | ReplayMode::Exchanged => action,
        }
    }

    /// Makes the action that is `action` in the recorded game, where `legal` are legal.
    fn play(&mut self, action: Action, legal: &[Action]) -> Result<(), ReplayFault> {
        let here = self.image_of(action);
        if !self.position.is_legal(here) {
            return play_checked(&mut self.position, here);
        }
        self.check_legality(legal)?;
        let canonical = self.position.canonical_action(here);
        play_checked(&mut self.position, canonical)
    }

    /// The legal actions here are the images of those in the recorded game.
    fn check_legality(&self, legal: &[Action]) -> Result<(), ReplayFault> {
        let mut legal_here = Vec::new();
        self.position.legal_actions(&mut legal_here);
        let mut is_in_one_list = vec![false; G::spec().action_count];
        for action in legal.iter().map(|&action| self.image_of(action)).chain(legal_here) {
            is_in_one_list[action.index()] ^= true;
        }
        match is_in_one_list.into_iter().position(|differs| differs) {
            Some(index) => Err(ReplayFault::Legality { action: G::action_name(Action::from_index(index)) }),
            None => Ok(()),
        }
    }

    /// Compares the position with the `recorded` one seen in this manner.
    fn check(&self, recorded: &G) -> Result<(), ReplayFault> {
        let standing = ReplayState::new(recorded);
        let (standing, expected) = match self.manner {
            ReplayMode::AsRecorded => (standing, recorded.clone()),
            ReplayMode::Under(symmetry) => (standing, recorded.transform(symmetry)),
            ReplayMode::Exchanged => (standing.exchanged(), recorded.exchanged()),
        };
        // Not only as in the expected position, which could have the same mistake.
        standing.check(&self.position)?;
        check_same(&expected, &self.position)?;
        if self.manner == ReplayMode::Exchanged && encoding_of(&self.position) != encoding_of(recorded) {
            return Err(ReplayFault::Encoding);
        }
        Ok(())
    }
}
