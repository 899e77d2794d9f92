//! Matches whose games are kept in a file, and that resume from it.

use crate::error::ArenaError;
use std::path::Path;

use selfplay_players::playable::Playable;
use selfplay_ratings::pair_counts::PairCounts;
use serde_json::{Value, json};

use crate::arena::{
    Fixture, GameResult, MatchConfig, MatchObserver, MatchProgress, MatchReport, MatchSetting, Participant, StopRule,
    Termination, count_pair, play_fixtures,
};
use crate::game_line::GamesHeader;
use crate::games_file::{GamesFile, StoredGame};

/// Writes every pair into a games file, if there is one, before it passes it on to another observer, under the numbers
/// that the matches have among all that the file holds.
pub struct Recorder<'a> {
    file: Option<&'a mut GamesFile>,
    first_match: usize,
    players: Vec<[usize; 2]>,
    next: &'a mut dyn MatchObserver,
}

impl<'a> Recorder<'a> {
    /// Records `fixtures` as the matches `first_match` and on.
    pub fn new(
        file: Option<&'a mut GamesFile>,
        first_match: usize,
        fixtures: &[Fixture],
        next: &'a mut dyn MatchObserver,
    ) -> Self {
        Recorder { file, first_match, players: fixtures.iter().map(|fixture| fixture.players).collect(), next }
    }
}

impl MatchObserver for Recorder<'_> {
    fn match_announced(&mut self, fixture: usize, players: [&str; 2]) {
        self.next.match_announced(self.first_match + fixture, players);
    }

    fn pair_finished(&mut self, fixture: usize, games: &[GameResult]) -> Result<(), ArenaError> {
        let match_number = self.first_match + fixture;
        if let Some(file) = &mut self.file {
            file.append(match_number, self.players[fixture], games)?;
        }
        self.next.pair_finished(match_number, games)
    }

    fn progressed(&mut self, fixture: usize, progress: MatchProgress) {
        self.next.progressed(self.first_match + fixture, progress);
    }
}

/// Plays a match at `game` between the first and the second participant, its games in the file at `path`.
///
/// If the file is there, the match resumes after its last complete pair; the games then in it and in the report are
/// those of a match that was never interrupted, unless time plays a part.
///
/// # Errors
/// A wrong `config`; those of [`GamesFile::resume`] and [`play_fixtures`].
pub fn play_recorded_match(
    game: &'static dyn Playable,
    participants: &[Participant; 2],
    config: &MatchConfig,
    setting: &MatchSetting,
    path: &Path,
    observer: &mut dyn MatchObserver,
) -> Result<MatchReport, ArenaError> {
    let mut fixtures = [Fixture::new(game, [0, 1], config.clone())?];
    let stop = setting.stop.map(|stop| &stop.name);
    let plan = json!({ "match": config, "suite_seed": config.suite_seed(), "stop": stop });
    let plan = with_identities(plan, participants);
    let names = participants.iter().map(|participant| participant.name().to_owned()).collect();
    let (mut file, stored) = GamesFile::resume(path, game, &GamesHeader::new(game.id(), names, plan))?;
    let rest = adopt(&file, stored, 0, &mut fixtures, setting.stop)?;
    refuse_surplus(&file, &rest)?;
    let mut recorder = Recorder::new(Some(&mut file), 0, &fixtures, observer);
    let reports = play_fixtures(participants, &fixtures, setting, &mut recorder)?;
    Ok(reports.into_iter().next().expect("one report for one fixture"))
}

/// `plan` with what the names of the players do not say of them, where there is something.
pub(crate) fn with_identities(mut plan: Value, participants: &[Participant]) -> Value {
    let identities: Vec<Option<&str>> = participants.iter().map(Participant::identity).collect();
    if identities.iter().any(Option::is_some) {
        plan["made_of"] = json!(identities);
    }
    plan
}

/// Gives the stored games to the matches they belong to, `first_match` being the first of `fixtures`, and returns those
/// of later matches.
///
/// # Errors
/// [`ArenaError::File`] with the first line that is not the next game of its match, or comes before the match before
/// it is complete.
pub(crate) fn adopt(
    file: &GamesFile,
    stored: Vec<StoredGame>,
    first_match: usize,
    fixtures: &mut [Fixture],
    stop: Option<&StopRule>,
) -> Result<Vec<StoredGame>, ArenaError> {
    let mut stored = stored.into_iter().peekable();
    let end = first_match + fixtures.len();
    let mut begins_with_missing = None;
    for (index, fixture) in fixtures.iter_mut().enumerate() {
        let mut counts = PairCounts::default();
        let mut is_complete = false;
        while let Some(game) = stored.next_if(|game| game.match_number == first_match + index) {
            let line = game.line;
            let refuse = |reason: String| Err(file.bad_game(line, reason));
            if let Some(missing) = begins_with_missing {
                return refuse(format!("match {missing} is not complete before this game"));
            }
            if is_complete {
                return refuse("the match was over before this game".into());
            }
            if let Some(reason) = complaint(&game, fixture)? {
                return refuse(reason);
            }
            fixture.played.push(game.result);
            if let [.., first, second] = &fixture.played[..]
                && fixture.played.len() % 2 == 0
            {
                count_pair(&mut counts, [first, second]);
                is_complete = fixture.played.len() == 2 * fixture.config().pairs
                    || stop.is_some_and(|stop| (stop.is_decided)(&counts));
            }
        }
        if !is_complete {
            begins_with_missing = begins_with_missing.or(Some(first_match + index));
        }
    }
    let rest: Vec<StoredGame> = stored.collect();
    match (rest.first(), begins_with_missing) {
        (Some(game), _) if game.match_number < end => {
            Err(file.bad_game(game.line, format!("match {} was over before this game", game.match_number)))
        }
        (Some(game), Some(missing)) => {
            Err(file.bad_game(game.line, format!("match {missing} is not complete before this game")))
        }
        _ => Ok(rest),
    }
}

/// [`ArenaError::File`] if there are games of matches that are not played.
pub(crate) fn refuse_surplus(file: &GamesFile, rest: &[StoredGame]) -> Result<(), ArenaError> {
    match rest.first() {
        None => Ok(()),
        Some(game) => Err(file.bad_game(game.line, format!("there is no match {}", game.match_number))),
    }
}

/// Why `game` is not the next game of `fixture`, if so.
fn complaint(game: &StoredGame, fixture: &Fixture) -> Result<Option<String>, ArenaError> {
    let StoredGame { players, result, .. } = game;
    let (pair, number) = (result.opening, fixture.played.len());
    if result.number() != number {
        return Ok(Some(format!("it is game {}: expected game {number}", result.number())));
    }
    if *players != fixture.players {
        return Ok(Some(format!("the players are {players:?}: expected {:?}", fixture.players)));
    }
    let opening = &fixture.openings(pair..pair + 1)?[0];
    if result.opening_len != opening.len() || !result.actions.starts_with(opening) {
        return Ok(Some(format!("it does not begin with opening {pair} of the match")));
    }
    let is_capped = result.termination == Termination::Capped;
    let is_short = result.actions.len() < fixture.config().max_plies;
    Ok((is_capped && is_short).then(|| "it was stopped before `max_plies`".into()))
}
