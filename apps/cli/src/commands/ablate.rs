//! `ablate`: variants of a config trained with the same CPU time, then held against each other and the ladder.
//!
//! ```text
//! ablations/<name>/
//!   runs/<variant>-seed1/       a run folder each, without gate
//!   games/seed1-<hash>.jsonl    the games that rate them, a file for each two players
//!   ablation.md .csv .svg .png  the table and its plot
//! ```
//!
//! Runs and matches resume where they stopped.

mod table;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use selfplay_arena::{MatchConfig, Participant, play_recorded_match};
use selfplay_env::rng::derive_seed;
use selfplay_network::training::Schedule;
use selfplay_notebooks_export::files::write_file;
use selfplay_notebooks_export::write_ablation;
use selfplay_players::{PlayerKinds, PlayerSpec, build_player};
use selfplay_ratings::Encounter;
use selfplay_registry::{GameRef, Games};

use crate::args::{AblateArgs, MachineArgs};
use crate::commands::ablate::table::{Ablation, SeedMatches};
use crate::commands::train::{hours, open_run};
use crate::contest::{LiveTable, setting};
use crate::error::CliError;
use crate::interrupt::say_when_interrupted;
use crate::progress::{EventFormat, Followed};
use crate::variants::{Variant, variants_of};
use selfplay_pipeline::Agents;
use selfplay_pipeline::config::RunConfig;
use selfplay_pipeline::doctor::{DiagnosisInput, diagnose, generations_of};
use selfplay_pipeline::training::Training;
use selfplay_pipeline::{GateMode, StopCondition, run_training};

/// More than any ablation reaches: its CPU time ends it.
const GENERATIONS: u32 = 100_000;
/// Keeps the openings of the matches apart from other random choices.
const MATCH_STREAM: u64 = 0xAB1A;

/// Trains and rates all variants, and writes the table.
///
/// # Errors
/// If the config, a factor or a file is wrong, or training diverges; what is complete stays complete.
pub fn ablate(
    args: &AblateArgs,
    games: &Games,
    commit: Option<&'static str>,
    out: &mut (dyn Write + Send),
) -> Result<(), CliError> {
    say_when_interrupted("completed work is saved; run the same command to resume");
    let variants = variants_of(&args.factor)?;
    let budget = hours(args.hours);
    let base = RunConfig::load(&args.config, &args.set, games)?;
    let folder = match &args.name {
        Some(name) => args.out.join(name),
        None => {
            let stem = args.config.file_stem().unwrap_or_default().to_string_lossy();
            args.out.join(format!("{}-{stem}", base.game))
        }
    };
    let ladder: Vec<String> = base.gate.eval_opponents.iter().map(ToString::to_string).collect();
    if let Some(variant) = variants.iter().find(|variant| ladder.contains(&variant.name)) {
        return Err(CliError::Option {
            option: "--factor",
            value: variant.name.clone(),
            expected: "a name that no player of the ladder has",
        });
    }
    // Every config and match is checked before the first hours are spent.
    let mut plans = Vec::new();
    for seed in 0..u64::from(args.seeds) {
        match_config(args, &base, base.seed + seed).validate()?;
        for variant in &variants {
            let plan = Plan::new(args, games, &folder, &base, variant, base.seed + seed)?;
            agent_of(&plan.folder, args, games.players())?;
            plans.push(plan);
        }
    }
    let mut trained = Vec::new();
    for plan in plans {
        writeln!(out, "{} with seed {}", plan.variant.name, plan.config.seed)?;
        trained.push(plan.train(budget, args.machine, games, commit, out)?);
    }
    let game = games.find(&base.game)?;
    let matches =
        Matches { game, kinds: games.players(), args, folder: &folder, base: &base, trained: &trained }.play_all()?;
    let ablation = Ablation { args, base: &base, variants: &variants, trained: &trained, matches: &matches };
    let rows = ablation.rows()?;
    fs::create_dir_all(&folder).map_err(CliError::io(&folder))?;
    let heading = format!("{}, {} CPU-hours each", base.game, args.hours);
    let mut files = write_ablation(&folder, &heading, &rows)?;
    let text = folder.join("ablation.md");
    let markdown = ablation.markdown(&rows);
    write_file(&text, markdown.as_bytes())?;
    files.insert(0, text);
    writeln!(out, "\n{markdown}")?;
    files.iter().try_for_each(|file| writeln!(out, "{}", file.display()))?;
    Ok(())
}

