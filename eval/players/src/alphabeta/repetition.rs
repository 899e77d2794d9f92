//! Which positions of a game stood before: what makes a proof of one search right for the next.

use selfplay_env::rng::splitmix64;
use selfplay_env::{Action, Game};

/// The hash of the set of positions that stood before, now that `position` is reached, which was `repeated` until then;
/// 0 for the empty set.
pub(crate) fn repeated_at<G: Game>(position: &G, repeated: u64) -> u64 {
    let is_repeated = G::spec().max_plies.is_none() && position.evaluation_key() != position.position_hash();
    if is_repeated { repeated ^ splitmix64(!position.position_hash()) } else { repeated }
}

/// The hash for the game that `history` tells; `None` if it does not lead to `position`.
pub(crate) fn repeated_in<G: Game>(history: &[Action], position: &G) -> Option<u64> {
    if G::spec().max_plies.is_some() {
        return Some(0);
    }
    let mut reached = G::initial();
    let mut repeated = 0;
    for &action in history {
        reached.try_play(action).ok()?;
        repeated = repeated_at(&reached, repeated);
    }
    (reached == *position).then_some(repeated)
}

#[cfg(test)]
mod tests {
    use selfplay_env::fixtures::Stones;

    use super::*;

    #[test]
    fn a_history_that_leads_elsewhere_is_not_trusted() {
        let actions = ["1", "0"].map(|text| Stones::parse_action(text).unwrap());
        let position = Stones::after(&actions);
        assert_eq!(repeated_in(&actions, &position), Some(0));
        assert_eq!(repeated_in(&actions[..1], &position), None);
    }
}
