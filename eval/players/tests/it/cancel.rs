//! Cancelled players decide at once, and as before with a new token.

use selfplay_env::Game;
use selfplay_env::fixtures::ConnectFour;
use selfplay_mcts::CancelToken;
use selfplay_players::{MoveRequest, Player};

use crate::player;

/// Positions or simulations searched for the first move of a game.
fn work(player: &mut dyn Player, cancel: Option<CancelToken>) -> u64 {
    player.set_cancel_token(cancel);
    let request: MoveRequest =
        MoveRequest { table: 0, position: &ConnectFour::initial(), history: &[], time_left: None };
    let action = player.choose(&request).unwrap();
    action.alpha_beta().map_or_else(|| u64::from(action.report().unwrap().simulations), |report| report.nodes)
}

#[test]
fn every_player_that_searches_can_be_cancelled() {
    for spec in ["alphabeta:nodes=4000,threads=2", "uct:simulations=2000", "search:checkpoint=uniform,simulations=300"]
    {
        let mut player = player::<ConnectFour>(spec).unwrap();
        let full = work(&mut *player, None);
        let cancelled = CancelToken::new();
        cancelled.cancel();
        let least = work(&mut *player, Some(cancelled));
        assert!(least < full / 2, "{spec}: {least} of {full}");
        assert!(work(&mut *player, Some(CancelToken::new())) > full / 2, "{spec}");
    }
}
