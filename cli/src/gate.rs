//! The gate phase: matches of a candidate against champion and ladder, the verdict, and the baselines themselves.

use std::io::Write;

use selfplay_env::rng::derive_seed;
use selfplay_eval::{
    Champion, EvalError, LadderRecord, MatchSetting, MatchSummary, Pacing, Player, SearchPlayerConfig, SpecSymmetry,
    build_player, play_ladder, play_match,
};
use selfplay_kit::GameRef;
use selfplay_mcts::Network;
use selfplay_network::NetworkEvaluator;
use selfplay_network::checkpoint::load_network;

use crate::agents::Agents;
use crate::error::CliError;
use crate::phase::{BaselinesReport, GateReport, Phase, PhaseClock, agent_name};
use crate::progress::PhaseBar;
use crate::training::Training;

/// Keep the openings of different kinds of match apart; those against the ladder are the same for every generation.
const BASELINE_STREAM: u64 = 0xBA5E;
const LADDER_STREAM: u64 = 0x1ADD;
const CHAMPION_STREAM: u64 = 0xC4A3;
/// Share of repeated games in a match above which the user is told.
const MOST_DUPLICATES: f64 = 0.25;

/// Plays the baselines of the ladder against each other, unless that is done, so that their ratings rest on more than
/// the candidates' games.
///
/// # Errors
/// If a match fails or a file refuses.
pub fn measure_baselines(training: &Training, out: &mut dyn Write) -> Result<(), CliError> {
    let Training { run, config, game, .. } = training;
    if run.completed::<BaselinesReport>(0, Phase::Baselines)?.is_some() {
        return Ok(());
    }
    let clock = PhaseClock::start();
    let (gate, agents) = (&config.gate, Agents::of_run(training));
    let rungs = gate.ladder.len();
    let bar = PhaseBar::new("baselines", (rungs * rungs.saturating_sub(1) * gate.ladder_pairs) as u64, "games");
    let mut matches = Vec::new();
    for (index, a) in gate.ladder.iter().enumerate() {
        let seed = derive_seed(&[config.seed, BASELINE_STREAM, index as u64]);
        let rest = &gate.ladder[index + 1..];
        let make = || build_player(*game, a, &agents);
        let setting = MatchSetting { pacing: Pacing::of([a]), ..MatchSetting::default() };
        let reports = play_ladder(*game, make, rest, &agents, &gate.ladder_match(seed), &setting, |_, _| bar.tick())?;
        matches.extend(reports.iter().map(MatchSummary::from));
    }
    drop(bar);
    let report = BaselinesReport { matches, time: clock.stop() };
    run.complete(0, Phase::Baselines, &report)?;
    writeln!(out, "baselines       {} matches, {:.1} s", report.matches.len(), report.time.wall_seconds)?;
    Ok(())
}

/// The champion that a candidate has to pass.
pub struct Reigning {
    /// Its generation.
    pub generation: u32,
    /// Its own record against the ladder.
    pub ladder: LadderRecord,
}

/// A gate report, and whether it was made in this call.
pub struct Judged {
    /// The report.
    pub report: GateReport,
    /// False if it was found in the run folder.
    pub is_new: bool,
}

/// Puts the generation's network to the gate, with `champion` as it was before, unless that is done.
///
/// # Errors
/// If a checkpoint cannot be read, a match fails or a file refuses.
pub fn judge(
    training: &Training,
    generation: u32,
    champion: Option<&Reigning>,
    out: &mut dyn Write,
) -> Result<Judged, CliError> {
    let Training { run, config, game, .. } = training;
    if let Some(report) = run.completed::<GateReport>(generation, Phase::Gate)? {
        return Ok(Judged { report, is_new: false });
    }
    let clock = PhaseClock::start();
    let gate = &config.gate;
    let candidate = Contestant::load(training, generation)?;
    let pairs = gate.ladder_pairs * gate.ladder.len() + champion.map_or(0, |_| gate.pairs);
    let bar = PhaseBar::of_phase(run.path(), "gate", generation, 2 * pairs as u64, "games");

    let ladder_match = gate.ladder_match(derive_seed(&[config.seed, LADDER_STREAM]));
    let agents = Agents::of_run(training);
    let climber = || candidate.player();
    let reports =
        play_ladder(*game, climber, &gate.ladder, &agents, &ladder_match, &gate.setting(), |_, _| bar.tick())?;
    let ladder = LadderRecord::from_reports(&reports);
    let mut matches: Vec<MatchSummary> = reports.iter().map(MatchSummary::from).collect();

    let verdict = match champion {
        None => gate.decide(&ladder, None)?,
        Some(champion) => {
            let opponent = Contestant::load(training, champion.generation)?;
            let seed = derive_seed(&[config.seed, CHAMPION_STREAM, generation.into()]);
            let config = gate.champion_match(seed);
            let stop = gate.stop_rule();
            let setting = MatchSetting { stop: Some(&stop), ..gate.setting() };
            let report = play_match(*game, climber, || opponent.player(), &config, &setting, |_| bar.tick())?;
            let summary = MatchSummary::from(&report);
            matches.push(match gate.sprt {
                Some(sprt) => summary.with_sprt(sprt),
                None => summary,
            });
            gate.decide(&ladder, Some(Champion { pair_counts: &report.pair_counts(), ladder: &champion.ladder }))?
        }
    };
    drop(bar);
    let champion = champion.map(|champion| champion.generation);
    let report = GateReport { matches, ladder, champion, verdict, time: clock.stop() };
    run.complete(generation, Phase::Gate, &report)?;
    warn_of_duplicates(generation, &report.matches);
    writeln!(out, "generation {generation:>3}  gate       {}, {:.1} s", report.verdict, report.time.wall_seconds)?;
    Ok(Judged { report, is_new: true })
}

/// Repeated games say nothing new: verdict and ratings look surer than they are.
fn warn_of_duplicates(generation: u32, matches: &[MatchSummary]) {
    for played in matches.iter().filter(|played| played.duplicates > MOST_DUPLICATES) {
        let percent = 100.0 * played.duplicates;
        let MatchSummary { a, b, .. } = played;
        tracing::warn!(
            "generation {generation}: {percent:.0} % of the games of {a} against {b} repeat another; raise gate.opening_decisions"
        );
    }
}

/// A generation's network, ready to be seated at many tables.
struct Contestant {
    game: GameRef,
    name: String,
    evaluator: NetworkEvaluator,
    config: SearchPlayerConfig,
}

impl Contestant {
    fn load(training: &Training, generation: u32) -> Result<Self, CliError> {
        let (game, device) = (training.game, training.machine.device.open()?);
        let (network, _) = load_network(&training.run.network(generation), game.shape(), &device)?;
        let config = SearchPlayerConfig {
            search: training.config.selfplay.search.clone(),
            limits: training.config.gate.limits(),
            leaves_per_gather: 1,
            ..SearchPlayerConfig::default()
        };
        let precision = training.config.precision.resolve();
        let evaluator = NetworkEvaluator::new(game, &network, training.machine.device, &device, precision);
        Ok(Contestant { game, name: agent_name(generation), evaluator, config })
    }

    fn player(&self) -> Result<Box<dyn Player>, EvalError> {
        let networks = vec![self.evaluator.another()];
        self.game.search_player(self.name.clone(), self.config.clone(), networks, SpecSymmetry::Identity)
    }
}
