//! From the phase files of a run to its tables and plots, and to the words that end a run.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use selfplay_eval::statistics::ratings::PRIOR;
use selfplay_eval::{GateDecision, MatchSummary, PlayerSpec, RatingBasis, RatingConfig, RatingTable};
use selfplay_network::AuxiliaryConfig;
use selfplay_notebooks_export::{EloRow, LossRow, MatchRow, PlayerRole, ReportRows, SelfPlayRow, write_report};

use crate::config::RunConfig;
use crate::error::CliError;
use crate::phase::{BaselinesReport, GateReport, LearnReport, Phase, PhaseTime, SelfPlayReport, agent_name};
use crate::run_folder::RunFolder;
use crate::training::Training;

/// What [`write_results`] made.
pub struct Results {
    /// The tables and plots.
    pub files: Vec<PathBuf>,
    /// The ratings in them.
    pub elo: Vec<EloRow>,
    /// Players without a rating, each with the reason.
    pub unrated: Vec<String>,
}

/// Writes all tables and plots of the run as far as it is done.
///
/// # Errors
/// If a phase file is damaged or a file refuses.
pub fn write_results(run: &RunFolder, config: &RunConfig) -> Result<Results, CliError> {
    let (rows, unrated) = collect_rows(run, config)?;
    let files = write_report(run.path(), &rows)?;
    Ok(Results { files, elo: rows.elo, unrated })
}

/// What training had used when a generation was ready.
#[derive(Clone, Copy, Default)]
struct Spent {
    cpu_seconds: f64,
    games: u64,
    simulations: u64,
}

/// The rows of all tables, and the players without a rating.
fn collect_rows(run: &RunFolder, config: &RunConfig) -> Result<(ReportRows, Vec<String>), CliError> {
    let mut rows = ReportRows::default();
    let mut matches: Vec<MatchSummary> = Vec::new();
    let mut generations: HashMap<String, (u32, Spent, PlayerRole)> = HashMap::new();
    let mut spent = Spent::default();
    if let Some(report) = run.completed::<BaselinesReport>(0, Phase::Baselines)? {
        add_matches(&mut rows, 0, &report.matches, report.time, None);
        matches.extend(report.matches);
    }
    for generation in 0..=config.generations {
        if let Some(report) = run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)? {
            spent.cpu_seconds += report.time.cpu_seconds;
            spent.games += report.summary.games;
            spent.simulations += report.summary.simulations;
            rows.selfplay.push(selfplay_row(generation, &report));
        }
        if let Some(report) = run.completed::<LearnReport>(generation, Phase::Learn)? {
            spent.cpu_seconds += report.time.cpu_seconds;
            rows.losses.extend(loss_rows(generation, &report, config.network.auxiliary));
        }
        if let Some(report) = run.completed::<GateReport>(generation, Phase::Gate)? {
            let role = if report.is_promoted() { PlayerRole::Champion } else { PlayerRole::Candidate };
            generations.insert(agent_name(generation), (generation, spent, role));
            add_matches(&mut rows, generation, &report.matches, report.time, Some(report.verdict.decision));
            matches.extend(report.matches);
        }
    }
    let (elo, unrated) = elo_rows(&matches, &generations)?;
    rows.elo = elo;
    Ok((rows, unrated))
}

/// Ratings over all matches of the run, with `random` at 0: baselines first, then the generations in order; and those
/// who have none, with the reason.
fn elo_rows(
    matches: &[MatchSummary],
    generations: &HashMap<String, (u32, Spent, PlayerRole)>,
) -> Result<(Vec<EloRow>, Vec<String>), CliError> {
    if matches.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let encounters: Vec<_> = matches.iter().map(MatchSummary::encounter).collect();
    let table = RatingTable::fit(&encounters, &RatingConfig::anchored_at(PlayerSpec::Random.to_string()))?;
    let (mut rows, mut unrated) = (Vec::new(), Vec::new());
    for rating in table.ratings {
        let Some(estimate) = rating.estimate else {
            let reason = match rating.basis {
                RatingBasis::TooFewPairs { pairs, needed } => format!("{pairs} game pairs, {needed} are needed"),
                RatingBasis::Games | RatingBasis::Prior => "its matches give no number".into(),
            };
            unrated.push(format!("{}: {reason}", rating.player));
            continue;
        };
        let generation = generations.get(&rating.player);
        rows.push(EloRow {
            generation: generation.map(|(number, ..)| *number),
            elo: estimate.elo,
            elo_low: estimate.low,
            elo_high: estimate.high,
            games: rating.games,
            score: rating.score,
            cumulative_cpu_hours: generation.map(|(_, spent, _)| spent.cpu_seconds / 3600.0),
            cumulative_games: generation.map(|(_, spent, _)| spent.games),
            cumulative_simulations: generation.map(|(_, spent, _)| spent.simulations),
            role: generation.map_or(PlayerRole::Baseline, |(.., role)| *role),
            player: rating.player,
        });
    }
    rows.sort_by_key(|row| row.generation);
    Ok((rows, unrated))
}

