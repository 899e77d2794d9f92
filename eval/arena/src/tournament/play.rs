//! Plays a tournament, all of its games in one file.

use crate::error::ArenaError;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use selfplay_config::InvalidKey;
use selfplay_env::rng::derive_seed;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cross_table::{CrossTable, Pairing, Round, Standing};
use super::schedule::{Bracket, RoundPlan, gauntlet, round_robin};
use selfplay_players::playable::Playable;

use crate::arena::{Fixture, MatchConfig, MatchObserver, MatchReport, MatchSetting, Participant, play_fixtures};
use crate::game_line::GamesHeader;
use crate::games_file::{GamesFile, StoredGame};
use crate::recorded_match::{Recorder, adopt, refuse_surplus, with_identities};

/// What the seeds of a tournament are for.
const MATCHES: u64 = 0;
const BRACKET: u64 = 1;

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Everyone meets everyone once.
    RoundRobin,
    /// The first player meets each of the others.
    Gauntlet,
    /// The loser of more than half of the games of a pairing is eliminated; otherwise both stay. It ends when all who
    /// are left have met each other: they have won together. No two players meet twice. A player without an opponent in
    /// a round has a bye.
    Elimination,
}

/// How a tournament is played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TournamentConfig {
    /// Who meets whom. Default everyone everyone.
    pub format: TournamentFormat,
    /// How each pairing is played: `pairs` are its game pairs, by default one; `seed` also draws the bracket. Each
    /// pairing has openings of its own.
    pub pairing: MatchConfig,
}

impl Default for TournamentConfig {
    fn default() -> Self {
        let pairing = MatchConfig { pairs: 1, ..MatchConfig::default() };
        TournamentConfig { format: TournamentFormat::RoundRobin, pairing }
    }
}

impl TournamentConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        self.pairing.validate()
    }

    fn match_config(&self, match_number: usize) -> MatchConfig {
        let seed = derive_seed(&[self.pairing.seed, MATCHES, match_number as u64]);
        MatchConfig { seed, ..self.pairing.clone() }
    }
}

/// What a tournament came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentReport {
    /// Id of the game.
    pub game: String,
    /// Who met whom.
    pub format: TournamentFormat,
    /// Names of the players, in the order in which they were given.
    pub players: Vec<String>,
    /// All pairings.
    pub rounds: Vec<Round>,
    /// Everyone's result, best first.
    pub standings: Vec<Standing>,
    /// Games played.
    pub games: usize,
    /// Share of games in 0..=1 that repeat an earlier game of their pairing.
    pub duplicates: f64,
}

impl TournamentReport {
    /// The names of all who share the first place.
    pub fn winners(&self) -> Vec<&str> {
        let first = self.standings.iter().filter(|standing| standing.place == 1);
        first.map(|standing| self.players[standing.player].as_str()).collect()
    }

    /// The cross table, in an elimination with its rounds, for people.
    pub fn text(&self) -> String {
        let table = CrossTable::new(self.players.len(), &self.rounds);
        let mut text = table.text(&self.players, &self.standings);
        if self.format == TournamentFormat::Elimination {
            for (index, round) in self.rounds.iter().enumerate() {
                let _ = writeln!(text, "round {}", index + 1);
                for Pairing { players: [a, b], wins, draws, losses, .. } in &round.pairings {
                    let [a, b] = [a, b].map(|&player| &self.players[player]);
                    let _ = writeln!(text, "  {a} - {b}: {wins} won, {draws} drawn, {losses} lost");
                }
                for &player in &round.byes {
                    let _ = writeln!(text, "  {} is free", self.players[player]);
                }
            }
        }
        for standing in self.standings.iter().filter(|standing| standing.forfeits > 0) {
            let Standing { player, forfeits, .. } = standing;
            let _ = writeln!(text, "{} forfeited {forfeits} games", self.players[*player]);
        }
        if self.duplicates > 0.0 {
            let _ = writeln!(text, "{:.1} % of the games are duplicates within their pairing", 100.0 * self.duplicates);
        }
        text
    }
}

