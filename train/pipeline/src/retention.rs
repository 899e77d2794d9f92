//! What of a run stays on the disk: a long one would fill it with networks and games that nothing needs any more.
//!
//! Games that nothing is learned from any more leave a number each generation behind, the positions that were learned from, in
//! `games/cleaned.json`; that is written before a shard is removed, so a shard that is missing otherwise is noticed.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use selfplay_train::ReplayBuffer;
use serde::{Deserialize, Serialize};

use crate::config::RunConfig;
use crate::error::RunError;
use crate::phase::{GateReport, Phase, SelfPlayReport};
use crate::retention_config::RetentionConfig;
use crate::run_folder::RunFolder;
use crate::self_play::read_games;

const CLEANED: &str = "games/cleaned.json";

/// The games that are gone.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct CleanedGames {
    /// Positions that were learned from, of each generation from 1 on whose games are gone.
    positions: Vec<u64>,
}

impl CleanedGames {
    /// Those of the run.
    ///
    /// # Errors
    /// If the file is there but damaged.
    pub fn read(run: &RunFolder) -> Result<Self, RunError> {
        Ok(run.stored(CLEANED)?.unwrap_or_default())
    }

    /// Positions learned from of generation `generation`, from 1, if its games are gone.
    ///
    /// # Errors
    /// If its report is gone too: it cannot be played again, since what it was played from is not there.
    pub fn positions(&self, run: &RunFolder, generation: u32) -> Result<Option<u64>, RunError> {
        let Some(&positions) = self.positions.get(generation as usize - 1) else { return Ok(None) };
        let report = run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)?;
        report
            .map(|_| Some(positions))
            .ok_or_else(|| RunError::GoneGames { path: run.phase_path(generation, Phase::SelfPlay), generation })
    }

    /// Generations from 1 up to this one have no games any more.
    pub fn last(&self) -> u32 {
        self.positions.len() as u32
    }
}

/// What may be removed from a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Removable {
    /// Generations whose networks may go.
    networks: Vec<u32>,
    /// The last generation, from 1, whose games may go with those of all before; 0 for none.
    games_to: u32,
}

impl Removable {
    /// What may go after generation `last`, when `replay` is what the next one learns from and these have been `champions`.
    pub fn find(
        run: &RunFolder,
        config: &RunConfig,
        last: u32,
        replay: &ReplayBuffer,
        champions: &BTreeSet<u32>,
    ) -> Self {
        let RetentionConfig { keep_last, keep_networks_every, keep_games } = config.retention;
        // The next generation is played by a network that may be older than the last.
        let old = last.saturating_sub(keep_last.max(config.selfplay.policy_lag + 2));
        let mut removable = Removable::default();
        for generation in 1..=old {
            let is_kept = keep_networks_every > 0 && generation % keep_networks_every == 0;
            if !is_kept && !champions.contains(&generation) && run.network(generation).exists() {
                removable.networks.push(generation);
            }
        }
        if !keep_games {
            let needed = replay.oldest_generation().unwrap_or(1);
            removable.games_to = old.min(needed.saturating_sub(1));
        }
        removable
    }

    /// The files and folders in question that are there.
    pub fn paths(&self, run: &RunFolder) -> Vec<PathBuf> {
        let networks = self.networks.iter().map(|&generation| run.network(generation));
        let shards = self.shards().map(|generation| run.shard(generation));
        networks.chain(shards).filter(|path| path.exists()).collect()
    }

    fn shards(&self) -> RangeInclusive<u32> {
        1..=self.games_to
    }

    /// Removes it; `positions` are those learned from, of each generation from 1 on.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn remove(&self, run: &RunFolder, positions: &[u64]) -> Result<(), RunError> {
        if self.games_to > CleanedGames::read(run)?.last() {
            run.store(CLEANED, &CleanedGames { positions: positions[..self.games_to as usize].to_vec() })?;
        }
        for generation in self.shards() {
            let shard = run.shard(generation);
            match fs::remove_file(&shard) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(RunError::Io { path: shard, source: error });
                }
                _ => {}
            }
        }
        self.networks.iter().try_for_each(|&generation| run.discard_network(generation))
    }
}

/// A network that a run must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequiredNetwork {
    /// Its generation.
    pub generation: u32,
    /// What it is needed for.
    pub role: NetworkRole,
}

/// What a network is needed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkRole {
    /// It was promoted: retention keeps all champions.
    Champion,
    /// The next generation plays or learns with it.
    Newest,
}

impl fmt::Display for NetworkRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NetworkRole::Champion => "champion",
            NetworkRole::Newest => "newest network",
        })
    }
}

