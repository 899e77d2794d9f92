//! `serve`: agents in the browser.

use std::fs;
use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use selfplay_frontends::serve::{Catalogue, CatalogueAgent, ServeConfig, serve};
use selfplay_network::checkpoint::load_manifest;
use selfplay_players::spec::TableSpec;
use selfplay_players::{Playable, PlayerSpec, RELEASED_CHECKPOINT, TablebaseLookup};
use selfplay_registry::Games;
use selfplay_tablebase::game_of_table;

use crate::args::ServeArgs;
use crate::error::CliError;
use crate::run_view::RunViewer;
use selfplay_pipeline::agents::{Agents, checkpoint_of};
use selfplay_pipeline::resources::{released_in, shipped_folder};

/// Serves until it is interrupted.
///
/// # Errors
/// If an option is out of range or the address cannot be listened at.
pub fn serve_browser(args: &ServeArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let config = ServeConfig {
        host: args.host,
        port: args.port,
        host_names: args.host_name.clone(),
        max_simulations: args.max_simulations,
        max_thinking_ms: args.max_time,
        ..ServeConfig::default()
    };
    let tables = args.table.iter().map(|table| perfect_agent(table, games));
    let mut agents = tables.collect::<Result<Vec<_>, CliError>>()?;
    agents.extend(trained_agents(&args.checkpoints, games));
    for agent in &agents {
        writeln!(out, "{}: {}", agent.game, agent.title)?;
    }
    let mut catalogue = Catalogue::new(playable(games), Agents::for_one_game(args.machine.machine()), agents)?;
    if let Some(run) = &args.run {
        catalogue = catalogue.with_run(RunViewer::new(run, games)?);
        writeln!(out, "{} at /run", run.display())?;
    }
    Ok(serve(catalogue, config, announce)?)
}

/// The games as the page plays them.
pub fn playable(games: &Games) -> Vec<&'static dyn Playable> {
    games.iter().map(|game| game as &'static dyn Playable).collect()
}

/// Says where the page is.
pub fn announce(address: SocketAddr) {
    let mut out = stdout().lock();
    // Whoever started the server may have closed its output.
    let _ = writeln!(out, "http://{address}  (Ctrl-C ends)").and_then(|()| out.flush());
}

/// The player by the table at `path`, which is opened once to see that it can be.
fn perfect_agent(path: &Path, games: &Games) -> Result<CatalogueAgent, CliError> {
    let game = games.find(&game_of_table(path)?)?;
    TablebaseLookup::open(path, game)?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(CatalogueAgent {
        title: format!("Perfect play ({file})"),
        name: format!("table-{file}"),
        game: game.id().to_owned(),
        spec: PlayerSpec::new(TableSpec { file: path.display().to_string() }),
    })
}

/// The released agents, those in the folder of runs or those that come with the program, then the champions of runs, each
/// group by name. What is no agent, or one that this program cannot play, is passed over with a word in the log.
fn trained_agents(checkpoints: &Path, games: &Games) -> Vec<CatalogueAgent> {
    let own = checkpoints.join(RELEASED_CHECKPOINT);
    let runs = folders(checkpoints).into_iter().filter(|folder| *folder != own);
    let shipped = if own.is_dir() { None } else { shipped_folder().map(|folder| released_in(&folder)) };
    let released = folders(shipped.as_ref().unwrap_or(&own)).into_iter();
    let mut agents = Vec::new();
    for (folder, kind) in released.map(|folder| (folder, "released")).chain(runs.map(|run| (run, "run"))) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match trained_agent(&folder, &name, kind, games) {
            Ok(agent) => agents.push(agent),
            Err(error) => tracing::warn!("{}: agent skipped: {error}", folder.display()),
        }
    }
    agents
}

fn trained_agent(folder: &Path, name: &str, kind: &str, games: &Games) -> Result<CatalogueAgent, CliError> {
    let checkpoint = checkpoint_of(folder)?;
    let manifest = load_manifest(&checkpoint)?;
    if games.find(&manifest.game.id).is_err() {
        return Err(CliError::NoSuchGameHere { game: manifest.game.id });
    }
    let spec = games.players().parse(&format!("{},verify=on", PlayerSpec::for_agent(&checkpoint)))?;
    Ok(CatalogueAgent {
        title: format!("{name} ({kind}, generation {})", manifest.provenance.generation),
        name: format!("{kind}-{name}"),
        game: manifest.game.id,
        spec,
    })
}

/// The folders in `folder`, by name; none if it is not there.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
