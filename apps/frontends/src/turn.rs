//! A whole turn of a player: one move, or as many as the game lets it make before the other moves.

use std::time::Duration;

use selfplay_arena::{Clock, Measure, SystemClock};
use selfplay_env::{Action, Position};
use selfplay_players::{ClockKind, EvalError, MoveRequest, Player, TimeControl};

/// The moves that `player` makes at table `table` from the running `position` to the end of its turn; at least one,
/// each legal. `history` are all moves before. `time_left` is for the whole turn, or for the rest of the game,
/// before its first move.
///
/// # Errors
/// What the player fails with; [`EvalError::IllegalMove`].
pub fn choose_turn(
    player: &mut dyn Player,
    table: usize,
    position: &dyn Position,
    history: &[Action],
    time_left: Option<TimeControl>,
) -> Result<Vec<Action>, EvalError> {
    let mut position = position.boxed();
    let mut all = history.to_vec();
    let measure = match time_left.map(|time| time.clock) {
        Some(ClockKind::Cpu) => Measure::ProcessCpu,
        _ => Measure::Wall,
    };
    let started = SystemClock.read(measure);
    loop {
        let spent = SystemClock.read(measure).saturating_sub(started);
        let time_left = time_left.map(|time| left_of(time, spent));
        let action = player.choose(&MoveRequest { table, position: &*position, history: &all, time_left })?.action;
        position.try_play(action).map_err(|source| EvalError::IllegalMove {
            player: player.name(),
            table,
            move_number: all.len() + 1,
            source,
        })?;
        all.push(action);
        if position.starts_turn() || position.outcome().is_some() {
            return Ok(all.split_off(history.len()));
        }
    }
}

/// What is left of `time` when `spent` is gone; at least a millisecond.
fn left_of(time: TimeControl, spent: Duration) -> TimeControl {
    TimeControl { ms: time.ms.saturating_sub(spent.as_millis() as u64).max(1), ..time }
}

#[cfg(test)]
mod tests {
    use selfplay_env::rules;
    use selfplay_players::{RandomPlayer, TimeSpan};
    use selfplay_pylos::Pylos;

    use super::*;

    #[test]
    fn a_turn_goes_on_until_the_other_side_is_to_move() {
        let actions = ["a1", "d4", "a2", "d3", "b1", "c4"];
        let (mut position, mut history) = rules::<Pylos>().play_line(&actions).unwrap();
        let mut longest = 0;
        for _ in 0..30 {
            if position.outcome().is_some() {
                break;
            }
            let side = position.side_to_move();
            let time = TimeControl { ms: 100, span: TimeSpan::Turn, clock: ClockKind::Wall };
            let turn = choose_turn(&mut RandomPlayer::new(), 0, &*position, &history, Some(time)).unwrap();
            turn.iter().for_each(|&action| position.play(action));
            history.extend(&turn);
            longest = longest.max(turn.len());
            assert!(position.side_to_move() != side && position.starts_turn());
        }
        assert!(longest >= 2, "{longest}");
    }

    #[test]
    fn later_actions_of_a_turn_share_the_time_left() {
        let time = TimeControl { ms: 1000, span: TimeSpan::Turn, clock: ClockKind::Wall };
        let left = |spent| left_of(time, spent).ms;
        assert_eq!(left(Duration::ZERO), 1000);
        assert_eq!(left(Duration::from_millis(400)), 600);
        assert_eq!(left(Duration::from_secs(9)), 1);
    }
}
