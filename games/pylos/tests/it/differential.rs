//! Pylos's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every action they must agree on the legal actions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. Many games are made long: with raises and spheres taken back, up to draws by
//! repetition. `SELFPLAY_DIFFERENTIAL_GAMES=1000` compares more games than the few of every day.

use selfplay_pylos::Pylos;
use selfplay_registry::differential::{PlainRules, compare_games};
use selfplay_registry::{Outcome, Side, Symmetry};

const SPHERES: usize = 15;
/// The letters of the columns, level by level.
const LETTERS: [&str; 4] = ["abcd", "efg", "hi", "j"];
const APEX: &str = "the apex";
const STUCK: &str = "neither place nor raise";
const THIRD_TIME: &str = "the third time";

#[test]
fn the_fast_rules_are_the_plain_ones() {
    let games = compare_games::<Pylos, _>(24, &[APEX, STUCK, THIRD_TIME], PlainPylos::begun_by)
        .unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

/// Level, row and column, from 0; row 0 is row `1`.
type Cell = (usize, usize, usize);

/// Who owns the sphere in each cell.
#[derive(Clone, PartialEq)]
struct Pyramid {
    levels: Vec<Vec<Vec<Option<Side>>>>,
}

impl Pyramid {
    fn empty() -> Self {
        Pyramid { levels: (0..4).map(|level| vec![vec![None; 4 - level]; 4 - level]).collect() }
    }

    fn cells() -> Vec<Cell> {
        let mut cells = Vec::new();
        for level in 0..4 {
            for row in 0..4 - level {
                cells.extend((0..4 - level).map(|column| (level, row, column)));
            }
        }
        cells
    }

    fn at(&self, (level, row, column): Cell) -> Option<Side> {
        self.levels[level][row][column]
    }

    fn set(&mut self, (level, row, column): Cell, sphere: Option<Side>) {
        self.levels[level][row][column] = sphere;
    }

    fn is_fillable(&self, cell: Cell) -> bool {
        self.at(cell).is_none() && supports(cell).into_iter().all(|support| self.at(support).is_some())
    }

    /// Whether `side` has a sphere here on which nothing rests.
    fn is_free(&self, side: Side, cell: Cell) -> bool {
        let rests_on_it = |above: &Cell| self.at(*above).is_some() && supports(*above).contains(&cell);
        self.at(cell) == Some(side) && !Self::cells().iter().any(rests_on_it)
    }

    fn reserve(&self, side: Side) -> usize {
        SPHERES - Self::cells().into_iter().filter(|&cell| self.at(cell) == Some(side)).count()
    }

    /// Whether the sphere in `cell` belongs to a square or a full row or column of its colour.
    fn is_in_pattern(&self, cell: Cell) -> bool {
        let (level, row, column) = cell;
        let size = 4 - level;
        let mut patterns: Vec<Vec<Cell>> = Vec::new();
        if level <= 1 {
            patterns.push((0..size).map(|column| (level, row, column)).collect());
            patterns.push((0..size).map(|row| (level, row, column)).collect());
        }
        // What a sphere rests on is a square, and each square could bear one.
        patterns.extend(Self::cells().into_iter().map(supports).filter(|square| square.contains(&cell)));
        patterns.iter().any(|pattern| pattern.iter().all(|&other| self.at(other) == self.at(cell)))
    }
}

/// The four cells that a sphere rests on; none on the lowest level.
fn supports((level, row, column): Cell) -> Vec<Cell> {
    if level == 0 {
        return Vec::new();
    }
    vec![
        (level - 1, row, column),
        (level - 1, row, column + 1),
        (level - 1, row + 1, column),
        (level - 1, row + 1, column + 1),
    ]
}

#[derive(Clone, Copy, PartialEq)]
enum Due {
    PlaceOrRaise,
    FirstRemoval,
    SecondRemoval,
}

#[derive(Clone)]
struct PlainPylos {
    pyramid: Pyramid,
    mover: Side,
    due: Due,
    /// The pyramid and who was to move, at the start of every turn so far.
    turn_starts: Vec<(Pyramid, Side)>,
}

impl PlainPylos {
    fn begun_by(beginner: Side) -> Self {
        let pyramid = Pyramid::empty();
        let turn_starts = vec![(pyramid.clone(), beginner)];
        PlainPylos { pyramid, mover: beginner, due: Due::PlaceOrRaise, turn_starts }
    }

    fn start_next_turn(&mut self) {
        self.mover = self.mover.opponent();
        self.due = Due::PlaceOrRaise;
        self.turn_starts.push((self.pyramid.clone(), self.mover));
    }

    fn places_and_raises(&self) -> Vec<String> {
        let mut found = Vec::new();
        for to in Pyramid::cells().into_iter().filter(|&cell| self.pyramid.is_fillable(cell)) {
            if self.pyramid.reserve(self.mover) > 0 {
                found.push(name(to));
            }
            for from in Pyramid::cells() {
                if from.0 < to.0 && !supports(to).contains(&from) && self.pyramid.is_free(self.mover, from) {
                    found.push(format!("{}^{}", name(from), name(to)));
                }
            }
        }
        found
    }

    fn removals(&self) -> Vec<String> {
        let free = Pyramid::cells().into_iter().filter(|&cell| self.pyramid.is_free(self.mover, cell));
        free.map(|cell| format!("-{}", name(cell))).collect()
    }

    /// The pyramid after an action, and the cell that it fills.
    fn pyramid_after(&self, action: &str) -> (Pyramid, Option<Cell>) {
        let mut pyramid = self.pyramid.clone();
        if let Some(removed) = action.strip_prefix('-') {
            if !removed.is_empty() {
                pyramid.set(read(removed), None);
            }
            return (pyramid, None);
        }
        let filled = match action.split_once('^') {
            Some((from, to)) => {
                pyramid.set(read(from), None);
                read(to)
            }
            None => read(action),
        };
        pyramid.set(filled, Some(self.mover));
        (pyramid, Some(filled))
    }
}

fn name((level, row, column): Cell) -> String {
    format!("{}{}", &LETTERS[level][column..=column], row + 1)
}

fn read(text: &str) -> Cell {
    Pyramid::cells().into_iter().find(|&cell| name(cell) == text).unwrap()
}

impl PlainRules for PlainPylos {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        if let Some(winner) = self.pyramid.at((3, 0, 0)) {
            return Some((Outcome::Win(winner), APEX));
        }
        if self.due != Due::PlaceOrRaise {
            return None;
        }
        if self.places_and_raises().is_empty() {
            return Some((Outcome::Win(self.mover.opponent()), STUCK));
        }
        let is_now = |(pyramid, mover): &&(Pyramid, Side)| *pyramid == self.pyramid && *mover == self.mover;
        let times = self.turn_starts.iter().filter(is_now).count();
        (times >= 3).then_some((Outcome::Draw, THIRD_TIME))
    }

    fn legal(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        match self.due {
            Due::PlaceOrRaise => self.places_and_raises(),
            Due::FirstRemoval => self.removals(),
            Due::SecondRemoval => [self.removals(), vec!["-".to_owned()]].concat(),
        }
    }

    fn play(&mut self, action: &str) {
        let (pyramid, filled) = self.pyramid_after(action);
        self.pyramid = pyramid;
        match self.due {
            Due::PlaceOrRaise if filled.is_some_and(|cell| self.pyramid.is_in_pattern(cell)) => {
                self.due = Due::FirstRemoval;
            }
            Due::FirstRemoval => self.due = Due::SecondRemoval,
            Due::PlaceOrRaise | Due::SecondRemoval => self.start_next_turn(),
        }
    }

    fn image(&self, action: &str, symmetry: Symmetry) -> String {
        let cell_image = |text: &str| {
            let (level, row, column) = read(text);
            let (row, column) = symmetry.map(row, column, 4 - level, 4 - level);
            name((level, row, column))
        };
        match action.split_once('^') {
            _ if action == "-" => action.to_owned(),
            Some((from, to)) => format!("{}^{}", cell_image(from), cell_image(to)),
            None => match action.strip_prefix('-') {
                Some(removed) => format!("-{}", cell_image(removed)),
                None => cell_image(action),
            },
        }
    }

    fn leads_to(&self, action: &str, aim: &str) -> bool {
        let (pyramid, filled) = self.pyramid_after(action);
        let completes = filled.is_some_and(|cell| pyramid.is_in_pattern(cell));
        match aim {
            // Takes back what stood before, so that the same turn starts come again.
            THIRD_TIME => completes || filled.is_none() && self.turn_starts.iter().any(|(stood, _)| *stood == pyramid),
            // Takes back as much as possible, so that the end is far.
            APEX => action != "-" && (filled.is_none() || completes || action.contains('^')),
            _ => true,
        }
    }
}
