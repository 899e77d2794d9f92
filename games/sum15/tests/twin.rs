//! Sum15's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every decision they must agree on the legal decisions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. `SELFPLAY_TWIN_GAMES=1000` compares more games than the few of every day.

use std::collections::BTreeMap;

use selfplay_kit::rng::{GameRng, RngExt, rng_for};
use selfplay_kit::{Outcome, Side, Symmetry, WholeGame};
use selfplay_sum15::Sum15;

const POINTS: &str = "more points";
const HIGHER: &str = "the higher card";
const ALIKE: &str = "cards alike in points and height";
const NOTHING: &str = "no card left";

#[test]
fn the_fast_rules_are_the_plain_ones_on_4() {
    let initial = |beginner| PlainSum15::begun_by(4, &[2, 3, 5, 8, 13], beginner);
    compare_games::<Sum15<4>, _>(200, &[POINTS, HIGHER, ALIKE, NOTHING], initial);
}

#[test]
fn the_fast_rules_are_the_plain_ones_on_6() {
    let initial = |beginner| PlainSum15::begun_by(6, &[2, 2, 3, 3, 5, 5, 8, 8, 8, 13, 13], beginner);
    compare_games::<Sum15<6>, _>(100, &[POINTS, HIGHER, ALIKE], initial);
}

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Fresh,
    Card(Side, u32),
    Dead,
}

#[derive(Clone)]
struct PlainSum15 {
    cells: Vec<Vec<Cell>>,
    /// The cards of the first and the second side that are not played yet.
    hands: [Vec<u32>; 2],
    mover: Side,
}

impl PlainSum15 {
    fn begun_by(size: usize, hand: &[u32], beginner: Side) -> Self {
        let hands = [hand.to_vec(), hand.to_vec()];
        PlainSum15 { cells: vec![vec![Cell::Fresh; size]; size], hands, mover: beginner }
    }

    fn size(&self) -> usize {
        self.cells.len()
    }

    /// The sum of the cards on a cell and on its up to eight neighbours, whoever owns them.
    fn sum_around(&self, row: usize, column: usize) -> u32 {
        let mut sum = 0;
        for (other_row, cells) in self.cells.iter().enumerate() {
            for (other_column, cell) in cells.iter().enumerate() {
                if let Cell::Card(_, value) = cell
                    && row.abs_diff(other_row) <= 1
                    && column.abs_diff(other_column) <= 1
                {
                    sum += value;
                }
            }
        }
        sum
    }

    /// The values of the cards of `side` that lie on the board.
    fn cards_of(&self, side: Side) -> Vec<u32> {
        let own = |cell: &Cell| match *cell {
            Cell::Card(owner, value) if owner == side => Some(value),
            _ => None,
        };
        self.cells.iter().flatten().filter_map(own).collect()
    }
}

fn read(decision: &str) -> [usize; 3] {
    let numbers: Vec<usize> = decision.split(',').map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

impl Plain for PlainSum15 {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        if !self.hands.iter().all(Vec::is_empty) {
            return None;
        }
        let [first, second] = Side::BOTH.map(|side| self.cards_of(side));
        let points = [&first, &second].map(|cards| cards.iter().sum::<u32>());
        let highest = [&first, &second].map(|cards| cards.iter().max().copied().unwrap_or(0));
        for ([of_first, of_second], end) in [(points, POINTS), (highest, HIGHER)] {
            if of_first != of_second {
                return Some((Outcome::Win(if of_first > of_second { Side::First } else { Side::Second }), end));
            }
        }
        Some((Outcome::Draw, if first.is_empty() { NOTHING } else { ALIKE }))
    }

    fn legal(&self) -> Vec<String> {
        let mut cards = self.hands[self.mover.index()].clone();
        cards.dedup();
        let mut legal = Vec::new();
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                if *cell == Cell::Fresh {
                    legal.extend(cards.iter().map(|card| format!("{row},{column},{card}")));
                }
            }
        }
        legal
    }

    fn play(&mut self, decision: &str) {
        let [row, column, card] = read(decision);
        let card = card as u32;
        let hand = &mut self.hands[self.mover.index()];
        hand.remove(hand.iter().position(|&held| held == card).unwrap());
        self.cells[row][column] = Cell::Card(self.mover, card);
        // All are looked at before the first one leaves.
        let mut marked = Vec::new();
        for row in 0..self.size() {
            for column in 0..self.size() {
                if matches!(self.cells[row][column], Cell::Card(..)) && self.sum_around(row, column) > 15 {
                    marked.push((row, column));
                }
            }
        }
        for (row, column) in marked {
            self.cells[row][column] = Cell::Dead;
        }
        self.mover = self.mover.opponent();
    }

    fn image(&self, decision: &str, symmetry: Symmetry) -> String {
        let [row, column, card] = read(decision);
        let (row, column) = symmetry.map(row, column, self.size(), self.size());
        format!("{row},{column},{card}")
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
