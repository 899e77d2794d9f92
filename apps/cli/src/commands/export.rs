//! `export`: an agent to hand on.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use flate2::Compression;
use flate2::write::GzEncoder;
use selfplay_bundle::{AgentHead, AgentKind, Body, CarriedRules, WholeAgent, write_program};
use selfplay_frontends::serve::{OfflineParts, offline_page};
use selfplay_network::checkpoint::{Bundle, bundle, load_weights};
use selfplay_network::{FusedEvaluator, Precision, onnx};
use selfplay_notebooks_export::files::write_file;
use selfplay_players::{NoCheckpoints, PlayerSpec, RELEASED_CHECKPOINT, TablebaseLookup, build_player};
use selfplay_python_game::{GameFile, file_of};
use selfplay_registry::{GameRef, Games};

use crate::args::{ExportArgs, ExportFormat};
use crate::bare::{agent_program, page_program};
use crate::error::CliError;
use crate::placing::folder_of;
use selfplay_pipeline::agent_of;

/// Writes the file or the folder; programs that play agents and are of this build say that they are of this `kind`.
///
/// # Errors
/// If the game or the checkpoint is wrong, what is to be written is there already or cannot be written, or the output
/// rejects.
pub fn export(args: &ExportArgs, games: &Games, kind: &str, out: &mut dyn Write) -> Result<(), CliError> {
    check_target(args)?;
    let game = games.find(&args.game)?;
    check_format(args, game)?;
    let text = args.agent.to_string_lossy();
    let is_player = !args.agent.exists() && games.players().is_meant(&text) && text != RELEASED_CHECKPOINT;
    let export = Export { args, game, kind };
    let len = if args.agent.is_file() {
        export.table()?
    } else if is_player {
        export.player(games.players().parse(&text)?)?
    } else {
        export.checkpoint()?
    };
    writeln!(out, "{}, {:.1} MiB", args.out.display(), len as f64 / f64::from(1 << 20))?;
    Ok(())
}

/// Whether the file or folder can be written.
fn check_target(args: &ExportArgs) -> Result<(), CliError> {
    if args.format != ExportFormat::Checkpoint && args.out.is_dir() {
        return Err(CliError::IsFolder { path: args.out.clone() });
    }
    // A folder is never replaced.
    let may_replace = args.force || args.format == ExportFormat::Checkpoint;
    if !may_replace && args.out.symlink_metadata().is_ok() {
        return Err(CliError::FileExists { path: args.out.clone() });
    }
    if args.format != ExportFormat::Checkpoint && folder_of(&args.out).is_some_and(|folder| !folder.is_dir()) {
        let expected = "its folder does not exist";
        return Err(CliError::Option { option: "--out", value: args.out.display().to_string(), expected });
    }
    Ok(())
}

/// Whether the format suits the game and `--program`.
fn check_format(args: &ExportArgs, game: GameRef) -> Result<(), CliError> {
    if args.program.is_some() && ![ExportFormat::Program, ExportFormat::Html].contains(&args.format) {
        let value = args.program.iter().map(|path| path.display().to_string()).collect();
        let expected = "only a program or a page is embedded in another program";
        return Err(CliError::Option { option: "--program", value, expected });
    }
    if args.format == ExportFormat::Html && rules(game).is_some() {
        let expected = "a Python game cannot run in a page; export a program";
        return Err(CliError::Option { option: "--format", value: "html".into(), expected });
    }
    Ok(())
}

/// What is exported, for which game, into programs of which kind. Each method writes one kind of agent and returns its
/// size (bytes). Everything is checked here, not when the file is used.
struct Export<'a> {
    args: &'a ExportArgs,
    game: GameRef,
    kind: &'a str,
}

