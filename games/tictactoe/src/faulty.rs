//! Tic-tac-toe with one fault, for tests of the checks that must find it.

use super::{CELLS, TicTacToe};
use selfplay_registry::tactics::{HEURISTIC_LIMIT, decided_by_next};
use selfplay_registry::tactics_conformance::forced_within;
use selfplay_registry::view::{Click, Layout, Piece, View};
use selfplay_registry::{
    Action, AuxiliaryTargets, Drawable, EncodingSpec, Ending, Exchangeable, FinalState, Game, GameSpec, ImmediateWin,
    MayGoOn, NotationError, Outcome, OwnSolver, Side, Symmetric, Symmetry, Tactics, TensorEncoding,
};

/// No win at once is seen.
pub(crate) const NO_WIN: u8 = 0;
/// The last cell is said to win at once.
pub(crate) const WRONG_WIN: u8 = 1;
/// A running game is said to be drawn already.
pub(crate) const DRAWN: u8 = 2;
/// A hint is missing.
pub(crate) const TOO_FEW_HINTS: u8 = 3;
/// The heuristic claims a proof.
pub(crate) const BEYOND_THE_LIMIT: u8 = 4;
/// The heuristic likes an empty cell in the middle of the left column.
pub(crate) const LEFT_IS_BETTER: u8 = 5;
/// The side to move has a tactical loss.
pub(crate) const WRONG_FORESIGHT: u8 = 6;
/// The first action is not looked at.
pub(crate) const WIN_IS_LEFT_OUT: u8 = 7;
/// With five cells or fewer left, every result is a tactical outcome: no fault.
pub(crate) const LATE_RESULTS_ARE_FORESEEN: u8 = 50;
/// With five cells or fewer left, all but wins and losses at once are tactical draws.
pub(crate) const LATE_RESULTS_ARE_DRAWS: u8 = 51;
/// Tactical outcomes are not forced.
pub(crate) const NOTHING_IS_FORCED: u8 = 52;
/// The side to move is forced to lose.
pub(crate) const LOSS_IS_FORCED: u8 = 53;
/// A solver of the game's own says that everything is drawn.
pub(crate) const SOLVER_SAYS_DRAWN: u8 = 54;

/// The second player may not play in the centre.
pub(crate) const NO_CENTRE_FOR_SECOND: u8 = 10;
/// The second player's actions are listed from the end.
pub(crate) const SECOND_LISTS_BACKWARDS: u8 = 11;
/// The list of distinct actions leaves out the second player's first.
pub(crate) const SECOND_HAS_FEWER_DISTINCT: u8 = 12;
/// The second player's actions are all represented by the centre.
pub(crate) const SECOND_IS_CANONICAL_IN_THE_CENTRE: u8 = 13;
/// The second player's wins count as draws.
pub(crate) const SECOND_DOES_NOT_WIN: u8 = 14;
/// The second player's mark in the centre becomes the first player's.
pub(crate) const SECOND_LOSES_THE_CENTRE: u8 = 15;
/// The hash does not take in the second player's mark in the centre when it is played.
pub(crate) const SECOND_HASHES_NO_CENTRE: u8 = 16;
/// The second player is said to be allowed to play on marks, though no list has these actions.
pub(crate) const SECOND_MAY_PLAY_ON_MARKS: u8 = 18;
/// The second player is never at the start of a turn.
pub(crate) const SECOND_STARTS_NO_TURN: u8 = 17;
/// Exchanging the sides flips the board, if it is the first player's turn.
pub(crate) const EXCHANGE_FLIPS: u8 = 20;
/// Exchanging the sides does nothing.
pub(crate) const EXCHANGE_DOES_NOTHING: u8 = 21;
/// The planes show the first player's marks first.
pub(crate) const FIRST_IS_SHOWN_FIRST: u8 = 22;
/// The heuristic is for the first player.
pub(crate) const HEURISTIC_FOR_FIRST: u8 = 23;
/// The second player's wins at once are unknown.
pub(crate) const SECOND_SEES_NO_WIN: u8 = 24;
/// The second player is never threatened.
pub(crate) const SECOND_IS_FEARLESS: u8 = 25;
/// Nothing is settled early when it is the second player's turn.
pub(crate) const SECOND_SETTLES_NOTHING: u8 = 26;
/// The second player's hints are higher by one.
pub(crate) const SECOND_HINTS_HIGHER: u8 = 27;

