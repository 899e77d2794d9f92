//! Perft tables and recorded games of independent implementations: every line agrees.

use selfplay_pente::{PENTE, PENTE_9, PENTE_13};
use selfplay_registry::reference::{check_games, check_perft};

#[test]
fn perft_tables_agree() {
    assert_eq!(check_perft(PENTE, include_str!("../data/perft/pente.txt")), Ok(30));
    assert_eq!(check_perft(PENTE_13, include_str!("../data/perft/pente-13.txt")), Ok(30));
    assert_eq!(check_perft(PENTE_9, include_str!("../data/perft/pente-9.txt")), Ok(30));
}

#[test]
fn recorded_games_agree_in_every_manner() {
    assert_eq!(check_games(PENTE, include_str!("../data/games/pente.txt")), Ok(200));
    assert_eq!(check_games(PENTE_13, include_str!("../data/games/pente-13.txt")), Ok(200));
    assert_eq!(check_games(PENTE_9, include_str!("../data/games/pente-9.txt")), Ok(200));
}
