//! The Pente course's master game engine: files for programs, their CPU time by the system's count, a score sheet.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod agent;

mod sheet;

use std::cmp::Ordering;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use selfplay_env::rng::derive_seed;
use selfplay_env::{Game, Outcome, Side};
use selfplay_pente::Pente;
use serde::{Deserialize, Serialize};

use agent::agent_folder;
pub use agent::{AgentError, PenteAgent};
use selfplay_config::{InvalidKey, check};
pub use sheet::{EndReason, RefereedGame, ScoreSheet};

/// Games are dealt out in tens.
const TEN: u64 = 10;

/// How a pairing is judged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PenteRefereeConfig {
    /// Games, 1 to 100,000. Default 20.
    pub games: u64,
    /// CPU milliseconds of each agent for each game, 1 to 86,400,000. Default 100,000.
    pub budget_ms: u64,
    /// In how many of ten games the first agent is White, 0 to 10: 5 in tournaments, 6 where it is tested against a
    /// reference agent. Default 5.
    pub a_white_in_ten: u64,
    /// Where the agents' folders `a` and `b` and the file `games.txt` are made. Default `pente-referee`.
    pub folder: PathBuf,
    /// A program's move may last this many times the CPU time that it has left, 1 to 1,000: it may be waiting for a core.
    /// Default 10.
    pub wall_per_cpu: u32,
    /// And so many milliseconds more, 0 to 3,600,000. Default 10,000.
    pub grace_ms: u64,
    /// Milliseconds that a program may take to calibrate, 1 to 86,400,000. Default 300,000.
    pub calibrate_ms: u64,
    /// Seed of the built-in agents' choices. Default 0.
    pub seed: u64,
}

impl Default for PenteRefereeConfig {
    fn default() -> Self {
        PenteRefereeConfig {
            games: 20,
            budget_ms: 100_000,
            a_white_in_ten: 5,
            folder: "pente-referee".into(),
            wall_per_cpu: 10,
            grace_ms: 10_000,
            calibrate_ms: 300_000,
            seed: 0,
        }
    }
}

impl PenteRefereeConfig {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first that is out of range.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let a_day = "1 to 86,400,000 milliseconds";
        check((1..=100_000).contains(&self.games), "games", self.games, "1 to 100,000 games")?;
        check((1..=86_400_000).contains(&self.budget_ms), "budget_ms", self.budget_ms, a_day)?;
        check(self.a_white_in_ten <= TEN, "a_white_in_ten", self.a_white_in_ten, "0 to 10 games of ten")?;
        let wall_per_cpu = u64::from(self.wall_per_cpu);
        check((1..=1_000).contains(&wall_per_cpu), "wall_per_cpu", wall_per_cpu, "1 to 1,000 times the CPU time")?;
        check(self.grace_ms <= 3_600_000, "grace_ms", self.grace_ms, "0 to 3,600,000 milliseconds")?;
        check((1..=86_400_000).contains(&self.calibrate_ms), "calibrate_ms", self.calibrate_ms, a_day)
    }

    /// Which agent is White in the game with this number, counted from 0: spread evenly, the first agent first.
    fn white(&self, game: u64) -> usize {
        usize::from(game * self.a_white_in_ten % TEN >= self.a_white_in_ten)
    }
}

