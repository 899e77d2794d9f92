//! The rules: playing a card, removing what exceeds the limit, the score at the end.

use super::{Cell, LIMIT, Sum15, VALUES, notation};
use selfplay_registry::zobrist;
use selfplay_registry::{Action, Game, GameSpec, NotationError, Outcome, Side};

/// Cells of the largest board.
const MAX_CELLS: usize = 36;
/// More than the cards of one value in any hand.
const COUNTS: usize = 4;
/// What a cell can hold besides nothing: a card of either side or none for good.
const CONTENTS: usize = 2 * VALUES.len() + 1;
/// A key for each cell and content, then for each side, card and number in hand; the sizes share one table.
static KEYS: [u64; MAX_CELLS * CONTENTS + 2 * VALUES.len() * COUNTS] = zobrist::keys(0x73_756d_3135);

pub(super) fn cell_key(cell: usize, content: Cell) -> u64 {
    let content = match content {
        Cell::Empty => return 0,
        Cell::Dead => 2 * VALUES.len(),
        Cell::Card { owner, card } => owner.index() * VALUES.len() + usize::from(card),
    };
    KEYS[cell * CONTENTS + content]
}

fn hand_key(side: Side, card: usize, count: u8) -> u64 {
    KEYS[MAX_CELLS * CONTENTS + (side.index() * VALUES.len() + card) * COUNTS + usize::from(count)]
}

impl<const N: usize> Sum15<N> {
    /// Cards of each value that a player starts with.
    pub(super) const START_HAND: [u8; VALUES.len()] = match N {
        4 => [1, 1, 1, 1, 1],
        6 => [2, 2, 2, 3, 2],
        _ => panic!("Sum15 boards are 4 or 6 wide"),
    };
    /// Cards of both players together: the length of every game.
    pub(super) const CARDS: usize = {
        let mut cards = 0;
        let mut card = 0;
        while card < VALUES.len() {
            cards += 2 * Self::START_HAND[card] as usize;
            card += 1;
        }
        cards
    };

    /// Points of all cards that a player starts with.
    pub(super) const HAND_POINTS: u32 = {
        let mut points = 0;
        let mut card = 0;
        while card < VALUES.len() {
            points += Self::START_HAND[card] as u32 * VALUES[card] as u32;
            card += 1;
        }
        points
    };

    /// A position with these cells and hands; the outcome is the score's when both hands are empty.
    pub(super) fn from_parts(cells: [[Cell; N]; N], hands: [[u8; VALUES.len()]; 2], to_move: Side) -> Self {
        let in_hand: u8 = hands.as_flattened().iter().sum();
        let ply = Self::CARDS as u8 - in_hand;
        let mut position = Sum15 { cells, sums: [[0; N]; N], hands, ply, to_move, outcome: None, hash: 0 };
        for side in Side::BOTH {
            for (card, &count) in hands[side.index()].iter().enumerate() {
                position.hash ^= hand_key(side, card, count);
            }
        }
        for cell in 0..N * N {
            let (row, column) = (cell / N, cell % N);
            position.hash ^= cell_key(cell, cells[row][column]);
            if let Cell::Card { card, .. } = cells[row][column] {
                position.change_sums(row, column, |sum| sum + VALUES[usize::from(card)]);
            }
        }
        position.outcome = (in_hand == 0).then(|| position.result());
        position
    }

    /// The card, row and column that the policy index `action` stands for; the card is beyond the last for an index
    /// beyond the last.
    pub(super) fn parts(action: Action) -> (usize, usize, usize) {
        (action.index() / (N * N), action.index() / N % N, action.index() % N)
    }

    /// Sum of the values of the cards that `side` has on the board.
    pub(super) fn points(&self, side: Side) -> u32 {
        self.values_on_board(side).map(u32::from).sum()
    }

    pub(super) fn values_on_board(&self, side: Side) -> impl Iterator<Item = u8> {
        self.cells.as_flattened().iter().filter_map(move |&cell| match cell {
            Cell::Card { owner, card } if owner == side => Some(VALUES[usize::from(card)]),
            _ => None,
        })
    }

    /// Who has won when both hands are empty: more points, then the higher card.
    fn result(&self) -> Outcome {
        let strength = |side| (self.points(side), self.values_on_board(side).max());
        match strength(Side::First).cmp(&strength(Side::Second)) {
            std::cmp::Ordering::Greater => Outcome::Win(Side::First),
            std::cmp::Ordering::Less => Outcome::Win(Side::Second),
            std::cmp::Ordering::Equal => Outcome::Draw,
        }
    }

    fn change_sums(&mut self, row: usize, column: usize, change: impl Fn(u8) -> u8) {
        for sums in &mut self.sums[around::<N>(row)] {
            for sum in &mut sums[around::<N>(column)] {
                *sum = change(*sum);
            }
        }
    }

