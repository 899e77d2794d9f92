//! Rules written twice: the fast ones that are played, and plain ones to be checked by eye, side by side through random games.
//!
//! A game's test implements [`PlainRules`] and calls [`compare_games`]. After every action both must agree on the legal
//! actions, the side to move and the outcome, under every symmetry and with the sides exchanged.

use std::collections::BTreeMap;
use std::fmt;

use crate::complete_game::CompleteGame;
use crate::failed_check::{FailedCheck, failed};
use crate::outcome::{Outcome, Side};
use crate::rng::{GameRng, RngExt, rng_for};
use crate::symmetry::Symmetry;

/// The rules once more, written to be checked by eye.
pub trait PlainRules: Clone {
    /// The symmetries that the rules keep.
    const SYMMETRIES: &'static [Symmetry];

    /// Who decides.
    fn side_to_move(&self) -> Side;
    /// The outcome, and what brought it about.
    fn end(&self) -> Option<(Outcome, &'static str)>;
    /// Every legal action; none once the game has ended.
    fn legal(&self) -> Vec<String>;
    /// Makes a legal action.
    fn play(&mut self, action: &str);
    /// What `action` is called on the board that `symmetry` shows.
    fn image(&self, action: &str, symmetry: Symmetry) -> String;

    /// Whether a random game that aims at the ending `aim` should prefer this action to others.
    fn leads_to(&self, _decision: &str, _aim: &str) -> bool {
        true
    }

    /// A random action that ends the game by `aim`; or else one that does not end it, leading to `aim` if there is one;
    /// or else any.
    fn choose(&self, legal: &[String], aim: &str, rng: &mut GameRng) -> String {
        let end_after = |action: &String| {
            let mut next = self.clone();
            next.play(action);
            next.end().map(|(_, end)| end)
        };
        let (going_on, ending): (Vec<_>, Vec<_>) = legal.iter().partition(|action| end_after(action).is_none());
        let reaching: Vec<_> = ending.into_iter().filter(|action| end_after(action) == Some(aim)).collect();
        let leading = going_on.iter().copied().filter(|action| self.leads_to(action, aim)).collect();
        let choices = [reaching, leading, going_on, legal.iter().collect()];
        let among = choices.into_iter().find(|choice| !choice.is_empty()).unwrap();
        among[rng.random_range(0..among.len())].clone()
    }
}

/// Both implementations in one manner of seeing the game: through a symmetry, begun by one side or the other.
struct Comparison<G, P> {
    symmetry: Symmetry,
    beginner: Side,
    fast: G,
    plain: P,
}

impl<G: CompleteGame, P: PlainRules> Comparison<G, P> {
    /// In every manner, that of a game as it is played first.
    fn all(initial: &dyn Fn(Side) -> P) -> Vec<Self> {
        let beginners = Side::BOTH.into_iter().filter(|&side| side == Side::First || G::sides_are_alike());
        let manners = beginners.flat_map(|beginner| P::SYMMETRIES.iter().map(move |&symmetry| (symmetry, beginner)));
        let comparison = |(symmetry, beginner)| Comparison {
            symmetry,
            beginner,
            fast: if beginner == Side::First { G::initial() } else { G::initial().exchanged() },
            plain: initial(beginner),
        };
        manners.map(comparison).collect()
    }

    /// Makes the action that is called `action` in the game as it is played.
    fn play(&mut self, action: &str) -> Result<(), FailedCheck> {
        let image = self.plain.image(action, self.symmetry);
        let [played, here] = [action, &image].map(G::parse_action);
        let (played, here) = (played?, here?);
        let fast_image = G::transform_action(played, self.symmetry);
        if fast_image != here {
            return Err(failed!("{action} becomes {}, by the plain rules {image}", G::action_name(fast_image)));
        }
        self.fast.try_play(here)?;
        self.plain.play(&image);
        Ok(())
    }

