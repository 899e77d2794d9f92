//! Sum-15 as the course of the number cards has it: a dialogue that marks cards first and removes them then.

use std::error::Error;
use std::io::{self, BufRead, Write};

use selfplay_config::{InvalidKey, check};
use selfplay_env::rng::derive_seed;
use selfplay_env::view::{Piece, View};
use selfplay_env::{Action, Drawable, Game, Outcome, Side};
use selfplay_players::program::quoted;
use selfplay_players::{ClockKind, Player, TimeControl, TimeSpan};
use selfplay_sum15::Sum15;
use serde::{Deserialize, Serialize};

use super::prompt::{DialogueEnd, Prompt, Stop};
use selfplay_frontends::PlayError;
use selfplay_frontends::turn::choose_turn;

/// The one board there is.
const TABLE: usize = 0;

/// How the dialogue's player plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NumberCardsConfig {
    /// Milliseconds that the player gets for a move, 1 to 30,000: the course allows 30 seconds. Default 25,000.
    pub move_ms: u64,
    /// Seed of the player's random choices. Default 0.
    pub seed: u64,
}

impl Default for NumberCardsConfig {
    fn default() -> Self {
        NumberCardsConfig { move_ms: 25_000, seed: 0 }
    }
}

impl NumberCardsConfig {
    /// Checks the time.
    ///
    /// # Errors
    /// [`InvalidKey`] if it is out of range.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        check((1..=30_000).contains(&self.move_ms), "move_ms", self.move_ms, "1 to 30,000 milliseconds")
    }
}

/// Makes the player of one size of board, or says why there is none.
pub type MakeCardPlayer<'a> = dyn FnMut() -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> + 'a;

/// Asks who begins and on which board, then plays one game between a person and the player that `four` or `six` makes
/// for the size.
///
/// # Errors
/// If reading or writing fails, the config does not hold together, or the player fails. Nothing that is typed is an
/// error.
pub fn play_number_cards(
    config: &NumberCardsConfig,
    four: &mut MakeCardPlayer,
    six: &mut MakeCardPlayer,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<DialogueEnd, PlayError> {
    config.validate()?;
    let mut prompt = Prompt { input, output };
    Stop::end(play(config, four, six, &mut prompt))
}

fn play<R: BufRead, W: Write>(
    config: &NumberCardsConfig,
    four: &mut MakeCardPlayer,
    six: &mut MakeCardPlayer,
    prompt: &mut Prompt<R, W>,
) -> Result<DialogueEnd, Stop> {
    writeln!(prompt.output, "Number cards. `quit` leaves the game.")?;
    let human = prompt.ask_human_side()?;
    loop {
        let answer = prompt.ask("Which board size, 4 or 6? ")?;
        let reason = match answer.to_ascii_lowercase().replace(' ', "").as_str() {
            "4" | "4x4" | "4*4" | "4×4" => match four() {
                Ok(player) => return CardGame::<4>::new(player, human, config).play(prompt),
                Err(reason) => format!("There is no AI for 4x4: {reason}."),
            },
            "6" | "6x6" | "6*6" | "6×6" => match six() {
                Ok(player) => return CardGame::<6>::new(player, human, config).play(prompt),
                Err(reason) => format!("There is no AI for 6x6: {reason}."),
            },
            _ => format!("`{}` is no board size: type 4 or 6.", quoted(&answer)),
        };
        writeln!(prompt.output, "{reason}")?;
    }
}

struct CardGame<'a, const N: usize> {
    player: Box<dyn Player>,
    human: Side,
    config: &'a NumberCardsConfig,
    position: Sum15<N>,
    history: Vec<Action>,
}

impl<'a, const N: usize> CardGame<'a, N> {
    fn new(player: Box<dyn Player>, human: Side, config: &'a NumberCardsConfig) -> Self {
        CardGame { player, human, config, position: Sum15::initial(), history: Vec::new() }
    }