/// A mark played in the top left corner is put on the next cell, if that is free.
pub(crate) const CORNER_SLIPS: u8 = 30;
/// The top left corner is closed until the centre is taken.
pub(crate) const CORNER_WAITS: u8 = 31;
/// Canonical actions are the next cells, if those are free.
pub(crate) const CANONICAL_IS_THE_NEXT: u8 = 32;

/// Two places have the same name.
pub(crate) const TWO_NAMESAKES: u8 = 40;
/// The last place is missing from the view.
pub(crate) const LAST_PLACE_IS_NOT_DRAWN: u8 = 41;
/// All marks are drawn as the first player's.
pub(crate) const FIRST_IS_DRAWN_FOR_BOTH: u8 = 42;
/// The top left corner is pointed at beyond the board.
pub(crate) const CORNER_IS_OFF_THE_BOARD: u8 = 43;
/// The top left corner is pointed at in the centre.
pub(crate) const CORNER_IS_THE_CENTRE: u8 = 44;
/// The top left corner takes two clicks, the first of them on the centre.
pub(crate) const CORNER_IS_TWO_CLICKS: u8 = 45;
/// The text of the board stops in its last line.
pub(crate) const BOARD_HAS_NO_END: u8 = 46;

const LATE_PLIES: u32 = 5;

const CENTRE: Action = Action(4);
const CORNER: Action = Action(0);

/// Tic-tac-toe with one fault.
#[derive(Clone, Eq, Debug)]
pub(crate) struct Faulty<const FAULT: u8>(TicTacToe);

impl<const FAULT: u8> PartialEq for Faulty<FAULT> {
    /// Without the hash, which may be a fault.
    fn eq(&self, other: &Self) -> bool {
        (self.0.marks, self.0.to_move) == (other.0.marks, other.0.to_move)
    }
}

impl<const FAULT: u8> Faulty<FAULT> {
    /// Whether it is the second player's turn and `fault` is the selected one.
    fn is_second_and(&self, fault: u8) -> bool {
        FAULT == fault && self.0.side_to_move() == Side::Second
    }

    /// Whether the game is over after [`LATE_PLIES`] more at the latest.
    fn is_late(&self) -> bool {
        let mut legal = Vec::new();
        self.0.legal_actions(&mut legal);
        legal.len() <= LATE_PLIES as usize
    }
}

impl<const FAULT: u8> Game for Faulty<FAULT> {
    fn spec() -> GameSpec {
        GameSpec::new("faulty", "Tic-tac-toe with a fault", CELLS)
            .side_names(TicTacToe::spec().side_names)
            .max_plies(CELLS)
    }

