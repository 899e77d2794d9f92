//! The rules: turns of one to three actions, squares and lines that give spheres back, and how a game ends.

use super::history::History;
use super::notation;
use super::position_index::{POSITION_INDEX, Spheres};
use super::support::{covered, supported};
use super::tables::{
    ACTION_COUNT, ACTIONS, APEX, ActionKind, CELLS, PATTERNS, PATTERNS_THROUGH, RAISE_TARGETS, cells_of,
};
use selfplay_registry::position_index::PositionIndex;
use selfplay_registry::zobrist;
use selfplay_registry::{Action, Game, GameSpec, NotationError, Outcome, Side};

/// Spheres of each side, on the board and in the reserve together.
pub(super) const SPHERES: u32 = 15;

const SIDE_KEY: usize = 2 * CELLS;
const FIRST_REMOVAL_KEY: usize = SIDE_KEY + 1;
const SECOND_REMOVAL_KEY: usize = SIDE_KEY + 2;
static KEYS: [u64; 2 * CELLS + 3] = zobrist::keys(0x7079_6c6f_7300);
/// One for each number of earlier occurrences that leaves the game running; none stands for 0.
static OCCURRENCE_KEYS: [u64; 3] = {
    let [once, twice] = zobrist::keys(0x7079_6c6f_7301);
    [0, once, twice]
};

/// What the side to move decides now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// A turn starts: place or raise.
    Build,
    /// A square or line is complete: remove a sphere.
    FirstRemoval,
    /// One sphere is removed: remove another one or stop.
    SecondRemoval,
}

/// A Pylos position.
#[derive(Clone, Debug)]
pub struct Pylos {
    /// Spheres of each side as masks over the cells, first player's first.
    spheres: [u32; 2],
    side: Side,
    phase: Phase,
    /// Kept, not computed: who asks for it asks at every position, and repetition is seen only at a turn's start.
    outcome: Option<Outcome>,
    earlier_occurrences: u8,
    hash: u64,
    history: History,
}

impl PartialEq for Pylos {
    fn eq(&self, other: &Self) -> bool {
        self.spheres == other.spheres && self.side == other.side && self.phase == other.phase
    }
}

impl Eq for Pylos {}

impl Pylos {
    /// The position with these spheres where `side` starts a turn and no board stood before.
    pub(super) fn at_turn_start(spheres: [u32; 2], side: Side) -> Self {
        let mut position = Self::with_history(spheres, side, Phase::Build, History::empty());
        position.start_turn();
        position
    }

    /// The same position with `image` of the spheres and the side to move, in the history too, and with that `outcome`.
    pub(super) fn map(&self, image: impl Fn([u32; 2], Side) -> ([u32; 2], Side), outcome: Option<Outcome>) -> Self {
        let (spheres, side) = image(self.spheres, self.side);
        let history = self.history.map(image);
        let earlier_occurrences = self.earlier_occurrences;
        Pylos { outcome, earlier_occurrences, ..Self::with_history(spheres, side, self.phase, history) }
    }

    /// The same position with `image` of the spheres and no history but the number of earlier occurrences.
    pub(super) fn without_history(&self, image: impl Fn(u32) -> u32) -> Self {
        let &Pylos { spheres, side, phase, outcome, earlier_occurrences, .. } = self;
        let image = Self::with_history(spheres.map(image), side, phase, History::empty());
        Pylos { outcome, earlier_occurrences, ..image }
    }

    /// Its evaluation key.
    pub(super) fn key_with(&self, image: impl Fn(u32) -> u32) -> u64 {
        self.evaluation_key() ^ spheres_key(self.spheres) ^ spheres_key(self.spheres.map(image))
    }

    /// Cells with a sphere of `side`.
    #[inline]
    pub(super) fn spheres(&self, side: Side) -> u32 {
        self.spheres[side.index()]
    }

    fn occupied(&self) -> u32 {
        self.spheres[0] | self.spheres[1]
    }

    /// Spheres of `side` that are not on the board.
    #[inline]
    pub(super) fn reserve(&self, side: Side) -> u32 {
        SPHERES - self.spheres(side).count_ones()
    }

