//! A game that forgets to change the side to move.

use selfplay_env::conformance::check_conformance;
use selfplay_env::{
    Action, AuxiliaryTargets, Drawable, EncodingSpec, Exchangeable, Game, GameSpec, Outcome, Side, Symmetric, Tactics,
    TensorEncoding,
};

/// Five stones; each action takes one, and the first player makes all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Patience(u32);

impl Game for Patience {
    fn spec() -> GameSpec {
        GameSpec::new("patience", "Patience", 1).side_names(["Anna", "Bert"]).max_plies(5)
    }

    fn initial() -> Self {
        Patience(5)
    }
    fn side_to_move(&self) -> Side {
        Side::First
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == 0).then_some(Outcome::Draw)
    }
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend((self.0 > 0).then_some(Action(0)));
    }
    fn play(&mut self, _: Action) {
        self.0 -= 1;
    }
    fn position_hash(&self) -> u64 {
        self.0.into()
    }
    fn action_name(_: Action) -> String {
        "take".into()
    }
    fn board(&self) -> String {
        format!("{} stones\n", self.0)
    }
}

impl TensorEncoding for Patience {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&["stones / 5"], 1, 1)
    }

    fn encode(&self, planes: &mut [f32]) {
        planes[0] = self.0 as f32 / 5.0;
    }
}

impl Tactics for Patience {}
impl AuxiliaryTargets for Patience {}
impl Drawable for Patience {}
impl Exchangeable for Patience {}
impl Symmetric for Patience {}

#[test]
fn a_side_that_never_decides_is_found() {
    let found = check_conformance::<Patience>(3, 10, 1).expect_err("Bert has nothing to do");
    assert_eq!(found.failure, "Bert never decides in 3 random games: does `play` change the side to move?");
    assert!(check_conformance::<Patience>(3, 1, 1).is_ok(), "after one action nobody can tell");
}
