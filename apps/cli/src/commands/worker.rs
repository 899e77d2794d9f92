//! `worker`: plays for runs that other machines train.

use std::collections::BTreeMap;
use std::env::temp_dir;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use selfplay_cluster::connection::connect;
use selfplay_cluster::wire::TaskKey;
use selfplay_cluster::worker::host_name;
use selfplay_cluster::{ClusterError, Worker, WorkerNews, WorkerOptions, WorkerStatus};
use selfplay_frontends::serve::stop_signal;
use selfplay_pipeline::all_cores;
use selfplay_registry::Games;
use tokio::sync::watch;

use crate::args::WorkerArgs;
use crate::error::CliError;
use crate::progress::PhaseBar;

/// How often what is shown on a terminal is looked at.
const PERIOD: Duration = Duration::from_millis(500);

/// Works until it receives a request to stop, or has been idle for as long as it may be.
///
/// # Errors
/// If the server cannot be used, all runs reject this program, or the outbox does.
pub fn worker(args: &WorkerArgs, games: &Games, out: &mut (dyn Write + Send)) -> Result<(), CliError> {
    let threads = args.threads.map_or_else(all_cores, usize::from);
    let options = WorkerOptions {
        name: args.name.clone().unwrap_or_else(host_name),
        threads,
        runs: args.run.clone(),
        idle_exit: args.idle_exit.map(Duration::from_secs),
        outbox: args.outbox.clone().unwrap_or_else(default_outbox),
    };
    let refused = |error: std::io::Error| CliError::Io { path: "threads".into(), source: error };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(threads + 64)
        .enable_all()
        .build()
        .map_err(refused)?;
    let link = args.link();
    writeln!(out, "selfplay {} looking for runs at {}", env!("CARGO_PKG_VERSION"), link.url)?;
    let (tell, told) = mpsc::channel::<WorkerNews>();
    let (stop, stopped) = watch::channel(false);
    std::thread::scope(|scope| -> Result<(), CliError> {
        let (shown, mut shows) = watch::channel(None::<Arc<Worker>>);
        let printed = scope.spawn(move || print_news(out, &told, &mut shows));
        let ended = runtime.block_on(async {
            tokio::spawn(async move {
                stop_signal().await;
                let _ = stop.send(true);
            });
            let mut early = stopped.clone();
            let name = format!("selfplay worker {}", options.name);
            let client = tokio::select! {
                client = connect(&link, &name, options.idle_exit) => client?,
                _ = early.wait_for(|&stops| stops) => return Ok(()),
            };
            let hears = tell.clone();
            let told = Arc::new(move |news: &WorkerNews| drop(hears.send(news.clone())));
            let worker = Worker::new(client, options, games.clone(), told)?;
            let _ = shown.send(Some(worker.clone()));
            worker.work(stopped).await
        });
        drop((tell, shown));
        // Unfinished games are given back, so nothing waits for their threads.
        runtime.shutdown_background();
        printed.join().expect("printing does not panic")?;
        ended.map_err(|error: ClusterError| error.into())
    })
}

/// Prints events until their senders are dropped, and shows the worker's status on a terminal.
fn print_news(
    out: &mut (dyn Write + Send),
    told: &mpsc::Receiver<WorkerNews>,
    shows: &mut watch::Receiver<Option<Arc<Worker>>>,
) -> Result<(), CliError> {
    let wheel = PhaseBar::spinner("worker");
    let mut summary = Summary::default();
    loop {
        match told.recv_timeout(PERIOD) {
            Ok(news) => {
                if let Some(line) = summary.add(&news) {
                    writeln!(out, "{line}")?;
                    out.flush()?;
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if let Some(worker) = &*shows.borrow_and_update() {
                    wheel.say(status_line(&worker.status()));
                }
                if shows.has_changed().is_err() {
                    return Ok(());
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// The worker's status in one line.
fn status_line(status: &WorkerStatus) -> String {
    if status.runs.is_empty() {
        return "looking for a run".into();
    }
    let playing = match status.playing.as_slice() {
        [] => "waiting for tasks".to_owned(),
        tasks => tasks.iter().map(TaskKey::to_string).collect::<Vec<_>>().join(", "),
    };
    let waiting = if status.waiting > 0 { format!(", {} being sent", status.waiting) } else { String::new() };
    format!("{playing}; {} done{waiting}", status.stored)
}

/// Turns news into lines: results are reported generation by generation rather than one by one.
#[derive(Default)]
struct Summary {
    /// Games of each run's newest generation, and the seconds that they took.
    games: BTreeMap<String, (u32, u32, f64)>,
}

impl Summary {
    fn add(&mut self, news: &WorkerNews) -> Option<String> {
        let WorkerNews::Delivered { run, key, seconds, status } = news else { return Some(news.to_string()) };
        if *status != selfplay_cluster::wire::ResultStatus::Stored {
            return Some(news.to_string());
        }
        let TaskKey::GameRange { generation, count, .. } = *key else { return None };
        let (newest, games, spent) = self.games.entry(run.clone()).or_insert((generation, 0, 0.0));
        let before = (*newest, *games, *spent);
        if generation == *newest {
            (*games, *spent) = (*games + count, *spent + seconds);
            return None;
        }
        (*newest, *games, *spent) = (generation, count, *seconds);
        let (newest, games, spent) = before;
        Some(format!("{run}: {games} games of generation {newest}, {:.2} s each", spent / f64::from(games.max(1))))
    }
}

/// Where results wait unless somebody says: the user's cache.
fn default_outbox() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.unwrap_or_else(temp_dir).join("selfplay").join("outbox")
}
