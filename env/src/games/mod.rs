//! One folder a game: rules, notation, encoding, heuristic and a README with the meaning of planes and actions.

pub mod tictactoe;