/// Plays a tournament at `game` between `participants`, its games in the file at `path` if there is one: it resumes
/// where the file ends. `observer` gets the matches under their numbers in the tournament.
///
/// # Errors
/// A wrong `config`; [`ArenaError::BadField`] for fewer than two players or a name that stands twice; those of
/// [`GamesFile::resume`] and [`play_fixtures`].
pub fn play_tournament(
    game: &'static dyn Playable,
    participants: &[Participant],
    config: &TournamentConfig,
    setting: &MatchSetting,
    path: Option<&Path>,
    observer: &mut dyn MatchObserver,
) -> Result<TournamentReport, ArenaError> {
    config.validate()?;
    let players: Vec<String> = participants.iter().map(|participant| participant.name().to_owned()).collect();
    check_field(&players)?;
    let stop = setting.stop.map(|stop| &stop.name);
    let plan = with_identities(json!({ "tournament": config, "stop": stop }), participants);
    let header = GamesHeader::new(game.id(), players.clone(), plan);
    let (file, stored) = match path {
        Some(path) => GamesFile::resume(path, game, &header).map(|(file, stored)| (Some(file), stored))?,
        None => (None, Vec::new()),
    };
    let mut tournament = Tournament {
        game,
        participants,
        config,
        setting,
        file,
        stored,
        observer,
        reports: Vec::new(),
        rounds: Vec::new(),
    };
    let eliminated_in = match config.format {
        TournamentFormat::RoundRobin => tournament.play_rounds(&round_robin(players.len())).map(|()| None)?,
        TournamentFormat::Gauntlet => tournament.play_rounds(&gauntlet(players.len())).map(|()| None)?,
        TournamentFormat::Elimination => Some(tournament.play_elimination()?),
    };
    if let Some(file) = &tournament.file {
        refuse_surplus(file, &tournament.stored)?;
    }
    let Tournament { reports, rounds, .. } = tournament;
    let games: usize = reports.iter().map(|report| report.games.len()).sum();
    let duplicates: f64 = reports.iter().map(|report| report.duplicates() * report.games.len() as f64).sum();
    Ok(TournamentReport {
        game: game.id().to_owned(),
        format: config.format,
        standings: CrossTable::new(players.len(), &rounds).standings(&rounds, eliminated_in.as_deref()),
        players,
        rounds,
        games,
        duplicates: duplicates / games.max(1) as f64,
    })
}

fn check_field(players: &[String]) -> Result<(), ArenaError> {
    let bad_field = |expected| Err(ArenaError::BadField { players: players.to_vec(), expected });
    if players.len() < 2 {
        return bad_field("at least two players");
    }
    if players.iter().collect::<HashSet<_>>().len() < players.len() {
        return bad_field("each player once");
    }
    Ok(())
}

/// A tournament under way.
struct Tournament<'a, 'e> {
    game: &'static dyn Playable,
    participants: &'a [Participant<'e>],
    config: &'a TournamentConfig,
    setting: &'a MatchSetting<'a>,
    file: Option<GamesFile>,
    /// Games in the file that no match has taken yet.
    stored: Vec<StoredGame>,
    observer: &'a mut dyn MatchObserver,
    reports: Vec<MatchReport>,
    rounds: Vec<Round>,
}

impl Tournament<'_, '_> {
    /// Plays rounds that do not depend on each other, all at the same time.
    fn play_rounds(&mut self, plans: &[RoundPlan]) -> Result<(), ArenaError> {
        let first_match = self.reports.len();
        let pairings = plans.iter().flat_map(|plan| &plan.pairings).enumerate();
        let mut fixtures: Vec<Fixture> = pairings
            .map(|(index, &players)| Fixture::new(self.game, players, self.config.match_config(first_match + index)))
            .collect::<Result<_, _>>()?;
        if let Some(file) = &self.file {
            let stored = std::mem::take(&mut self.stored);
            self.stored = adopt(file, stored, first_match, &mut fixtures, self.setting.stop)?;
        }
        let mut recorder = Recorder::new(self.file.as_mut(), first_match, &fixtures, self.observer);
        let reports = play_fixtures(self.participants, &fixtures, self.setting, &mut recorder)?;
        let mut played = reports.iter();
        for plan in plans {
            let pairings = plan.pairings.iter().zip(&mut played);
            let pairings = pairings.map(|(&players, report)| pairing(players, report)).collect();
            self.rounds.push(Round { pairings, byes: plan.byes.clone() });
        }
        self.reports.extend(reports);
        Ok(())
    }

    /// Plays rounds until all who are left have met; the round in which each player was eliminated, if so.
    fn play_elimination(&mut self) -> Result<Vec<Option<usize>>, ArenaError> {
        let mut eliminated_in = vec![None; self.participants.len()];
        let mut bracket = Bracket::new(self.participants.len(), derive_seed(&[self.config.pairing.seed, BRACKET]));
        while let Some(plan) = bracket.next_round() {
            self.play_rounds(&[plan])?;
            let number = self.rounds.len();
            let round = self.rounds.last().expect("a round was played");
            for loser in round.pairings.iter().filter_map(Pairing::loser_of_most) {
                bracket.eliminate(loser);
                eliminated_in[loser] = Some(number);
            }
        }
        Ok(eliminated_in)
    }
}

fn pairing(players: [usize; 2], report: &MatchReport) -> Pairing {
    let (wins, draws, losses) = (report.wins(), report.draws(), report.losses());
    Pairing { players, wins, draws, losses, forfeits: report.forfeits() }
}
