//! Joint counts of pairs, and everything that follows from them.

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_ratings::PairCounts;

/// Every combination of results a different number of times: 1 to 9.
const EACH: PairCounts = PairCounts([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);

#[test]
fn sums_computed_by_hand() {
    assert_eq!((EACH.pairs(), EACH.games()), (45, 90));
    // 0 points: lost both, 1. ½: 2 + 4. 1: 3 + 5 + 7. 1½: 6 + 8. 2: 9.
    assert_eq!(EACH.pentanomial(), [1, 6, 15, 14, 9]);
    // Won as first 24, as second 18; lost as first 6, as second 12.
    assert_eq!((EACH.wins(), EACH.draws(), EACH.losses()), (42, 30, 18));
    assert_eq!(EACH.score(), 57.0 / 90.0);
    // First players: 24 wins and 15 draws of the player, 12 wins and 15 draws of the opponent.
    assert_eq!(EACH.first_player_share(), 51.0 / 90.0);
    assert_eq!((PairCounts::default().score(), PairCounts::default().first_player_share()), (0.5, 0.5));
}

#[test]
fn pairs_are_counted_where_they_belong() {
    let mut counts = PairCounts::default();
    for (first, second, times) in [(-1, -1, 1), (-1, 0, 2), (-1, 1, 3), (0, -1, 4), (0, 0, 5), (0, 1, 6), (1, -1, 7)] {
        (0..times).for_each(|_| counts.add_pair(first, second));
    }
    assert_eq!(counts, PairCounts([[1, 2, 3], [4, 5, 6], [7, 0, 0]]));
    assert_eq!(counts + PairCounts([[0; 3], [0; 3], [0, 8, 9]]), EACH);
    assert_eq!([EACH, EACH].into_iter().sum::<PairCounts>().pairs(), 90);
}

#[test]
fn the_opponent_sees_the_same_pairs_from_the_other_side() {
    let reversed = EACH.reversed();
    assert_eq!(reversed.reversed(), EACH);
    assert_eq!((reversed.wins(), reversed.draws(), reversed.losses()), (18, 30, 42));
    assert_eq!(reversed.first_player_share(), EACH.first_player_share());
    let mut backwards = EACH.pentanomial();
    backwards.reverse();
    assert_eq!(reversed.pentanomial(), backwards);
    // Won as the first player and drew as the second: the opponent drew as the first and lost as the second.
    assert_eq!(PairCounts([[0; 3], [0; 3], [0, 1, 0]]).reversed(), PairCounts([[0; 3], [1, 0, 0], [0; 3]]));
}

#[test]
fn counts_are_written_as_plain_arrays() {
    let written = serde_json::to_string(&EACH).unwrap();
    assert_eq!(written, "[[1,2,3],[4,5,6],[7,8,9]]");
    assert_eq!(serde_json::from_str::<PairCounts>(&written).unwrap(), EACH);
}

#[test]
#[should_panic(expected = "2 is no result")]
fn a_result_beyond_a_win_is_refused() {
    PairCounts::default().add_pair(2, 0);
}

#[test]
fn sums_of_a_table_give_counts_with_the_same_sums_and_points_by_order() {
    let mut rng = rng_for(&[3]);
    for _ in 0..2000 {
        let most = [1, 2, 4, 30][rng.random_range(0..4usize)];
        let counts = PairCounts(std::array::from_fn(|_| {
            std::array::from_fn(|_| rng.random_range(0..=most) * rng.random_range(0..2))
        }));
        let share = counts.first_player_share();
        let found = PairCounts::from_sums(counts.pentanomial(), counts.draws(), share).unwrap();
        assert_eq!((found.pentanomial(), found.draws()), (counts.pentanomial(), counts.draws()), "{counts:?}");
        let points = |[losses, draws, wins]: [u32; 3]| (losses + draws + wins, draws + 2 * wins);
        assert_eq!(points(found.as_first()), points(counts.as_first()), "{counts:?} {found:?}");
        assert_eq!(points(found.as_second()), points(counts.as_second()), "{counts:?} {found:?}");
    }
    assert_eq!(PairCounts::from_sums([0; 5], 0, 0.5), Some(PairCounts::default()));
}

#[test]
fn sums_that_no_pairs_have_are_refused() {
    // Of ten pairs with one point each five were drawn twice; in the others the first player won both games.
    let even = |draws, share| PairCounts::from_sums([0, 0, 10, 0, 0], draws, share);
    assert_eq!(even(10, 0.75), Some(PairCounts([[0, 0, 0], [0, 5, 0], [5, 0, 0]])));
    for (draws, share) in [(9, 0.75), (22, 0.5), (10, 0.8), (10, 0.76), (10, 0.7), (10, 1.5), (10, f64::NAN)] {
        assert_eq!(even(draws, share), None, "{draws} {share}");
    }
    assert_eq!(PairCounts::from_sums([0, 3, 0, 0, 0], 2, 0.5), None, "half a point is a draw");
    assert_eq!(PairCounts::from_sums([u32::MAX; 5], 0, 0.5), None);
    assert_eq!(PairCounts::from_sums([u32::MAX, 0, 0, 0, 0], 0, 0.5), None);
}