    /// What the side to move decides now.
    #[inline]
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// What the side to move does now, to follow its name.
    pub(super) fn task(&self) -> &'static str {
        match self.phase {
            Phase::Build => "places or raises",
            Phase::FirstRemoval => "removes one or two spheres",
            Phase::SecondRemoval => "removes a second sphere or stops",
        }
    }

    /// How often this board stood before with the same side to start a turn; 0 in the middle of a turn.
    #[inline]
    pub(super) fn earlier_occurrences(&self) -> u8 {
        self.earlier_occurrences
    }

    /// Empty cells whose supports are all filled.
    #[inline]
    pub(super) fn fillable(&self) -> u32 {
        let occupied = self.occupied();
        supported(occupied) & !occupied
    }

    /// Spheres of `side` on which nothing rests.
    #[inline]
    pub(super) fn free(&self, side: Side) -> u32 {
        self.spheres(side) & !covered(self.occupied())
    }

    /// Free spheres of `side` for which there is a cell to be raised to.
    #[inline]
    pub(super) fn raisable(&self, side: Side) -> u32 {
        let fillable = self.fillable();
        cells_of(self.free(side))
            .filter(|&from| RAISE_TARGETS[usize::from(from)] & fillable != 0)
            .fold(0, |mask, from| mask | 1 << from)
    }

    /// Empty cells with which a square or line of `side` would be complete, those that cannot be filled yet included.
    pub(super) fn completing(&self, side: Side) -> u32 {
        let own = self.spheres(side);
        let lacking = PATTERNS.iter().map(|pattern| pattern & !own);
        lacking.filter(|cells| cells.is_power_of_two()).fold(0, |all, cell| all | cell) & !self.occupied()
    }

    /// The rule that forbids an action of this `kind` in a running game, or `None` if it is legal.
    fn broken_rule(&self, kind: ActionKind) -> Option<&'static str> {
        let has = |mask: u32, cell: u8| mask >> cell & 1 == 1;
        let broken = |is_broken: bool, rule: &'static str| is_broken.then_some(rule);
        let own = self.spheres(self.side);
        let occupied = self.occupied();
        let cannot_fill = |to: u8| {
            broken(has(occupied, to), "the cell is taken")
                .or_else(|| broken(!has(self.fillable(), to), "a cell is filled only when its four supports are"))
        };
        let cannot_take = |from: u8| {
            broken(!has(own, from), "the player to move has no sphere there")
                .or_else(|| broken(!has(self.free(self.side), from), "another sphere rests on it"))
        };
        match (self.phase, kind) {
            (Phase::Build, ActionKind::Place { to }) => {
                broken(self.reserve(self.side) == 0, "the reserve is empty").or_else(|| cannot_fill(to))
            }
            (Phase::Build, ActionKind::Raise { from, to }) => cannot_take(from).or_else(|| cannot_fill(to)),
            (Phase::Build, ActionKind::Remove { .. } | ActionKind::Stop) => {
                Some("a turn starts with a place or a raise")
            }
            (_, ActionKind::Place { .. } | ActionKind::Raise { .. }) => {
                Some("a square or line is complete and the turn goes on with removals")
            }
            (_, ActionKind::Remove { from }) => cannot_take(from),
            (Phase::FirstRemoval, ActionKind::Stop) => Some("at least one sphere must be removed"),
            (Phase::SecondRemoval, ActionKind::Stop) => None,
        }
    }

    fn with_history(spheres: [u32; 2], side: Side, phase: Phase, history: History) -> Self {
        let mut hash = phase_key(phase) ^ spheres_key(spheres);
        if side == Side::Second {
            hash ^= KEYS[SIDE_KEY];
        }
        Pylos { spheres, side, phase, outcome: None, earlier_occurrences: 0, hash, history }
    }

    /// Puts a sphere of the side to move on `cell`, or takes it away.
    #[inline]
    fn toggle(&mut self, cell: u8) {
        self.spheres[self.side.index()] ^= 1 << cell;
        self.hash ^= KEYS[self.side.index() * CELLS + usize::from(cell)];
    }

    #[inline]
    fn set_phase(&mut self, phase: Phase) {
        self.hash ^= phase_key(self.phase) ^ phase_key(phase);
        self.phase = phase;
    }

    /// What follows the sphere that has just been put on `to`.
    fn after_build(&mut self, to: u8) {
        if to == APEX {
            self.outcome = Some(Outcome::Win(self.side));
            self.pass_turn();
            return;
        }
        let own = self.spheres(self.side);
        // All patterns without an early exit: a few steps that never vary beat a branch for each.
        let completes =
            PATTERNS_THROUGH[usize::from(to)].iter().fold(false, |any, &pattern| any | (pattern & !own == 0));
        if completes {
            self.set_phase(Phase::FirstRemoval);
            self.earlier_occurrences = 0;
        } else {
            self.end_turn();
        }
    }

    fn end_turn(&mut self) {
        self.pass_turn();
        self.start_turn();
    }

    fn pass_turn(&mut self) {
        self.set_phase(Phase::Build);
        self.side = self.side.opponent();
        self.hash ^= KEYS[SIDE_KEY];
    }

    /// Records the turn start and sees whether the game ends by it.
    fn start_turn(&mut self) {
        let earlier = self.history.record(self.spheres, self.side);
        self.earlier_occurrences = earlier.min(2) as u8;
        if earlier >= 2 {
            self.outcome = Some(Outcome::Draw);
        } else if self.reserve(self.side) == 0 && self.raisable(self.side) == 0 {
            // With a reserve there is always a place: the lowest level that is not full has an empty cell.
            self.outcome = Some(Outcome::Win(self.side.opponent()));
        }
    }
}

