//! A toy game with two decisions in each turn and two names for one move.

use selfplay_env::rng::splitmix64;
use selfplay_env::{Action, Advice, Game, GameSpec, NotationError, Outcome, Side};

/// A pile of stones. A turn is two decisions of one side; each takes one stone or two. Taking the last stone wins with
/// the first decision of a turn and loses with the second.
///
/// Action 0 takes one stone, action 1 takes two, action 2 takes one with the other hand: the same successor as 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stones {
    pub pile: u32,
    pub side: Side,
    pub is_mid_turn: bool,
    outcome: Option<Outcome>,
}

impl Stones {
    /// A pile of `pile` stones before the first player's turn.
    pub fn pile(pile: u32) -> Self {
        Stones { pile, side: Side::First, is_mid_turn: false, outcome: None }
    }

    fn taken(action: Action) -> u32 {
        if action.0 == 1 { 2 } else { 1 }
    }
}

impl Game for Stones {
    fn spec() -> GameSpec {
        GameSpec::new("stones", "Stones, two decisions a turn", 3).side_names(["First", "Second"])
    }

    fn initial() -> Self {
        Stones::pile(12)
    }

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend((0..3).map(Action).filter(|&action| self.is_legal(action)));
    }

    fn distinct_actions(&self, actions: &mut Vec<Action>) {
        self.legal_actions(actions);
        actions.retain(|&action| self.canonical_action(action) == action);
    }

    fn canonical_action(&self, action: Action) -> Action {
        Action(action.0 % 2)
    }

    fn is_legal(&self, action: Action) -> bool {
        self.outcome.is_none() && action.index() < Self::spec().action_count && Self::taken(action) <= self.pile
    }

    fn illegal_reason(&self, _action: Action) -> String {
        "there are too few stones".into()
    }

    fn play(&mut self, action: Action) {
        self.pile = self.pile.saturating_sub(Self::taken(action));
        if self.pile == 0 {
            let winner = if self.is_mid_turn { self.side.opponent() } else { self.side };
            self.outcome = Some(Outcome::Win(winner));
        }
        if self.is_mid_turn {
            self.side = self.side.opponent();
        }
        self.is_mid_turn = !self.is_mid_turn;
    }

    fn position_hash(&self) -> u64 {
        splitmix64(u64::from(self.pile) << 2 | (self.side.index() as u64) << 1 | u64::from(self.is_mid_turn))
    }

    fn starts_turn(&self) -> bool {
        !self.is_mid_turn
    }

    fn action_name(action: Action) -> String {
        action.0.to_string()
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        let action = text.parse().ok().filter(|&index| index < 3).map(Action);
        action.ok_or(NotationError { text: text.into(), game: Self::spec().id, expected: "0, 1 or 2".into() })
    }

    fn board(&self) -> String {
        format!("{} stones, {:?} to move\n", self.pile, self.side)
    }
}

impl Advice for Stones {}