/// The time of a phase is dealt out over its matches by their games.
fn add_matches(
    rows: &mut ReportRows,
    generation: u32,
    matches: &[MatchSummary],
    time: PhaseTime,
    decision: Option<GateDecision>,
) {
    let games: u32 = matches.iter().map(|played| played.games).sum();
    let verdict = decision.map(|decision| match decision {
        GateDecision::Promote => "promote",
        GateDecision::Undecided => "undecided",
        GateDecision::Reject => "reject",
    });
    rows.matches.extend(matches.iter().map(|played| {
        let [pairs_0, pairs_half, pairs_1, pairs_1_half, pairs_2] = played.pentanomial.map(u64::from);
        let [forfeits_a, forfeits_b] = played.forfeits.map(u64::from);
        let test = played.sprt.map(|sprt| sprt.state);
        MatchRow {
            generation,
            a: played.a.clone(),
            b: played.b.clone(),
            games: played.games.into(),
            wins: played.wins.into(),
            draws: played.draws.into(),
            losses: played.losses.into(),
            score: played.score,
            elo: Some(played.elo),
            elo_low: Some(played.elo_low),
            elo_high: Some(played.elo_high),
            normalized_elo: played.normalized_elo,
            los: played.los,
            pairs_0,
            pairs_half,
            pairs_1,
            pairs_1_half,
            pairs_2,
            first_player_share: played.first_player_share,
            forfeits_a,
            forfeits_b,
            sprt_llr: test.map(|test| test.llr),
            sprt_lower: test.map(|test| test.lower),
            sprt_upper: test.map(|test| test.upper),
            verdict: verdict.map(str::to_owned),
            duplicates: played.duplicates,
            cpu_seconds: time.cpu_seconds * f64::from(played.games) / f64::from(games.max(1)),
        }
    }));
}

fn selfplay_row(generation: u32, report: &SelfPlayReport) -> SelfPlayRow {
    let SelfPlayReport { summary, time, .. } = report;
    SelfPlayRow {
        generation,
        games: summary.games,
        positions: summary.positions,
        simulations: summary.simulations,
        wall_seconds: time.wall_seconds,
        cpu_seconds: time.cpu_seconds,
        mean_game_decisions: summary.mean_game_decisions,
        first_wins: summary.first_wins,
        second_wins: summary.second_wins,
        draws: summary.draws,
        truncated: summary.truncated,
        policy_entropy_nats: summary.policy_entropy_nats,
        root_value_mean_abs: summary.root_value_mean_abs,
        decisions: summary.decisions,
        proven: summary.proven,
        resigned: summary.resigned,
        resignations_checked: summary.resignations_checked,
        resignations_wrong: summary.resignations_wrong,
        commonest_opening_share: summary.commonest_opening_share,
        policy_surprise_nats: summary.policy_surprise_nats,
        proven_position_share: summary.proven_position_share,
    }
}

fn loss_rows(generation: u32, report: &LearnReport, heads: AuxiliaryConfig) -> impl Iterator<Item = LossRow> {
    let last_step = report.losses.last().map(|point| point.step);
    report.losses.iter().map(move |point| {
        // Held-out games are judged once, after the last step.
        let held_out = report.held_out.filter(|_| last_step == Some(point.step));
        LossRow {
            generation,
            step: point.step,
            policy_loss: point.policy_loss,
            value_loss: point.value_loss,
            next_action_loss: heads.next_action.then_some(point.next_action_loss),
            moves_left_loss: heads.moves_left.then_some(point.moves_left_loss),
            final_state_loss: heads.final_state.then_some(point.final_state_loss),
            total_loss: point.total_loss,
            gradient_norm: point.gradient_norm,
            learning_rate: point.learning_rate,
            replay_positions: report.replay_positions,
            held_out_policy_loss: held_out.map(|held_out| held_out.policy_loss),
            held_out_value_loss: held_out.map(|held_out| held_out.value_loss),
        }
    })
}

/// Says where everything is and how to play the champion.
///
/// # Errors
/// If the champion file is damaged or the output refuses.
pub fn print_ending(training: &Training, results: &Results, out: &mut dyn Write) -> Result<(), CliError> {
    let Training { run, config, .. } = training;
    let Some(champion) = run.champion()? else { return Ok(()) };
    writeln!(out, "\nElo by maximum likelihood over all matches of the run, random = 0, prior: {PRIOR}")?;
    for row in results.elo.iter().filter(|row| row.role == PlayerRole::Baseline || row.generation == Some(champion)) {
        writeln!(out, "{:<24} Elo {:>6.0}  ({:.0} to {:.0})", row.player, row.elo, row.elo_low, row.elo_high)?;
    }
    for player in &results.unrated {
        writeln!(out, "not rated  {player}")?;
    }
    writeln!(out, "champion   {}", run.network(champion).display())?;
    let named = |ending: &str| -> Vec<String> {
        results.files.iter().map(|path| path.display().to_string()).filter(|path| path.ends_with(ending)).collect()
    };
    writeln!(out, "tables     {}", named(".csv").join("\n           "))?;
    writeln!(out, "plots      {}", named(".png").join("\n           "))?;
    let limit = match (config.gate.simulations, config.gate.time_ms) {
        (Some(simulations), _) => format!(",simulations={simulations}"),
        (None, Some(ms)) => format!(",time={ms}ms"),
        (None, None) => String::new(),
    };
    let spec = quoted(format!("search:checkpoint={}{limit}", run.path().display()));
    writeln!(out, "play it    {} play {} {spec}", program(), config.game)?;
    Ok(())
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
