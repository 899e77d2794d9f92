//! `train`: a run, from its config or planned for a game and a time.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(feature = "cluster")]
use selfplay_cluster::{Cluster, ClusterOptions};
use selfplay_pipeline::budget::plan_for;
use selfplay_pipeline::events::{ChampionSummary, Finished};
#[cfg(feature = "cluster")]
use selfplay_pipeline::learning::untrained_network;
use selfplay_pipeline::resources::config_file as shipped_config;
use selfplay_pipeline::{
    Event, GateMode, Observer, Results, RunConfig, RunFolder, RunLock, RunOutput, StopCondition, Training, run_training,
};
use selfplay_players::PlayerSpec;
use selfplay_python_game::file_of;
use selfplay_registry::Games;
use selfplay_storage::write_file;

use crate::args::{BACKEND, TrainArgs};
use crate::error::CliError;
use crate::interrupt::{report_when_interrupted, say_when_interrupted};
use crate::progress::{EventFormat, Followed, PhaseBar};
use crate::space::with_room;

const WHEN_INTERRUPTED: &str = "completed work is saved; run the same command to resume";

/// Opens the run folder and goes through the loop.
///
/// # Errors
/// If the config or the run folder is wrong, a file cannot be read or written, or training diverges; what is complete stays complete.
pub fn train(
    args: &TrainArgs,
    games: &Games,
    commit: Option<&'static str>,
    out: &mut (dyn Write + Send),
) -> Result<(), CliError> {
    // What programs read is not wrapped, and its last line may come from a signal.
    let mut stdout = io::stdout();
    let out = match args.events {
        EventFormat::Text => out,
        EventFormat::Json => {
            report_when_interrupted(WHEN_INTERRUPTED);
            &mut stdout
        }
    };
    let followed = Followed::new(out, args.events, args.hours.map(hours)).stepped(args.step);
    match run(args, games, commit, &followed) {
        Ok(finished) => followed.on_event(&Event::Finished(finished)),
        Err(error) => {
            followed.on_event(&Event::Failed { error: error.to_string() });
            return Err(error);
        }
    }
    Ok(followed.finish()?)
}

fn run(
    args: &TrainArgs,
    games: &Games,
    commit: Option<&'static str>,
    followed: &Followed<'_>,
) -> Result<Finished, CliError> {
    let until = args.hours.map_or(StopCondition::LastGeneration, |time| StopCondition::Elapsed(hours(time)));
    // Before there is a folder that somebody would wonder about.
    BACKEND.check(args.machine.device)?;
    #[cfg(not(feature = "cluster"))]
    if args.nats.url.is_some() {
        return Err(CliError::NotBuilt { what: "`--nats`", feature: "cluster" });
    }
    let file = config_file(args, games, followed)?;
    let mut config = RunConfig::load(&file, &args.set, games)?;
    let path = args.checkpoints.join(run_name(args.run.as_deref(), &file, &config)?);
    let (run, _lock) = open_run(&path, &mut config, games)?;
    followed.on_event(&Event::RunOpened {
        game: config.game.clone(),
        run: path.display().to_string(),
        generations: config.generations,
    });
    if args.events == EventFormat::Text {
        say_when_interrupted(WHEN_INTERRUPTED);
    }
    let training = Training::new(run, config, args.machine.machine(), games, followed)?.built_from(commit);
    #[cfg(feature = "cluster")]
    let cluster = args.nats.url.as_ref().map(|url| start_cluster(args, url, &training)).transpose()?;
    #[cfg(feature = "cluster")]
    let training = match &cluster {
        Some(cluster) => training.played_by(cluster),
        None => training,
    };
    let mut output = RunOutput::default();
    let results = with_room(args.wait_for_space, until, followed, |until| {
        run_training(&training, until, GateMode::EachGeneration(&mut output))?;
        let _wheel = (args.events == EventFormat::Text).then(|| PhaseBar::spinner("ratings, tables and plots"));
        output.write(&training)
    })?;
    finished(&training, results)
}

/// Begins to share the games of a run with other machines.
#[cfg(feature = "cluster")]
fn start_cluster(args: &TrainArgs, url: &str, training: &Training) -> Result<Cluster, CliError> {
    // What other machines show that they compute alike with.
    untrained_network(training)?;
    let results_bytes = u64::from(args.nats_results_mib) << 20;
    let options = ClusterOptions { link: args.nats.link(url), plays: !args.no_play, results_bytes };
    Ok(Cluster::start(options, training)?)
}

