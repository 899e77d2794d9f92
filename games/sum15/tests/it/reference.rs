//! Perft tables and recorded games of independent implementations: every line agrees.

use selfplay_registry::reference::{check_games, check_perft};
use selfplay_sum15::{SUM15_4, SUM15_6};

#[test]
fn perft_tables_agree() {
    assert_eq!(check_perft(SUM15_4, include_str!("../data/perft/sum15-4.txt")), Ok(30));
    assert_eq!(check_perft(SUM15_6, include_str!("../data/perft/sum15-6.txt")), Ok(30));
}

#[test]
fn recorded_games_agree_in_every_manner() {
    assert_eq!(check_games(SUM15_4, include_str!("../data/games/sum15-4.txt")), Ok(400));
    assert_eq!(check_games(SUM15_6, include_str!("../data/games/sum15-6.txt")), Ok(400));
}
