//! Counts that are published, and differences are reported.

use selfplay_registry::reference::{check_games, check_perft};
use selfplay_tictactoe::TIC_TAC_TOE;

#[test]
fn actions_are_counted_at_all_depths() {
    // All positions of tic-tac-toe's tree but the first (a classical count).
    assert_eq!(TIC_TAC_TOE.initial().perft(9).actions, 549_945);
    assert_eq!(TIC_TAC_TOE.initial().perft(0).actions, 0);
}

#[test]
fn tables_that_differ_are_refused() {
    let refusal = |table: &str| check_perft(TIC_TAC_TOE, table).unwrap_err().to_string();
    assert_eq!(check_perft(TIC_TAC_TOE, "1 9 0 0 0 :\n2 12 3 0 0 : a1 a2 b1 b2 c2"), Ok(2));
    assert!(refusal("1 9 0 0 0 :\n1 8 0 0 0 :").contains("9 0 0 0 counted here, not as in: 1 8"));
    assert!(refusal("1 9 0 0 0 : a1 a1").contains("action 2"));
    assert!(refusal("1 9 0 0 0").contains("no `:`"));
    assert!(refusal("1 nine 0 0 0 :").contains("no numbers"));
}

#[test]
fn games_that_differ_are_refused() {
    let refusal = |games: &str| check_games(TIC_TAC_TOE, games).unwrap_err().to_string();
    assert_eq!(check_games(TIC_TAC_TOE, "a1 a2 b1 b2 c1 = 1\na1 = *"), Ok(2));
    assert!(
        refusal("a1 a2 b1 b2 c1 = 1\na1 a2 b1 b2 c1 = 2").contains("game 2: the recorded result is 2, but after ply 5")
    );
    assert!(refusal("a1 a1 = *").contains("game 1: action 2"));
    assert!(refusal("a1 a2").contains("game 1: no `= R`"));
}