/// Creates or resumes the run in the folder at `path`. The run folder keeps a copy of a custom game's rules.
///
/// # Errors
/// If the run has begun with another config or other rules, is in use, or its folder cannot be written.
pub fn open_run(path: &Path, config: &mut RunConfig, games: &Games) -> Result<(RunFolder, RunLock), CliError> {
    let (run, lock) = RunFolder::create_or_resume(path, config, games)?;
    if let Some(file) = file_of(&config.game) {
        run.keep_rules(&file.source)?;
    }
    Ok((run, lock))
}

/// A time given in hours, in the range of the option.
pub fn hours(hours: f64) -> Duration {
    Duration::from_secs_f64(hours * 3600.0)
}

/// The config's file: as given, or one that comes with the program, or planned for a game and kept, unless it was before.
///
/// # Errors
/// If a game has no time to plan for, a probe fails, or the file cannot be written.
fn config_file(args: &TrainArgs, games: &Games, observer: &dyn Observer) -> Result<PathBuf, CliError> {
    let file = shipped_config(&args.config);
    // A folder may have the name of a game.
    if file.exists() && !file.is_dir() {
        return Ok(file);
    }
    let name = args.config.to_string_lossy();
    let game = match games.find(&name) {
        Ok(game) => game,
        // Whoever writes a path or an ending means a file.
        Err(_) if name.contains(['/', '.']) => return Ok(file),
        Err(unknown) => return Err(CliError::NeitherConfigNorGame { name: name.into(), unknown }),
    };
    let Some(hours) = args.hours else {
        return Err(CliError::NoHours { game: game.id() });
    };
    let file = PathBuf::from(format!("{}-{hours}h.toml", game.id()));
    let config = file.display().to_string();
    if file.exists() {
        observer.on_event(&Event::Planned { config, reasons: String::new() });
        return Ok(file);
    }
    observer.on_event(&Event::PlanningStarted);
    let plan = plan_for(game, &name, hours, args.machine.machine())?;
    write_file(&file, plan.toml.as_bytes())?;
    observer.on_event(&Event::Planned { config, reasons: plan.reasons });
    Ok(file)
}

/// The run's folder name: as given, or the game and the config's file name.
fn run_name(given: Option<&str>, file: &Path, config: &RunConfig) -> Result<PathBuf, CliError> {
    let Some(name) = given else {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        // As the name of a folder, whatever the file is called.
        let stem: String = stem.chars().map(|c| if is_plain_letter(c) { c } else { '-' }).collect();
        // A planned config has the game in its own name.
        let is_named = stem.starts_with(&format!("{}-", config.game));
        return Ok(if is_named { stem } else { format!("{}-{stem}", config.game) }.into());
    };
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain_letter);
    if is_plain {
        return Ok(name.into());
    }
    Err(CliError::Option {
        option: "--run",
        value: name.to_owned(),
        expected: "expected a plain folder name of letters, digits, `-`, `_` and `.`; --checkpoints DIR says where it is",
    })
}

/// Whether names of runs may have it anywhere but in front.
fn is_plain_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// What the run has come to: where everything is and how to play the champion.
///
/// # Errors
/// If the champion file is damaged.
fn finished(training: &Training<'_>, results: Results) -> Result<Finished, CliError> {
    let Training { run, config, .. } = training;
    let Some(champion) = run.champion()? else { return Ok(Finished::default()) };
    let named = |ending: &str| -> Vec<String> {
        results.files.iter().map(|path| path.display().to_string()).filter(|path| path.ends_with(ending)).collect()
    };
    let limit = match (config.gate.num_simulations, config.gate.time_ms) {
        (Some(simulations), _) => format!(",simulations={simulations}"),
        (None, Some(ms)) => format!(",time={ms}ms"),
        (None, None) => String::new(),
    };
    let spec = quoted(PlayerSpec::for_agent(run.path()) + &limit);
    let game = file_of(&config.game).map_or(config.game.clone(), |file| file.path.display().to_string());
    Ok(Finished {
        champion: Some(ChampionSummary {
            generation: champion,
            checkpoint: run.network(champion).display().to_string(),
            play: format!("{} play {} {spec}", program(), quoted(game)),
            serve: serve_command(run.path()),
            reason: results.champion_reason,
        }),
        elo: Finished::rated(&results.elo, champion),
        tables: named(".csv"),
        plots: named(".png"),
        unrated: results.unrated,
    })
}

/// The command that offers the agent of the run in `folder` in the browser.
fn serve_command(folder: &Path) -> String {
    match folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) if parent != Path::new("checkpoints") => {
            format!("{} serve --checkpoints {}", program(), quoted(parent.display().to_string()))
        }
        _ => format!("{} serve", program()),
    }
}

/// The word as a shell takes it.
fn quoted(word: String) -> String {
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "-_.:=,/".contains(c));
    if is_plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// How the user called this program.
fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "selfplay".into())
}
