//! The page with the agents that need no checkpoint: `cargo run -p selfplay-play --example serve -- [PORT]`.

use std::io::Write;

use selfplay_eval::NoCheckpoints;
use selfplay_play::serve::{Catalogue, ServeConfig, serve};
use selfplay_shipped::GAMES;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).map_or(Ok(ServeConfig::default().port), |port| port.parse())?;
    let config = ServeConfig { port, ..ServeConfig::default() };
    let catalogue = Catalogue::new(GAMES.map(|game| game as _), NoCheckpoints, Vec::new())?;
    serve(catalogue, config, |address| {
        let mut out = std::io::stdout().lock();
        // Whoever starts the server may have closed its output.
        let _ = writeln!(out, "http://{address}").and_then(|()| out.flush());
    })?;
    Ok(())
}