    fn play<R: BufRead, W: Write>(&mut self, prompt: &mut Prompt<R, W>) -> Result<DialogueEnd, Stop> {
        self.player.new_game(TABLE, derive_seed(&[self.config.seed]));
        writeln!(prompt.output, "\n{}", self.drawn(&self.position, &[]))?;
        loop {
            if let Some(outcome) = self.position.outcome() {
                self.tell_result(outcome, prompt.output)?;
                self.player.end_game(TABLE);
                return Ok(DialogueEnd::Finished { outcome, human: self.human });
            }
            let action = if self.position.side_to_move() == self.human {
                self.ask_person(prompt)?
            } else {
                let action = self.ask_player(prompt.output)?;
                writeln!(prompt.output, "AI plays {}", shown::<N>(action))?;
                action
            };
            self.make(action, prompt.output)?;
        }
    }

    fn ask_player(&mut self, output: &mut impl Write) -> Result<Action, Stop> {
        output.flush()?;
        let time = TimeControl { ms: self.config.move_ms, span: TimeSpan::Turn, clock: ClockKind::Wall };
        let turn = choose_turn(self.player.as_mut(), TABLE, &self.position, &self.history, Some(time));
        // A turn is one move here.
        Ok(turn?[0])
    }

    fn ask_person<R: BufRead, W: Write>(&self, prompt: &mut Prompt<R, W>) -> Result<Action, Stop> {
        loop {
            let line = prompt.ask("Your move (Row, Column, Card Number): ")?;
            let reason = match read_move::<N>(&line) {
                Ok(action) if self.position.is_legal(action) => return Ok(action),
                Ok(action) => {
                    format!("{} cannot be played: {}", shown::<N>(action), self.position.illegal_reason(action))
                }
                Err(reason) => reason,
            };
            writeln!(prompt.output, "{reason}. Try again.")?;
        }
    }

    /// Places the card, shows what is marked, removes it, shows what is left.
    fn make(&mut self, action: Action, output: &mut impl Write) -> io::Result<()> {
        let before = self.position;
        let mover = before.side_to_move();
        self.position.play(action);
        self.history.push(action);
        let (row, column, value) = parts::<N>(action);
        // The cards on the board once this one is placed, and of them those that are gone afterwards.
        let mut placed = before.view().pieces;
        placed[row * N + column] = Some(Piece::Card { owner: mover, value });
        let View { pieces, hands, tallies, .. } = self.position.view();
        let mut marked = Vec::new();
        for (cell, (placed, left)) in placed.into_iter().zip(pieces).enumerate() {
            if let (Some(Piece::Card { owner, value }), Some(Piece::Dead)) = (placed, left) {
                marked.push((cell / N, cell % N, owner, value));
            }
        }
        if marked.is_empty() {
            writeln!(output, "Marked: none.")?;
        } else {
            let list: Vec<String> = marked
                .iter()
                .map(|&(row, column, owner, value)| format!("{}'s {value} at ({row}, {column})", self.name(owner)))
                .collect();
            writeln!(output, "Marked: {}.", list.join(", "))?;
            writeln!(output, "\n{}\nRemoved.", self.drawn(&before, &marked))?;
        }
        writeln!(output, "\n{}", self.drawn(&self.position, &[]))?;
        for side in Side::BOTH {
            let cards = hands.as_ref().map_or(&[][..], |hands| &hands[side.index()]);
            let hand: Vec<String> = cards.iter().map(u8::to_string).collect();
            let score = tallies[0].counts[side.index()];
            writeln!(output, "{:<5} score {score:>2}, cards in hand: [{}]", self.name(side), hand.join(", "))?;
        }
        writeln!(output)
    }

    /// The board: `A8` is a card of the AI, `H8` of the person, `X` a place that cannot be used again. The cards
    /// `marked` lie there too, with a star.
    fn drawn(&self, position: &Sum15<N>, marked: &[(usize, usize, Side, u8)]) -> String {
        let pieces = position.view().pieces;
        let mut text = String::from(" ");
        (0..N).for_each(|column| text.push_str(&format!("{column:>5}")));
        for row in 0..N {
            text.push_str(&format!("\n{row}"));
            for column in 0..N {
                let card = |owner: Side, value: u8| format!("{}{value}", &self.name(owner)[..1]);
                let mark = marked.iter().find(|mark| (mark.0, mark.1) == (row, column));
                let mark = match (mark, pieces[row * N + column]) {
                    (Some(&(_, _, owner, value)), _) => format!("{}*", card(owner, value)),
                    (None, Some(Piece::Card { owner, value })) => card(owner, value),
                    (None, Some(_)) => "X".into(),
                    (None, None) => ".".into(),
                };
                text.push_str(&format!("{mark:>5}"));
            }
        }
        text
    }

