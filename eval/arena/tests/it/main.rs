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

#[path = "../../../../games/shipped/tests/it/every_game.rs"]
mod every_game;
#[path = "../../../ratings/tests/it/numbers.rs"]
mod numbers;

use selfplay_arena::{ArenaError, GameResult, MatchObserver, MatchProgress};
use selfplay_env::{Action, CompleteGame, Typed};
use selfplay_players::{Decision, EvalError, MoveRequest, NoCheckpoints, Player, PlayerKinds, build_player};

use every_game::in_every_game;
use numbers::{close, pairs};

/// Plays what a function of the position says.
struct Scripted(fn(&[Action]) -> Action);

impl Player for Scripted {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        Ok(Decision::new((self.0)(&legal)))
    }
}

/// Records its calls.
#[derive(Default, Debug)]
struct Log {
    announced: Vec<(usize, [String; 2])>,
    games: Vec<(usize, GameResult)>,
    progress: Vec<(usize, MatchProgress)>,
    /// Rejects the pair after so many games.
    breaks_after: Option<usize>,
}

impl MatchObserver for Log {
    fn match_announced(&mut self, fixture: usize, players: [&str; 2]) {
        self.announced.push((fixture, players.map(str::to_owned)));
    }

    fn pair_finished(&mut self, fixture: usize, games: &[GameResult]) -> Result<(), ArenaError> {
        if self.breaks_after.is_some_and(|games| self.games.len() >= games) {
            return Err(EvalError::for_spec("the observer", "it has seen enough").into());
        }
        self.games.extend(games.iter().map(|game| (fixture, game.clone())));
        Ok(())
    }

    fn progressed(&mut self, fixture: usize, progress: MatchProgress) {
        self.progress.push((fixture, progress));
    }
}

/// The player that `spec` describes, which needs no checkpoint.
fn player<G: CompleteGame>(spec: &str) -> Result<Box<dyn Player>, EvalError> {
    build_player(&Typed::<G>::IT, &PlayerKinds::built_in().parse(spec)?, &NoCheckpoints)
}
