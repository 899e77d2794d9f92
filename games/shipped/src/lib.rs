//! The games that ship: the one list of them, for the program and for tests of what holds for all.

#![forbid(unsafe_code)]

use selfplay_connect4::CONNECT4;
use selfplay_pentago_swap::PENTAGO_SWAP;
use selfplay_pente::{PENTE, PENTE_9, PENTE_13};
use selfplay_pylos::PYLOS;
use selfplay_registry::GameRef;
use selfplay_sum15::{SUM15_4, SUM15_6};
use selfplay_tictactoe::TIC_TAC_TOE;

/// All of them, in the order of tables.
///
/// A function: as a constant, each crate that names it would compile search, players and self-play for every game once more.
pub fn shipped_games() -> [GameRef; 9] {
    [PENTAGO_SWAP, PYLOS, PENTE, PENTE_13, PENTE_9, SUM15_4, SUM15_6, TIC_TAC_TOE, CONNECT4]
}
