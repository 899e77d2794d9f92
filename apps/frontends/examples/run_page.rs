//! The page of a made-up training run that grows for some seconds and then stops:
//! `cargo run -p selfplay-frontends --example run_page -- [PORT]`.

use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use selfplay_frontends::serve::{Catalogue, RunPage, RunPageError, RunPicture, RunSnapshot, ServeConfig, serve};
use selfplay_notebooks_export::plots::{EloAxis, elo_plot, loss_plot};
use selfplay_notebooks_export::{PhaseView, RunState, RunView, WorkerView};
use selfplay_players::NoCheckpoints;
use selfplay_shipped::shipped_games;

#[path = "../../../notebooks-export/tests/it/live/sample.rs"]
mod sample;

/// The run has so many generations at first, and so many when it stops.
const GENERATIONS: [u32; 2] = [30, 34];
const GENERATION: Duration = Duration::from_secs(3);

/// The made-up run.
#[derive(Debug)]
struct MadeUp {
    start: Instant,
    stopped_unix_seconds: u64,
}

impl MadeUp {
    fn view(&self) -> RunView {
        let [first, last] = GENERATIONS;
        let age = self.start.elapsed().as_secs_f64() / GENERATION.as_secs_f64();
        let generations = last.min(first + age as u32);
        let rows = sample::run(generations);
        let is_running = generations < last;
        let total = 400;
        let phase = PhaseView {
            name: "self-play".into(),
            generation: generations + 1,
            done: (age.fract() * total as f64) as u64,
            total,
            units: "games".into(),
            per_second: Some(total as f64 / GENERATION.as_secs_f64()),
            seconds_left: Some((1.0 - age.fract()) * GENERATION.as_secs_f64()),
        };
        RunView {
            run: "made-up".into(),
            game: "Connect Four".into(),
            state: match is_running {
                true => RunState::Running,
                false => RunState::Stopped { since_unix_seconds: self.stopped_unix_seconds },
            },
            last_generation: Some(500),
            phase: is_running.then_some(phase),
            diagnostics: rows.diagnostics.iter().map(|diagnostic| diagnostic.text.clone()).collect(),
            rows,
            cpu_share: Some(0.94),
            replay_generations: Some(18.0),
            workers: [("cellar", 2, 3), ("attic", 1, 8)].map(|(name, threads, ago)| worker(name, threads, ago)).into(),
        }
    }
}

/// A machine that was heard of so many seconds ago.
fn worker(name: &str, threads: u64, ago: u64) -> WorkerView {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    WorkerView {
        name: name.into(),
        cpu: "some CPU".into(),
        threads,
        playing: threads,
        games: 40 * threads,
        pairs: 6,
        games_per_hour: 360.0 * threads as f64,
        heard_unix_seconds: now - ago,
        refusal: None,
    }
}

impl RunPage for MadeUp {
    fn snapshot(&mut self) -> Result<RunSnapshot, RunPageError> {
        let view = self.view();
        let picture = |name: &str, title: &str, description: &str, version: usize| RunPicture {
            name: name.into(),
            title: title.into(),
            description: description.into(),
            version: version as u64,
        };
        let pictures = vec![
            picture("elo", "Elo", "Elo by CPU-hours with its 95 % band, baselines as lines", view.rows.elo.len()),
            picture("losses", "Losses", "Loss terms by training step", view.rows.losses.len()),
        ];
        Ok(RunSnapshot { status: serde_json::to_value(view.status()).map_err(RunPageError::new)?, pictures })
    }

    fn svg(&mut self, name: &str) -> Result<String, RunPageError> {
        let rows = self.view().rows;
        let plot = if name == "elo" { elo_plot(&rows.elo, EloAxis::CpuHours) } else { loss_plot(&rows.losses) };
        plot.to_svg().map_err(RunPageError::new)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).map_or(Ok(ServeConfig::default().port), |port| port.parse())?;
    let config = ServeConfig { port, ..ServeConfig::default() };
    let stop = SystemTime::now() + GENERATION * (GENERATIONS[1] - GENERATIONS[0]);
    let run = MadeUp { start: Instant::now(), stopped_unix_seconds: stop.duration_since(UNIX_EPOCH)?.as_secs() };
    let catalogue = Catalogue::new(shipped_games().map(|game| game as _), NoCheckpoints, Vec::new())?.with_run(run);
    serve(catalogue, config, |address| {
        let mut out = std::io::stdout().lock();
        // Whoever starts the server may have closed its output.
        let _ = writeln!(out, "http://{address}").and_then(|()| out.flush());
    })?;
    Ok(())
}
