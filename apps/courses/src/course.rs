//! What the courses add to a program.

use std::io::Write;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use selfplay::{CliError, Course, Games, Protocol, Protocols};
use selfplay_env::Game;
use selfplay_pentago_swap::PentagoSwap;
use selfplay_pente::Pente;
use selfplay_players::PlayerKind;
use selfplay_pylos::Pylos;
use selfplay_sum15::Sum15;

use crate::book_command::{BookArgs, write};
use crate::kinds::PLAYER_KINDS;
use crate::native::{Homework, NumberCards, PentagoClient, PylosDialogue};
use crate::referee::{RefereeArgs, referee};

/// The courses whose games ship with the program.
pub static COURSES: Courses = Courses;

/// See [`COURSES`].
pub struct Courses;

const BOOK: &str = "book";
const REFEREE: &str = "referee";

impl Protocols for Courses {
    fn player_kinds(&self) -> &'static [&'static dyn PlayerKind] {
        PLAYER_KINDS
    }

    fn protocol(&self, game: &str) -> Option<&'static dyn Protocol> {
        match game {
            id if id == Pente::<19>::spec().id => Some(&Homework),
            id if id == PentagoSwap::spec().id => Some(&PentagoClient),
            id if id == Pylos::spec().id => Some(&PylosDialogue),
            id if [Sum15::<4>::spec().id, Sum15::<6>::spec().id].contains(&id) => Some(&NumberCards),
            _ => None,
        }
    }
}

impl Course for Courses {
    fn commands(&self) -> Vec<Command> {
        let book = BookArgs::augment_args(Command::new(BOOK));
        let referee = RefereeArgs::augment_args(Command::new(REFEREE));
        vec![
            book.about("Write an opening book: a player's moves in the first positions of a game"),
            referee.about("Referee games between programs by a course's protocol"),
        ]
    }

    fn run(&self, command: &str, arguments: &ArgMatches, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
        match command {
            BOOK => write(&BookArgs::from_arg_matches(arguments).unwrap_or_else(|error| error.exit()), games, out),
            _ => referee(&RefereeArgs::from_arg_matches(arguments).unwrap_or_else(|error| error.exit()), out),
        }
    }
}
