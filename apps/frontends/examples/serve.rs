//! The page with the agents that need no checkpoint, and perfect play in tic-tac-toe:
//! `cargo run -p selfplay-frontends --example serve -- [PORT]`.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use selfplay_env::{Game, rules};
use selfplay_frontends::serve::{Catalogue, CatalogueAgent, ServeConfig, serve};
use selfplay_players::spec::TableSpec;
use selfplay_players::{NoCheckpoints, PlayerSpec};
use selfplay_shipped::shipped_games;
use selfplay_tablebase::{TableError, TablebaseConfig, build_tablebase};
use selfplay_tictactoe::TicTacToe;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).map_or(Ok(ServeConfig::default().port), |port| port.parse())?;
    let config = ServeConfig { port, ..ServeConfig::default() };
    let folder = tempfile::tempdir()?;
    let perfect = perfect_play(&folder.path().join("tictactoe.table"))?;
    let catalogue = Catalogue::new(shipped_games().map(|game| game as _), NoCheckpoints, vec![perfect])?;
    serve(catalogue, config, |address| {
        let mut out = std::io::stdout().lock();
        // Whoever starts the server may have closed its output.
        let _ = writeln!(out, "http://{address}").and_then(|()| out.flush());
    })?;
    Ok(())
}

/// A player by a table that is made at `path`.
fn perfect_play(path: &Path) -> Result<CatalogueAgent, TableError> {
    let config = TablebaseConfig { memory_mib: 16, threads: 1, turns: true, save_every: Duration::from_secs(60) };
    let position_index = rules::<TicTacToe>().position_index().expect("tic-tac-toe is numbered");
    build_tablebase(TicTacToe::spec().id, position_index, path, &config, &mut |_| ())?;
    Ok(CatalogueAgent {
        game: TicTacToe::spec().id.into(),
        name: "perfect".into(),
        title: "Perfect play".into(),
        spec: PlayerSpec::new(TableSpec { file: path.display().to_string() }),
    })
}
