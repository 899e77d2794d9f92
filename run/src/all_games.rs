//! Every game of the program, for tests of what holds for all.

use selfplay_connect4::CONNECT4;
use selfplay_kit::Games;
use selfplay_pentago_swap::PENTAGO_SWAP;
use selfplay_pente::{PENTE, PENTE_9, PENTE_13};
use selfplay_pylos::PYLOS;
use selfplay_sum15::{SUM15_4, SUM15_6};
use selfplay_tictactoe::TIC_TAC_TOE;

/// In the order of tables.
pub fn all_games() -> Games {
    Games::new(&[PENTAGO_SWAP, PYLOS, PENTE, PENTE_13, PENTE_9, SUM15_4, SUM15_6, TIC_TAC_TOE, CONNECT4])
}
