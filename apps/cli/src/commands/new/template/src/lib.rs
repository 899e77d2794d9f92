//! The rules of Squava, as yet those of a small game to begin with: two players mark squares of a 5×5 board in turn. Four
//! marks in a row win; three in a row lose, unless they are part of four.
//!
//! These are all the program needs to know: `Game` says what the rules are. The empty lines at the end say that for
//! everything else the defaults will do. Each is a place where you can teach the program more about your game.

use selfplay::kit::grid::cell_name;
use selfplay::kit::zobrist;
use selfplay::kit::{
    Action, AuxiliaryTargets, Drawable, Exchangeable, Game, GameSpec, Outcome, Side, Symmetric, Symmetry, Tactics,
    TensorEncoding,
};

const SIZE: usize = 5;
const CELLS: usize = SIZE * SIZE;

/// Rules and notation for players, in Markdown.
const README: &str = "Two players mark squares of a 5×5 board in turn. Four marks in a row, in any direction, win; \
    three lose, unless they are part of four.\n\nNotation: column `a`–`e` from the left, row `1`–`5` from the top.";

/// A random number for each mark on each cell: a position's hash is the XOR of those of its marks. Whose turn it is follows
/// from their number here; where it does not, it has a number of its own.
const KEYS: [u64; 2 * CELLS] = zobrist::keys(0x7371_7561_7661);

/// A position. Two equal positions must have the same moves before them, so all that the rules look at is here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Squava {
    /// The cells that each side has marked, as bits; cell = row · 5 + column.
    marks: [u32; 2],
    to_move: Side,
    /// Kept from the move that ended the game, so that it need not be searched for again.
    outcome: Option<Outcome>,
    hash: u64,
}

impl Squava {
    /// The most marks in a row through `cell` among `marks`, which contain it.
    fn longest_row(marks: u32, cell: usize) -> usize {
        let (row, column) = ((cell / SIZE) as isize, (cell % SIZE) as isize);
        let is_marked = |r: isize, c: isize| {
            let is_on_board = (0..SIZE as isize).contains(&r) && (0..SIZE as isize).contains(&c);
            is_on_board && marks >> (r * SIZE as isize + c) & 1 == 1
        };
        let reach = |down: isize, right: isize| {
            (1..).take_while(|step| is_marked(row + step * down, column + step * right)).count()
        };
        let directions = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let rows = directions.map(|(down, right)| 1 + reach(down, right) + reach(-down, -right));
        rows.into_iter().max().unwrap_or(1)
    }
}

impl Game for Squava {
    /// The id on command lines, the title in tables and the number of actions; an action's index is the cell that it
    /// marks. From the grid follow the board as text, its picture and the network's input.
    fn spec() -> GameSpec {
        GameSpec::new("squava", "Squava, 5×5", CELLS).side_names(["X", "O"]).grid(SIZE, SIZE).readme(README)
    }

    fn initial() -> Self {
        Squava { marks: [0; 2], to_move: Side::First, outcome: None, hash: 0 }
    }

    fn side_to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Every move that the rules allow; none when the game is over.
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_none() {
            actions.extend((0..CELLS).filter(|&cell| self.owner(cell).is_none()).map(Action::from_index));
        }
    }

    fn play(&mut self, action: Action) {
        let (side, cell) = (self.to_move, action.index());
        self.marks[side.index()] |= 1 << cell;
        self.hash ^= KEYS[side.index() * CELLS + cell];
        self.outcome = match Self::longest_row(self.marks[side.index()], cell) {
            4.. => Some(Outcome::Win(side)),
            3 => Some(Outcome::Win(side.opponent())),
            _ if (self.marks[0] | self.marks[1]).count_ones() as usize == CELLS => Some(Outcome::Draw),
            _ => None,
        };
        self.to_move = side.opponent();
    }

    /// A number that equal positions share and different ones do not.
    fn position_hash(&self) -> u64 {
        self.hash
    }

    /// How people write a move; reading follows from that.
    fn action_name(action: Action) -> String {
        cell_name(action.index(), SIZE)
    }

    /// Whose piece stands on a cell of the grid.
    fn owner(&self, cell: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.marks[side.index()] >> cell & 1 == 1)
    }
}

/// Turned and mirrored boards are the same game: what is learned of one is learned of all eight. Without the lines in
/// the braces a game has no symmetry, which is never wrong.
impl Symmetric for Squava {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let mut image = Squava { marks: [0; 2], hash: 0, ..self.clone() };
        for cell in 0..CELLS {
            if let Some(side) = self.owner(cell) {
                let there = symmetry.map_cell(cell, SIZE);
                image.marks[side.index()] |= 1 << there;
                image.hash ^= KEYS[side.index() * CELLS + there];
            }
        }
        image
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action::from_index(symmetry.map_cell(action.index(), SIZE))
    }
}

/// What alpha-beta may know: a guess at a position's value, wins at once, which moves to try first. Nothing, so far.
impl Tactics for Squava {}

/// Whether both sides play by the same rules, to check that they do. Not said, so far.
impl Exchangeable for Squava {}

/// What the network sees: a plane for the own pieces, one for the opponent's, and one that tells whose turn it is.
impl TensorEncoding for Squava {}

/// Auxiliary targets: what else the network learns to predict about the end of the game. None so far.
impl AuxiliaryTargets for Squava {}

/// How the board looks in the browser: squares, clicked one by one.
impl Drawable for Squava {}
