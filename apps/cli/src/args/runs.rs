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
    /// The run's config: a TOML file, or the name of one that comes with the program, such as sum15-4/quickstart; or the
    /// id of a game, or a Python file with one, with --hours: a config is then planned for that time by a probe of this
    /// machine, explained and kept as GAME-Hh.toml.
    #[arg(value_name = "CONFIG|GAME", value_parser = config_or_game)]
    pub config: PathBuf,
    /// Name of the run's folder [default: game and name of the config].
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Change a key of the config, as in --set selfplay.simulations=64. May be given often.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Begin no new generation after this many hours (of real time, in this call).
    #[arg(long, value_name = "H", value_parser = hours)]
    pub hours: Option<f64>,
    /// Folder that holds the run folders.
    #[arg(long, value_name = "DIR", default_value = "checkpoints")]
    pub checkpoints: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub nats: NatsArgs,
    /// When the disk is full, wait for room instead of ending.
    #[arg(long)]
    pub wait_for_space: bool,
    /// Between generations, wait for a line on standard input: for programs that look at the run then. The end of the input
    /// stops, as --hours does.
    #[arg(long)]
    pub step: bool,
    /// How standard output tells what happens.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = EventFormat::Text)]
    pub events: EventFormat,
    /// Let other machines play alone; this one learns.
    #[arg(long, requires = "url")]
    pub no_play: bool,
    /// Mebibytes of results that the NATS server keeps; workers wait when it is full.
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
    /// Share the games with workers on other machines over the NATS server there (see docs/cluster.md): nats://HOST:PORT,
    /// or tls://HOST:PORT.
    #[arg(long = "nats", value_name = "URL")]
    pub url: Option<String>,
    /// File with user and password, token or nkey for the NATS server; the environment is asked, too: SELFPLAY_NATS_USER and
    /// so on.
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
    /// The NATS server over which the machines work together (see docs/cluster.md): nats://HOST:PORT, or tls://HOST:PORT.
    #[arg(long, value_name = "URL")]
    pub nats: String,
    /// File with user and password, token or nkey for the NATS server; the environment is asked, too: SELFPLAY_NATS_USER and
    /// so on.
    #[arg(long, value_name = "FILE")]
    pub nats_credentials: Option<PathBuf>,
    /// Games are played on so many threads [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Play for the run with this name only. May be given often [default: for all there are].
    #[arg(long, value_name = "NAME")]
    pub run: Vec<String>,
    /// End after so many seconds without anything to do [default: wait for ever].
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60")]
    pub idle_exit: Option<u64>,
    /// The worker's name among others [default: that of this machine].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Folder in which results wait until the learner has them [default: selfplay/outbox in the user's cache].
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
    /// The config that is varied: a TOML file, or the name of one that comes with the program.
    pub config: PathBuf,
    /// A key and the values to try, each as a variant beside the config as it is, as in
    /// --factor replay.replay_ratio=2,8; or several keys that are changed together, as in
    /// --factor 'replay.replay_ratio=2 & learner.batch_size=128'. A name for tables and folders may stand before one
    /// variant: --factor 'small batches: learner.batch_size=128'. May be given often.
    #[arg(long, value_name = "KEY=V1,V2,…")]
    pub factor: Vec<String>,
    /// CPU time of self-play and learning that each run gets, in hours.
    #[arg(long, value_name = "H", value_parser = hours)]
    pub hours: f64,
    /// Change a key in all variants, as in train. May be given often.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Runs of each variant, with seeds that follow each other.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub seeds: u32,
    /// Game pairs between each two players.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub pairs: u32,
    /// Random decisions that open each pair.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub opening_decisions: u32,
    /// What limits the agents in the matches, as in a player's spec: simulations=N or time=T.
    #[arg(long, value_name = "LIMIT", default_value = "simulations=100")]
    pub limit: String,
    /// Name of the folder for runs, games and tables [default: game and name of the config].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Folder that holds the ablations.
    #[arg(long, value_name = "DIR", default_value = "ablations")]
    pub out: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Arguments of `config`.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    /// The key to explain, such as learner.batch_size; or a section, such as learner.
    pub key: Option<String>,
    /// Print a JSON schema of config files, for the completion and checks of editors (such as Taplo).
    #[arg(long, conflicts_with = "key")]
    pub schema: bool,
}

/// Arguments of `docs`.
#[derive(Args, Debug)]
pub struct DocsArgs {
    /// The page, such as players, or checkpoints/released/pylos.
    pub page: Option<String>,
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// The run's folder, such as checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
    /// A table of the game (see `selfplay tabulate`): say how many decisions in a sample of the newest games keep
    /// the value of their position, and whether what searches proved there is true.
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Read every report, shard and checkpoint to its end instead: is each as it was written?
    #[arg(long, conflicts_with = "table")]
    pub check: bool,
}

/// Arguments of `clean`.
#[derive(Args, Debug)]
pub struct CleanArgs {
    /// The run's folder, such as checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
    /// Only list what would be removed.
    #[arg(long)]
    pub dry_run: bool,
    /// So many of the newest generations stay whole [default: keep.newest of the run's config].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub newest: Option<u32>,
    /// Networks of every so many generations stay; 0 for none [default: keep.networks_every of the run's config].
    #[arg(long, value_name = "N")]
    pub networks_every: Option<u32>,
    /// All games stay.
    #[arg(long)]
    pub games: bool,
}

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct WatchArgs {
    /// The run's folder, such as checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
    /// Print a line for each event until the run stops, as without a terminal.
    #[arg(long)]
    pub lines: bool,
}

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Folders of runs, such as checkpoints/sum15-4-quickstart; several are compared.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Folder of the report [default: report/ in the run's own].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Plots as SVG alone, without PNG: a sixth of the size.
    #[arg(long)]
    pub no_png: bool,
    /// A table of the runs' game (see `selfplay tabulate`): show how often the decisions of at most twelve generations
    /// give value away in random positions.
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Positions that each generation decides in, with --table.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "table", value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,
}
