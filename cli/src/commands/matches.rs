//! `match`: game pairs between two players.

use std::io::Write;

use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_eval::{MatchConfig, PlayerSpec, build_player, play_match};

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
            let agents = Agents { device: args.machine.device };
            let config = MatchConfig {
                pairs: args.games / 2,
                opening_decisions: args.opening_decisions,
                seed: args.seed,
                max_decisions: args.max_decisions,
                ..MatchConfig::default()
            };
            let bar = PhaseBar::new("match", u64::from(args.games), "games");
            let report = args.machine.with_threads(|| {
                play_match::<G>(
                    &|| build_player(&a, &agents),
                    &|| build_player(&b, &agents),
                    &config,
                    &|_| bar.tick(),
                )
            })?;
            drop(bar);
            let summary = report.summary();
            if args.json {
                writeln!(out, "{}", serde_json::to_string(&summary).expect("plain data"))?;
            } else {
                writeln!(out, "{summary}")?;
            }
            Ok(())
        }
    }
    if args.games == 0 || args.games % 2 != 0 {
        return Err(CliError::Option {
            option: "--games",
            value: args.games.to_string(),
            expected: "expected an even number above 0: games are played in pairs with the sides exchanged",
        });
    }
    with_game(&args.game, Match(args, out))?
}
