//! Pentago-Swap's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every decision they must agree on the legal decisions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. `SELFPLAY_TWIN_GAMES=1000` compares more games than the few of every day.

use std::collections::BTreeMap;

use selfplay_kit::rng::{GameRng, RngExt, rng_for};
use selfplay_kit::{Outcome, Side, Symmetry, WholeGame};
use selfplay_pentago_swap::PentagoSwap;

const SIZE: usize = 6;
const PAIRS: [&str; 6] = ["AB", "AC", "AD", "BC", "BD", "CD"];
const OWN_FIVE: &str = "five of who moved";
const OTHER_FIVE: &str = "five of who did not move";
const BOTH_FIVE: &str = "five of both";
const FULL: &str = "a full board";

#[test]
fn the_fast_rules_are_the_plain_ones() {
    let ends = [OWN_FIVE, OTHER_FIVE, BOTH_FIVE, FULL];
    compare_games::<PentagoSwap, _>(25, &ends, PlainPentagoSwap::begun_by);
}

/// Row 0 is row `1`, at the top.
#[derive(Clone)]
struct PlainPentagoSwap {
    cells: Vec<Vec<Option<Side>>>,
    mover: Side,
}

impl PlainPentagoSwap {
    fn begun_by(beginner: Side) -> Self {
        PlainPentagoSwap { cells: vec![vec![None; SIZE]; SIZE], mover: beginner }
    }

    /// Whether five stones of `side` stand in a line that begins at a cell and goes on by one of four steps.
    fn has_five(&self, side: Side) -> bool {
        let stone_at = |row: isize, column: isize| -> Option<Side> {
            let row = self.cells.get(usize::try_from(row).ok()?)?;
            *row.get(usize::try_from(column).ok()?)?
        };
        for row in 0..SIZE as isize {
            for column in 0..SIZE as isize {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    if (0..5).all(|step| stone_at(row + step * down, column + step * right) == Some(side)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Row and column of the quadrant among the four.
fn quadrant_place(letter: char) -> (usize, usize) {
    match letter {
        'A' => (0, 0),
        'B' => (0, 1),
        'C' => (1, 0),
        _ => (1, 1),
    }
}

/// Row and column of the cell, and the letters of the two quadrants.
fn read(decision: &str) -> (usize, usize, [char; 2]) {
    let letters: Vec<char> = decision.chars().collect();
    let column = "abcdef".find(letters[0]).unwrap();
    let row = "123456".find(letters[1]).unwrap();
    (row, column, [letters[3], letters[4]])
}

fn cell_name(row: usize, column: usize) -> String {
    format!("{}{}", &"abcdef"[column..=column], row + 1)
}

impl Plain for PlainPentagoSwap {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        let moved = self.mover.opponent();
        match (self.has_five(moved), self.has_five(self.mover)) {
            (true, true) => Some((Outcome::Draw, BOTH_FIVE)),
            (true, false) => Some((Outcome::Win(moved), OWN_FIVE)),
            (false, true) => Some((Outcome::Win(self.mover), OTHER_FIVE)),
            (false, false) => self.cells.iter().flatten().all(Option::is_some).then_some((Outcome::Draw, FULL)),
        }
    }

    fn legal(&self) -> Vec<String> {
        let mut legal = Vec::new();
        if self.end().is_some() {
            return legal;
        }
        for row in 0..SIZE {
            for column in 0..SIZE {
                if self.cells[row][column].is_none() {
                    legal.extend(PAIRS.iter().map(|pair| format!("{}:{pair}", cell_name(row, column))));
                }
            }
        }
        legal
    }

    fn play(&mut self, decision: &str) {
        let (row, column, quadrants) = read(decision);
        self.cells[row][column] = Some(self.mover);
        let [(row_1, column_1), (row_2, column_2)] = quadrants.map(quadrant_place);
        let before = self.cells.clone();
        for row in 0..3 {
            for column in 0..3 {
                self.cells[3 * row_1 + row][3 * column_1 + column] = before[3 * row_2 + row][3 * column_2 + column];
                self.cells[3 * row_2 + row][3 * column_2 + column] = before[3 * row_1 + row][3 * column_1 + column];
            }
        }
        self.mover = self.mover.opponent();
    }

    fn image(&self, decision: &str, symmetry: Symmetry) -> String {
        let (row, column, quadrants) = read(decision);
        let (row, column) = symmetry.map(row, column, SIZE, SIZE);
        let mut quadrants = quadrants.map(|letter| {
            let (row, column) = quadrant_place(letter);
            let image = symmetry.map(row, column, 2, 2);
            ['A', 'B', 'C', 'D'].into_iter().find(|&letter| quadrant_place(letter) == image).unwrap()
        });
        quadrants.sort();
        format!("{}:{}{}", cell_name(row, column), quadrants[0], quadrants[1])
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
