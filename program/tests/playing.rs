//! How every kind of player chooses, asked through the built program.

use std::process::Command;

fn selfplay(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_selfplay")).args(args).output().expect("the program starts");
    let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{args:?}: {error}{text}");
    text
}

/// Players that look ahead, with the options that change how they choose.
const PLAYERS: [&str; 9] = [
    "released:simulations=8",
    "released:simulations=40,proofs=on",
    "released:simulations=40,foresight=off",
    "released:simulations=40,foresight=near,temperature=1",
    "released:simulations=40,leaves=8,symmetry=average,variety=on",
    "search:checkpoint=uniform,simulations=40,c_puct=0.5,policy_temperature=0.01",
    "uct:simulations=30",
    "alphabeta:depth=1",
    "alphabeta:nodes=100",
];

fn overlook_nothing(game: &str, positions: u32) {
    let (has_agent, positions) = (game != "tictactoe", positions.to_string());
    let players = PLAYERS.iter().filter(|player| has_agent || !player.starts_with("released"));
    let players = players.flat_map(|player| ["--player", player]);
    let call: Vec<&str> = ["check", game, "--positions", &positions].into_iter().chain(players).collect();
    let found = selfplay(&call);
    assert!(found.lines().filter(|line| line.contains(": 0 oversights in ")).count() >= 4, "{found}");
}

#[test]
fn players_overlook_no_win_on_small_boards() {
    for game in ["connect4", "tictactoe", "sum15-4", "sum15-6", "pylos"] {
        overlook_nothing(game, 150);
    }
}

#[test]
fn players_overlook_no_win_on_large_boards() {
    for game in ["pentago-swap", "pente-9", "pente-13", "pente"] {
        overlook_nothing(game, 40);
    }
}
