//! A position of the game in the file, with everything that the program asks of a game.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use selfplay_registry::grid::{cell_name, column_name, picture};
use selfplay_registry::rng::{derive_seed, splitmix64};
use selfplay_registry::view::{BoardKind, Click, Layout, Piece, View};
use selfplay_registry::{
    Action, AuxiliaryTargets, Drawable, EncodingSpec, Exchangeable, Game, GameSpec, NotationError, Outcome,
    PolicyShape, Side, Symmetric, Symmetry, Tactics, TensorEncoding,
};

use crate::facts::Facts;
use crate::host::{Process, facts, my_process};
use crate::position_facts::{InvalidAnswer, PositionFacts};
use crate::request::{Op, Request, Trail};

/// Positions that a process keeps so that they are found again; beyond that each is asked for anew. Some hundred bytes each.
const MAX_FOUND_AGAIN: usize = 100_000;

/// A position, seen through a symmetry.
#[derive(Clone)]
pub struct Foreign {
    node: Arc<Node>,
    symmetry: Symmetry,
}

/// What is known of a position. Those that followed are kept as long as it is.
struct Node {
    process: &'static Process,
    /// Where the process has it; 0 for the initial one, which all have in common.
    place: u32,
    told: Arc<PositionFacts>,
    trail: Trail,
    next: Mutex<Vec<(u16, Arc<Node>)>>,
}

impl Drop for Node {
    fn drop(&mut self) {
        if self.place != 0 {
            self.process.free_place(self.place);
        }
    }
}

impl Node {
    fn new(process: &'static Process, place: u32, told: Arc<PositionFacts>, trail: Trail) -> Arc<Node> {
        Arc::new(Node { process, place, told, trail, next: Mutex::default() })
    }

    fn initial() -> Arc<Node> {
        static TOLD: OnceLock<Arc<PositionFacts>> = OnceLock::new();
        let process = my_process();
        let again = || process.ask(vec![Request::about(Op::Again, 0)], &Trail::default(), take);
        let told = TOLD.get_or_init(|| Arc::new(again()));
        Node::new(process, 0, Arc::clone(told), Trail::default())
    }

    /// The position after `actions`, at least one. It is not cached.
    fn after(self: &Arc<Node>, actions: &[u16]) -> Arc<Node> {
        let to = self.process.new_place();
        let steps = actions.iter().enumerate().map(|(number, &action)| Request {
            op: if number + 1 < actions.len() { Op::Step } else { Op::Play },
            action,
            from: if number == 0 { self.place } else { to },
            to,
        });
        let told = Arc::new(self.process.ask(steps.collect(), &self.trail, take));
        let trail = actions.iter().fold(self.trail.clone(), |trail, &action| trail.then(action));
        Node::new(self.process, to, told, trail)
    }

    fn played(self: &Arc<Node>, action: u16) -> Arc<Node> {
        let next = || self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = next().iter().find(|(known, _)| *known == action) {
            return Arc::clone(known);
        }
        let node = self.after(&[action]);
        if self.process.kept() <= MAX_FOUND_AGAIN {
            next().push((action, Arc::clone(&node)));
        }
        node
    }
}

fn take(bytes: &mut &[u8]) -> Result<PositionFacts, InvalidAnswer> {
    PositionFacts::take(bytes, facts())
}

/// Texts that live as long as the program, for what a compiled game has as constants.
struct Texts {
    title: &'static str,
    side_names: [&'static str; 2],
    plane_names: Vec<&'static str>,
    symmetries: Vec<Symmetry>,
}

fn texts() -> &'static Texts {
    static TEXTS: OnceLock<Texts> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let facts = facts();
        let derived = || PLANES.iter().map(|name| (*name).to_owned()).collect();
        let names = Box::leak(Box::new(facts.planes.clone().unwrap_or_else(derived)));
        Texts {
            title: &facts.title,
            side_names: [&facts.side_names[0], &facts.side_names[1]],
            plane_names: names.iter().map(String::as_str).collect(),
            symmetries: facts.images.iter().map(|&(index, _)| Symmetry::ALL[index]).collect(),
        }
    })
}

/// The planes of a game that does not have its own.
const PLANES: [&str; 4] = ["own pieces", "opponent's pieces", "ones", "ones if the first player is to move"];

impl Foreign {
    /// What the file says of the position, with actions and cells as they were before the symmetry.
    pub(crate) fn told(&self) -> &PositionFacts {
        &self.node.told
    }

    /// What the file says when it is asked once more.
    pub(crate) fn told_again(&self) -> PositionFacts {
        let Node { process, place, trail, .. } = &*self.node;
        process.ask(vec![Request::about(Op::Again, *place)], trail, take)
    }

    /// What the file says of the position after `action`, played anew.
    pub(crate) fn told_after(&self, action: Action) -> PositionFacts {
        (*self.node.after(&[action.0]).told).clone()
    }

