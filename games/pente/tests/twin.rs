//! Pente's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every decision they must agree on the legal decisions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. `SELFPLAY_TWIN_GAMES=1000` compares more games than the few of every day.

use std::collections::BTreeMap;

use selfplay_kit::rng::{GameRng, RngExt, rng_for};
use selfplay_kit::{Outcome, Side, Symmetry, WholeGame};
use selfplay_pente::Pente;

/// The letters of the columns; there is no `I`.
const LETTERS: &str = "ABCDEFGHJKLMNOPQRST";
const FIVE: &str = "five in a row";
const MORE_THAN_FIVE: &str = "more than five in a row";
const PAIRS: &str = "five pairs";
const FULL: &str = "a full board";
/// If White's cells are every other one, beginning with the first or, in rows with a 1 here, with the second, and both
/// keep to their own, nobody ever captures and no row is longer than four.
const SHIFTED_ROWS: &str = "100001011110";

#[test]
fn the_fast_rules_are_the_plain_ones_on_19() {
    let ends = [FIVE, MORE_THAN_FIVE, PAIRS, FULL];
    compare_games::<Pente<19>, _>(5, &ends, |beginner| PlainPente::begun_by(19, beginner));
}

#[test]
fn the_fast_rules_are_the_plain_ones_on_13() {
    let ends = [FIVE, MORE_THAN_FIVE, PAIRS, FULL];
    compare_games::<Pente<13>, _>(10, &ends, |beginner| PlainPente::begun_by(13, beginner));
}

#[test]
fn the_fast_rules_are_the_plain_ones_on_9() {
    let ends = [FIVE, MORE_THAN_FIVE, PAIRS, FULL];
    compare_games::<Pente<9>, _>(30, &ends, |beginner| PlainPente::begun_by(9, beginner));
}

/// Row 0 is at the top, the one with the highest number.
#[derive(Clone)]
struct PlainPente {
    stones: Vec<Vec<Option<Side>>>,
    mover: Side,
    /// Decisions made by both sides together.
    made: usize,
    /// Pairs that the first and the second side captured.
    pairs: [usize; 2],
}

impl PlainPente {
    fn begun_by(size: usize, beginner: Side) -> Self {
        PlainPente { stones: vec![vec![None; size]; size], mover: beginner, made: 0, pairs: [0, 0] }
    }

    fn size(&self) -> usize {
        self.stones.len()
    }

    /// `None` outside the board as well.
    fn stone_at(&self, row: isize, column: isize) -> Option<Side> {
        let row = self.stones.get(usize::try_from(row).ok()?)?;
        *row.get(usize::try_from(column).ok()?)?
    }

    /// The longest straight row of stones of `side`.
    fn longest_row(&self, side: Side) -> isize {
        let mut longest = 0;
        for row in 0..self.size() as isize {
            for column in 0..self.size() as isize {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let is_own = |step: &isize| self.stone_at(row + step * down, column + step * right) == Some(side);
                    longest = longest.max((0..).take_while(is_own).count() as isize);
                }
            }
        }
        longest
    }

    /// Whether the beginner's first two stones may stand here; all others may stand anywhere.
    fn opening_allows(&self, row: usize, column: usize) -> bool {
        let centre = self.size() / 2;
        let distance = row.abs_diff(centre).max(column.abs_diff(centre));
        match self.made {
            0 => distance == 0,
            2 => distance >= 3,
            _ => true,
        }
    }

    fn name(&self, row: usize, column: usize) -> String {
        format!("{}{}", self.size() - row, &LETTERS[column..=column])
    }

    fn read(&self, decision: &str) -> (usize, usize) {
        let (number, letter) = decision.split_at(decision.len() - 1);
        (self.size() - number.parse::<usize>().unwrap(), LETTERS.find(letter).unwrap())
    }
}

impl Plain for PlainPente {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        let moved = self.mover.opponent();
        let longest = self.longest_row(moved);
        if longest >= 5 {
            return Some((Outcome::Win(moved), if longest > 5 { MORE_THAN_FIVE } else { FIVE }));
        }
        if self.pairs[moved.index()] >= 6 {
            return Some((Outcome::Win(moved), PAIRS));
        }
        self.stones.iter().flatten().all(Option::is_some).then_some((Outcome::Draw, FULL))
    }

    fn legal(&self) -> Vec<String> {
        let mut legal = Vec::new();
        if self.end().is_some() {
            return legal;
        }
        for row in 0..self.size() {
            for column in 0..self.size() {
                if self.stones[row][column].is_none() && self.opening_allows(row, column) {
                    legal.push(self.name(row, column));
                }
            }
        }
        legal
    }

    fn play(&mut self, decision: &str) {
        let (row, column) = self.read(decision);
        self.stones[row][column] = Some(self.mover);
        let (row, column) = (row as isize, column as isize);
        for down in -1..=1 {
            for right in -1..=1 {
                let at = |step: isize| self.stone_at(row + step * down, column + step * right);
                let enemy = Some(self.mover.opponent());
                if at(1) == enemy && at(2) == enemy && at(3) == Some(self.mover) {
                    for step in [1, 2] {
                        self.stones[(row + step * down) as usize][(column + step * right) as usize] = None;
                    }
                    self.pairs[self.mover.index()] += 1;
                }
            }
        }
        self.made += 1;
        self.mover = self.mover.opponent();
    }

    fn image(&self, decision: &str, symmetry: Symmetry) -> String {
        let (row, column) = self.read(decision);
        let (row, column) = symmetry.map(row, column, self.size(), self.size());
        self.name(row, column)
    }

    fn leads_to(&self, decision: &str, aim: &str) -> bool {
        let (row, column) = self.read(decision);
        let is_shifted = SHIFTED_ROWS.as_bytes()[row % SHIFTED_ROWS.len()] == b'1';
        let owner = if (column + usize::from(is_shifted)).is_multiple_of(2) { Side::First } else { Side::Second };
        aim != FULL || owner == self.mover
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
