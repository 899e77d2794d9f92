//! A whole turn of a player: one decision, or as many as the game lets it make before the other moves.

use std::time::Duration;

use selfplay_env::{Action, Position};
use selfplay_eval::{Clock, ClockKind, EvalError, Measure, Player, Seat, SystemClock, TimeControl, TimeSpan};

/// The share of a turn's time that goes to a decision after which the turn may go on.
const SHARE_WITH_MORE_TO_COME: (u64, u64) = (3, 5);

/// The decisions that `player` makes at table `table` from the running `position` to the end of its turn; at least one,
/// each legal. `history` are all decisions before. `time_left` is for the whole turn, or for the rest of the game,
/// before its first decision.
///
/// # Errors
/// What the player fails with; [`EvalError::IllegalDecision`].
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
        let time_left = time_left.map(|time| share(time, spent, &*position));
        let action = player.choose(&Seat { table, position: &*position, history: &all, time_left })?.action;
        position.try_play(action).map_err(|source| EvalError::IllegalDecision {
            player: player.name(),
            table,
            decision: all.len() + 1,
            source,
        })?;
        all.push(action);
        if position.starts_turn() || position.outcome().is_some() {
            return Ok(all.split_off(history.len()));
        }
    }
}

/// What of a turn's `time`, of which `spent` is gone, the decision in `position` gets; at least a millisecond.
fn share(time: TimeControl, spent: Duration, position: &dyn Position) -> TimeControl {
    let left = time.ms.saturating_sub(spent.as_millis() as u64);
    let (part, whole) = SHARE_WITH_MORE_TO_COME;
    let ms = if time.span == TimeSpan::Decision && may_go_on(position) { left / whole * part } else { left };
    TimeControl { ms: ms.max(1), ..time }
}

/// Whether there is a decision after which the same turn goes on.
fn may_go_on(position: &dyn Position) -> bool {
    let mut legal = Vec::new();
    position.legal_actions(&mut legal);
    legal.into_iter().any(|action| {
        let mut after = position.boxed();
        after.play(action);
        after.outcome().is_none() && !after.starts_turn()
    })
}

#[cfg(test)]
mod tests {
    use selfplay_env::rules;
    use selfplay_eval::RandomPlayer;
    use selfplay_pylos::Pylos;

    use super::*;

    #[test]
    fn a_turn_goes_on_until_the_other_side_is_to_move() {
        let decisions = ["a1", "d4", "a2", "d3", "b1", "c4"];
        let (mut position, mut history) = rules::<Pylos>().play_line(&decisions).unwrap();
        let mut longest = 0;
        for _ in 0..30 {
            if position.outcome().is_some() {
                break;
            }
            let side = position.side_to_move();
            let time = TimeControl { ms: 100, span: TimeSpan::Decision, clock: ClockKind::Wall };
            let turn = choose_turn(&mut RandomPlayer::new(), 0, &*position, &history, Some(time)).unwrap();
            turn.iter().for_each(|&action| position.play(action));
            history.extend(&turn);
            longest = longest.max(turn.len());
            assert!(position.side_to_move() != side && position.starts_turn());
        }
        assert!(longest >= 2, "{longest}");
    }

    #[test]
    fn time_is_kept_back_only_where_the_turn_may_go_on() {
        let time = TimeControl { ms: 1000, span: TimeSpan::Decision, clock: ClockKind::Wall };
        let (quiet, _) = rules::<Pylos>().play_line(&["a1", "d4"]).unwrap();
        assert_eq!(share(time, Duration::ZERO, &*quiet).ms, 1000);
        assert_eq!(share(time, Duration::from_millis(400), &*quiet).ms, 600);
        assert_eq!(share(time, Duration::from_secs(9), &*quiet).ms, 1);
        let (square, _) = rules::<Pylos>().play_line(&["a1", "d4", "a2", "d3", "b1", "c4"]).unwrap();
        assert_eq!(share(time, Duration::ZERO, &*square).ms, 600);
        let game = TimeControl { span: TimeSpan::Game, ..time };
        assert_eq!(share(game, Duration::ZERO, &*square).ms, 1000);
    }
}
