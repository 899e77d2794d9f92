//! `check --player`: whether players overlook wins with the next move.

use std::io::Write;

use selfplay_arena::{Oversight, PlayCheck, PlayViolation, TacticalPosition, TacticalTask, tactical_positions};
use selfplay_pipeline::agents::{Agents, POSITIONS_AT_ONCE};
use selfplay_players::{PlayerKinds, build_player};
use selfplay_registry::GameRef;

use crate::args::CheckArgs;
use crate::error::CliError;
use crate::progress::PhaseBar;

/// Oversights shown of each player.
const SHOWN: usize = 10;

/// Asks every player of one of `kinds` for moves in tactical positions of every game and prints its oversights.
///
/// # Errors
/// A player that there is not, or that fails; [`CliError::Oversights`]; if the output cannot be written.
pub fn check_players(
    args: &CheckArgs,
    games: &[GameRef],
    kinds: &PlayerKinds,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let specs = args.player.iter().map(|spec| kinds.parse(spec)).collect::<Result<Vec<_>, _>>()?;
    let mut oversights = 0;
    for &game in games {
        let positions = tactical_positions(game, args.positions as usize, args.seed)?;
        for spec in &specs {
            let mut player = build_player(game, spec, &Agents::for_one_game(args.machine.machine()))?;
            let bar = PhaseBar::new("checking", positions.len() as u64, "positions");
            let advance = |some| bar.advance(some as u64);
            let check = PlayCheck::run(game, player.as_mut(), &positions, POSITIONS_AT_ONCE, args.seed, advance)?;
            drop(bar);
            print(game, &player.name(), &check, out)?;
            oversights += check.violations.len();
        }
    }
    if oversights > 0 { Err(CliError::Oversights { oversights }) } else { Ok(()) }
}

fn print(game: GameRef, player: &str, check: &PlayCheck, out: &mut dyn Write) -> Result<(), CliError> {
    let count = |task| check.positions.get(&task).copied().unwrap_or(0);
    let (wins, threats) = (count(TacticalTask::TakeWin), count(TacticalTask::PreventWin));
    let found = check.violations.len();
    let plural = if found == 1 { "" } else { "s" };
    writeln!(out, "{}: {player}: {found} oversight{plural} in {} positions", game.id(), wins + threats)?;
    writeln!(out, "  {wins} with a win in one, {threats} with a threat to prevent")?;
    for violation in check.violations.iter().take(SHOWN) {
        let PlayViolation { position: TacticalPosition { history, solutions, .. }, action, oversight } = violation;
        let what = match oversight {
            Oversight::MissedWin => "misses a win in one",
            Oversight::AllowedWin => "lets the opponent win in one",
            Oversight::SlowWin => "knows a shorter win",
            Oversight::QuickLoss => "knows a longer resistance",
        };
        let (line, action) = (game.format_line(history), game.action_name(*action));
        writeln!(out, "  {action} after {line}: {what}; expected one of {}", game.format_line(solutions))?;
    }
    Ok(())
}