impl Export<'_> {
    fn head(&self, kind: AgentKind) -> AgentHead {
        let name = self.args.name.clone().unwrap_or_else(|| format!("selfplay-{}", self.game.id()));
        AgentHead { name, game: self.game.id().into(), kind, rules: rules(self.game) }
    }

    fn program(&self) -> Result<PathBuf, CliError> {
        agent_program(self.args.program.as_deref(), self.kind)
    }

    /// A table of the game.
    fn table(&self) -> Result<u64, CliError> {
        let args = self.args;
        let alone = "a tablebase can only be exported as a program";
        refuse_options_of_networks(args, &[ExportFormat::Program], alone, "a tablebase player has no search")?;
        TablebaseLookup::open(&args.agent, self.game)?;
        Ok(write_program(&self.program()?, &self.head(AgentKind::Table), Body::Tablebase(&args.agent), &args.out)?)
    }

    /// A player without a network.
    fn player(&self, spec: PlayerSpec) -> Result<u64, CliError> {
        let args = self.args;
        refuse_options_of_networks(
            args,
            &[ExportFormat::Program, ExportFormat::Html],
            "a player without a network can only be exported as a program or a page",
            "a player without a network has no network search",
        )?;
        if !spec.is_complete() {
            let expected = "the player needs files or another program; give its checkpoint or tablebase instead";
            return Err(CliError::Option { option: "export", value: spec.to_string(), expected });
        }
        build_player(self.game, &spec, &NoCheckpoints)?;
        let head = self.head(AgentKind::Player { spec: spec.to_string() });
        match args.format {
            ExportFormat::Html => write_page(args, head, Vec::new()),
            _ => Ok(write_program(&self.program()?, &head, Body::None, &args.out)?),
        }
    }

    /// The network of a checkpoint, a run or a released agent.
    fn checkpoint(&self) -> Result<u64, CliError> {
        let Export { args, game, .. } = *self;
        let checkpoint = agent_of(&args.agent, game.id())?;
        let (weights, manifest) = load_weights(&checkpoint, game.shape())?;
        FusedEvaluator::checked(game, &weights, Precision::F32)?;
        match args.format {
            ExportFormat::Program | ExportFormat::Html => {
                let Bundle { manifest, weights } = bundle(&checkpoint)?;
                let head = self.head(AgentKind::Network { manifest, verify: !args.pure });
                match args.format {
                    ExportFormat::Html => write_page(args, head, weights),
                    _ => Ok(write_program(&self.program()?, &head, Body::Weights(&weights), &args.out)?),
                }
            }
            ExportFormat::Checkpoint => Ok(bundle(&checkpoint)?.save(&args.out)?),
            ExportFormat::Onnx => write(&args.out, &onnx::encode(game, &weights, &manifest)),
            ExportFormat::Safetensors => write(&args.out, &onnx::safetensors(game, &weights, &manifest)?),
        }
    }
}

/// The file that the game is in, unless it is one of the program's.
fn rules(game: GameRef) -> Option<CarriedRules> {
    let GameFile { path, source } = file_of(game.id())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Some(CarriedRules { name, source: source.clone() })
}

/// Writes the agent as a standalone page and returns its size (bytes).
fn write_page(args: &ExportArgs, head: AgentHead, weights: Vec<u8>) -> Result<u64, CliError> {
    let program = page_program(args.program.as_deref())?;
    let title = format!("{} plays {}", head.name, head.game);
    let agent = postcard::to_stdvec(&WholeAgent { head, weights }).expect("plain data");
    let parts = OfflineParts { title: &title, program: &packed(&program)?, agent: &packed(&agent)? };
    write(&args.out, offline_page(parts).as_bytes())
}

/// The bytes as gzip has them.
fn packed(bytes: &[u8]) -> Result<Vec<u8>, CliError> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    Ok(packer.finish()?)
}

/// Rejects formats and `--pure` for what is no network, with what is said of each.
fn refuse_options_of_networks(
    args: &ExportArgs,
    formats: &[ExportFormat],
    format: &'static str,
    pure: &'static str,
) -> Result<(), CliError> {
    if !formats.contains(&args.format) {
        let value = args.format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        return Err(CliError::Option { option: "--format", value, expected: format });
    }
    if args.pure {
        return Err(CliError::Option { option: "--pure", value: "(given)".into(), expected: pure });
    }
    Ok(())
}

/// Writes `bytes` to `path`, all or nothing; their number.
fn write(path: &Path, bytes: &[u8]) -> Result<u64, CliError> {
    write_file(path, bytes)?;
    Ok(bytes.len() as u64)
}
