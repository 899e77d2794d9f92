//! `match`: game pairs between two players.

use std::io::Write;

use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_eval::{MatchConfig, MatchSummary, PlayerSpec, build_player, play_match};

use crate::agents::Agents;
use crate::args::MatchArgs;
use crate::error::CliError;
use crate::progress::PhaseBar;

/// Plays the match and prints its result, seen from the first player.
///
/// # Errors
/// If the game, a player or an option is wrong, a player fails, or the output refuses.
pub fn play(args: &MatchArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Match<'a>(&'a MatchArgs, &'a mut dyn Write);
    impl GameVisitor for Match<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Match(args, out) = self;
            let [a, b] = [&args.spec_a, &args.spec_b].map(|text| text.parse::<PlayerSpec>());
            let (a, b) = (a?, b?);
            let agents = Agents::for_many_games(&args.machine);
            let config = MatchConfig {
                pairs: args.games as usize / 2,
                opening_decisions: args.opening_decisions as usize,
                seed: args.seed,
                max_decisions: args.max_decisions as usize,
                ..MatchConfig::default()
            };
            let bar = PhaseBar::new("match", u64::from(args.games), "games");
            let make_b = || build_player(&b, &agents);
            let report = play_match::<G>(|| build_player(&a, &agents), make_b, &config, |_| bar.tick())?;
            drop(bar);
            let summary = MatchSummary::from(&report);
            if args.json {
                writeln!(out, "{}", serde_json::to_string(&summary).expect("plain data"))?;
            } else {
                print_summary(&summary, out)?;
            }
            Ok(())
        }
    }
    if args.games == 0 || !args.games.is_multiple_of(2) {
        return Err(CliError::Option {
            option: "--games",
            value: args.games.to_string(),
            expected: "expected an even number above 0: games are played in pairs with the sides exchanged",
        });
    }
    with_game(&args.game, Match(args, out))?
}

fn print_summary(summary: &MatchSummary, out: &mut dyn Write) -> Result<(), CliError> {
    let MatchSummary { a, b, games, wins, draws, losses, score, elo, elo_low, elo_high, .. } = summary;
    writeln!(out, "{a} against {b}")?;
    writeln!(out, "{games} games: {wins} won, {draws} drawn, {losses} lost, score {:.1} %", 100.0 * score)?;
    writeln!(out, "Elo difference {elo:.0} (95 % {elo_low:.0} to {elo_high:.0})")?;
    writeln!(out, "first player scored {:.1} %", 100.0 * summary.first_player_share)?;
    if summary.capped > 0 {
        writeln!(out, "{} games were stopped at the cap and count as draws", summary.capped)?;
    }
    if summary.duplicates > 0.0 {
        let percent = 100.0 * summary.duplicates;
        writeln!(out, "{percent:.1} % of the games repeat another one: the interval is too narrow by them")?;
    }
    Ok(())
}
