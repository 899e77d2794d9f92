//! One folder a game: rules, notation, encoding, heuristic and a README with the meaning of planes and actions.

pub mod connect4;
pub mod pentago_swap;
pub mod pente;
pub mod pylos;
pub mod sum15;
pub mod tictactoe;
