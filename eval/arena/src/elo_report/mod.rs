//! Strength by all results given: ratings, likelihoods of superiority, and what they rest on.

mod layout;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use selfplay_ratings::ratings::{Anchor, PRIOR, Rating, RatingBasis, RatingConfig, RatingTable, Unrated};
use selfplay_ratings::{EloEstimate, Encounter, RatingError};
use serde::Serialize;

use crate::results::Results;

/// One player's line.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EloLine {
    /// Name of the player.
    pub player: String,
    /// The rating; `None` if there are too few pairs.
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval of its difference to the anchor.
    pub elo_low: Option<f64>,
    /// Upper end of that interval.
    pub elo_high: Option<f64>,
    /// What the rating rests on.
    pub basis: RatingBasis,
    /// Games played, in whole pairs.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn, those stopped included.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points per game in 0..=1.
    pub score: f64,
    /// Share of games drawn, in 0..=1.
    pub draw_share: f64,
    /// Different players it met.
    pub opponents: usize,
}

/// A rating table with all that is to be said about it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EloReport {
    /// Id of the game, if a file has it.
    pub game: Option<String>,
    /// What fixes the ratings.
    pub anchor: Anchor,
    /// [`PRIOR`].
    pub prior: &'static str,
    /// Games rated.
    pub games: u64,
    /// Games among them that were stopped and count as draws, as far as files of games tell.
    pub stopped: u64,
    /// Games that repeat an earlier one of the same players, by which intervals are too narrow.
    pub repeats: u64,
    /// By how much the first move makes a player stronger.
    pub first_player_elo: EloEstimate,
    /// Share of games in 0..1 that equal players would draw without an advantage of the first move.
    pub even_draw_share: f64,
    /// One line a player, the greatest rating first, those without a rating last.
    pub players: Vec<EloLine>,
    /// Likelihood of superiority in 0..=1 of each player (row) over each other (column), both in the order of `players`:
    /// the share of posterior samples in which it is rated higher ([`RatingTable::los`]). `None` on the diagonal and for players
    /// without a rating.
    pub los: Vec<Vec<Option<f64>>>,
    /// The players without a rating.
    #[serde(skip)]
    pub unrated: Option<Unrated>,
    /// What of the files is left out.
    pub warnings: Vec<String>,
}

impl EloReport {
    /// Rates all players of `results`: `anchor` as in [`Anchor::choose`]; the anchor of `config` is not read.
    ///
    /// # Errors
    /// [`RatingError::Unrated`], those of [`RatingTable::fit`].
    pub fn rate(results: &Results, anchor: Option<&str>, config: &RatingConfig) -> Result<Self, RatingError> {
        let encounters = results.encounters();
        let tallies = tally(encounters);
        if tallies.is_empty() {
            return Err(RatingError::Unrated("no complete game pair between two players to rate".into()));
        }
        let anchor = Anchor::choose(anchor, &tallies.keys().copied().collect())?;
        let table = RatingTable::fit(encounters, &RatingConfig { anchor, ..config.clone() })?;
        let lines: Vec<EloLine> = table.ratings.iter().map(|rating| line(rating, &tallies[&*rating.player])).collect();
        let rated = lines.iter().filter(|line| line.elo.is_some()).count();
        let likelihood =
            |one: usize, other: usize| (one != other && one < rated && other < rated).then(|| table.los(one, other));
        let los = (0..lines.len()).map(|one| (0..lines.len()).map(|other| likelihood(one, other)).collect()).collect();
        Ok(EloReport {
            game: results.game().map(str::to_owned),
            anchor: table.anchor.clone(),
            prior: PRIOR,
            games: lines.iter().map(|line| line.games).sum::<u64>() / 2,
            stopped: results.stopped(),
            repeats: results.repeats(),
            first_player_elo: table.first_player_elo,
            even_draw_share: table.even_draw_share,
            players: lines,
            los,
            unrated: table.unrated(),
            warnings: results.warnings().iter().map(ToString::to_string).collect(),
        })
    }

    /// The lines as CSV under a header: the fields of [`EloLine`], `basis` as one word, then as `los_over_1`,
    /// `los_over_2` and so on the likelihoods of superiority over the players in line 1, 2 and so on.
    pub fn csv(&self) -> String {
        let mut header: Vec<String> = [
            "player",
            "elo",
            "elo_low",
            "elo_high",
            "basis",
            "games",
            "wins",
            "draws",
            "losses",
            "score",
            "draw_share",
            "opponents",
        ]
        .map(str::to_owned)
        .into();
        header.extend((1..=self.players.len()).map(|line| format!("los_over_{line}")));
        let mut writer = csv::Writer::from_writer(Vec::new());
        let whole = "memory takes every record";
        writer.write_record(header).expect(whole);
        for (line, los) in self.players.iter().zip(&self.los) {
            let EloLine { player, elo, elo_low, elo_high, basis, games, wins, draws, losses, .. } = line;
            let basis = match basis {
                RatingBasis::Games => "games",
                RatingBasis::Prior => "prior",
                RatingBasis::TooFewPairs { .. } => "too_few_pairs",
            };
            let EloLine { score, draw_share, opponents, .. } = line;
            let fields =
                (player, elo, elo_low, elo_high, basis, games, wins, draws, losses, score, draw_share, opponents);
            writer.serialize((fields, los)).expect(whole);
        }
        String::from_utf8(writer.into_inner().expect(whole)).expect("fields are text")
    }
}

/// One player's games.
#[derive(Default)]
struct Tally<'a> {
    wins: u64,
    draws: u64,
    losses: u64,
    opponents: BTreeSet<&'a str>,
}

/// The sums of all players with games.
fn tally(encounters: &[Encounter]) -> BTreeMap<&str, Tally<'_>> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for Encounter { a, b, pair_counts } in encounters.iter().filter(|encounter| encounter.pair_counts.pairs() > 0) {
        for (player, opponent, counts) in [(a, b, *pair_counts), (b, a, pair_counts.reversed())] {
            let tally = tallies.entry(player).or_default();
            tally.wins += u64::from(counts.wins());
            tally.draws += u64::from(counts.draws());
            tally.losses += u64::from(counts.losses());
            tally.opponents.insert(opponent);
        }
    }
    tallies
}

fn line(rating: &Rating, tally: &Tally) -> EloLine {
    let Rating { player, estimate, basis, games, score, draws } = rating.clone();
    EloLine {
        player,
        elo: estimate.map(|estimate| estimate.elo),
        elo_low: estimate.map(|estimate| estimate.low),
        elo_high: estimate.map(|estimate| estimate.high),
        basis,
        games,
        wins: tally.wins,
        draws,
        losses: tally.losses,
        score,
        draw_share: draws as f64 / games as f64,
        opponents: tally.opponents.len(),
    }
}
