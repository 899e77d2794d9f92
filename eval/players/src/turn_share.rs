//! Time for turns of several actions: how much of it goes to each.

use std::time::Duration;

use selfplay_env::{Action, Position};

use crate::player::MoveRequest;
use crate::time_control::{TimeControl, TimeSpan};

/// What of the time left for a turn goes to a move after which the turn may continue, in fifths; a search keeps what it
/// found, so the moves after it need less.
const FIFTHS_WITH_MORE_TO_COME: u32 = 3;

/// What of the match's time the player of `request` may think about its move: all that is left of the turn, or three fifths
/// where the turn may continue. A time per game stays as it is.
pub(crate) fn share_of_clock(request: &MoveRequest) -> Option<TimeControl> {
    let time = request.time_left?;
    if time.span == TimeSpan::Game || !may_go_on(request.position) {
        return Some(time);
    }
    Some(TimeControl { ms: time.ms * u64::from(FIFTHS_WITH_MORE_TO_COME) / 5, ..time })
}

/// What of `limit`, a player's own for each turn, goes to the move of `request`. A function of the game so far: each move
/// before in the turn took its share, whatever it used of it.
pub(crate) fn share_of_limit(request: &MoveRequest, limit: Duration) -> Duration {
    let mut left = limit;
    for _ in 0..actions_of_turn(request.position, request.history) {
        left -= left / 5 * FIFTHS_WITH_MORE_TO_COME;
    }
    if may_go_on(request.position) { left / 5 * FIFTHS_WITH_MORE_TO_COME } else { left }
}

/// How many moves of the turn in `position` have been made.
fn actions_of_turn(position: &dyn Position, history: &[Action]) -> usize {
    if position.starts_turn() {
        return 0;
    }
    let mut replayed = position.rules().initial();
    let mut made = 0;
    for &action in history {
        replayed.play(action);
        made = if replayed.starts_turn() { 0 } else { made + 1 };
    }
    made
}

/// Whether there is a move after which the same turn continues.
fn may_go_on(position: &dyn Position) -> bool {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    actions.into_iter().any(|action| {
        let mut after = position.boxed();
        after.play(action);
        after.outcome().is_none() && !after.starts_turn()
    })
}

#[cfg(test)]
mod tests {
    use selfplay_env::fixtures::{ConnectFour, Stones};
    use selfplay_env::rules;

    use super::*;
    use crate::time_control::ClockKind;

    #[test]
    fn a_turn_of_several_actions_takes_no_longer_than_one() {
        let limit = Duration::from_secs(2);
        let rules = rules::<Stones>();
        let (mut position, mut history) = rules.play_line(&["0", "0"]).unwrap();
        let clock = |ms| Some(TimeControl { ms, span: TimeSpan::Turn, clock: ClockKind::Wall });
        let mut spent = Duration::ZERO;
        for (action, has_more_to_come) in [(Action(1), true), (Action(0), false)] {
            let request = MoveRequest { table: 0, position: &*position, history: &history, time_left: clock(1000) };
            assert_eq!(may_go_on(&*position), has_more_to_come);
            assert_eq!(share_of_clock(&request), clock(if has_more_to_come { 600 } else { 1000 }), "{action:?}");
            spent += share_of_limit(&request, limit);
            position.try_play(action).unwrap();
            history.push(action);
        }
        assert!(position.starts_turn());
        assert_eq!(spent, limit, "both actions together");
        let game = Some(TimeControl { ms: 1000, span: TimeSpan::Game, clock: ClockKind::Wall });
        let request = MoveRequest { table: 0, position: &*position, history: &history, time_left: game };
        assert_eq!((share_of_clock(&request), share_of_limit(&request, limit)), (game, limit * 3 / 5));
    }

    #[test]
    fn a_turn_of_one_action_has_all_of_its_time() {
        let (position, history) = rules::<ConnectFour>().play_line(&["4"]).unwrap();
        let time_left = Some(TimeControl { ms: 1000, span: TimeSpan::Turn, clock: ClockKind::Cpu });
        let request = MoveRequest { table: 0, position: &*position, history: &history, time_left };
        assert_eq!(
            (share_of_clock(&request), share_of_limit(&request, Duration::from_secs(1))),
            (time_left, Duration::from_secs(1))
        );
    }
}
