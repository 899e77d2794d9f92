//! All games, in the order of the program's tables.

use selfplay_connect4::CONNECT4;
use selfplay_eval::Playable;
use selfplay_pentago_swap::PENTAGO_SWAP;
use selfplay_pente::{PENTE, PENTE_9, PENTE_13};
use selfplay_pylos::PYLOS;
use selfplay_sum15::{SUM15_4, SUM15_6};
use selfplay_tictactoe::TIC_TAC_TOE;

pub fn games() -> Vec<&'static dyn Playable> {
    vec![PENTAGO_SWAP, PYLOS, PENTE, PENTE_13, PENTE_9, SUM15_4, SUM15_6, TIC_TAC_TOE, CONNECT4]
}