    fn put(&mut self, row: usize, column: usize, content: Cell) {
        let cell = row * N + column;
        self.hash ^= cell_key(cell, self.cells[row][column]) ^ cell_key(cell, content);
        self.cells[row][column] = content;
    }

    /// `[side][card][row][column]`: the points of the side's cards that a card there removes around it.
    pub(super) fn removed_points(&self) -> [[[[u8; N]; N]; VALUES.len()]; 2] {
        let mut removed = [[[[0; N]; N]; VALUES.len()]; 2];
        for row in 0..N {
            for column in 0..N {
                if let Cell::Card { owner, card } = self.cells[row][column] {
                    let value = VALUES[usize::from(card)];
                    let too_high = VALUES.iter().position(|value| self.sums[row][column] + value > LIMIT);
                    for points in &mut removed[owner.index()][too_high.unwrap_or(VALUES.len())..] {
                        for points in &mut points[around::<N>(row)] {
                            for sum in &mut points[around::<N>(column)] {
                                *sum += value;
                            }
                        }
                    }
                }
            }
        }
        removed
    }

    /// Removes every card that exceeds the limit after a card was put on (`row`, `column`). All are found before the
    /// first is removed; the sums of cards further away have not grown, so none of those can exceed it.
    fn remove_marked(&mut self, row: usize, column: usize) {
        let mut marked = [(0, 0, 0); 9];
        let mut count = 0;
        for row in around::<N>(row) {
            for column in around::<N>(column) {
                if let Cell::Card { card, .. } = self.cells[row][column]
                    && self.sums[row][column] > LIMIT
                {
                    marked[count] = (row, column, VALUES[usize::from(card)]);
                    count += 1;
                }
            }
        }
        for &(row, column, value) in &marked[..count] {
            self.put(row, column, Cell::Dead);
            self.change_sums(row, column, |sum| sum - value);
        }
    }
}

/// The rows (or columns) of the neighbourhood of row (or column) `index`.
pub(super) fn around<const N: usize>(index: usize) -> std::ops::Range<usize> {
    index.saturating_sub(1)..(index + 2).min(N)
}

impl<const N: usize> Game for Sum15<N> {
    /// Every game lasts until all cards are played.
    fn spec() -> GameSpec {
        GameSpec::new(
            match N {
                4 => "sum15-4",
                6 => "sum15-6",
                _ => panic!("Sum15 boards are 4 or 6 wide"),
            },
            match N {
                4 => "Sum15, 4×4",
                _ => "Sum15, 6×6",
            },
            VALUES.len() * N * N,
        )
        .side_names(["First", "Second"])
        .max_plies(Self::CARDS)
        .readme(include_str!("../README.md"))
    }

    fn initial() -> Self {
        Self::from_parts([[Cell::Empty; N]; N], [Self::START_HAND; 2], Side::First)
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let mut empty = [0; MAX_CELLS];
        let mut count = 0;
        for (cell, &content) in self.cells.as_flattened().iter().enumerate() {
            // Written always, kept if empty: no branch.
            empty[count] = cell as u16;
            count += usize::from(content == Cell::Empty);
        }
        // Empty hands leave nothing to list, so a finished game needs no test of its own.
        for (card, &held) in self.hands[self.side_to_move().index()].iter().enumerate() {
            if held > 0 {
                actions.extend(empty[..count].iter().map(|&cell| Action((card * N * N) as u16 + cell)));
            }
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        let (card, row, column) = Self::parts(action);
        let hand = &self.hands[self.side_to_move().index()];
        hand.get(card).is_some_and(|&count| count > 0) && self.cells[row][column] == Cell::Empty
    }

    fn illegal_reason(&self, action: Action) -> String {
        let (card, row, column) = Self::parts(action);
        match (VALUES.get(card), self.cells[row][column]) {
            (None, _) => "there is no such card".into(),
            (_, Cell::Card { .. }) => "the cell is taken".into(),
            (_, Cell::Dead) => "the cell is dead: it has held a card before".into(),
            (Some(value), Cell::Empty) => format!("no {value} is left in the hand"),
        }
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let (card, row, column) = Self::parts(action);
        let owner = self.side_to_move();
        let count = &mut self.hands[owner.index()][card];
        self.hash ^= hand_key(owner, card, *count) ^ hand_key(owner, card, *count - 1);
        *count -= 1;
        self.ply += 1;
        self.to_move = owner.opponent();
        self.put(row, column, Cell::Card { owner, card: card as u8 });
        self.change_sums(row, column, |sum| sum + VALUES[card]);
        self.remove_marked(row, column);
        if usize::from(self.ply) == Self::CARDS {
            self.outcome = Some(self.result());
        }
    }

    fn position_hash(&self) -> u64 {
        self.hash
    }

    fn action_name(action: Action) -> String {
        notation::action_name::<N>(action)
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        notation::parse_action::<N>(text)
    }

    fn board(&self) -> String {
        notation::board(self)
    }
}
