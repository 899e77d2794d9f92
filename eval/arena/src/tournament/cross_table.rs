//! What pairings add up to: points, Sonneborn–Berger, places, and the table for people.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// The games between two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pairing {
    /// Both players, as indices into the list of players.
    pub players: [usize; 2],
    /// Games that the first of them won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games that the first of them lost.
    pub losses: u32,
    /// Games lost by each of them for time, illegal moves or none at all.
    pub forfeits: [u32; 2],
}

impl Pairing {
    /// Half points of `player`, who is one of the two.
    fn half_points(&self, player: usize) -> u32 {
        let wins = if player == self.players[0] { self.wins } else { self.losses };
        2 * wins + self.draws
    }

    /// Who lost more than half of the games, if one did.
    pub fn loser_of_most(&self) -> Option<usize> {
        let games = self.wins + self.draws + self.losses;
        let [first, second] = self.players;
        if 2 * self.losses > games {
            Some(first)
        } else if 2 * self.wins > games {
            Some(second)
        } else {
            None
        }
    }
}

/// Pairings played at the same time.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Round {
    /// The pairings.
    pub pairings: Vec<Pairing>,
    /// Players without an opponent.
    pub byes: Vec<usize>,
}

/// One player's result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// 1 for the winner; equals share a place.
    pub place: usize,
    /// The player, as an index into the list of players.
    pub player: usize,
    /// 1 for each win, ½ for each draw.
    pub points: f64,
    /// Sum over the games of what the player scored in it times all points of the opponent: 1 for a win, ½ for a draw.
    pub sonneborn_berger: f64,
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// Games among `losses` that were lost for time, illegal moves or none at all.
    pub forfeits: u32,
    /// Number of the round, counted from 1, in which the player was eliminated, if so.
    pub eliminated_in: Option<usize>,
}

/// All results of a tournament, player against player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrossTable {
    /// `half_points[i][j]`: what i scored against j; `None` if they never met.
    half_points: Vec<Vec<Option<u32>>>,
}

impl CrossTable {
    /// The table of `players` players.
    pub fn new(players: usize, rounds: &[Round]) -> Self {
        let mut half_points = vec![vec![None; players]; players];
        for pairing in rounds.iter().flat_map(|round| &round.pairings) {
            let [a, b] = pairing.players;
            for (player, other) in [(a, b), (b, a)] {
                *half_points[player][other].get_or_insert(0) += pairing.half_points(player);
            }
        }
        CrossTable { half_points }
    }

    /// What `player` scored against `other`; `None` if they never met.
    pub fn points_against(&self, player: usize, other: usize) -> Option<f64> {
        self.half_points[player][other].map(|half| f64::from(half) / 2.0)
    }

    /// All half points of a player.
    fn half_points(&self, player: usize) -> u32 {
        self.half_points[player].iter().flatten().sum()
    }

    /// Four times the Sonneborn–Berger number.
    fn quarter_sonneborn_berger(&self, player: usize) -> u64 {
        let row = self.half_points[player].iter().enumerate();
        row.map(|(other, half)| half.map_or(0, |half| u64::from(half) * u64::from(self.half_points(other)))).sum()
    }

    /// Everyone's result, best first.
    ///
    /// Points decide, then the Sonneborn–Berger numbers. In an elimination `eliminated_in` holds the round in which each
    /// player left, if they did: players who left later, or not at all, rank first, and those who lasted as long
    /// share a place, whatever their points.
    pub fn standings(&self, rounds: &[Round], eliminated_in: Option<&[Option<usize>]>) -> Vec<Standing> {
        let left_in = |player: usize| eliminated_in.and_then(|rounds| rounds[player]);
        let mut standings: Vec<Standing> =
            (0..self.half_points.len()).map(|player| self.standing(player, rounds, left_in(player))).collect();
        let lasted = |standing: &Standing| standing.eliminated_in.unwrap_or(usize::MAX);
        standings.sort_by(|a, b| {
            let by_points = b.points.total_cmp(&a.points).then(b.sonneborn_berger.total_cmp(&a.sonneborn_berger));
            lasted(b).cmp(&lasted(a)).then(by_points)
        });
        for index in 0..standings.len() {
            let is_equal = index > 0 && {
                let (before, this) = (&standings[index - 1], &standings[index]);
                let scores = |standing: &Standing| (standing.points, standing.sonneborn_berger);
                lasted(before) == lasted(this) && (eliminated_in.is_some() || scores(before) == scores(this))
            };
            standings[index].place = if is_equal { standings[index - 1].place } else { index + 1 };
        }
        standings
    }

    fn standing(&self, player: usize, rounds: &[Round], eliminated_in: Option<usize>) -> Standing {
        let mut standing = Standing {
            place: 0,
            player,
            points: f64::from(self.half_points(player)) / 2.0,
            sonneborn_berger: self.quarter_sonneborn_berger(player) as f64 / 4.0,
            wins: 0,
            draws: 0,
            losses: 0,
            forfeits: 0,
            eliminated_in,
        };
        for pairing in rounds.iter().flat_map(|round| &round.pairings) {
            let Some(index) = pairing.players.iter().position(|&other| other == player) else { continue };
            let [wins, losses] =
                if index == 0 { [pairing.wins, pairing.losses] } else { [pairing.losses, pairing.wins] };
            standing.wins += wins;
            standing.draws += pairing.draws;
            standing.losses += losses;
            standing.forfeits += pairing.forfeits[index];
        }
        standing
    }

    /// The table as text: a row a player in the order of `standings`, a column for each opponent in the same order.
    pub fn text(&self, names: &[String], standings: &[Standing]) -> String {
        let name_width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("player".len());
        let mut text = format!("  #  {:name_width$}  points      SB    won  drawn   lost", "player");
        for column in 1..=standings.len() {
            let _ = write!(text, " {column:>5}");
        }
        text.push('\n');
        for row in standings {
            let Standing { place, player, points, sonneborn_berger, wins, draws, losses, .. } = row;
            let _ = write!(text, "{place:>3}  {:name_width$}  {points:>6.1}  {sonneborn_berger:>6.2}", names[*player]);
            let _ = write!(text, " {wins:>6} {draws:>6} {losses:>6}");
            for column in standings {
                let cell = match self.points_against(*player, column.player) {
                    Some(points) => format!("{points:.1}"),
                    None if column.player == *player => "*".into(),
                    None => "-".into(),
                };
                let _ = write!(text, " {cell:>5}");
            }
            text.push('\n');
        }
        text
    }
}
