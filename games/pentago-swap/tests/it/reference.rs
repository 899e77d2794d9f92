//! Perft tables and recorded games of independent implementations: every line agrees.

use selfplay_pentago_swap::PENTAGO_SWAP;
use selfplay_registry::reference::{check_games, check_perft};

#[test]
fn perft_tables_agree() {
    assert_eq!(check_perft(PENTAGO_SWAP, include_str!("../data/perft/pentago-swap.txt")), Ok(30));
}

#[test]
fn recorded_games_agree_in_every_manner() {
    assert_eq!(check_games(PENTAGO_SWAP, include_str!("../data/games/pentago-swap.txt")), Ok(400));
}
