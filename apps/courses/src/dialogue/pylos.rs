//! Pylos against a person: the pyramid shown level by level, whole turns in the game's notation.

use std::io::{BufRead, Write};

use selfplay_config::{InvalidKey, check};
use selfplay_env::game_text::format_game;
use selfplay_env::rng::derive_seed;
use selfplay_env::{Action, Game, Outcome, Side, rules};
use selfplay_players::program::{parse_turn, turn_word};
use selfplay_players::{ClockKind, Player, TimeControl, TimeSpan};
use selfplay_pylos::Pylos;
use serde::{Deserialize, Serialize};

use super::prompt::{DialogueEnd, Prompt, Stop};
use selfplay_frontends::PlayError;
use selfplay_frontends::turn::choose_turn;

/// The one board there is.
const TABLE: usize = 0;

const NOTATION: &str = "\
Type a whole turn: a cell to place on (`b2`), or a raise (`c4^e3`); if it completes a square or a line of yours, the one
or two spheres to take back follow (`b2-a1`, `b2-a1-e1`). `quit` leaves the game.
";

/// How the dialogue's player plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PylosConfig {
    /// Milliseconds that the player gets for a whole turn, 1 to 600,000. Default 1,700.
    pub turn_ms: u64,
    /// Seed of the player's random choices. Default 0.
    pub seed: u64,
}

impl Default for PylosConfig {
    fn default() -> Self {
        PylosConfig { turn_ms: 1_700, seed: 0 }
    }
}

impl PylosConfig {
    /// Checks the time.
    ///
    /// # Errors
    /// [`InvalidKey`] if it is out of range.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        check((1..=600_000).contains(&self.turn_ms), "turn_ms", self.turn_ms, "1 to 600,000 milliseconds")
    }
}

/// Asks who begins, then plays one game between a person and `player`.
///
/// # Errors
/// If reading or writing fails, the config does not hold together, or the player fails. Nothing that is typed is an
/// error.
pub fn play_pylos(
    player: &mut dyn Player,
    config: &PylosConfig,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<DialogueEnd, PlayError> {
    config.validate()?;
    let mut prompt = Prompt { input, output };
    let mut game = PylosGame { config, position: Pylos::initial(), history: Vec::new() };
    let end = Stop::end(game.play(player, &mut prompt))?;
    writeln!(output, "{}", format_game::<Pylos>(&game.history, game.position.outcome()))?;
    Ok(end)
}

struct PylosGame<'a> {
    config: &'a PylosConfig,
    position: Pylos,
    history: Vec<Action>,
}

impl PylosGame<'_> {
    fn play<R: BufRead, W: Write>(
        &mut self,
        player: &mut dyn Player,
        prompt: &mut Prompt<R, W>,
    ) -> Result<DialogueEnd, Stop> {
        writeln!(prompt.output, "Pylos.")?;
        let human = prompt.ask_human_side()?;
        write!(prompt.output, "You are {}. {NOTATION}", side_name(human))?;
        player.new_game(TABLE, derive_seed(&[self.config.seed]));
        loop {
            write!(prompt.output, "\n{}", self.position.board())?;
            if let Some(outcome) = self.position.outcome() {
                match outcome {
                    Outcome::Win(side) if side == human => writeln!(prompt.output, "The winner is Human.")?,
                    Outcome::Win(_) => writeln!(prompt.output, "The winner is AI.")?,
                    // Nothing else draws.
                    Outcome::Draw => writeln!(prompt.output, "The same board stands for the third time: a draw.")?,
                }
                player.end_game(TABLE);
                return Ok(DialogueEnd::Finished { outcome, human });
            }
            let side = self.position.side_to_move();
            if side == human {
                self.ask_person(prompt)?;
                continue;
            }
            prompt.output.flush()?;
            let time = TimeControl { ms: self.config.turn_ms, span: TimeSpan::Turn, clock: ClockKind::Wall };
            let turn = choose_turn(player, TABLE, &self.position, &self.history, Some(time))?;
            self.make(&turn);
            writeln!(prompt.output, "{} (AI) plays {}", side_name(side), turn_word(rules::<Pylos>(), &turn))?;
        }
    }

    fn make(&mut self, actions: &[Action]) {
        for &action in actions {
            self.position.play(action);
            self.history.push(action);
        }
    }

    /// Makes what the person types: a whole turn, or its first move, after which the removals are asked for.
    fn ask_person<R: BufRead, W: Write>(&mut self, prompt: &mut Prompt<R, W>) -> Result<(), Stop> {
        loop {
            let question = if self.position.starts_turn() {
                format!("{} (you) to move: ", side_name(self.position.side_to_move()))
            } else {
                "Take back one or two spheres, such as -a1 or -a1-e1: ".into()
            };
            let line = prompt.ask(&question)?;
            let word: String = line.split_whitespace().collect::<String>().to_ascii_lowercase();
            match parse_turn(&self.position, &word) {
                Ok(turn) => {
                    self.make(&turn);
                    return Ok(());
                }
                Err(reason) => match Pylos::parse_action(&word) {
                    Ok(action) if self.position.starts_turn() && self.position.is_legal(action) => self.make(&[action]),
                    _ => writeln!(prompt.output, "{reason}. Try again.")?,
                },
            }
        }
    }
}

fn side_name(side: Side) -> &'static str {
    Pylos::spec().side_names[side.index()]
}
