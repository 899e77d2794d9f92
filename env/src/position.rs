//! Games without their types: what is not hot asks a [`Position`] and its [`Rules`], and is compiled once for all games.
//!
//! Search, alpha-beta, the solver, playouts, self-play and sampling know the type of their game; everything else holds a
//! `Box<dyn Position>` and a `&dyn Rules`. Both are written here once, for every game.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use crate::conformance::{RandomGames, Violation, check_conformance, smallest_violation};
use crate::game_text::{Disagreement, format_game, format_line, play_line, replay_line};
use crate::perft::{PerftCount, perft};
use crate::position_index::PositionIndex;
use crate::random_play::play_random;
use crate::replay_check::{ReplayError, check_game};
use crate::rng::GameRng;
use crate::view::{Click, Layout, View};
use crate::{Action, CompleteGame, GameShape, ImmediateWin, NotationError, Outcome, PlayError, Side, Symmetry};

/// A position of some game.
///
/// Each method is that of the same name of [`Game`](crate::Game), [`Tactics`](crate::Tactics),
/// [`Symmetric`](crate::Symmetric), [`TensorEncoding`](crate::TensorEncoding) or [`Drawable`](crate::Drawable), whose
/// duties hold here as well.
#[allow(missing_docs, reason = "said once, where the typed traits say it")]
pub trait Position: Any + fmt::Debug + Send + Sync {
    /// The game.
    fn rules(&self) -> &'static dyn Rules;
    /// A copy.
    fn boxed(&self) -> Box<dyn Position>;
    /// Whether `other` is the same position of the same game.
    fn is_same(&self, other: &dyn Position) -> bool;

    fn side_to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn legal_actions(&self, actions: &mut Vec<Action>);
    fn distinct_actions(&self, actions: &mut Vec<Action>);
    fn canonical_action(&self, action: Action) -> Action;
    fn is_legal(&self, action: Action) -> bool;
    fn illegal_reason(&self, action: Action) -> String;
    fn play(&mut self, action: Action);
    fn try_play(&mut self, action: Action) -> Result<(), PlayError>;
    fn starts_turn(&self) -> bool;
    fn number(&self) -> Option<u64>;
    fn position_hash(&self) -> u64;
    fn evaluation_key(&self) -> u64;
    fn board(&self) -> String;

    fn heuristic(&self) -> i32;
    fn settled_outcome(&self) -> Option<Outcome>;
    fn immediate_win(&self) -> ImmediateWin;
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>);

    fn transform(&self, symmetry: Symmetry) -> Box<dyn Position>;
    fn encode(&self, planes: &mut [f32]);

    fn view(&self) -> View;
    fn clicks(&self, action: Action) -> Vec<Click>;
    fn touched(&self, action: Action) -> Vec<usize>;

    /// [`play_random`] from here.
    fn play_random(&mut self, max_plies: usize, rng: &mut GameRng) -> Vec<Action>;
    /// [`perft`] from here.
    fn perft(&self, depth: usize) -> PerftCount;
}

/// The game itself: what can be asked without a position.
///
/// Each method is the constant or function of the same name of the game's traits.
#[allow(missing_docs, reason = "said once, where the typed traits say it")]
pub trait Rules: Send + Sync {
    fn id(&self) -> &'static str;
    fn title(&self) -> &'static str;
    fn side_names(&self) -> [&'static str; 2];
    fn max_plies(&self) -> Option<usize>;
    /// [`readme`](crate::GameSpec::readme) down to its first `##` heading, without its title.
    fn rules_text(&self) -> &'static str;
    fn initial(&self) -> Box<dyn Position>;
    fn after(&self, actions: &[Action]) -> Box<dyn Position>;
    fn action_name(&self, action: Action) -> String;
    fn parse_action(&self, text: &str) -> Result<Action, NotationError>;
    fn position_index(&self) -> Option<&'static dyn PositionIndex>;
    fn at_number(&self, number: u64) -> Option<Box<dyn Position>>;

    /// The sizes of its tensors, the number of actions among them.
    fn shape(&self) -> GameShape;
    fn plane_names(&self) -> &'static [&'static str];
    fn symmetries(&self) -> &'static [Symmetry];
    fn sides_are_alike(&self) -> bool;
    fn transform_action(&self, action: Action, symmetry: Symmetry) -> Action;
    fn layout(&self) -> Layout;

