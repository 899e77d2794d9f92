//! Results of game pairs: the same opening twice, sides exchanged. The pair, not the game, is the unit of all errors.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// How often each pair of results came, from one player's view: `counts[f + 1][s + 1]` pairs in which its result was
/// `f` as the first player and `s` as the second, each −1 (lost), 0 (drawn) or 1 (won).
///
/// It is all that any statistic of a match needs. The pentanomial counts know how much the two games of an
/// opening have to do with each other; the results by side tell what the first move is worth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct PairCounts(pub [[u32; 3]; 3]);

/// Results from worst to best, as the indices of [`PairCounts`] have them.
const RESULTS: [i8; 3] = [-1, 0, 1];

impl PairCounts {
    /// Counts one more pair, with the player's result (−1, 0 or 1) as the first player and as the second.
    ///
    /// # Panics
    /// If a result is none of these.
    pub fn add_pair(&mut self, as_first: i8, as_second: i8) {
        self.0[index_of(as_first)][index_of(as_second)] += 1;
    }

    /// Counts with these sums, of which tables of matches hold no more: pairs with 0, ½, 1, 1½ and 2 points, games drawn,
    /// and points per game in 0..=1 of the player with the first move.
    ///
    /// They fix what each side scored with the first move, and so every rating; how the pairs that the two games differ
    /// in are dealt out over both orders is then free, and is done in proportion. `None` if no counts have these sums.
    pub fn from_sums(pentanomial: [u32; 5], draws: u32, first_player_share: f64) -> Option<Self> {
        let [lost, half, one, one_and_half, won] = pentanomial;
        let pairs = pentanomial.iter().try_fold(0u32, |sum, &count| sum.checked_add(count))?;
        let games = pairs.checked_mul(2)?;
        let mixed = half + one_and_half;
        let drawn_twice = draws.checked_sub(mixed).filter(|drawn| drawn.is_multiple_of(2))? / 2;
        let exchanged = one.checked_sub(drawn_twice)?;
        // Over all pairs, results of the first player's game less those of the second player's: −2 to 2 where each side
        // won one, −1 or 1 where one game of two was drawn, 0 elsewhere.
        let surplus = 2.0 * f64::from(games) * (first_player_share - 0.5);
        let most = f64::from(2 * exchanged + mixed);
        let above_least = (surplus.round() + most) / 2.0;
        if !((surplus - surplus.round()).abs() < 1e-3
            && above_least.fract() == 0.0
            && (0.0..=most).contains(&above_least))
        {
            return None;
        }
        let above_least = above_least as u32;
        let share = f64::from(above_least) / most.max(1.0);
        let won_as_first = (share * f64::from(exchanged)).round() as u32;
        let least_won = above_least.saturating_sub(mixed).div_ceil(2);
        let won_as_first = won_as_first.clamp(least_won.min(above_least / 2), (above_least / 2).min(exchanged));
        let rest = above_least.checked_sub(2 * won_as_first).filter(|&rest| rest <= mixed)?;
        let half_as_first = (f64::from(rest) * f64::from(half) / f64::from(mixed.max(1))).round() as u32;
        let half_as_first = half_as_first.clamp(rest.saturating_sub(one_and_half), rest.min(half));
        let more_as_first = rest - half_as_first;
        Some(PairCounts([
            [lost, half - half_as_first, exchanged - won_as_first],
            [half_as_first, drawn_twice, one_and_half - more_as_first],
            [won_as_first, more_as_first, won],
        ]))
    }

    /// All nine combinations: result as first player, result as second, number of pairs.
    pub fn cells(&self) -> impl Iterator<Item = (i8, i8, u32)> {
        let rows = RESULTS.into_iter().zip(self.0);
        rows.flat_map(|(first, row)| RESULTS.into_iter().zip(row).map(move |(second, pairs)| (first, second, pairs)))
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().flatten().sum()
    }

    /// Number of games, two for each pair.
    pub fn games(&self) -> u32 {
        2 * self.pairs()
    }

    /// Pairs in which the player got 0, ½, 1, 1½ and 2 points.
    pub fn pentanomial(&self) -> [u32; 5] {
        let mut counts = [0; 5];
        for (first, second, pairs) in self.cells() {
            counts[(first + second + 2) as usize] += pairs;
        }
        counts
    }

    /// Games that the player won.
    pub fn wins(&self) -> u32 {
        self.games_with(1)
    }

    /// Games drawn.
    pub fn draws(&self) -> u32 {
        self.games_with(0)
    }

    /// Games that the player lost.
    pub fn losses(&self) -> u32 {
        self.games_with(-1)
    }

    fn games_with(&self, result: i8) -> u32 {
        self.cells()
            .map(|(first, second, pairs)| pairs * (u32::from(first == result) + u32::from(second == result)))
            .sum()
    }

    /// Games as the first player that were lost, drawn and won.
    pub fn as_first(&self) -> [u32; 3] {
        self.0.map(|row| row.iter().sum())
    }

    /// Games as the second player that were lost, drawn and won.
    pub fn as_second(&self) -> [u32; 3] {
        std::array::from_fn(|result| self.0.iter().map(|row| row[result]).sum())
    }

    /// Points per game in 0..=1; ½ without games.
    pub fn score(&self) -> f64 {
        self.mean_point(|first, second| first + second)
    }

    /// Points per game in 0..=1 of the player with the first move; ½ without games.
    pub fn first_player_share(&self) -> f64 {
        self.mean_point(|first, second| first - second)
    }

    /// The mean over all games of (1 + result) / 2, where `sum` gives the two results of a pair in one.
    fn mean_point(&self, sum: impl Fn(i8, i8) -> i8) -> f64 {
        let games = f64::from(self.games()).max(1.0);
        let total: f64 =
            self.cells().map(|(first, second, pairs)| f64::from(sum(first, second)) * f64::from(pairs)).sum();
        0.5 + total / (2.0 * games)
    }

    /// The same pairs seen by the opponent, who is second where the player is first.
    pub fn reversed(&self) -> PairCounts {
        let mut reversed = PairCounts::default();
        for (first, second, pairs) in self.cells() {
            reversed.0[index_of(-second)][index_of(-first)] = pairs;
        }
        reversed
    }
}

fn index_of(result: i8) -> usize {
    RESULTS.iter().position(|&known| known == result).unwrap_or_else(|| panic!("{result} is no result: −1, 0 or 1"))
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().flatten().zip(other.0.into_iter().flatten()) {
            *count += more;
        }
    }
}

impl Add for PairCounts {
    type Output = PairCounts;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for PairCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(PairCounts::default(), Add::add)
    }
}
