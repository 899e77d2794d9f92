//! What matches and tournaments on the command line share: how games are played, where they are kept, who watches.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use selfplay_arena::{
    ArenaError, GameResult, MatchConfig, MatchObserver, MatchProgress, MatchSetting, Pacing, Participant, StopRule,
    Termination,
};
use selfplay_network::checkpoint::{WEIGHTS_FILE, load_manifest};
use selfplay_players::{ClockKind, PlayerSpec, TimeControl, TimeSpan, build_player};
use selfplay_python_game::file_of;
use selfplay_ratings::{MatchStrength, PairCounts, SprtConfig};
use selfplay_registry::GameRef;
use serde::Serialize;

use crate::args::{ContestArgs, MachineArgs};
use crate::error::CliError;
use crate::placing::make_folder;
use crate::progress::PhaseBar;
use selfplay_pipeline::{Agents, agent_of};

/// The longest name of a games file without its ending.
const LONGEST_NAME: usize = 120;
/// Hexadecimal digits that tell one network from another.
const IDENTITY_DIGITS: usize = 16;
/// Reasons for forfeits that are reported; the file of games has all.
const MAX_REASONS: usize = 5;

/// How the games of one pairing are played.
///
/// # Errors
/// [`CliError::Option`] with what does not fit together.
pub fn match_config(args: &ContestArgs, games: u32) -> Result<MatchConfig, CliError> {
    if games == 0 || !games.is_multiple_of(2) {
        return Err(CliError::Option {
            option: "--games",
            value: games.to_string(),
            expected: "expected an even number above 0: games are played in pairs with the sides exchanged",
        });
    }
    let clock = if args.cpu { ClockKind::Cpu } else { ClockKind::Wall };
    let time = match (args.move_time, args.budget) {
        (Some(ms), _) => Some(TimeControl { ms, span: TimeSpan::Turn, clock }),
        (None, Some(ms)) => Some(TimeControl { ms, span: TimeSpan::Game, clock }),
        (None, None) if args.cpu => {
            return Err(CliError::Option {
                option: "--cpu",
                value: String::new(),
                expected: "it needs --move-time or --budget to measure",
            });
        }
        (None, None) => None,
    };
    Ok(MatchConfig {
        pairs: games as usize / 2,
        opening_plies: args.opening_plies as usize,
        seed: args.seed,
        max_plies: args.max_plies as usize,
        time,
        time_breaks_draws: args.time_breaks_draws,
        ..MatchConfig::default()
    })
}

/// The players of `game` that `specs` describe.
///
/// # Errors
/// If a specification is wrong or its player cannot be made.
pub fn participants<'a>(
    game: GameRef,
    specs: &'a [PlayerSpec],
    agents: &'a Agents,
) -> Result<Vec<Participant<'a>>, CliError> {
    let participant = |spec: &'a PlayerSpec| {
        let participant = Participant::new(move || build_player(game, spec, agents))?;
        Ok(participant.made_of(made_of(game, spec)?))
    };
    specs.iter().map(participant).collect()
}

/// A hash of what a specification only points to: the network in a folder, which may become another, and the rules in a file;
/// `None` where there is neither.
fn made_of(game: GameRef, spec: &PlayerSpec) -> Result<Option<String>, CliError> {
    let mut hash = blake3::Hasher::new();
    if let Some(checkpoint) = spec.checkpoint() {
        let manifest = load_manifest(&agent_of(Path::new(checkpoint), game.id())?)?;
        // Its files are known by their hashes; what only training needs may go.
        manifest.files.get(WEIGHTS_FILE).into_iter().for_each(|weights| {
            hash.update(weights.as_bytes());
        });
    }
    if let Some(file) = file_of(game.id()) {
        hash.update(file.source.as_bytes());
    }
    Ok((hash.count() > 0).then(|| hash.finalize().to_hex()[..IDENTITY_DIGITS].to_owned()))
}

/// How the games of these players follow each other, and what ends a match early.
pub fn setting<'a>(machine: &MachineArgs, specs: &[PlayerSpec], stop: Option<&'a StopRule<'a>>) -> MatchSetting<'a> {
    MatchSetting { cores: machine.machine().threads, pacing: Pacing::for_specs(specs), stop, ..MatchSetting::default() }
}