    fn initial() -> Self {
        Faulty(TicTacToe::initial())
    }
    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }
    fn outcome(&self) -> Option<Outcome> {
        match self.0.outcome() {
            Some(Outcome::Win(Side::Second)) if FAULT == SECOND_DOES_NOT_WIN => Some(Outcome::Draw),
            outcome => outcome,
        }
    }
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        self.0.legal_actions(actions);
        if self.is_second_and(SECOND_LISTS_BACKWARDS) {
            actions.reverse();
        }
        actions.retain(|&action| self.is_legal(action));
    }
    fn distinct_actions(&self, actions: &mut Vec<Action>) {
        self.legal_actions(actions);
        if self.is_second_and(SECOND_HAS_FEWER_DISTINCT) {
            actions.drain(..actions.len().min(1));
        }
    }
    fn canonical_action(&self, action: Action) -> Action {
        let next = Action(action.0 + 1);
        match FAULT {
            CANONICAL_IS_THE_NEXT if self.is_legal(next) => next,
            _ if self.is_second_and(SECOND_IS_CANONICAL_IN_THE_CENTRE) => CENTRE,
            _ => action,
        }
    }
    fn is_legal(&self, action: Action) -> bool {
        let is_closed = match action {
            CENTRE => self.is_second_and(NO_CENTRE_FOR_SECOND),
            CORNER => FAULT == CORNER_WAITS && self.0.is_legal(CENTRE),
            _ => false,
        };
        let is_open = self.is_second_and(SECOND_MAY_PLAY_ON_MARKS) && self.outcome().is_none();
        !is_closed && (is_open || self.0.is_legal(action))
    }
    fn illegal_reason(&self, action: Action) -> String {
        self.0.illegal_reason(action)
    }
    fn play(&mut self, action: Action) {
        let beside = Action(action.0 + 1);
        let slips = FAULT == CORNER_SLIPS && action == CORNER && self.0.is_legal(beside);
        let is_lost = action == CENTRE && self.is_second_and(SECOND_LOSES_THE_CENTRE);
        let is_forgotten = action == CENTRE && self.is_second_and(SECOND_HASHES_NO_CENTRE);
        let hash_before = self.0.hash;
        self.0.play(if slips { beside } else { action });
        if is_forgotten {
            self.0.hash = hash_before;
        }
        if is_lost {
            self.0 = TicTacToe::from_marks(self.0.marks.map(|marks| marks ^ 1 << CENTRE.0), self.0.to_move);
        }
    }
    fn position_hash(&self) -> u64 {
        self.0.position_hash()
    }
    fn starts_turn(&self) -> bool {
        !self.is_second_and(SECOND_STARTS_NO_TURN)
    }
    fn action_name(action: Action) -> String {
        TicTacToe::action_name(action)
    }
    fn parse_action(text: &str) -> Result<Action, NotationError> {
        TicTacToe::parse_action(text)
    }
    fn board(&self) -> String {
        let board = self.0.board();
        if FAULT == BOARD_HAS_NO_END { board.trim_end().to_owned() } else { board }
    }
}

impl<const FAULT: u8> Symmetric for Faulty<FAULT> {
    fn symmetries() -> &'static [Symmetry] {
        TicTacToe::symmetries()
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        Faulty(self.0.transform(symmetry))
    }
    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        TicTacToe::transform_action(action, symmetry)
    }
}

impl<const FAULT: u8> Drawable for Faulty<FAULT> {
    fn layout() -> Layout {
        let mut layout = TicTacToe::layout();
        if FAULT == TWO_NAMESAKES {
            layout.places[1].name = layout.places[0].name.clone();
        }
        layout
    }
    fn view(&self) -> View {
        let mut view = self.0.view();
        if FAULT == LAST_PLACE_IS_NOT_DRAWN {
            view.pieces.pop();
        }
        if FAULT == FIRST_IS_DRAWN_FOR_BOTH {
            view.pieces.iter_mut().flatten().for_each(|piece| *piece = Piece::Stone(Side::First));
        }
        view
    }
    fn clicks(&self, action: Action) -> Vec<Click> {
        let place = Click::Place(action.index());
        match action {
            CORNER if FAULT == CORNER_IS_OFF_THE_BOARD => vec![Click::Place(TicTacToe::spec().action_count)],
            CORNER if FAULT == CORNER_IS_THE_CENTRE => vec![Click::Place(CENTRE.index())],
            CORNER if FAULT == CORNER_IS_TWO_CLICKS => vec![Click::Place(CENTRE.index()), place],
            _ => vec![place],
        }
    }
}

impl<const FAULT: u8> Exchangeable for Faulty<FAULT> {
    fn sides_are_alike() -> bool {
        true
    }

    fn exchanged(&self) -> Self {
        match FAULT {
            EXCHANGE_DOES_NOTHING => self.clone(),
            EXCHANGE_FLIPS if self.0.side_to_move() == Side::First => {
                Faulty(self.0.exchanged().transform(Symmetry::FLIP_COLUMNS))
            }
            _ => Faulty(self.0.exchanged()),
        }
    }
}

impl<const FAULT: u8> AuxiliaryTargets for Faulty<FAULT> {
    fn final_state_kind() -> FinalState {
        TicTacToe::final_state_kind()
    }

