//! The fixture games keep the rules of their names: known counts, and every conformance check.

use selfplay_env::conformance::check_conformance;
use selfplay_env::fixtures::{ConnectFour, InARow, Put, PutWithEitherHand, Stones, TicTacToe};
use selfplay_env::perft::perft;
use selfplay_env::{CompleteGame, Game};

#[test]
fn tic_tac_toe_has_the_known_numbers_of_games() {
    // 255,168 games: 131,184 won by X, 77,904 by O, 46,080 drawn (a classical count).
    let count = perft(&TicTacToe::initial(), 9);
    assert_eq!((count.first, count.second, count.draw), (131_184, 77_904, 46_080));
}

#[test]
fn connect_four_has_the_known_numbers_of_positions() {
    // The counts in games/connect4/tests/data come from another implementation.
    let leaves = |depth| perft(&ConnectFour::initial(), depth).nodes;
    assert_eq!([leaves(5), leaves(6), leaves(7)], [16_807, 117_649, 823_536]);
}

#[test]
fn every_fixture_passes_the_conformance_checks() {
    fn check<G: CompleteGame>() {
        if let Err(broken) = check_conformance::<G>(20, 100, 1) {
            panic!("{}: {}", G::spec().title, broken.failure);
        }
    }
    check::<TicTacToe>();
    check::<ConnectFour>();
    check::<InARow<Put, 4, 5, 4>>();
    check::<InARow<PutWithEitherHand, 4, 4, 3>>();
    check::<Stones>();
}