    /// What is the same for equal positions alone. The file knows nothing of a position that was turned here, so the actions that
    /// lead to it are played: seldom, since searches turn positions to look at them, not to tell them apart.
    fn key(&self) -> [u8; 16] {
        if self.symmetry == Symmetry::IDENTITY {
            return self.told().key;
        }
        let line: Vec<Action> =
            self.node.trail.actions().into_iter().map(|action| self.image(Action(action))).collect();
        Foreign::after(&line).told().key
    }

    fn image(&self, action: Action) -> Action {
        Action(facts().image(action.0, self.symmetry.index()))
    }

    fn original(&self, action: Action) -> Action {
        Action(facts().image(action.0, self.symmetry.inverse().index()))
    }

    /// Where the symmetry takes a cell.
    fn there(&self, cell: usize) -> usize {
        moved(cell, self.symmetry)
    }
}

/// Where `symmetry` takes a cell of the game's board.
pub fn moved(cell: usize, symmetry: Symmetry) -> usize {
    let &Facts { rows, columns, .. } = facts();
    let (row, column) = symmetry.map(cell / columns, cell % columns, rows, columns);
    row * columns + column
}

fn sum(hashes: impl Iterator<Item = u64>) -> u64 {
    hashes.fold(0, u64::wrapping_add)
}

/// One symmetry after another, as one.
fn composed(first: Symmetry, second: Symmetry) -> Symmetry {
    // Two cells tell all eight apart.
    let image = |symmetry: Symmetry, cell| symmetry.map_cell(cell, 3);
    let both = |cell| image(second, image(first, cell));
    let found = Symmetry::ALL.into_iter().find(|&one| [0, 1].into_iter().all(|cell| image(one, cell) == both(cell)));
    found.expect("the eight symmetries are a group")
}

impl PartialEq for Foreign {
    fn eq(&self, other: &Foreign) -> bool {
        let is_at_hand = self.symmetry == other.symmetry;
        if is_at_hand { self.told().key == other.told().key } else { self.key() == other.key() }
    }
}

impl Eq for Foreign {}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {:?}, {}", facts().id, self.node.trail.actions(), self.symmetry)
    }
}

impl Game for Foreign {
    fn spec() -> GameSpec {
        let facts = facts();
        let spec = GameSpec::new(&facts.id, texts().title, facts.action_count)
            .side_names(texts().side_names)
            .readme(&facts.readme);
        let spec = facts.max_plies.map_or(spec, |plies| spec.max_plies(plies));
        if facts.is_grid { spec.grid(facts.rows, facts.columns) } else { spec }
    }

    fn initial() -> Self {
        Foreign { node: Node::initial(), symmetry: Symmetry::IDENTITY }
    }

    fn after(actions: &[Action]) -> Self {
        let actions: Vec<u16> = actions.iter().map(|action| action.0).collect();
        let initial = Node::initial();
        let node = if actions.is_empty() { initial } else { initial.after(&actions) };
        Foreign { node, symmetry: Symmetry::IDENTITY }
    }

    fn side_to_move(&self) -> Side {
        self.told().side
    }

    fn outcome(&self) -> Option<Outcome> {
        self.told().outcome
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend(self.told().legal.iter().map(|&action| self.image(action)));
    }

    fn is_legal(&self, action: Action) -> bool {
        action.index() < facts().action_count && self.told().legal.contains(&self.original(action))
    }

    fn play(&mut self, action: Action) {
        self.node = self.node.played(self.original(action).0);
    }

    fn position_hash(&self) -> u64 {
        u64::from_le_bytes(self.key()[..8].try_into().expect("eight bytes"))
    }

    /// A hash of the encoding and of the legal actions, which are known here of every image, whereas the file knows the hash of no
    /// image. Sums, since an image has the same numbers in another order.
    fn evaluation_key(&self) -> u64 {
        let (cells, told) = (facts().cells(), self.told());
        let hash = |place: usize, content: u64| splitmix64(splitmix64(place as u64) ^ content);
        let numbers = told.planes.iter().enumerate().filter(|(_, number)| **number != 0.0);
        let planes = numbers.map(|(index, number)| {
            let (plane, cell) = (index / cells, index % cells);
            hash(plane * cells + self.there(cell), number.to_bits().into())
        });
        let owners = told.cells.iter().enumerate().map(|(cell, &owner)| hash(self.there(cell), owner.into()));
        let numbers: u64 = if facts().planes.is_some() { sum(planes) } else { sum(owners) };
        let actions = sum(told.legal.iter().map(|&action| splitmix64(self.image(action).0.into())));
        derive_seed(&[numbers, actions, told.side.index() as u64])
    }

