//! The conformance checks of [`Exchangeable`](crate::Exchangeable) at one position: what holds for one side is tried out for the other.

use crate::difference::{ReplayState, check_same};
use crate::encoding::encoding_of;
use crate::failed_check::failed;
use crate::rng::{GameRng, RngExt};
use crate::{Action, CompleteGame, FailedCheck, Outcome};

/// Checks that `position`, whose legal actions are `legal`, is the same game for both sides.
///
/// # Errors
/// The failed check, in words.
pub fn check_exchange<G: CompleteGame>(position: &G, legal: &[Action], rng: &mut GameRng) -> Result<(), FailedCheck> {
    let exchanged = position.exchanged();
    check_same(position, &exchanged.exchanged())
        .map_err(|difference| failed!("exchanging the sides twice: {difference}"))?;
    ReplayState::new(position)
        .exchanged()
        .check(&exchanged)
        .map_err(|difference| failed!("with the sides exchanged: {difference}"))?;
    check_actions(position, &exchanged, legal)?;
    check_play(position, &exchanged, legal, rng)?;
    if encoding_of(&exchanged) != encoding_of(position) {
        return Err("with the sides exchanged the encoding is another".into());
    }
    if legal.is_empty() { Ok(()) } else { check_views(position, &exchanged) }
}

/// Both sides have the same actions, listed in the same order and standing for one another in the same way.
fn check_actions<G: CompleteGame>(position: &G, exchanged: &G, legal: &[Action]) -> Result<(), FailedCheck> {
    let mut for_other_side = Vec::new();
    exchanged.legal_actions(&mut for_other_side);
    if for_other_side != legal {
        return Err("with the sides exchanged other actions are legal".into());
    }
    for action in (0..G::spec().action_count).map(Action::from_index) {
        if exchanged.is_legal(action) != position.is_legal(action) {
            return Err(failed!("{} is legal for one side only", G::action_name(action)));
        }
    }
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    exchanged.distinct_actions(&mut for_other_side);
    if for_other_side != distinct {
        return Err("with the sides exchanged other actions are distinct".into());
    }
    match legal.iter().find(|&&action| exchanged.canonical_action(action) != position.canonical_action(action)) {
        Some(&action) => Err(failed!("{} is canonical for one side only", G::action_name(action))),
        None => Ok(()),
    }
}

/// After every action the game stands the same for both sides, and one that `rng` draws has the same successor.
fn check_play<G: CompleteGame>(
    position: &G,
    exchanged: &G,
    legal: &[Action],
    rng: &mut GameRng,
) -> Result<(), FailedCheck> {
    let after = |position: &G, action: Action| {
        let mut after = position.clone();
        after.play(action);
        after
    };
    for &action in legal {
        let standing = ReplayState::new(&after(position, action)).exchanged();
        standing.check(&after(exchanged, action)).map_err(|difference| {
            failed!("with the sides exchanged, after {}: {difference}", G::action_name(action))
        })?;
    }
    if legal.is_empty() {
        return Ok(());
    }
    let action = legal[rng.random_range(0..legal.len())];
    check_same(&after(position, action).exchanged(), &after(exchanged, action)).map_err(|difference| {
        failed!("play does not commute with the exchange of sides on {}: {difference}", G::action_name(action))
    })
}

/// A classical player gets the same hints, whichever side it plays.
fn check_views<G: CompleteGame>(position: &G, exchanged: &G) -> Result<(), FailedCheck> {
    let differs = |what: &str| Err(failed!("with the sides exchanged {what} is another"));
    if exchanged.heuristic() != position.heuristic() {
        return differs("the heuristic");
    }
    if exchanged.immediate_win() != position.immediate_win() {
        return differs("the immediate win");
    }
    if exchanged.is_threatened() != position.is_threatened() {
        return differs("whether the side to move is threatened");
    }
    if exchanged.settled_outcome() != position.settled_outcome().map(Outcome::exchanged) {
        return differs("what is settled");
    }
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    let [mut hints, mut for_other_side] = [Vec::new(), Vec::new()];
    position.hints(&distinct, &mut hints);
    exchanged.hints(&distinct, &mut for_other_side);
    if for_other_side == hints { Ok(()) } else { differs("a hint") }
}
