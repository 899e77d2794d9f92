//! A game whose hash mixes up positions that differ.

use selfplay_env::conformance::{check_conformance, smallest_violation};
use selfplay_env::{
    Action, AuxiliaryTargets, Drawable, EncodingSpec, Exchangeable, Game, GameSpec, Outcome, Side, Symmetric, Tactics,
    TensorEncoding,
};

/// Six steps to the left or to the right, made in turn.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Steps([u8; 2]);

impl Steps {
    fn made(&self) -> u8 {
        self.0[0] + self.0[1]
    }
}

impl Game for Steps {
    fn spec() -> GameSpec {
        GameSpec::new("steps", "Steps", 2).side_names(["Anna", "Bert"]).max_plies(6)
    }

    fn initial() -> Self {
        Steps([0, 0])
    }
    fn side_to_move(&self) -> Side {
        Side::BOTH[usize::from(self.made() % 2)]
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.made() == 6).then_some(Outcome::Draw)
    }
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.made() < 6 {
            actions.extend([Action(0), Action(1)]);
        }
    }
    fn play(&mut self, action: Action) {
        self.0[action.index()] += 1;
    }
    /// Forgets which steps they were.
    fn position_hash(&self) -> u64 {
        self.made().into()
    }
    fn action_name(action: Action) -> String {
        ["left", "right"][action.index()].into()
    }
    fn board(&self) -> String {
        format!("{} left, {} right\n", self.0[0], self.0[1])
    }
}

impl TensorEncoding for Steps {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&["left / 6", "right / 6"], 1, 1)
    }

    fn encode(&self, planes: &mut [f32]) {
        planes.copy_from_slice(&self.0.map(|steps| f32::from(steps) / 6.0));
    }
}

impl Tactics for Steps {}
impl AuxiliaryTargets for Steps {}
impl Drawable for Steps {}
impl Exchangeable for Steps {}
impl Symmetric for Steps {}

#[test]
fn the_nearest_positions_that_share_a_hash_are_shown() {
    // A random game comes upon such a pair late.
    let late = (0..).find_map(|seed| {
        let found = check_conformance::<Steps>(20, 6, seed).expect_err("the hash is wrong");
        found.place.as_ref().is_some_and(|place| place.plies > 1).then_some(found)
    });
    let smallest = smallest_violation::<Steps>(late.expect("some random game does"), 1);
    assert_eq!(smallest.place.expect("a position").plies, 1);
    let failure = "two different positions share a hash:\n0 left, 1 right\nand\n1 left, 0 right\n";
    assert_eq!(smallest.failure, failure);
}