    /// [`format_line`] of this game.
    fn format_line(&self, actions: &[Action]) -> String;
    /// [`format_game`] of this game.
    fn format_game(&self, actions: &[Action], outcome: Option<Outcome>) -> String;
    /// [`play_line`] of this game.
    fn play_line(&self, moves: &[&str]) -> Result<(Box<dyn Position>, Vec<Action>), Disagreement>;
    /// [`replay_line`] of this game.
    fn replay_line(&self, line: &str) -> Result<(), Disagreement>;
    /// [`check_conformance`] of this game; where a check fails, the [`smallest_violation`].
    fn check_conformance(&self, games: u64, max_plies: usize, seed: u64) -> Result<RandomGames, Violation>;
    /// [`check_game`] of this game.
    fn check_game(&self, actions: &[Action], outcome: Option<Outcome>) -> Result<(), ReplayError>;
}

/// A game's type as a value: what is written once for every game is implemented for it.
pub struct Typed<G>(PhantomData<fn() -> G>);

impl<G> Typed<G> {
    /// The one value.
    pub const IT: Typed<G> = Typed(PhantomData);
}

/// The rules of `G` as a trait object.
///
/// ```
/// use selfplay_env::fixtures::TicTacToe;
/// use selfplay_env::{Action, rules};
///
/// let rules = rules::<TicTacToe>();
/// let mut position = rules.initial();
/// position.try_play(Action(4))?;
/// assert_eq!(rules.action_name(Action(4)), "b2");
/// assert!(!position.is_legal(Action(4)));
/// # Ok::<(), selfplay_env::PlayError>(())
/// ```
pub const fn rules<G: CompleteGame>() -> &'static dyn Rules {
    const { &Typed::<G>::IT }
}

impl<G: CompleteGame> Rules for Typed<G> {
    fn id(&self) -> &'static str {
        G::spec().id
    }
    fn title(&self) -> &'static str {
        G::spec().title
    }
    fn side_names(&self) -> [&'static str; 2] {
        G::spec().side_names
    }
    fn max_plies(&self) -> Option<usize> {
        G::spec().max_plies
    }
    fn rules_text(&self) -> &'static str {
        let text = G::spec().readme.find("\n## ").map_or(G::spec().readme, |end| &G::spec().readme[..end]);
        let title_end = if text.starts_with("# ") { text.find('\n').unwrap_or(text.len()) } else { 0 };
        text[title_end..].trim()
    }
    fn initial(&self) -> Box<dyn Position> {
        Box::new(G::initial())
    }
    fn after(&self, actions: &[Action]) -> Box<dyn Position> {
        Box::new(G::after(actions))
    }
    fn action_name(&self, action: Action) -> String {
        G::action_name(action)
    }
    fn parse_action(&self, text: &str) -> Result<Action, NotationError> {
        G::parse_action(text)
    }
    fn position_index(&self) -> Option<&'static dyn PositionIndex> {
        G::position_index()
    }
    fn at_number(&self, number: u64) -> Option<Box<dyn Position>> {
        G::at_number(number).map(|position| Box::new(position) as Box<dyn Position>)
    }
    fn shape(&self) -> GameShape {
        GameShape::for_game::<G>()
    }
    fn plane_names(&self) -> &'static [&'static str] {
        G::encoding().plane_names
    }
    fn symmetries(&self) -> &'static [Symmetry] {
        G::symmetries()
    }
    fn sides_are_alike(&self) -> bool {
        G::sides_are_alike()
    }
    fn transform_action(&self, action: Action, symmetry: Symmetry) -> Action {
        G::transform_action(action, symmetry)
    }
    fn layout(&self) -> Layout {
        G::layout()
    }
    fn format_line(&self, actions: &[Action]) -> String {
        format_line::<G>(actions)
    }
    fn format_game(&self, actions: &[Action], outcome: Option<Outcome>) -> String {
        format_game::<G>(actions, outcome)
    }
    fn play_line(&self, moves: &[&str]) -> Result<(Box<dyn Position>, Vec<Action>), Disagreement> {
        let (position, actions) = play_line::<G>(moves)?;
        Ok((Box::new(position), actions))
    }
    fn replay_line(&self, line: &str) -> Result<(), Disagreement> {
        replay_line::<G>(line)
    }
    fn check_conformance(&self, games: u64, max_plies: usize, seed: u64) -> Result<RandomGames, Violation> {
        check_conformance::<G>(games, max_plies, seed).map_err(|found| smallest_violation::<G>(found, seed))
    }
    fn check_game(&self, actions: &[Action], outcome: Option<Outcome>) -> Result<(), ReplayError> {
        check_game::<G>(actions, outcome)
    }
}

