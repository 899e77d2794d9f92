//! The smoke-trained tic-tac-toe agent against every line an opponent can play: it never loses.

use std::path::Path;
use std::process::Command;

use selfplay_env::{Action, Game, GameShape, Outcome, Side};
use selfplay_mcts::{Limits, Network, SearchConfig};
use selfplay_network::checkpoint::load_weights;
use selfplay_network::{FusedEvaluator, Precision};
use selfplay_players::{MoveRequest, Player, SearchPlayerConfig};
use selfplay_tictactoe::{TIC_TAC_TOE, TicTacToe};

const SIMULATIONS: u32 = 100;

/// Lets the opponent try everything from `position` and returns the number of games, all of them not lost.
fn try_everything(agent: &mut dyn Player, side: Side, position: &TicTacToe, history: &mut Vec<Action>) -> usize {
    if let Some(outcome) = position.outcome() {
        assert_ne!(outcome, Outcome::Win(side.opponent()), "lost after {history:?}");
        return 1;
    }
    let mut actions = Vec::new();
    if position.side_to_move() == side {
        actions.push(agent.choose(&MoveRequest { table: 0, position, history, time_left: None }).unwrap().action);
    } else {
        position.legal_actions(&mut actions);
    }
    let mut games = 0;
    for action in actions {
        let mut child = *position;
        child.play(action);
        history.push(action);
        games += try_everything(agent, side, &child, history);
        history.pop();
    }
    games
}

#[test]
fn the_smoke_trained_agent_never_loses() {
    let folder = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/tictactoe/smoke.toml");
    let status = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["train", config.to_str().unwrap(), "--run", "smoke", "--checkpoints"])
        .arg(folder.path())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let champion = std::fs::read_to_string(folder.path().join("smoke/champion.toml")).unwrap();
    let generation: u32 = champion.trim().strip_prefix("generation = ").unwrap().parse().unwrap();
    let checkpoint = folder.path().join(format!("smoke/networks/gen-{generation:05}"));
    let (weights, _) = load_weights(&checkpoint, GameShape::for_game::<TicTacToe>()).unwrap();
    let config = SearchPlayerConfig {
        search: SearchConfig::default(),
        limits: Limits::simulations(SIMULATIONS),
        leaves_per_gather: Some(4),
        ..SearchPlayerConfig::default()
    };
    let evaluator = FusedEvaluator::from_weights(TIC_TAC_TOE, &weights, Precision::F32);
    let networks: Vec<Box<dyn Network>> = vec![Box::new(evaluator)];
    let agent = TIC_TAC_TOE.search_player("smoke".into(), config, networks, None);
    let mut agent = agent.unwrap();
    for side in Side::BOTH {
        let games = try_everything(agent.as_mut(), side, &TicTacToe::initial(), &mut Vec::new());
        assert!(games > 50, "only {games} games as {side:?}");
    }
}