/// A run that is to be trained.
struct Plan {
    variant: Variant,
    config: RunConfig,
    folder: PathBuf,
}

/// A run that is trained.
struct Trained {
    variant: Variant,
    seed: u64,
    network: PathBuf,
    generations: u32,
    cpu_seconds: f64,
    games: u64,
    positions: u64,
    simulations: u64,
    losses: Option<[f64; 2]>,
    /// What the doctor sees at the end.
    notes: Vec<String>,
}

impl Plan {
    fn new(
        args: &AblateArgs,
        games: &Games,
        folder: &Path,
        base: &RunConfig,
        variant: &Variant,
        seed: u64,
    ) -> Result<Self, CliError> {
        let config = RunConfig::load(&args.config, &[&args.set[..], &variant.set].concat(), games)?;
        let misfits = [
            (config.game != base.game, "variants of one game: players of different games cannot meet"),
            (config.seed != base.seed, "another key: --seeds trains all variants with several seeds"),
            (config.generations != base.generations, "another key: --hours is what ends the runs"),
            (config.gate != base.gate, "a key of training: these runs have no gate"),
            (
                matches!(config.learner.schedule, Schedule::Plateau { .. }),
                "another learner.schedule: these runs have no gate to see a plateau with",
            ),
        ];
        if let Some((_, expected)) = misfits.into_iter().find(|(is_misfit, _)| *is_misfit) {
            return Err(CliError::Option { option: "--factor", value: variant.name.clone(), expected });
        }
        let config = RunConfig { seed, generations: GENERATIONS, ..config };
        let folder = folder.join("runs").join(format!("{}-seed{seed}", variant.file_name()));
        Ok(Plan { variant: variant.clone(), config, folder })
    }

    fn train(
        mut self,
        budget: Duration,
        machine: MachineArgs,
        games: &Games,
        commit: Option<&'static str>,
        out: &mut (dyn Write + Send),
    ) -> Result<Trained, CliError> {
        let (run, _lock) = open_run(&self.folder, &mut self.config, games)?;
        let followed = Followed::new(out, EventFormat::Text, None);
        let training = Training::new(run, self.config, machine.machine(), games, &followed)?.built_from(commit);
        let until = StopCondition::CpuTime(budget);
        let generations = run_training(&training, until, GateMode::None)?;
        followed.finish()?;
        let mut history = generations_of(&training.run)?;
        history.truncate(generations as usize);
        if history.split_last().is_some_and(|(_, before)| until.is_reached(before, Duration::ZERO)) {
            return Err(CliError::Option {
                option: "--hours",
                value: (budget.as_secs_f64() / 3600.0).to_string(),
                expected: "the runs in this folder already trained longer; give at least as many hours, or another --name",
            });
        }
        let diagnostics = diagnose(&history, DiagnosisInput::for_run(&training.run, &training.config));
        let mut trained = Trained {
            variant: self.variant,
            seed: training.config.seed,
            network: training.run.network(generations),
            generations,
            cpu_seconds: 0.0,
            games: 0,
            positions: 0,
            simulations: 0,
            losses: None,
            notes: diagnostics.into_iter().map(|diagnostic| diagnostic.seen).collect(),
        };
        for generation in &history {
            let summary = &generation.selfplay.summary;
            trained.cpu_seconds += generation.training_cpu_seconds();
            trained.games += summary.games;
            trained.positions += summary.positions;
            trained.simulations += summary.simulations;
            let losses = generation.learn.as_ref().and_then(|learn| learn.losses.last());
            trained.losses = losses.map(|last| [last.policy_loss, last.value_loss]);
        }
        Ok(trained)
    }
}

