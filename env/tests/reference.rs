//! Perft tables and recorded games of independent implementations: every line agrees.
//!
//! `data/perft/<id>.txt` has lines `DEPTH NODES FIRST SECOND DRAW : decision …`, `data/games/<id>.txt` one game a line.

use std::path::Path;

use selfplay_env::game_text::{play_line, replay_line};
use selfplay_env::perft::{PerftCount, perft};
use selfplay_env::registry::GAME_IDS;
use selfplay_env::{GameVisitor, WholeGame, with_game};

/// The lines of a data file, or none where there is no file: the yardstick games have no recorded tables.
fn lines(kind: &str, id: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(kind).join(format!("{id}.txt"));
    match std::fs::read_to_string(&path) {
        Ok(text) => text.lines().map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    }
}

struct Perft;

impl GameVisitor for Perft {
    type Output = usize;

    fn visit<G: WholeGame>(self) -> usize {
        let lines = lines("perft", G::ID);
        for line in &lines {
            let (numbers, decisions) = line.split_once(':').unwrap();
            let numbers: Vec<u64> = numbers.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let decisions: Vec<&str> = decisions.split_whitespace().collect();
            let (position, _) = play_line::<G>(&decisions).unwrap_or_else(|e| panic!("{}: {e}: {line}", G::ID));
            let PerftCount { nodes, first, second, draw, .. } = perft(&position, numbers[0] as usize);
            assert_eq!([nodes, first, second, draw], numbers[1..], "{}: {line}", G::ID);
        }
        lines.len()
    }
}

#[test]
fn perft_tables_agree() {
    let rows: usize = GAME_IDS.iter().map(|id| with_game(id, Perft).unwrap()).sum();
    assert_eq!(rows, 7 * 30, "a table is missing");
}

struct Replay;

impl GameVisitor for Replay {
    type Output = usize;

    fn visit<G: WholeGame>(self) -> usize {
        let lines = lines("games", G::ID);
        for (number, line) in lines.iter().enumerate() {
            replay_line::<G>(line).unwrap_or_else(|e| panic!("{} game {}: {e}", G::ID, number + 1));
        }
        lines.len()
    }
}

#[test]
fn recorded_games_agree() {
    let games: usize = GAME_IDS.iter().map(|id| with_game(id, Replay).unwrap()).sum();
    assert_eq!(games, 3 * 400 + 600 + 3 * 200, "a game file is missing");
}