/// The part of the hash that comes from the spheres.
fn spheres_key(spheres: [u32; 2]) -> u64 {
    let key =
        |side: Side| cells_of(spheres[side.index()]).map(move |cell| KEYS[side.index() * CELLS + usize::from(cell)]);
    Side::BOTH.into_iter().flat_map(key).fold(0, |all, key| all ^ key)
}

fn phase_key(phase: Phase) -> u64 {
    match phase {
        Phase::Build => 0,
        Phase::FirstRemoval => KEYS[FIRST_REMOVAL_KEY],
        Phase::SecondRemoval => KEYS[SECOND_REMOVAL_KEY],
    }
}

impl Game for Pylos {
    fn spec() -> GameSpec {
        GameSpec::new("pylos", "Pylos, pyramid 4×4 to 1", ACTION_COUNT)
            .side_names(["White", "Black"])
            .readme(include_str!("../README.md"))
    }

    fn initial() -> Self {
        Self::at_turn_start([0; 2], Side::First)
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.side
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_some() {
            return;
        }
        let free = self.free(self.side);
        if self.phase == Phase::Build {
            let fillable = self.fillable();
            if self.reserve(self.side) > 0 {
                actions.extend(cells_of(fillable).filter_map(|to| ActionKind::Place { to }.action()));
            }
            for from in cells_of(free) {
                let targets = fillable & RAISE_TARGETS[usize::from(from)];
                actions.extend(cells_of(targets).filter_map(|to| ActionKind::Raise { from, to }.action()));
            }
        } else {
            actions.extend(cells_of(free).filter_map(|from| ActionKind::Remove { from }.action()));
            if self.phase == Phase::SecondRemoval {
                actions.extend(ActionKind::Stop.action());
            }
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        let kind = ACTIONS.get(action.index());
        self.outcome.is_none() && kind.is_some_and(|&kind| self.broken_rule(kind).is_none())
    }

    fn illegal_reason(&self, action: Action) -> String {
        let rule = match ACTIONS.get(action.index()) {
            Some(&kind) => self.broken_rule(kind).unwrap_or("the game is over"),
            None => "the game has no such action",
        };
        rule.into()
    }

    #[inline]
    fn play(&mut self, action: Action) {
        match ACTIONS[action.index()] {
            ActionKind::Place { to } => {
                self.toggle(to);
                self.after_build(to);
            }
            ActionKind::Raise { from, to } => {
                self.toggle(from);
                self.toggle(to);
                self.after_build(to);
            }
            ActionKind::Remove { from } => {
                self.toggle(from);
                match self.phase {
                    Phase::FirstRemoval => self.set_phase(Phase::SecondRemoval),
                    Phase::SecondRemoval | Phase::Build => self.end_turn(),
                }
            }
            ActionKind::Stop => self.end_turn(),
        }
    }

    #[inline]
    fn position_hash(&self) -> u64 {
        self.hash
    }

    #[inline]
    fn evaluation_key(&self) -> u64 {
        self.hash ^ OCCURRENCE_KEYS[usize::from(self.earlier_occurrences)]
    }

    fn starts_turn(&self) -> bool {
        self.phase == Phase::Build
    }

    fn position_index() -> Option<&'static dyn PositionIndex> {
        Some(&*POSITION_INDEX)
    }

    fn number(&self) -> Option<u64> {
        let [own, other] = [self.side, self.side.opponent()].map(|side| self.spheres(side));
        (self.phase == Phase::Build && self.occupied() >> APEX == 0)
            .then(|| POSITION_INDEX.number(Spheres { own, other }))
    }

    fn at_number(number: u64) -> Option<Self> {
        let Spheres { own, other } = POSITION_INDEX.spheres(number)?;
        Some(Self::at_turn_start([own, other], Side::First))
    }

    fn action_name(action: Action) -> String {
        notation::action_name(action)
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        notation::parse_action(text).ok_or_else(|| NotationError {
            text: text.into(),
            game: Self::spec().id,
            expected: notation::EXPECTED.into(),
        })
    }

    fn board(&self) -> String {
        let fillable = self.fillable();
        let mut text = notation::draw(|cell| {
            let has = |mask: u32| mask >> cell & 1 == 1;
            match (has(self.spheres[0]), has(self.spheres[1]), has(fillable)) {
                (true, _, _) => 'w',
                (_, true, _) => 'b',
                (_, _, true) => '.',
                _ => '_',
            }
        });
        let [first, second] = Side::BOTH.map(|side| self.reserve(side));
        text.push_str("w White, b Black, . can be filled, _ not yet\n");
        text.push_str(&format!("reserve: White {first}, Black {second}\n"));
        if self.outcome.is_none() {
            let name = Self::spec().side_names[self.side.index()];
            text.push_str(&format!("{name} {}\n", self.task()));
        }
        text
    }
}
