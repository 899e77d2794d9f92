//! Arguments about training runs.

use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "cluster")]
use selfplay_cluster::ConnectionOptions;
use selfplay_python_game::FileError;

use super::game::game;
use super::machine::{MachineArgs, hours};
use crate::progress::EventFormat;

/// Arguments of `train`.
#[derive(Args, Debug)]
pub struct TrainArgs {
    /// The config: a TOML file, or the name of a shipped one such as sum15-4/quickstart. Or the id of a game, or a Python
    /// file with one, together with --hours: a probe of this machine then plans a config for that time and writes it to
    /// GAME-Hh.toml.
    #[arg(value_name = "CONFIG|GAME", value_parser = config_or_game)]
    pub config: PathBuf,
    /// Name of the run folder [default: game and name of the config].
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Set a config key, as in --set selfplay.num_simulations=64. Repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Start no new generation after this many hours of wall time in this call.
    #[arg(long, value_name = "H", value_parser = hours)]
    pub hours: Option<f64>,
    /// Folder with the run folders.
    #[arg(long, value_name = "DIR", default_value = "checkpoints")]
    pub checkpoints: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub nats: NatsArgs,
    /// Wait when the disk is full, instead of stopping.
    #[arg(long)]
    pub wait_for_space: bool,
    /// Wait for a line on standard input between generations, for programs that control the run. End of input stops the
    /// run as --hours does.
    #[arg(long)]
    pub step: bool,
    /// Format of the events on standard output.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = EventFormat::Text)]
    pub events: EventFormat,
    /// Leave self-play to other machines; this one only learns.
    #[arg(long, requires = "url")]
    pub no_play: bool,
    /// Limit the results stored on the NATS server, in MiB; workers wait when it is full.
    #[arg(long, value_name = "N", default_value_t = 256, requires = "url", value_parser = clap::value_parser!(u32).range(1..))]
    pub nats_results_mib: u32,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// The config's path, or the id of the game that is meant.
fn config_or_game(text: &str) -> Result<PathBuf, FileError> {
    game(text).map(PathBuf::from)
}

/// The NATS server over which machines work together.
#[derive(Args, Debug)]
pub struct NatsArgs {
    /// Distribute self-play to workers over this NATS server (see docs/cluster.md): nats://HOST:PORT or tls://HOST:PORT.
    #[arg(long = "nats", value_name = "URL")]
    pub url: Option<String>,
    /// File with user and password, token or nkey for the NATS server. Environment variables work as well:
    /// SELFPLAY_NATS_USER and so on.
    #[arg(long = "nats-credentials", value_name = "FILE", requires = "url")]
    pub credentials: Option<PathBuf>,
}

#[cfg(feature = "cluster")]
impl NatsArgs {
    /// The server at `url`, which is the one here.
    pub fn link(&self, url: &str) -> ConnectionOptions {
        ConnectionOptions { url: url.to_owned(), credentials: self.credentials.clone() }
    }
}

/// Arguments of `worker`.
#[derive(Args, Debug)]
pub struct WorkerArgs {
    /// The NATS server of the cluster (see docs/cluster.md): nats://HOST:PORT or tls://HOST:PORT.
    #[arg(long, value_name = "URL")]
    pub nats: String,
    /// File with user and password, token or nkey for the NATS server. Environment variables work as well:
    /// SELFPLAY_NATS_USER and so on.
    #[arg(long, value_name = "FILE")]
    pub nats_credentials: Option<PathBuf>,
    /// Worker threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Play only for the run with this name. Repeatable [default: all runs].
    #[arg(long, value_name = "NAME")]
    pub run: Vec<String>,
    /// Exit after this many idle seconds [default: never].
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60")]
    pub idle_exit: Option<u64>,
    /// Name of the worker [default: the host name].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Folder for results that the learner has not confirmed [default: selfplay/outbox in the user's cache].
    #[arg(long, value_name = "DIR")]
    pub outbox: Option<PathBuf>,
}

#[cfg(feature = "cluster")]
impl WorkerArgs {
    /// The server.
    pub fn link(&self) -> ConnectionOptions {
        ConnectionOptions { url: self.nats.clone(), credentials: self.nats_credentials.clone() }
    }
}

/// Arguments of `ablate`.
#[derive(Args, Debug)]
pub struct AblateArgs {
    /// The base config: a TOML file, or the name of a shipped one.
    pub config: PathBuf,
    /// Vary a key: each value is a variant of the base config, as in --factor replay.replay_ratio=2,8. Several keys change
    /// together in --factor 'replay.replay_ratio=2 & learner.batch_size=128'. A single variant can have a name:
    /// --factor 'small batches: learner.batch_size=128'. Repeatable.
    #[arg(long, value_name = "KEY=V1,V2,…")]
    pub factor: Vec<String>,
    /// CPU hours of self-play and learning per run.
    #[arg(long, value_name = "H", value_parser = hours)]
    pub hours: f64,
    /// Set a config key in all variants, as in train. Repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Runs per variant, with consecutive seeds.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub seeds: u32,
    /// Game pairs per pairing.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub pairs: u32,
    /// Random opening actions of each pair.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub opening_plies: u32,
    /// Search limit in the matches, as in a player spec: simulations=N or time=T.
    #[arg(long, value_name = "LIMIT", default_value = "simulations=100")]
    pub limit: String,
    /// Name of the ablation's folder [default: game and name of the config].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Folder with the ablations.
    #[arg(long, value_name = "DIR", default_value = "ablations")]
    pub out: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Arguments of `config`.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    /// Key to explain, for example learner.batch_size; or a section, for example learner.
    pub key: Option<String>,
    /// Print a JSON schema of config files, for editors.
    #[arg(long, conflicts_with = "key")]
    pub schema: bool,
}

/// Arguments of `docs`.
#[derive(Args, Debug)]
pub struct DocsArgs {
    /// The page, for example players or checkpoints/released/pylos.
    pub page: Option<String>,
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// The run folder, for example checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
    /// Check against a tablebase (see `selfplay tablebase build`): the share of actions in a sample of recent games that
    /// preserve the value, and whether the search's proofs are right.
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Verify the checksum of every report, shard and checkpoint instead.
    #[arg(long, conflicts_with = "table")]
    pub check: bool,
}

/// Arguments of `clean`.
#[derive(Args, Debug)]
pub struct CleanArgs {
    /// The run folder, for example checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
    /// List what would be deleted, and delete nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Keep the newest generations whole [default: retention.keep_last of the run's config].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_last: Option<u32>,
    /// Keep the network of every Nth generation; 0 for none [default: retention.keep_networks_every of the run's config].
    #[arg(long, value_name = "N")]
    pub keep_networks_every: Option<u32>,
    /// Keep all games.
    #[arg(long)]
    pub keep_games: bool,
}

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct WatchArgs {
    /// The run folder, for example checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
    /// Print one line per event until the run stops, as without a terminal.
    #[arg(long)]
    pub lines: bool,
}

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Run folders, for example checkpoints/sum15-4-quickstart; several are compared.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Folder of the report [default: report/ in the run folder].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write plots as SVG only, without PNG: a sixth of the size.
    #[arg(long)]
    pub no_png: bool,
    /// Check against a tablebase (see `selfplay tablebase build`): how often up to twelve generations lose value in random
    /// positions.
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Random positions per generation, with --table.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "table", value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,
}
