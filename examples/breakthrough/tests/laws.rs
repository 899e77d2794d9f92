//! The conformance checks on random games, and counts of an independent implementation.

use breakthrough::Breakthrough;
use selfplay::kit::laws::check_laws;

#[test]
fn random_games_keep_the_laws() {
    check_laws::<Breakthrough>(100, 200, 1).unwrap_or_else(|violation| panic!("{violation}"));
}
