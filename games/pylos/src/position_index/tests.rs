//! Numbers against counts of others, and turns forwards against turns backwards.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use selfplay_registry::position_index::{PositionIndex, Turn, TurnGenerator};
use selfplay_registry::rng::{RngExt, rng_for};

use super::*;

/// Others count 141,120 sets of cells that can be filled and 12,507,810,089 ways to have at most 15 spheres of each side
/// on one: with the full pyramid, whose game is over and which has no number.
#[test]
fn positions_are_as_many_as_others_counted() {
    let pyramid = Pyramid::advanced();
    let combinations = Combinations::new(pyramid.spheres);
    let occupancies = pyramid.occupancies();
    assert_eq!(occupancies.len() + 1, 141_120);
    let positions: u64 = occupancies.iter().map(|cells| combinations.sized(cells.count_ones()).count()).sum();
    let on_full_pyramid = 155_117_520;
    assert_eq!(positions + on_full_pyramid, 12_507_810_089);
}

fn successors(walker: &mut dyn TurnGenerator, number: u64) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    walker.successors(number, &mut |turn| {
        if let Turn::To(next) = turn {
            found.insert(next);
        }
        ControlFlow::Continue(())
    });
    found
}

fn predecessors(walker: &mut dyn TurnGenerator, number: u64) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    walker.predecessors(number, &mut |before| {
        found.insert(before);
    });
    found
}

/// All turns of the smallest pyramid, both ways.
#[test]
fn turns_of_the_small_pyramid_are_found_from_both_ends() {
    let position_index: &dyn PositionIndex = &*ON_THREE_LEVELS;
    let mut walker = position_index.walker();
    let (mut forwards, mut backwards) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..position_index.count() {
        if walker.has_position(number) {
            forwards.extend(successors(&mut *walker, number).into_iter().map(|next| (number, next)));
            backwards.extend(predecessors(&mut *walker, number).into_iter().map(|before| (before, number)));
        }
    }
    assert!(forwards.len() > 70_000, "{}", forwards.len());
    assert!(forwards == backwards);
}

#[test]
fn turns_of_random_numbers_are_found_from_both_ends() {
    for position_index in
        [&*POSITION_INDEX, &*SQUARES_ONLY, &*WITHOUT_REMOVALS, &*ADVANCED_OPTIONAL, &*SQUARES_ONLY_OPTIONAL]
    {
        let position_index: &dyn PositionIndex = position_index;
        let [mut walker, mut back] = [position_index.walker(), position_index.walker()];
        let mut rng = rng_for(&[47]);
        for _ in 0..300 {
            let number = rng.random_range(0..position_index.count());
            if walker.has_position(number) {
                let next = successors(&mut *walker, number);
                assert!(next.iter().all(|&next| predecessors(&mut *back, next).contains(&number)), "{number}");
                let before = predecessors(&mut *walker, number);
                assert!(before.iter().all(|&before| successors(&mut *back, before).contains(&number)), "{number}");
            }
        }
    }
}

#[test]
fn numbers_one_after_the_other_have_the_positions_that_they_have_alone() {
    let position_index: &PylosIndex = &POSITION_INDEX;
    let mut walker = Walker::new(position_index);
    for start in [0, 1_000_000, 1_000_000_000, position_index.count() - 3000] {
        for number in start..start + 3000 {
            let alone = position_index.spheres(number);
            assert_eq!(walker.spheres_at(number), alone, "{number}");
            assert!(alone.is_none_or(|spheres| position_index.number(spheres) == number));
        }
    }
    assert_eq!(position_index.spheres(position_index.count()), None);
}
