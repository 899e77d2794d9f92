//! Players in matches and tournaments, and what is measured with them, through the public interface.

mod arena;
mod baselines;
mod chooser;
mod connect4_oracle;
mod elo_report;
mod forfeits;
mod games_file;
mod gate;
mod gate_config;
mod gate_replay;
mod opening;
mod pgn;
mod program;
mod results;
mod script;
mod search_player;
mod table_player;
mod tournament;
mod uct;

use selfplay_arena::{GameResult, MatchObserver, MatchProgress};
use selfplay_env::{Action, Typed, WholeGame};
use selfplay_players::{Choice, EvalError, NoCheckpoints, Player, PlayerSpec, Seat, build_player};
use selfplay_ratings::PairCounts;

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
use in_every_game;

/// The player that `spec` describes, which needs no checkpoint.
fn player<G: WholeGame>(spec: &str) -> Result<Box<dyn Player>, EvalError> {
    build_player(&Typed::<G>::IT, &spec.parse::<PlayerSpec>()?, &NoCheckpoints)
}

/// Plays what a function of the position says.
struct Scripted(fn(&[Action]) -> Action);

impl Player for Scripted {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &Seat) -> Result<Choice, EvalError> {
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        Ok(Choice::of((self.0)(&legal)))
    }
}

/// Pairs with these pentanomial counts; the odd half points and the only points are made as the first player.
fn pairs([none, half, one, one_and_half, two]: [u32; 5]) -> PairCounts {
    PairCounts([[none, 0, 0], [half, 0, 0], [one, one_and_half, two]])
}

fn close(x: f64, y: f64, tolerance: f64) -> bool {
    (x - y).abs() <= tolerance
}

/// Keeps what it is told.
#[derive(Default, Debug)]
struct Log {
    announced: Vec<(usize, [String; 2])>,
    games: Vec<(usize, GameResult)>,
    progress: Vec<(usize, MatchProgress)>,
    /// Refuses the pair after so many games.
    breaks_after: Option<usize>,
}

impl MatchObserver for Log {
    fn match_announced(&mut self, fixture: usize, players: [&str; 2]) {
        self.announced.push((fixture, players.map(str::to_owned)));
    }

    fn pair_finished(&mut self, fixture: usize, games: &[GameResult]) -> Result<(), EvalError> {
        if self.breaks_after.is_some_and(|games| self.games.len() >= games) {
            return Err(EvalError::of_spec("the observer", "it has seen enough"));
        }
        self.games.extend(games.iter().map(|game| (fixture, game.clone())));
        Ok(())
    }

    fn progressed(&mut self, fixture: usize, progress: MatchProgress) {
        self.progress.push((fixture, progress));
    }
}