    fn final_state(&self, side: Side, target: &mut [f32]) {
        self.0.final_state(side, target);
    }
}

impl<const FAULT: u8> TensorEncoding for Faulty<FAULT> {
    fn encoding() -> EncodingSpec {
        TicTacToe::encoding()
    }

    fn encode(&self, planes: &mut [f32]) {
        self.0.encode(planes);
        if self.is_second_and(FIRST_IS_SHOWN_FIRST) {
            let (own, opponent) = planes.split_at_mut(TicTacToe::spec().action_count);
            own.swap_with_slice(&mut opponent[..TicTacToe::spec().action_count]);
        }
    }
}

impl<const FAULT: u8> Tactics for Faulty<FAULT> {
    fn tactical_outcome(&self) -> Option<Outcome> {
        match FAULT {
            WRONG_FORESIGHT => self.outcome().or(Some(Outcome::Win(self.side_to_move().opponent()))),
            LATE_RESULTS_ARE_FORESEEN | NOTHING_IS_FORCED if self.is_late() => forced_within(self, LATE_PLIES),
            LATE_RESULTS_ARE_DRAWS if self.is_late() => decided_by_next(self).or(Some(Outcome::Draw)),
            _ => self.outcome(),
        }
    }
    fn threat_outcome(&self) -> Option<Outcome> {
        match FAULT {
            NOTHING_IS_FORCED => self.outcome(),
            LOSS_IS_FORCED => self.outcome().or(Some(Outcome::Win(self.side_to_move().opponent()))),
            _ => self.tactical_outcome(),
        }
    }
    fn non_losing_actions(&self, actions: &mut Vec<Action>) {
        self.distinct_actions(actions);
        if FAULT == WIN_IS_LEFT_OUT {
            actions.drain(..actions.len().min(1));
        }
    }
    fn heuristic(&self) -> i32 {
        match FAULT {
            BEYOND_THE_LIMIT => HEURISTIC_LIMIT,
            LEFT_IS_BETTER => i32::from(self.0.is_legal(Action(3))),
            _ if self.is_second_and(HEURISTIC_FOR_FIRST) => -self.0.heuristic(),
            _ => self.0.heuristic(),
        }
    }
    fn immediate_win(&self) -> ImmediateWin {
        match FAULT {
            NO_WIN => ImmediateWin::None,
            WRONG_WIN => ImmediateWin::By(Action(8)),
            _ if self.is_second_and(SECOND_SEES_NO_WIN) => ImmediateWin::Unknown,
            _ => self.0.immediate_win(),
        }
    }
    fn is_threatened(&self) -> bool {
        !self.is_second_and(SECOND_IS_FEARLESS) && self.0.is_threatened()
    }
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        self.0.hints(actions, hints);
        if FAULT == TOO_FEW_HINTS {
            hints.pop();
        }
        if self.is_second_and(SECOND_HINTS_HIGHER) {
            hints.iter_mut().for_each(|hint| *hint += 1);
        }
    }
    fn settled_outcome(&self) -> Option<Outcome> {
        match FAULT {
            DRAWN => self.outcome().or(Some(Outcome::Draw)),
            _ if self.is_second_and(SECOND_SETTLES_NOTHING) => self.outcome(),
            _ => self.0.settled_outcome(),
        }
    }
    fn solver(_memory_mib: u32) -> Option<Box<dyn OwnSolver<Self>>> {
        (FAULT == SOLVER_SAYS_DRAWN).then(|| Box::new(DrawnSolver) as Box<dyn OwnSolver<Self>>)
    }
}

/// Says that everything is drawn.
struct DrawnSolver;

impl<G> OwnSolver<G> for DrawnSolver {
    fn outcome(&mut self, _position: &G, _may_go_on: &mut MayGoOn<'_>) -> Option<Outcome> {
        Some(Outcome::Draw)
    }
    fn ending(&mut self, _position: &G, _may_go_on: &mut MayGoOn<'_>) -> Option<Ending> {
        Some(Ending { outcome: Outcome::Draw, turns: 1 })
    }
}