/// The networks that the run of `config` must have, by its phase files: all champions, and the newest ones, from which the
/// next generation continues.
///
/// # Errors
/// If a phase file is damaged.
pub fn required_networks(run: &RunFolder, config: &RunConfig) -> Result<Vec<RequiredNetwork>, RunError> {
    let is_learned = |&generation: &u32| run.phase_path(generation, Phase::Learn).exists();
    let last = (1..run.generation_count()).rfind(is_learned).unwrap_or(0);
    let newest = last.saturating_sub(config.selfplay.policy_lag)..=last;
    let champions = champions_of(run, last)?;
    let has_begun = last > 0 || !champions.is_empty();
    let newest = newest.filter(|generation| has_begun && !champions.contains(generation));
    let mut required: Vec<RequiredNetwork> =
        newest.map(|generation| RequiredNetwork { generation, role: NetworkRole::Newest }).collect();
    required.extend(champions.iter().map(|&generation| RequiredNetwork { generation, role: NetworkRole::Champion }));
    required.sort_by_key(|network| network.generation);
    Ok(required)
}

/// Checks that the networks are there with which a run resumes: its last champion and the newest ones.
///
/// # Errors
/// The first that is missing; a damaged phase file.
pub fn check_networks(run: &RunFolder, config: &RunConfig) -> Result<(), RunError> {
    let required = required_networks(run, config)?;
    let (champions, newest): (Vec<_>, Vec<_>) =
        required.into_iter().partition(|network| network.role == NetworkRole::Champion);
    let mut needed = newest.iter().chain(champions.last()).filter(|network| network.generation > 0);
    // The untrained network is made again.
    needed.try_for_each(|network| network.check(run))
}

impl RequiredNetwork {
    /// Whether it is there.
    ///
    /// # Errors
    /// [`RunError::MissingNetwork`] if not.
    pub fn check(&self, run: &RunFolder) -> Result<(), RunError> {
        let RequiredNetwork { generation, role } = *self;
        let path = run.network(generation);
        if path.exists() { Ok(()) } else { Err(RunError::MissingNetwork { path, role }) }
    }
}

/// What cleaning a run came to, or would.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Cleaning {
    /// The files and folders.
    pub paths: Vec<PathBuf>,
    /// Their size (bytes).
    pub bytes: u64,
}

/// Removes what `config` does not keep of a run that no process is using. With `is_dry` it only reports what would be
/// removed.
///
/// # Errors
/// If a file is damaged, missing or fails.
pub fn clean(run: &RunFolder, config: &RunConfig, is_dry: bool) -> Result<Cleaning, RunError> {
    // A champion whose report is missing would count as none, and go.
    if let Some(path) = run.missing_phases().into_iter().next() {
        return Err(RunError::MissingReport { path });
    }
    let cleaned = CleanedGames::read(run)?;
    let (mut replay, mut positions) = (ReplayBuffer::new(), Vec::new());
    while let Some(report) = run.completed::<SelfPlayReport>(positions.len() as u32 + 1, Phase::SelfPlay)? {
        let (generation, before) = (positions.len() as u32 + 1, replay.generated());
        match cleaned.positions(run, generation)? {
            Some(count) => replay.pass_over(count),
            None => replay.extend(read_games(run, generation, &report.summary)?, &config.replay),
        }
        positions.push(replay.generated() - before);
    }
    // The last generation may not have been judged yet, and its games are learned from again if it has not been learned.
    let last = (positions.len() as u32).saturating_sub(1);
    let removable = Removable::find(run, config, last, &replay, &champions_of(run, last)?);
    let paths = removable.paths(run);
    let bytes = paths.iter().map(|path| size_of(path)).sum();
    if !is_dry {
        removable.remove(run, &positions)?;
    }
    Ok(Cleaning { paths, bytes })
}

/// The generations up to `last` that have been champions.
fn champions_of(run: &RunFolder, last: u32) -> Result<BTreeSet<u32>, RunError> {
    let mut champions = BTreeSet::new();
    for generation in 0..=last {
        if run.completed::<GateReport>(generation, Phase::Gate)?.is_some_and(|report| report.is_promoted()) {
            champions.insert(generation);
        }
    }
    Ok(champions)
}

/// Bytes of a file, or of the files of a folder.
fn size_of(path: &Path) -> u64 {
    let files = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    match path.is_dir() {
        true => files.map(|file| size_of(&file)).sum(),
        false => path.metadata().map_or(0, |file| file.len()),
    }
}
