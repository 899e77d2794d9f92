//! A running position from a board that somebody shows: stones, captured pairs, whose turn it is.

use super::lines::{FIVE_REACH, has_five, lines_through};
use super::{PAIRS_TO_WIN, Pente, notation};
use selfplay_registry::{Action, Game, Side};

/// Why a shown board is no position of a running game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// One intersection holds stones of both sides.
    #[error("{intersection} holds a stone of each side")]
    TwoStones {
        /// Where, in the game's notation.
        intersection: String,
    },
    /// A bit of a row stands for no column.
    #[error("row {row} from the top has a stone beyond its {width} columns")]
    BeyondEdge {
        /// The row, counted from 1 at the top.
        row: usize,
        /// Columns of the board.
        width: usize,
    },
    /// Five in a row stand already.
    #[error("{side} has five in a row through {intersection}: the game is over")]
    Five {
        /// Whose they are.
        side: &'static str,
        /// One of them, in the game's notation.
        intersection: String,
    },
    /// Enough pairs are captured already.
    #[error("{side} has captured {pairs} pairs, and {PAIRS_TO_WIN} win: the game is over")]
    FifthPair {
        /// Who captured them.
        side: &'static str,
        /// How many.
        pairs: u8,
    },
    /// Nothing can be played.
    #[error("no intersection is empty: the game is over")]
    Full,
}

impl<const N: usize> Pente<N> {
    /// The running position with these `stones` (a word a row, row 0 at the top, bit 0 the leftmost column), these
    /// captured `pairs` and this side to move; both arrays have the first player's first.
    ///
    /// The stones played so far, on the board and captured, tell the ply, and with it whether an opening rule holds: no
    /// stone was played before White's first, two before White's second. Where their number does not fit the side to
    /// move, that side is taken at its word, as in a game that the other player began.
    ///
    /// # Errors
    /// [`SetupError`] with the first thing that no running game shows.
    pub fn set_up(stones: [[u32; N]; 2], pairs: [u8; 2], side_to_move: Side) -> Result<Self, SetupError> {
        let name = |row: usize, column: usize| notation::action_name::<N>(Action::from_index(row * N + column));
        for (row, (first, second)) in stones[0].iter().zip(&stones[1]).enumerate() {
            if (first | second) >> N != 0 {
                return Err(SetupError::BeyondEdge { row: row + 1, width: N });
            }
            if first & second != 0 {
                return Err(SetupError::TwoStones {
                    intersection: name(row, (first & second).trailing_zeros() as usize),
                });
            }
        }
        for side in Side::BOTH {
            let (own, pairs) = (&stones[side.index()], pairs[side.index()]);
            let side = Self::spec().side_names[side.index()];
            if pairs >= PAIRS_TO_WIN {
                return Err(SetupError::FifthPair { side, pairs });
            }
            let is_in_five = |&(row, column): &(usize, usize)| {
                own[row] >> column & 1 == 1 && has_five(lines_through::<N, FIVE_REACH>(own, row, column))
            };
            if let Some((row, column)) = (0..N * N).map(|cell| (cell / N, cell % N)).find(is_in_five) {
                return Err(SetupError::Five { side, intersection: name(row, column) });
            }
        }
        let position = Self::from_parts(stones, pairs, Side::First);
        if (0..N).all(|row| position.playable(row) == 0) {
            return Err(SetupError::Full);
        }
        let is_first_starter = position.side_to_move() == side_to_move;
        Ok(if is_first_starter { position } else { Self::from_parts(stones, pairs, Side::Second) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_registry::random_play::play_random;
    use selfplay_registry::rng::rng_for;

    fn again<const N: usize>(position: &Pente<N>) -> Result<Pente<N>, SetupError> {
        Pente::set_up(position.stones, position.pairs, position.side_to_move())
    }

    #[test]
    fn every_position_of_random_games_is_set_up_as_it_was() {
        let (mut captures, mut ended) = (0, 0);
        for seed in 0..40 {
            let mut position = Pente::<9>::initial();
            let mut rng = rng_for(&[seed]);
            loop {
                match position.outcome() {
                    None => assert_eq!(again(&position).as_ref(), Ok(&position)),
                    Some(_) => {
                        assert!(again(&position).is_err());
                        ended += 1;
                        break;
                    }
                }
                captures += usize::from(position.pairs != [0, 0]);
                play_random(&mut position, 1, &mut rng);
            }
        }
        assert!(captures > 100 && ended == 40, "{captures}");
    }

    #[test]
    fn what_no_running_game_shows_is_refused_and_says_where() {
        let row = |text: &str| text.bytes().rev().fold(0u32, |row, byte| row << 1 | u32::from(byte == b'w'));
        let mut stones = [[0; 9]; 2];
        stones[0][0] = row("wwww.w...");
        assert!(Pente::<9>::set_up(stones, [0, 4], Side::First).is_ok());
        let error = |stones, pairs| Pente::<9>::set_up(stones, pairs, Side::First).unwrap_err().to_string();
        assert_eq!(error(stones, [0, 5]), "Black has captured 5 pairs, and 5 win: the game is over");
        stones[1][0] = 1 << 5;
        assert_eq!(error(stones, [0, 0]), "9F holds a stone of each side");
        stones[1] = [0, 0, 1 << 9, 0, 0, 0, 0, 0, 0];
        assert_eq!(error(stones, [0, 0]), "row 3 from the top has a stone beyond its 9 columns");
        let mut diagonal = [[0; 9]; 2];
        (0..5).for_each(|step| diagonal[1][step + 2] = 1 << (step + 1));
        assert_eq!(error(diagonal, [0, 0]), "Black has five in a row through 7B: the game is over");
        // No five anywhere on it.
        let drawn = [
            "wbwbwbwbw",
            "bwbwbwbwb",
            "bwbwbwbwb",
            "wbwbwbwbw",
            "wbwbwbwbw",
            "bwbwbbbwb",
            "bwbwbwbwb",
            "wbwbwbwbw",
            "wbwbwbwbw",
        ];
        let full = drawn.map(row);
        assert_eq!(error([full, full.map(|row| !row & 0x1ff)], [0, 0]), "no intersection is empty: the game is over");
    }

    #[test]
    fn a_side_that_does_not_fit_is_taken_at_its_word() {
        let mut stones = [[0; 9]; 2];
        stones[0][4] = 1 << 4;
        let black = Pente::<9>::set_up(stones, [0, 0], Side::Second).unwrap();
        assert_eq!((black.side_to_move(), black.starter), (Side::Second, Side::First));
        let white = Pente::<9>::set_up(stones, [0, 0], Side::First).unwrap();
        assert_eq!((white.side_to_move(), white.starter), (Side::First, Side::Second));
        let mut legal = Vec::new();
        white.legal_actions(&mut legal);
        assert_eq!(legal.len(), 80);
    }

    #[test]
    fn the_distance_rule_holds_when_two_stones_were_played() {
        let mut stones = [[0; 9]; 2];
        (stones[0][4], stones[1][4]) = (1 << 4, 1 << 5);
        let mut legal = Vec::new();
        Pente::<9>::set_up(stones, [0, 0], Side::First).unwrap().legal_actions(&mut legal);
        assert_eq!(legal.len(), 81 - 25);
        // With a pair captured four were played: the rule is over.
        Pente::<9>::set_up(stones, [0, 1], Side::First).unwrap().legal_actions(&mut legal);
        assert_eq!(legal.len(), 79);
    }
}
