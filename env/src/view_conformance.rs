//! The conformance checks of [`Drawable`], checked at one position.

use std::collections::HashSet;

use crate::failed_check::failed;
use crate::view::{Click, Drawable};
use crate::{Action, CompleteGame, FailedCheck};

/// The sentence of the first failed check, given the legal actions of `position`.
pub fn check_view<G: CompleteGame>(position: &G, legal: &[Action]) -> Result<(), FailedCheck> {
    let (layout, view) = (G::layout(), position.view());
    if !position.board().ends_with('\n') {
        return Err("the text of `board` does not end with a line break".into());
    }
    let names: HashSet<&str> = layout.places.iter().map(|place| place.name.as_str()).collect();
    if names.len() != layout.places.len() {
        return Err("two places have the same name".into());
    }
    if view.pieces.len() != layout.places.len() {
        return Err(failed!("{} places are drawn of {}", view.pieces.len(), layout.places.len()));
    }
    if G::sides_are_alike() {
        let exchanged: Vec<_> = position.exchanged().view().pieces;
        if exchanged != view.pieces.iter().map(|piece| piece.map(|piece| piece.exchanged())).collect::<Vec<_>>() {
            return Err("with the sides exchanged other pieces are drawn".into());
        }
    }
    check_clicks(position, legal, layout.places.len())
}

fn check_clicks<G: Drawable>(position: &G, legal: &[Action], places: usize) -> Result<(), FailedCheck> {
    let is_place = |&place: &usize| place < places;
    let mut all: Vec<(Vec<Click>, Action)> = Vec::with_capacity(legal.len());
    let mut sets = HashSet::new();
    for &action in legal {
        let clicks = position.clicks(action);
        let on_board = clicks.iter().all(|click| !matches!(click, Click::Place(place) if !is_place(place)));
        if clicks.is_empty() || !on_board || !position.touched(action).iter().all(is_place) {
            return Err(failed!("{} is made by pointing at nothing, or off the board", G::action_name(action)));
        }
        let mut set = clicks.clone();
        set.sort_unstable();
        if !sets.insert(set) {
            return Err(failed!("{} has the clicks of another action", G::action_name(action)));
        }
        all.push((clicks, action));
    }
    // In lexicographic order a prefix stands right before what it begins.
    all.sort_unstable();
    for pair in all.windows(2) {
        if pair[1].0.starts_with(&pair[0].0) {
            let [first, second] = [&pair[0], &pair[1]].map(|(_, action)| G::action_name(*action));
            return Err(failed!("the clicks of {second} begin with those of {first}"));
        }
    }
    Ok(())
}