/// Why a pairing cannot be judged. Nothing that an agent does in a game is among it.
#[derive(Debug, thiserror::Error)]
pub enum PenteRefereeError {
    /// The config does not hold together.
    #[error(transparent)]
    Config(#[from] InvalidKey),
    /// An agent cannot be prepared.
    #[error("{name} is not ready: {source}")]
    NotReady {
        /// The agent.
        name: String,
        /// Why.
        source: Box<AgentError>,
    },
    /// A folder or file cannot be used.
    #[error("{path}: {source}")]
    Folder {
        /// Which.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// Plays the games of two agents against each other and returns the score sheet.
///
/// Each agent has a folder of its own, where it may calibrate once and where a program finds its `input.txt`. An agent
/// that uses up its CPU time or leaves no legal move loses the game. On a full board, the agent with more time left
/// wins. Every game is appended to `games.txt` when it is over, and passed to `observer`.
///
/// # Errors
/// [`PenteRefereeError`]; an agent that misbehaves loses its game instead.
pub fn referee_pente(
    config: &PenteRefereeConfig,
    agents: &mut [PenteAgent; 2],
    observer: &mut dyn FnMut(&RefereedGame),
) -> Result<ScoreSheet, PenteRefereeError> {
    config.validate()?;
    for (index, agent) in agents.iter().enumerate() {
        let limit = Duration::from_millis(config.calibrate_ms);
        agent
            .prepare(&agent_folder(&config.folder, index), limit)
            .map_err(|source| PenteRefereeError::NotReady { name: agent.name().into(), source: Box::new(source) })?;
    }
    let names = agents.each_ref().map(|agent| agent.name().to_owned());
    let path = config.folder.join("games.txt");
    let file_error = |source| PenteRefereeError::Folder { path: path.display().to_string(), source };
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(file_error)?;
    let mut sheet = ScoreSheet { names, games: Vec::new() };
    for number in 0..config.games {
        let game = play_game(config, agents, number)?;
        let players = [game.white, 1 - game.white].map(|agent| sheet.names[agent].replace('\n', " "));
        let text = format!("# {} – {}: {}\n{}\n", players[0], players[1], game.summary(&sheet.names), game.text());
        file.write_all(text.as_bytes()).map_err(file_error)?;
        observer(&game);
        sheet.games.push(game);
    }
    Ok(sheet)
}

fn play_game(
    config: &PenteRefereeConfig,
    agents: &mut [PenteAgent; 2],
    number: u64,
) -> Result<RefereedGame, PenteRefereeError> {
    let folders = [0, 1].map(|agent| agent_folder(&config.folder, agent));
    for (index, agent) in agents.iter_mut().enumerate() {
        let seed = derive_seed(&[config.seed, number, index as u64]);
        agent
            .new_game(&folders[index], seed)
            .map_err(|source| PenteRefereeError::Folder { path: folders[index].display().to_string(), source })?;
    }
    let white = config.white(number);
    let budget = Duration::from_millis(config.budget_ms);
    let mut cpu_time = [Duration::ZERO; 2];
    let mut position = Pente::<19>::initial();
    let mut actions = Vec::new();
    let (winner, reason) = loop {
        match position.outcome() {
            Some(Outcome::Win(side)) => break (Some(agent_of(side, white)), EndReason::Rules),
            Some(Outcome::Draw) => {
                let winner = match cpu_time[0].cmp(&cpu_time[1]) {
                    Ordering::Less => Some(0),
                    Ordering::Greater => Some(1),
                    Ordering::Equal => None,
                };
                break (winner, EndReason::FullBoard);
            }
            None => {}
        }
        let mover = agent_of(position.side_to_move(), white);
        let left = budget - cpu_time[mover];
        let wall = left.saturating_mul(config.wall_per_cpu) + Duration::from_millis(config.grace_ms);
        let turn = agents[mover].play(&folders[mover], &position, &actions, left, wall);
        cpu_time[mover] += turn.cpu_time;
        match turn.action {
            _ if cpu_time[mover] >= budget => break (Some(1 - mover), EndReason::Time),
            Err(error) => break (Some(1 - mover), EndReason::NoMove(error.to_string())),
            Ok(action) => {
                position.play(action);
                actions.push(action);
            }
        }
    };
    Ok(RefereedGame { white, winner, reason, actions, outcome: position.outcome(), cpu_time })
}

/// Which agent has `side` where `white` is White.
fn agent_of(side: Side, white: usize) -> usize {
    if side == Side::First { white } else { 1 - white }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_dealt_out_evenly() {
        let whites = |in_ten| {
            let config = PenteRefereeConfig { a_white_in_ten: in_ten, ..PenteRefereeConfig::default() };
            (0..20).map(|game| 1 - config.white(game)).collect::<Vec<_>>()
        };
        assert_eq!(whites(5), [1, 0].repeat(10));
        assert_eq!(whites(6), [1, 0, 1, 0, 1, 1, 0, 1, 0, 1].repeat(2));
        assert_eq!((whites(0), whites(10)), (vec![0; 20], vec![1; 20]));
    }
}
