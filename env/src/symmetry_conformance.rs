//! The conformance checks of symmetries: the game seen in a mirror is the same game.

use crate::difference::drawn_apart;
use crate::encoding::encoding_of;
use crate::failed_check::failed;
use crate::rng::{GameRng, RngExt};
use crate::{Action, CompleteGame, FailedCheck, Symmetry};

/// The position and its legal actions come back from each symmetry, and one that `rng` draws does there what it does here.
pub(crate) fn check_symmetries<G: CompleteGame>(
    position: &G,
    legal: &[Action],
    rng: &mut GameRng,
) -> Result<(), FailedCheck> {
    for &symmetry in G::symmetries() {
        let image = position.transform(symmetry);
        if symmetry == Symmetry::IDENTITY && image != *position {
            let [here, there] = drawn_apart(position, &image);
            return Err(failed!("`transform` by Symmetry::IDENTITY changes the position: of\n{here}it makes\n{there}"));
        }
        let back = image.transform(symmetry.inverse());
        if back != *position {
            let [here, there] = drawn_apart(position, &back);
            return Err(failed!(
                "{symmetry}, and the same undone, the position is another: instead of\n{here}it is\n{there}"
            ));
        }
        if image.outcome() != position.outcome() || image.side_to_move() != position.side_to_move() {
            return Err(failed!("{symmetry}, the outcome or the side to move is another"));
        }
        legal.iter().try_for_each(|&action| check_return::<G>(action, symmetry))?;
        check_short_cuts(position, &image, legal, symmetry)?;
        if let Some(drawn) = (!legal.is_empty()).then(|| rng.random_range(0..legal.len())) {
            check_play(position, image, legal[drawn], symmetry)?;
        }
    }
    Ok(())
}

/// `image_to_evaluate`, `image_key` and `transform_actions` agree with the methods that they are shorter ways for.
fn check_short_cuts<G: CompleteGame>(
    position: &G,
    image: &G,
    legal: &[Action],
    symmetry: Symmetry,
) -> Result<(), FailedCheck> {
    if position.image_key(symmetry) != image.evaluation_key() {
        return Err(failed!("{symmetry}, `image_key` is not the `evaluation_key` of the position"));
    }
    let evaluated = position.image_to_evaluate(symmetry);
    let seen_of = |position: &G| {
        let planes: Vec<u32> = encoding_of(position).into_iter().map(f32::to_bits).collect();
        let mut actions = Vec::new();
        position.distinct_actions(&mut actions);
        (planes, actions, position.evaluation_key(), position.outcome())
    };
    if seen_of(&evaluated) != seen_of(image) {
        return Err(failed!(
            "{symmetry}, `image_to_evaluate` has another encoding, key, outcome or actions than `transform`"
        ));
    }
    let mut images = legal.to_vec();
    position.transform_actions(&mut images, symmetry);
    for (&action, &found) in legal.iter().zip(&images) {
        if found != image.canonical_action(G::transform_action(action, symmetry)) {
            let name = G::action_name(action);
            return Err(failed!(
                "{symmetry}, `transform_actions` makes something else of {name} than `transform_action`"
            ));
        }
    }
    Ok(())
}

/// The action's image is an action, whose image the other way is the action.
fn check_return<G: CompleteGame>(action: Action, symmetry: Symmetry) -> Result<(), FailedCheck> {
    let name = G::action_name(action);
    let image = G::transform_action(action, symmetry);
    if image.index() >= G::spec().action_count {
        return Err(failed!(
            "{symmetry}, {name} becomes number {}, and the action count is {}",
            image.0,
            G::spec().action_count
        ));
    }
    let image_name = G::action_name(image);
    let back = G::transform_action(image, symmetry.inverse());
    if back.index() >= G::spec().action_count {
        return Err(failed!("{symmetry}, {name} becomes {image_name}, and that, undone, number {}", back.0));
    }
    if back != action {
        let back_name = G::action_name(back);
        return Err(failed!("{symmetry}, {name} becomes {image_name}, and that, undone, {back_name}"));
    }
    Ok(())
}

/// The action and then the symmetry lead where the symmetry and then the action's image do.
fn check_play<G: CompleteGame>(position: &G, image: G, action: Action, symmetry: Symmetry) -> Result<(), FailedCheck> {
    let mut played_first = position.clone();
    played_first.play(action);
    let mut transformed_first = image;
    let image_action = G::transform_action(action, symmetry);
    let [name, image_name] = [action, image_action].map(G::action_name);
    if transformed_first.try_play(image_action).is_err() {
        return Err(failed!("{symmetry}, {name} becomes {image_name}, which is not legal there"));
    }
    let expected = played_first.transform(symmetry);
    if expected != transformed_first {
        let [first, second] = drawn_apart(&expected, &transformed_first);
        return Err(failed!(
            "{symmetry}, {name} becomes {image_name}, which does something else there: {name} and then the board \
             {symmetry}\n{first}but the board {symmetry} and then {image_name}\n{second}"
        ));
    }
    if expected.position_hash() != transformed_first.position_hash() {
        return Err(failed!("{symmetry}, after {image_name}, the position has two hashes, by the way it was reached"));
    }
    Ok(())
}
