//! Pylos's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every decision they must agree on the legal decisions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. Many games are made long: with raises and spheres taken back, up to draws by
//! repetition. `SELFPLAY_TWIN_GAMES=1000` compares more games than the few of every day.

use std::collections::BTreeMap;

use selfplay_kit::rng::{GameRng, RngExt, rng_for};
use selfplay_kit::{Outcome, Side, Symmetry, WholeGame};
use selfplay_pylos::Pylos;

const SPHERES: usize = 15;
/// The letters of the columns, level by level.
const LETTERS: [&str; 4] = ["abcd", "efg", "hi", "j"];
const APEX: &str = "the apex";
const STUCK: &str = "neither place nor raise";
const THIRD_TIME: &str = "the third time";

#[test]
fn the_fast_rules_are_the_plain_ones() {
    compare_games::<Pylos, _>(24, &[APEX, STUCK, THIRD_TIME], PlainPylos::begun_by);
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

    /// The pyramid after a decision, and the cell that it fills.
    fn pyramid_after(&self, decision: &str) -> (Pyramid, Option<Cell>) {
        let mut pyramid = self.pyramid.clone();
        if let Some(removed) = decision.strip_prefix('-') {
            if !removed.is_empty() {
                pyramid.set(read(removed), None);
            }
            return (pyramid, None);
        }
        let filled = match decision.split_once('^') {
            Some((from, to)) => {
                pyramid.set(read(from), None);
                read(to)
            }
            None => read(decision),
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

impl Plain for PlainPylos {
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

    fn play(&mut self, decision: &str) {
        let (pyramid, filled) = self.pyramid_after(decision);
        self.pyramid = pyramid;
        match self.due {
            Due::PlaceOrRaise if filled.is_some_and(|cell| self.pyramid.is_in_pattern(cell)) => {
                self.due = Due::FirstRemoval;
            }
            Due::FirstRemoval => self.due = Due::SecondRemoval,
            Due::PlaceOrRaise | Due::SecondRemoval => self.start_next_turn(),
        }
    }

    fn image(&self, decision: &str, symmetry: Symmetry) -> String {
        let cell_image = |text: &str| {
            let (level, row, column) = read(text);
            let (row, column) = symmetry.map(row, column, 4 - level, 4 - level);
            name((level, row, column))
        };
        match decision.split_once('^') {
            _ if decision == "-" => decision.to_owned(),
            Some((from, to)) => format!("{}^{}", cell_image(from), cell_image(to)),
            None => match decision.strip_prefix('-') {
                Some(removed) => format!("-{}", cell_image(removed)),
                None => cell_image(decision),
            },
        }
    }

    fn leads_to(&self, decision: &str, aim: &str) -> bool {
        let (pyramid, filled) = self.pyramid_after(decision);
        let completes = filled.is_some_and(|cell| pyramid.is_in_pattern(cell));
        match aim {
            // Takes back what stood before, so that the same turn starts come again.
            THIRD_TIME => completes || filled.is_none() && self.turn_starts.iter().any(|(stood, _)| *stood == pyramid),
            // Takes back as much as possible, so that the end is far.
            APEX => decision != "-" && (filled.is_none() || completes || decision.contains('^')),
            _ => true,
        }
    }
}

// What follows is the same in the twins of all games.

/// The rules once more, written to be checked by eye.
trait Plain: Clone {
    /// The symmetries that the rules keep.
    const SYMMETRIES: &'static [Symmetry];

    fn side_to_move(&self) -> Side;
    /// The outcome, and what brought it about.
    fn end(&self) -> Option<(Outcome, &'static str)>;
    /// Every legal decision; none once the game has ended.
    fn legal(&self) -> Vec<String>;
    /// Makes a legal decision.
    fn play(&mut self, decision: &str);
    /// What `decision` is called on the board that `symmetry` shows.
    fn image(&self, decision: &str, symmetry: Symmetry) -> String;

    /// Whether a game that heads for `aim` had better go on by this decision than by others.
    fn leads_to(&self, _decision: &str, _aim: &str) -> bool {
        true
    }

    /// A random decision that ends the game by `aim`; or else one that does not end it, leading to `aim` if there is one;
    /// or else any.
    fn choose(&self, legal: &[String], aim: &str, rng: &mut GameRng) -> String {
        let end_after = |decision: &String| {
            let mut next = self.clone();
            next.play(decision);
            next.end().map(|(_, end)| end)
        };
        let (going_on, ending): (Vec<_>, Vec<_>) = legal.iter().partition(|decision| end_after(decision).is_none());
        let reaching: Vec<_> = ending.into_iter().filter(|decision| end_after(decision) == Some(aim)).collect();
        let leading = going_on.iter().copied().filter(|decision| self.leads_to(decision, aim)).collect();
        let choices = [reaching, leading, going_on, legal.iter().collect()];
        let among = choices.into_iter().find(|choice| !choice.is_empty()).unwrap();
        among[rng.random_range(0..among.len())].clone()
    }
}

/// Both implementations in one manner of seeing the game: through a symmetry, begun by one side or the other.
struct Twins<G, P> {
    symmetry: Symmetry,
    beginner: Side,
    fast: G,
    plain: P,
}

impl<G: WholeGame, P: Plain> Twins<G, P> {
    /// In every manner, that of a game as it is played first.
    fn all(initial: &dyn Fn(Side) -> P) -> Vec<Self> {
        let beginners = Side::BOTH.into_iter().filter(|&side| side == Side::First || G::SIDES_ARE_ALIKE);
        let manners = beginners.flat_map(|beginner| P::SYMMETRIES.iter().map(move |&symmetry| (symmetry, beginner)));
        let twins = |(symmetry, beginner)| Twins {
            symmetry,
            beginner,
            fast: if beginner == Side::First { G::initial() } else { G::initial().exchanged() },
            plain: initial(beginner),
        };
        manners.map(twins).collect()
    }

    /// Makes the decision that is called `decision` in the game as it is played.
    fn play(&mut self, decision: &str) -> Result<(), String> {
        let image = self.plain.image(decision, self.symmetry);
        let [played, here] = [decision, &image].map(G::parse_action);
        let (played, here) = (played.map_err(|error| error.to_string())?, here.map_err(|error| error.to_string())?);
        let fast_image = G::transform_action(played, self.symmetry);
        if fast_image != here {
            return Err(format!("{decision} becomes {}, by the plain rules {image}", G::action_name(fast_image)));
        }
        self.fast.try_play(here).map_err(|error| error.to_string())?;
        self.plain.play(&image);
        Ok(())
    }

    /// The fast game, `played` so far, is what the plain rules say, replayed in this manner or turned into it.
    fn check(&self, played: &G) -> Result<(), String> {
        let turned = played.transform(self.symmetry);
        let turned = if self.beginner == Side::First { turned } else { turned.exchanged() };
        let by_plain_rules = self.plain.end().map(|(outcome, _)| outcome);
        let mut plainly_legal = self.plain.legal();
        plainly_legal.sort();
        let mut actions = Vec::new();
        for (how, fast) in [("replayed", &self.fast), ("turned", &turned)] {
            if fast.outcome() != by_plain_rules {
                return Err(format!("{how}: outcome {:?}, by the plain rules {by_plain_rules:?}", fast.outcome()));
            }
            // Whose turn it would be after the end is nobody's business.
            if by_plain_rules.is_none() && fast.side_to_move() != self.plain.side_to_move() {
                return Err(format!("{how}: {:?} is to move, by the plain rules the other side", fast.side_to_move()));
            }
            fast.legal_actions(&mut actions);
            let mut legal: Vec<String> = actions.iter().map(|&action| G::action_name(action)).collect();
            legal.sort();
            if legal != plainly_legal {
                let without = |these: &[String], those: &[String]| {
                    these.iter().filter(|name| !those.contains(name)).cloned().collect::<Vec<_>>().join(" ")
                };
                let [extra, missing] = [without(&legal, &plainly_legal), without(&plainly_legal, &legal)];
                return Err(format!("{how}: legal here only: {extra}; by the plain rules only: {missing}"));
            }
        }
        Ok(())
    }
}

/// Plays one game in every manner at once and compares after every decision; it heads for `aim`, or nowhere. Returns
/// the number of its decisions and what ended it.
fn compare_game<G, P>(seed: u64, aim: Option<&str>, initial: &dyn Fn(Side) -> P) -> (usize, &'static str)
where
    G: WholeGame,
    P: Plain,
{
    let mut rng = rng_for(&[seed]);
    let mut manners: Vec<Twins<G, P>> = Twins::all(initial);
    let mut line: Vec<String> = Vec::new();
    loop {
        let played = &manners[0].fast;
        for twins in &manners {
            let fail = |fault: String| panic!("{}", describe(twins, seed, &line, &fault));
            twins.check(played).unwrap_or_else(fail);
        }
        let plain = &manners[0].plain;
        if let Some((_, end)) = plain.end() {
            return (line.len(), end);
        }
        let legal = plain.legal();
        let decision = match aim {
            Some(aim) => plain.choose(&legal, aim, &mut rng),
            None => legal[rng.random_range(0..legal.len())].clone(),
        };
        line.push(decision.clone());
        for twins in &mut manners {
            let replayed = twins.play(&decision);
            replayed.unwrap_or_else(|fault| panic!("{}", describe(twins, seed, &line, &fault)));
        }
    }
}

fn describe<G: WholeGame, P>(twins: &Twins<G, P>, seed: u64, line: &[String], fault: &str) -> String {
    let Twins { symmetry, beginner, .. } = twins;
    format!("{}, seed {seed}, {symmetry}, {beginner:?} began: {fault}\nafter {}", G::ID, line.join(" "))
}

/// Compares at least so many games, each of which heads for one of `ends` or for nothing; all `ends` must come about.
fn compare_games<G: WholeGame, P: Plain>(least: u64, ends: &[&str], initial: impl Fn(Side) -> P) {
    let asked =
        std::env::var("SELFPLAY_TWIN_GAMES").ok().map(|text| text.parse().expect("SELFPLAY_TWIN_GAMES is a number"));
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let [mut decisions, mut longest] = [0, 0];
    let games = least.max(asked.unwrap_or(0));
    for seed in 0..games {
        let aim = (seed as usize % (ends.len() + 1)).checked_sub(1).map(|index| ends[index]);
        let (length, end) = compare_game::<G, P>(seed, aim, &initial);
        *seen.entry(end).or_default() += 1;
        decisions += length;
        longest = longest.max(length);
    }
    eprintln!("{}: {games} games, {decisions} decisions, {longest} in the longest; ends: {seen:?}", G::ID);
    for end in ends {
        assert!(seen.contains_key(end), "{}: no game of {games} ended by {end}", G::ID);
    }
}