impl<G: CompleteGame> Position for G {
    fn rules(&self) -> &'static dyn Rules {
        rules::<G>()
    }
    fn boxed(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
    fn is_same(&self, other: &dyn Position) -> bool {
        other.typed::<G>() == Some(self)
    }
    fn side_to_move(&self) -> Side {
        G::side_to_move(self)
    }
    fn outcome(&self) -> Option<Outcome> {
        G::outcome(self)
    }
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        G::legal_actions(self, actions);
    }
    fn distinct_actions(&self, actions: &mut Vec<Action>) {
        G::distinct_actions(self, actions);
    }
    fn canonical_action(&self, action: Action) -> Action {
        G::canonical_action(self, action)
    }
    fn is_legal(&self, action: Action) -> bool {
        G::is_legal(self, action)
    }
    fn illegal_reason(&self, action: Action) -> String {
        G::illegal_reason(self, action)
    }
    fn play(&mut self, action: Action) {
        G::play(self, action);
    }
    fn try_play(&mut self, action: Action) -> Result<(), PlayError> {
        G::try_play(self, action)
    }
    fn starts_turn(&self) -> bool {
        G::starts_turn(self)
    }
    fn number(&self) -> Option<u64> {
        G::number(self)
    }
    fn position_hash(&self) -> u64 {
        G::position_hash(self)
    }
    fn evaluation_key(&self) -> u64 {
        G::evaluation_key(self)
    }
    fn board(&self) -> String {
        G::board(self)
    }
    fn heuristic(&self) -> i32 {
        G::heuristic(self)
    }
    fn settled_outcome(&self) -> Option<Outcome> {
        G::settled_outcome(self)
    }
    fn immediate_win(&self) -> ImmediateWin {
        G::immediate_win(self)
    }
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        G::hints(self, actions, hints);
    }
    fn transform(&self, symmetry: Symmetry) -> Box<dyn Position> {
        Box::new(G::transform(self, symmetry))
    }
    fn encode(&self, planes: &mut [f32]) {
        G::encode(self, planes);
    }
    fn view(&self) -> View {
        G::view(self)
    }
    fn clicks(&self, action: Action) -> Vec<Click> {
        G::clicks(self, action)
    }
    fn touched(&self, action: Action) -> Vec<usize> {
        G::touched(self, action)
    }
    fn play_random(&mut self, max_plies: usize, rng: &mut GameRng) -> Vec<Action> {
        play_random(self, max_plies, rng)
    }
    fn perft(&self, depth: usize) -> PerftCount {
        perft(self, depth)
    }
}

impl dyn Position {
    /// The position as that of the game `G`; `None` if it is of another game.
    pub fn typed<G: CompleteGame>(&self) -> Option<&G> {
        (self as &dyn Any).downcast_ref()
    }
}

impl Clone for Box<dyn Position> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl PartialEq for dyn Position {
    fn eq(&self, other: &dyn Position) -> bool {
        self.is_same(other)
    }
}

impl Eq for dyn Position {}

impl fmt::Debug for dyn Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rules({})", self.id())
    }
}
