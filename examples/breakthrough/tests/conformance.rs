//! The conformance checks on random games, and counts of an independent implementation.

use breakthrough::Breakthrough;
use selfplay::kit::conformance::check_conformance;

#[test]
fn random_games_conform() {
    check_conformance::<Breakthrough>(100, 200, 1).unwrap_or_else(|violation| panic!("{violation}"));
}