/// All matches: variants of one seed against each other, and each run against the ladder.
struct Matches<'a> {
    game: GameRef,
    kinds: &'a PlayerKinds,
    args: &'a AblateArgs,
    folder: &'a Path,
    base: &'a RunConfig,
    trained: &'a [Trained],
}

impl Matches<'_> {
    fn play_all(&self) -> Result<Vec<SeedMatches>, CliError> {
        let agents = Agents::for_many_games(self.args.machine.machine());
        let ladder: Vec<(String, PlayerSpec)> =
            self.base.gate.eval_opponents.iter().map(|spec| (spec.to_string(), spec.clone())).collect();
        let mut matches: Vec<SeedMatches> = Vec::new();
        for (index, run) in self.trained.iter().enumerate() {
            let spec = agent_of(&run.network, self.args, self.kinds)?;
            let rivals = self.trained[index + 1..].iter().filter(|rival| rival.seed == run.seed);
            let rivals =
                rivals.map(|rival| Ok((rival.variant.name.clone(), agent_of(&rival.network, self.args, self.kinds)?)));
            let rivals = rivals.chain(ladder.iter().cloned().map(Ok)).collect::<Result<Vec<_>, CliError>>()?;
            for (name, rival) in rivals {
                let players = [(run.variant.name.clone(), spec.clone()), (name, rival)];
                let encounter = self.play(run.seed, &players, &agents)?;
                match matches.iter_mut().find(|matches| matches.seed == run.seed) {
                    Some(matches) => matches.encounters.push(encounter),
                    None => matches.push(SeedMatches { seed: run.seed, encounters: vec![encounter] }),
                }
            }
        }
        Ok(matches)
    }
}

/// The agent of the network in a folder, as it plays in the matches.
fn agent_of(network: &Path, args: &AblateArgs, kinds: &PlayerKinds) -> Result<PlayerSpec, CliError> {
    Ok(kinds.parse(&format!("{},{}", PlayerSpec::for_agent(network), args.limit))?)
}

/// How two agents that were trained with `seed` meet.
fn match_config(args: &AblateArgs, base: &RunConfig, seed: u64) -> MatchConfig {
    MatchConfig {
        pairs: args.pairs as usize,
        opening_plies: args.opening_plies as usize,
        // The same openings for all, so that luck with them is shared.
        seed: derive_seed(&[base.seed, MATCH_STREAM, seed]),
        ..MatchConfig::default()
    }
}

impl Matches<'_> {
    fn play(&self, seed: u64, players: &[(String, PlayerSpec); 2], agents: &Agents) -> Result<Encounter, CliError> {
        let [(a, spec_a), (b, spec_b)] = players;
        let config = match_config(self.args, self.base, seed);
        let setting = setting(&self.args.machine, &[spec_a.clone(), spec_b.clone()], None);
        let folder = self.folder.join("games");
        fs::create_dir_all(&folder).map_err(CliError::io(&folder))?;
        let plan = serde_json::to_vec(&(a, b, spec_a, spec_b, &config)).expect("plain data");
        let path = folder.join(format!("seed{seed}-{:08x}.jsonl", crc32fast::hash(&plan)));
        let participant = |spec| Participant::new(move || build_player(self.game, spec, agents));
        let participants = [participant(spec_a)?, participant(spec_b)?];
        let mut live = LiveTable::new(&format!("{a} against {b}"), 2 * config.pairs, None);
        let report = play_recorded_match(self.game, &participants, &config, &setting, &path, &mut live)?;
        drop(live);
        Ok(Encounter { a: a.clone(), b: b.clone(), pair_counts: report.pair_counts() })
    }
}