    fn action_name(action: Action) -> String {
        facts().names.get(action.index()).cloned().unwrap_or_default()
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        let found = facts().names.iter().position(|name| name == text);
        found.map(Action::from_index).ok_or_else(|| {
            let example = Node::initial().told.legal.first().map_or(String::new(), |&action| Self::action_name(action));
            let expected = format!("an action in the game's notation, such as `{example}`").into();
            NotationError { text: text.into(), game: Self::spec().id, expected }
        })
    }

    fn owner(&self, cell: usize) -> Option<Side> {
        let original = moved(cell, self.symmetry.inverse());
        Side::BOTH.get(usize::from(self.told().cells[original])).copied()
    }

    fn board(&self) -> String {
        let Node { process, place, trail, .. } = &*self.node;
        if facts().has_board && self.symmetry == Symmetry::IDENTITY {
            let request = Request::about(Op::Board, *place);
            return process.ask(vec![request], trail, |bytes| Ok(String::from_utf8_lossy(bytes).into_owned()));
        }
        if !facts().is_grid {
            return format!("{self:?}\n");
        }
        let names = texts().side_names.map(|name| name.chars().next().unwrap_or('?'));
        // Names that begin alike would not tell the pieces apart.
        let symbols = if names[0] == names[1] { ['X', 'O'] } else { names };
        picture((facts().rows, facts().columns), |cell| self.owner(cell).map_or('.', |side| symbols[side.index()]))
    }
}

impl Symmetric for Foreign {
    fn symmetries() -> &'static [Symmetry] {
        &texts().symmetries
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        Foreign { node: Arc::clone(&self.node), symmetry: composed(self.symmetry, symmetry) }
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action(facts().image(action.0, symmetry.index()))
    }
}

impl Tactics for Foreign {
    fn heuristic(&self) -> i32 {
        self.told().heuristic
    }
}

impl Exchangeable for Foreign {}

impl TensorEncoding for Foreign {
    fn encoding() -> EncodingSpec {
        let facts = facts();
        let encoding = EncodingSpec::new(&texts().plane_names, facts.rows, facts.columns).version(facts.version);
        match facts.policy_planes {
            0 => encoding,
            planes => encoding.policy(PolicyShape::Planes(planes)),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::encoding().encoded_len());
        let (cells, told) = (facts().cells(), self.told());
        if facts().planes.is_some() {
            for (plane, original) in planes.chunks_exact_mut(cells).zip(told.planes.chunks_exact(cells)) {
                (0..cells).for_each(|cell| plane[self.there(cell)] = original[cell]);
            }
            return;
        }
        planes.fill(0.0);
        let side = told.side.index();
        for (cell, &owner) in told.cells.iter().enumerate().filter(|(_, owner)| usize::from(**owner) < 2) {
            planes[usize::from(usize::from(owner) != side) * cells + self.there(cell)] = 1.0;
        }
        planes[2 * cells..3 * cells].fill(1.0);
        planes[3 * cells..].fill(f32::from(told.side == Side::First));
    }
}

impl AuxiliaryTargets for Foreign {}

impl Drawable for Foreign {
    fn layout() -> Layout {
        let &Facts { rows, columns, is_grid, falls, .. } = facts();
        if !is_grid {
            return Layout::text();
        }
        if falls {
            let layout = Layout::flat(BoardKind::Columns, rows, columns, |row, column| {
                cell_name(row * columns + column, columns)
            });
            return layout.labelled([], (0..columns).map(column_name));
        }
        Layout::grid(BoardKind::Stones, (rows, columns))
    }

    fn view(&self) -> View {
        const TASK: &str = "decides";
        if facts().is_grid {
            let pieces = (0..facts().cells()).map(|cell| self.owner(cell).map(Piece::Stone));
            return View::new(pieces.collect(), TASK);
        }
        View { text: self.board(), ..View::new(Vec::new(), TASK) }
    }

    fn clicks(&self, action: Action) -> Vec<Click> {
        let facts = facts();
        let columns = facts.columns;
        if facts.falls {
            let column = action.index();
            let cells = (0..facts.rows).rev().map(|row| row * columns + column);
            let lowest = cells.into_iter().find(|&cell| self.owner(cell).is_none());
            return vec![Click::Place(lowest.unwrap_or(column))];
        }
        match &facts.clicks {
            Some(clicks) => {
                let original = self.original(action).index();
                clicks[original].iter().map(|&cell| Click::Place(self.there(cell))).collect()
            }
            None if facts.is_grid && facts.action_count == facts.cells() => vec![Click::Place(action.index())],
            None => vec![Click::Listed(action.index())],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_after_one_another_are_one() {
        for first in Symmetry::ALL {
            assert_eq!(composed(first, first.inverse()), Symmetry::IDENTITY);
            for second in Symmetry::ALL {
                for cell in 0..25 {
                    let both = second.map_cell(first.map_cell(cell, 5), 5);
                    assert_eq!(composed(first, second).map_cell(cell, 5), both, "{first:?}, then {second:?}");
                }
            }
        }
    }
}
