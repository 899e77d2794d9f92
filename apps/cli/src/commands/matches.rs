//! `match`: game pairs between two players.

use std::io::Write;
use std::path::Path;

use selfplay_arena::{MatchConfig, MatchSummary, OpeningSuite, StopRule, play_recorded_match};
use selfplay_ratings::{SprtConfig, SprtDecision, SprtModel};
use selfplay_registry::Games;

use crate::args::{MatchArgs, OpeningsArgs, SprtModelArg};
use crate::contest::{LiveTable, games_file, match_config, participants, setting, warn_of_forfeits};
use crate::error::CliError;
use crate::interrupt::say_when_interrupted;
use crate::progress::PhaseBar;
use selfplay_pipeline::Agents;

/// Plays the match and prints its result, seen from the first player.
///
/// # Errors
/// If the game, a player or an option is wrong, the file of games belongs to another match, or the output cannot be written.
pub fn play(args: &MatchArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let config = match_config(&args.contest, args.games)?;
    let sprt = args.sprt.as_ref().map(|text| read_sprt(text, args)).transpose()?;
    let game = games.find(&args.game)?;
    let contest = &args.contest;
    let specs = [games.players().parse(&args.spec_a)?, games.players().parse(&args.spec_b)?];
    let agents = Agents::for_many_games(contest.machine.machine());
    let participants = <[_; 2]>::try_from(participants(game, &specs, &agents)?).unwrap_or_else(|_| unreachable!());
    let stop = sprt.map(stop_rule);
    let title = format!("{} vs {}", participants[0].name(), participants[1].name());
    let plan = (&config, stop.as_ref().map(|stop| &stop.name));
    let path = games_file(contest, game.id(), &title, &plan, &participants)?;
    say_when_interrupted("finished games are saved; run the same command to resume");
    let mut live = LiveTable::new("match", 2 * config.pairs, sprt);
    let setting = setting(&contest.machine, &specs, stop.as_ref());
    let report = play_recorded_match(game, &participants, &config, &setting, &path, &mut live)?;
    let played_before = report.games.len() - live.new_games;
    drop(live);
    warn_of_forfeits(report.games.iter());
    let summary = MatchSummary::from(&report);
    let summary = match sprt {
        Some(sprt) => summary.with_sprt(sprt),
        None => summary,
    };
    if args.contest.json {
        writeln!(out, "{}", serde_json::to_string(&summary).expect("plain data"))?;
        return Ok(());
    }
    print_summary(&summary, out)?;
    print_setting(&config, &path, played_before, out)
}

/// Prints the openings of a match.
///
/// # Errors
/// If the game or an option is wrong, or the output cannot be written.
pub fn openings(args: &OpeningsArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let config = MatchConfig { seed: args.seed, ..MatchConfig::default() };
    let mut suite = OpeningSuite::new(game, args.opening_plies as usize, config.suite_seed());
    let count = args.count as usize;
    let bar = PhaseBar::new("drawing", count as u64, "openings");
    for drawn in 1..=count {
        suite.draw(drawn)?;
        bar.reach(drawn as u64);
    }
    drop(bar);
    write!(out, "{suite}")?;
    Ok(())
}

/// Ends the match as soon as the test decides.
fn stop_rule(sprt: SprtConfig) -> StopRule<'static> {
    let SprtConfig { elo0, elo1, alpha, beta, model } = sprt;
    // Files of games hold this name: that of the logistic model is older than the choice.
    let model = match model {
        SprtModel::Logistic => "",
        SprtModel::Normalized => " model=normalized",
    };
    StopRule {
        name: format!("SPRT elo0={elo0} elo1={elo1} alpha={alpha} beta={beta}{model}"),
        is_decided: Box::new(move |counts| sprt.state(counts).decision != SprtDecision::Continue),
    }
}

fn read_sprt(text: &str, args: &MatchArgs) -> Result<SprtConfig, CliError> {
    let numbers =
        text.split_once(',').and_then(|(elo0, elo1)| Some((elo0.trim().parse().ok()?, elo1.trim().parse().ok()?)));
    let Some((elo0, elo1)) = numbers else {
        return Err(CliError::Option {
            option: "--sprt",
            value: text.into(),
            expected: "expected two Elo differences, ELO0,ELO1, such as 0,20",
        });
    };
    let model = match args.sprt_model {
        SprtModelArg::Logistic => SprtModel::Logistic,
        SprtModelArg::Normalized => SprtModel::Normalized,
    };
    let config = SprtConfig { elo0, elo1, alpha: args.alpha, beta: args.beta, model };
    config.validate()?;
    Ok(config)
}

fn print_summary(summary: &MatchSummary, out: &mut dyn Write) -> Result<(), CliError> {
    let MatchSummary { a, b, games, wins, draws, losses, score, elo, elo_low, elo_high, .. } = summary;
    writeln!(out, "{a} against {b}")?;
    writeln!(out, "{games} games: {wins} won, {draws} drawn, {losses} lost, score {:.1} %", 100.0 * score)?;
    writeln!(
        out,
        "Elo difference {elo:.0} (95 % {elo_low:.0} to {elo_high:.0}), likelihood of superiority {:.1} %",
        100.0 * summary.los
    )?;
    let MatchSummary { normalized_elo, normalized_elo_low, normalized_elo_high, .. } = summary;
    writeln!(out, "normalized Elo {normalized_elo:.0} (95 % {normalized_elo_low:.0} to {normalized_elo_high:.0})")?;
    writeln!(out, "pairs with 0, ½, 1, 1½ and 2 points: {:?}", summary.pentanomial)?;
    for (name, [losses, draws, wins]) in
        [("first", summary.pair_counts.as_first()), ("second", summary.pair_counts.as_second())]
    {
        writeln!(out, "as the {name} player: {wins} won, {draws} drawn, {losses} lost")?;
    }
    if let Some(sprt) = &summary.sprt {
        writeln!(out, "{sprt}: {}", verdict_of(sprt.state.decision))?;
    }
    let [by_a, by_b] = summary.forfeits;
    if by_a + by_b > 0 {
        writeln!(out, "{by_a} games were forfeited by the first, {by_b} by the second player of the match")?;
    }
    if summary.capped > 0 {
        writeln!(out, "{} games were truncated and count as draws", summary.capped)?;
    }
    if summary.duplicates > 0.0 {
        let percent = 100.0 * summary.duplicates;
        writeln!(out, "{percent:.1} % of the games are duplicates, so the interval is too narrow")?;
    }
    Ok(())
}

fn verdict_of(decision: SprtDecision) -> &'static str {
    match decision {
        SprtDecision::AcceptH0 => "H0 is accepted, the difference is nearer to ELO0",
        SprtDecision::AcceptH1 => "H1 is accepted, the difference is nearer to ELO1",
        SprtDecision::Continue => "undecided after these games",
    }
}

fn print_setting(config: &MatchConfig, path: &Path, before: usize, out: &mut dyn Write) -> Result<(), CliError> {
    let time = config.time.map_or(String::new(), |time| format!(", {time}"));
    let MatchConfig { opening_plies, seed, .. } = config;
    writeln!(out, "openings of {opening_plies} plies, seed {seed}{time}")?;
    writeln!(out, "games in {}", path.display())?;
    if before > 0 {
        writeln!(out, "{before} of them were played earlier; delete the file or give another --seed to play new ones")?;
    }
    Ok(())
}