    fn tell_result(&self, outcome: Outcome, output: &mut impl Write) -> io::Result<()> {
        let ai = self.human.opponent();
        let View { pieces, tallies, .. } = self.position.view();
        let [ai_score, human_score] = [ai, self.human].map(|side| tallies[0].counts[side.index()]);
        writeln!(output, "The game is over. Final score: AI {ai_score}, Human {human_score}.")?;
        if ai_score == human_score {
            let highest = |side| {
                let values = pieces.iter().flatten().filter_map(|piece| match *piece {
                    Piece::Card { owner, value } if owner == side => Some(value),
                    _ => None,
                });
                values.max().map_or("none".into(), |card| card.to_string())
            };
            writeln!(
                output,
                "The scores are equal, so the highest card on the board decides: AI {}, Human {}.",
                highest(ai),
                highest(self.human)
            )?;
        }
        match outcome {
            Outcome::Win(side) => writeln!(output, "The winner is {}.", self.name(side)),
            Outcome::Draw => writeln!(output, "There is no winner: the game is a draw."),
        }
    }

    fn name(&self, side: Side) -> &'static str {
        if side == self.human { "Human" } else { "AI" }
    }
}

/// Row, column and number of the card, from the game's notation.
fn parts<const N: usize>(action: Action) -> (usize, usize, u8) {
    let name = Sum15::<N>::action_name(action);
    let mut numbers = name.split(',').map(|number| number.parse::<u8>().unwrap_or_default());
    let mut next = || numbers.next().unwrap_or_default();
    (usize::from(next()), usize::from(next()), next())
}

/// As the course writes moves: `(0, 3, 13)`.
fn shown<const N: usize>(action: Action) -> String {
    let (row, column, value) = parts::<N>(action);
    format!("({row}, {column}, {value})")
}

/// Reads a move with or without brackets, its numbers separated by commas or space.
fn read_move<const N: usize>(line: &str) -> Result<Action, String> {
    let inside = line.strip_prefix('(').map_or(Some(line), |rest| rest.strip_suffix(')'));
    let words = inside.map(|inside| inside.split([',', ' ', '\t']).filter(|word| !word.is_empty()));
    let numbers: Option<Vec<u32>> = words.and_then(|words| words.map(|word| word.parse().ok()).collect());
    let name = match numbers.as_deref() {
        Some([row, column, card]) => format!("{row},{column},{card}"),
        _ => return Err(format!("`{}` is no move: type three numbers, such as (0, 3, 13)", quoted(line))),
    };
    let last = N - 1;
    Sum15::<N>::parse_action(&name).map_err(|_| {
        format!("({}) is no move: rows and columns are 0 to {last}, cards 2, 3, 5, 8 and 13", name.replace(',', ", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_every_likely_spelling() {
        let action = Sum15::<4>::parse_action("0,3,13").unwrap();
        for line in ["(0, 3, 13)", "0,3,13", "0 3 13", "( 0 ,3 , 13 )", "0\t3\t13", "00 03 13"] {
            assert_eq!(read_move::<4>(line), Ok(action), "{line}");
        }
        for line in ["", "(0, 3, 13", "0 3", "0 3 13 5", "a b c", "0;3;13", "-1 0 2", "99999999999 0 2"] {
            assert!(read_move::<4>(line).unwrap_err().contains("type three numbers"), "{line}");
        }
        for line in ["4 0 2", "0 4 2", "0 0 4"] {
            assert!(read_move::<4>(line).unwrap_err().contains("rows and columns are 0 to 3"), "{line}");
        }
        assert_eq!(shown::<6>(Sum15::<6>::parse_action("5,4,8").unwrap()), "(5, 4, 8)");
    }
}