    /// The fast game, `played` so far, is what the plain rules say, replayed in this manner or turned into it.
    fn check(&self, played: &G) -> Result<(), FailedCheck> {
        let turned = played.transform(self.symmetry);
        let turned = if self.beginner == Side::First { turned } else { turned.exchanged() };
        let by_plain_rules = self.plain.end().map(|(outcome, _)| outcome);
        let mut plainly_legal = self.plain.legal();
        plainly_legal.sort();
        let mut actions = Vec::new();
        for (how, fast) in [("replayed", &self.fast), ("turned", &turned)] {
            if fast.outcome() != by_plain_rules {
                return Err(failed!("{how}: outcome {:?}, by the plain rules {by_plain_rules:?}", fast.outcome()));
            }
            // The side to move after the end of the game is not compared.
            if by_plain_rules.is_none() && fast.side_to_move() != self.plain.side_to_move() {
                return Err(failed!("{how}: {:?} is to move, by the plain rules the other side", fast.side_to_move()));
            }
            fast.legal_actions(&mut actions);
            let mut legal: Vec<String> = actions.iter().map(|&action| G::action_name(action)).collect();
            legal.sort();
            if legal != plainly_legal {
                let without = |these: &[String], those: &[String]| {
                    these.iter().filter(|name| !those.contains(name)).cloned().collect::<Vec<_>>().join(" ")
                };
                let [extra, missing] = [without(&legal, &plainly_legal), without(&plainly_legal, &legal)];
                return Err(failed!("{how}: legal here only: {extra}; by the plain rules only: {missing}"));
            }
        }
        Ok(())
    }
}

/// Plays one game in every manner at once and compares after every action; it heads for `aim`, or nowhere. Returns
/// the number of its actions and what ended it.
fn compare_game<G: CompleteGame, P: PlainRules>(
    seed: u64,
    aim: Option<&str>,
    initial: &dyn Fn(Side) -> P,
) -> Result<(usize, &'static str), FailedCheck> {
    let mut rng = rng_for(&[seed]);
    let mut manners: Vec<Comparison<G, P>> = Comparison::all(initial);
    let mut line: Vec<String> = Vec::new();
    loop {
        let played = &manners[0].fast;
        for comparison in &manners {
            comparison.check(played).map_err(|fault| describe(comparison, seed, &line, &fault))?;
        }
        let plain = &manners[0].plain;
        if let Some((_, end)) = plain.end() {
            return Ok((line.len(), end));
        }
        let legal = plain.legal();
        let action = match aim {
            Some(aim) => plain.choose(&legal, aim, &mut rng),
            None => legal[rng.random_range(0..legal.len())].clone(),
        };
        line.push(action.clone());
        for comparison in &mut manners {
            comparison.play(&action).map_err(|fault| describe(comparison, seed, &line, &fault))?;
        }
    }
}

fn describe<G: CompleteGame, P>(
    comparison: &Comparison<G, P>,
    seed: u64,
    line: &[String],
    fault: &FailedCheck,
) -> FailedCheck {
    let Comparison { symmetry, beginner, .. } = comparison;
    failed!("{}, seed {seed}, {symmetry}, {beginner:?} began: {fault}\nafter {}", G::spec().id, line.join(" "))
}

/// What the compared games were like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedGames {
    /// Games that were played to their end, each in every manner.
    pub games: u64,
    /// Actions of all of them.
    pub actions: usize,
    /// Actions of the longest game.
    pub longest: usize,
    /// How many games ended by what.
    pub ends: BTreeMap<&'static str, usize>,
}

impl fmt::Display for ComparedGames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ComparedGames { games, actions, longest, ends } = self;
        write!(f, "{games} games, {actions} actions, {longest} in the longest; ends: {ends:?}")
    }
}

/// Compares games, each of which heads for one of `ends` or for nothing: as many as `SELFPLAY_DIFFERENTIAL_GAMES` says, at least
/// `least`. `initial` is the initial position by the plain rules where that side begins.
///
/// # Errors
/// The first disagreement, with the actions that lead to it; or one of `ends` that no game came to.
pub fn compare_games<G: CompleteGame, P: PlainRules>(
    least: u64,
    ends: &[&'static str],
    initial: impl Fn(Side) -> P,
) -> Result<ComparedGames, FailedCheck> {
    let asked = std::env::var("SELFPLAY_DIFFERENTIAL_GAMES").ok();
    let asked =
        asked.map(|text| text.parse().map_err(|_| failed!("SELFPLAY_DIFFERENTIAL_GAMES is a number, not {text:?}")));
    let games = least.max(asked.transpose()?.unwrap_or(0));
    let mut seen = ComparedGames { games, actions: 0, longest: 0, ends: BTreeMap::new() };
    for seed in 0..games {
        let aim = (seed as usize % (ends.len() + 1)).checked_sub(1).map(|index| ends[index]);
        let (length, end) = compare_game::<G, P>(seed, aim, &initial)?;
        *seen.ends.entry(end).or_default() += 1;
        seen.actions += length;
        seen.longest = seen.longest.max(length);
    }
    match ends.iter().find(|end| !seen.ends.contains_key(*end)) {
        Some(end) => Err(failed!("{}: no game of {games} ended by {end}", G::spec().id)),
        None => Ok(seen),
    }
}
