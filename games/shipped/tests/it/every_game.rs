//! Every shipped game by its type, for the tests here and those of `selfplay-arena`.

/// What `$check::<G>(…)` gives for every game there is.
macro_rules! in_every_game {
    ($check:ident) => {
        [
            $check::<selfplay_tictactoe::TicTacToe>(),
            $check::<selfplay_connect4::Connect4>(),
            $check::<selfplay_sum15::Sum15<4>>(),
            $check::<selfplay_sum15::Sum15<6>>(),
            $check::<selfplay_pylos::Pylos>(),
            $check::<selfplay_pentago_swap::PentagoSwap>(),
            $check::<selfplay_pente::Pente<19>>(),
            $check::<selfplay_pente::Pente<13>>(),
            $check::<selfplay_pente::Pente<9>>(),
        ]
    };
}
pub(crate) use in_every_game;
