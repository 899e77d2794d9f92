//! A toy game with a choice among arms, and evaluators that know what each is worth.

use selfplay_env::rng::{RngExt, rng_for, splitmix64};
use selfplay_env::{Action, Game, GameSpec, NotationError, Outcome, Side, Tactics, Wdl};

use crate::{Evaluator, Leaf};

/// The most arms there can be.
pub const MAX_ARMS: usize = 64;

/// The first action chooses an arm. The rest of the game has two legal actions at each ply, never ends and changes
/// nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arms {
    arm_count: u16,
    arm: Option<u16>,
    actions: u32,
    /// Tells positions after the same number of plies apart.
    trail: u64,
}

impl Arms {
    /// The choice among `arm_count` arms.
    pub fn choice(arm_count: u16) -> Self {
        Arms { arm_count, arm: None, actions: 0, trail: 0 }
    }
}

impl Game for Arms {
    fn spec() -> GameSpec {
        GameSpec::new("arms", "One choice among arms", MAX_ARMS).side_names(["First", "Second"])
    }

    fn initial() -> Self {
        Arms::choice(MAX_ARMS as u16)
    }

    fn side_to_move(&self) -> Side {
        Side::BOTH[self.actions as usize % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend((0..MAX_ARMS as u16).map(Action).filter(|&action| self.is_legal(action)));
    }

    fn is_legal(&self, action: Action) -> bool {
        action.0 < if self.arm.is_none() { self.arm_count } else { 2 }
    }

    fn illegal_reason(&self, _action: Action) -> String {
        "there is no such arm".into()
    }

    fn play(&mut self, action: Action) {
        self.arm.get_or_insert(action.0);
        self.actions += 1;
        self.trail = splitmix64(self.trail ^ u64::from(action.0));
    }

    fn position_hash(&self) -> u64 {
        splitmix64(self.trail ^ u64::from(self.actions) << 32 ^ u64::from(self.arm_count))
    }

    fn action_name(action: Action) -> String {
        action.0.to_string()
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        let action = text.parse().ok().filter(|&index| index < MAX_ARMS as u16).map(Action);
        action.ok_or(NotationError { text: text.into(), game: Self::spec().id, expected: "a number below 64".into() })
    }

    fn board(&self) -> String {
        format!("{:?}\n", self.arm)
    }
}

impl Tactics for Arms {}

/// Knows the arms: their priors, their values for the first player, and how far each evaluation is off.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Prior of each arm, summing to 1.
    pub priors: Vec<f32>,
    /// The first player's value of each arm, −1..=1.
    pub values: Vec<f32>,
    /// Evaluations below an arm are off by a hash of the position of up to this much.
    pub noise: f32,
}

impl Knowledge {
    /// Arbitrary priors and values for `arm_count` arms.
    pub fn random(arm_count: usize, noise: f32, seed: u64) -> Self {
        let mut rng = rng_for(&[seed]);
        let logits: Vec<f32> = (0..arm_count).map(|_| (2.0 * rng.random::<f32>()).exp()).collect();
        let sum: f32 = logits.iter().sum();
        let priors = logits.iter().map(|logit| logit / sum).collect();
        Knowledge { priors, values: (0..arm_count).map(|_| 1.6 * rng.random::<f32>() - 0.8).collect(), noise }
    }

    /// What the choice is worth if `share` gives the chance of each arm.
    pub fn value_of(&self, share: impl Fn(usize) -> f32) -> f32 {
        self.values.iter().enumerate().map(|(arm, value)| share(arm) * value).sum()
    }

    /// The arm worth most.
    pub fn best(&self) -> usize {
        (0..self.values.len()).max_by(|&a, &b| self.values[a].total_cmp(&self.values[b])).unwrap()
    }
}

impl Evaluator<Arms> for Knowledge {
    fn evaluate(&mut self, leaves: &mut [Leaf<Arms>]) {
        for leaf in leaves {
            let hash = splitmix64(leaf.position.position_hash());
            let off = self.noise * ((hash % 2001) as f32 / 1000.0 - 1.0);
            let value = match leaf.position.arm {
                Some(arm) => (self.values[usize::from(arm)] + off).clamp(-1.0, 1.0),
                None => self.value_of(|arm| self.priors[arm]),
            };
            let first = Wdl { win: value.max(0.0), draw: 1.0 - value.abs(), loss: (-value).max(0.0) };
            leaf.wdl = if leaf.position.side_to_move() == Side::First { first } else { first.flipped() };
            let even = vec![1.0 / leaf.actions.len() as f32; leaf.actions.len()];
            leaf.priors = if leaf.position.arm.is_none() { self.priors.clone() } else { even };
        }
    }
}