/// The file that keeps the games of `participants`, in a folder that is there: as asked for, or a name made of all that decides the
/// games, so that another contest has another name.
///
/// # Errors
/// If the folder cannot be made.
pub fn games_file<T: Serialize>(
    args: &ContestArgs,
    game: &str,
    title: &str,
    plan: &T,
    participants: &[Participant<'_>],
) -> Result<PathBuf, CliError> {
    let path = match &args.games_file {
        Some(path) => path.clone(),
        None => {
            let mut plan = serde_json::to_vec(&(title, plan)).expect("plain data");
            participants.iter().filter_map(Participant::identity).for_each(|made_of| plan.extend(made_of.as_bytes()));
            let plain = |c: char| if c.is_ascii_alphanumeric() || "-.=".contains(c) { c } else { '_' };
            let name: String = title.chars().map(plain).take(LONGEST_NAME).collect();
            Path::new("games").join(game).join(format!("{name}-{:08x}.jsonl", crc32fast::hash(&plan)))
        }
    };
    make_folder(&path)?;
    Ok(path)
}

/// Follows matches for people: a bar with the standing of the match in which a game ended last.
pub struct LiveTable {
    bar: PhaseBar,
    sprt: Option<SprtConfig>,
    /// Names of both players, and games finished, of each match.
    matches: Vec<([String; 2], usize)>,
    /// Games played while this looked on.
    pub new_games: usize,
}

impl LiveTable {
    /// For `games` games at most.
    pub fn new(label: &str, games: usize, sprt: Option<SprtConfig>) -> Self {
        LiveTable { bar: PhaseBar::with_text(label, games as u64, "games"), sprt, matches: Vec::new(), new_games: 0 }
    }
}

impl MatchObserver for LiveTable {
    fn match_announced(&mut self, fixture: usize, players: [&str; 2]) {
        let missing = || ([String::new(), String::new()], 0);
        self.matches.resize_with(self.matches.len().max(fixture + 1), missing);
        self.matches[fixture] = (players.map(str::to_owned), 0);
    }

    fn pair_finished(&mut self, _fixture: usize, games: &[GameResult]) -> Result<(), ArenaError> {
        self.new_games += games.len();
        Ok(())
    }

    fn progressed(&mut self, fixture: usize, progress: MatchProgress) {
        let (players, done) = &mut self.matches[fixture];
        self.bar.advance(progress.games_done.saturating_sub(*done) as u64);
        *done = progress.games_done;
        self.bar.say(standing(players, &progress.pair_counts, self.sprt.as_ref()));
    }
}

/// The standing of a match in one line.
fn standing([a, b]: &[String; 2], counts: &PairCounts, sprt: Option<&SprtConfig>) -> String {
    if counts.pairs() == 0 {
        return format!("{a} - {b}: no pair complete");
    }
    let elo = MatchStrength::from_counts(counts).elo;
    let mut line = format!("{a} - {b}: +{} ={} -{}", counts.wins(), counts.draws(), counts.losses());
    // Writing to a string cannot fail.
    let _ = write!(line, ", score {:.1} %", 100.0 * counts.score());
    let _ = write!(line, ", Elo {:+.0} ± {:.0}", elo.elo, (elo.high - elo.low) / 2.0);
    if let Some(sprt) = sprt {
        let _ = write!(line, ", SPRT {}", sprt.state(counts));
    }
    line
}

/// Says on standard error why games were forfeited, each reason once.
pub fn warn_of_forfeits<'a>(games: impl Iterator<Item = &'a GameResult>) {
    let mut reasons: Vec<String> = Vec::new();
    for game in games.filter(|game| game.termination.is_forfeit()) {
        let reason = match &game.termination {
            Termination::TimeForfeit { used_ms, allowed_ms } => {
                format!("{used_ms} ms used where {allowed_ms} ms were allowed")
            }
            Termination::IllegalMove { reason } | Termination::PlayerFailed { reason } => reason.clone(),
            Termination::Rules | Termination::MoreTimeLeft | Termination::Capped => continue,
        };
        let text = format!("game {}: {reason}", game.number());
        if reasons.len() < MAX_REASONS && !reasons.iter().any(|known| known.ends_with(&reason)) {
            reasons.push(text);
        }
    }
    for reason in reasons {
        tracing::warn!("forfeited, {reason}");
    }
}
