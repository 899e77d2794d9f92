//! The matches of a run, each a function of its name, the config and the networks, and their players.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use selfplay_arena::{Fixture, MatchConfig, MatchReport, MatchSetting, OnProgress, Pacing, Participant, play_fixtures};
use selfplay_env::rng::derive_seed;
use selfplay_mcts::{EvaluationCache, Network};
use selfplay_players::{EvalError, Player, PlayerSpec, build_player};
use selfplay_registry::GameRef;
use serde::{Deserialize, Serialize};

use crate::agents::Agents;
use crate::config::RunConfig;
use crate::error::RunError;
use crate::generation_player::GenerationPlayer;
use crate::machine::Machine;
use crate::run_folder::RunFolder;

/// Keep the openings of different kinds of match apart; those against the ladder are the same for every generation.
const BASELINE_STREAM: u64 = 0xBA5E;
const LADDER_STREAM: u64 = 0x1ADD;
const CHAMPION_STREAM: u64 = 0xC4A3;

/// A match of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum RunMatch {
    /// Baseline `a` of the ladder against baseline `b`, by their places; `a` is the lower one.
    Baselines {
        /// Player A.
        a: usize,
        /// Player B.
        b: usize,
    },
    /// A generation's network against a baseline of the ladder.
    Ladder {
        /// Player A.
        generation: u32,
        /// Player B, by its place.
        baseline: usize,
    },
    /// A generation's network against that of the champion.
    Champion {
        /// Player A.
        generation: u32,
        /// Player B, an earlier generation.
        champion: u32,
    },
}

/// Who takes part in the matches of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunPlayer {
    /// The network of a generation.
    Network(u32),
    /// A baseline of the ladder, by its place.
    Baseline(usize),
}

impl RunMatch {
    /// Players A and B.
    pub fn players(self) -> [RunPlayer; 2] {
        match self {
            RunMatch::Baselines { a, b } => [a, b].map(RunPlayer::Baseline),
            RunMatch::Ladder { generation, baseline } => {
                [RunPlayer::Network(generation), RunPlayer::Baseline(baseline)]
            }
            RunMatch::Champion { generation, champion } => [generation, champion].map(RunPlayer::Network),
        }
    }

    /// The generations whose networks play.
    pub fn networks(self) -> impl Iterator<Item = u32> {
        self.players().into_iter().filter_map(|player| match player {
            RunPlayer::Network(generation) => Some(generation),
            RunPlayer::Baseline(_) => None,
        })
    }

    /// How it is played in the run of `config`.
    pub fn config(self, config: &RunConfig) -> MatchConfig {
        let RunConfig { seed, gate, .. } = config;
        match self {
            RunMatch::Baselines { a, b } => {
                let seed = derive_seed(&[*seed, BASELINE_STREAM, a as u64]);
                gate.ladder_match(derive_seed(&[seed, (b - a - 1) as u64]))
            }
            RunMatch::Ladder { baseline, .. } => {
                let seed = derive_seed(&[*seed, LADDER_STREAM]);
                gate.ladder_match(derive_seed(&[seed, baseline as u64]))
            }
            RunMatch::Champion { generation, .. } => {
                gate.champion_match(derive_seed(&[*seed, CHAMPION_STREAM, generation.into()]))
            }
        }
    }

    /// How its games follow each other in the run of `config`: one by one if any player looks at the clock.
    pub fn pacing(self, config: &RunConfig) -> Pacing {
        let baselines = self.players().into_iter().filter_map(|player| baseline(player, config));
        match Pacing::for_specs(baselines) {
            Pacing::Lockstep if self.networks().next().is_some() => config.gate.setting().pacing,
            pacing => pacing,
        }
    }

    /// Whether any machine that has the config and the networks plays the same games: no player looks at the clock, and none
    /// is made of files or other programs.
    pub fn is_portable(self, config: &RunConfig) -> bool {
        let mut baselines = self.players().into_iter().filter_map(|player| baseline(player, config));
        self.pacing(config) == Pacing::Lockstep && baselines.all(PlayerSpec::is_complete)
    }

    /// Whether there is such a match in the run of `config`.
    pub fn exists(self, config: &RunConfig) -> bool {
        let is_ordered = match self {
            RunMatch::Baselines { a, b } => a < b,
            RunMatch::Ladder { .. } => true,
            RunMatch::Champion { generation, champion } => champion < generation,
        };
        is_ordered
            && self.players().into_iter().all(|player| match player {
                RunPlayer::Baseline(_) => baseline(player, config).is_some(),
                RunPlayer::Network(generation) => generation <= config.generations,
            })
    }
}

fn baseline(player: RunPlayer, config: &RunConfig) -> Option<&PlayerSpec> {
    match player {
        RunPlayer::Network(_) => None,
        RunPlayer::Baseline(baseline) => config.gate.eval_opponents.get(baseline),
    }
}

/// Plays `matches` in two parts, those that `is_first` picks and the others, and returns their reports in the order of `matches`.
///
/// # Errors
/// Those of `first` and `second`.
pub fn in_two_parts(
    matches: &[RunMatch],
    is_first: impl Fn(RunMatch) -> bool,
    first: impl FnOnce(&[RunMatch]) -> Result<Vec<MatchReport>, RunError>,
    second: impl FnOnce(&[RunMatch]) -> Result<Vec<MatchReport>, RunError>,
) -> Result<Vec<MatchReport>, RunError> {
    let [of_first, of_second]: [Vec<RunMatch>; 2] =
        [true, false].map(|part| matches.iter().copied().filter(|&which| is_first(which) == part).collect());
    let [mut first, mut second] = [first(&of_first)?, second(&of_second)?].map(Vec::into_iter);
    let report = |&which: &RunMatch| if is_first(which) { first.next() } else { second.next() };
    Ok(matches.iter().map(report).map(|report| report.expect("one report for one match")).collect())
}

/// Opens the network of a generation.
type OpenNetwork<'a> = dyn Fn(u32) -> Result<Box<dyn Network>, RunError> + Sync + 'a;

/// Makes a player as often as one is needed.
pub type MakePlayer<'a> = Box<dyn Fn() -> Result<Box<dyn Player>, EvalError> + Sync + 'a>;

/// Makes the players of a run's matches; opens each network once.
pub struct RunPlayers<'a> {
    game: GameRef,
    config: &'a RunConfig,
    agents: Agents,
    /// The folder of the run, if there is one here.
    run: Option<&'a RunFolder>,
    open: Box<OpenNetwork<'a>>,
    opened: Mutex<HashMap<u32, Arc<GenerationPlayer>>>,
    cache: Option<EvaluationCache>,
}

impl<'a> RunPlayers<'a> {
    /// Of the run in a folder, whose networks remember evaluations in `cache` or each player by itself.
    pub fn for_run(
        game: GameRef,
        run: &'a RunFolder,
        config: &'a RunConfig,
        machine: Machine,
        cache: Option<&EvaluationCache>,
    ) -> Self {
        let open = move |generation| GenerationPlayer::open(game, run, config, machine, generation);
        RunPlayers { run: Some(run), ..RunPlayers::new(game, config, machine, cache, open) }
    }

    /// Of a run whose networks `open` opens.
    pub fn new(
        game: GameRef,
        config: &'a RunConfig,
        machine: Machine,
        cache: Option<&EvaluationCache>,
        open: impl Fn(u32) -> Result<Box<dyn Network>, RunError> + Sync + 'a,
    ) -> Self {
        let agents = Agents::for_run(config, machine);
        RunPlayers {
            game,
            config,
            agents,
            run: None,
            open: Box::new(open),
            opened: Mutex::default(),
            cache: cache.cloned(),
        }
    }

    /// What is played.
    pub fn game(&self) -> GameRef {
        self.game
    }

    /// The run's config.
    pub fn config(&self) -> &'a RunConfig {
        self.config
    }

    /// The checkpoint of `generation`, if the run is in a folder here.
    pub fn folder(&self, generation: u32) -> Option<PathBuf> {
        self.run.map(|run| run.network(generation))
    }

    /// The network of `generation`.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn network(&self, generation: u32) -> Result<Box<dyn Network>, RunError> {
        (self.open)(generation)
    }

    /// Plays `matches` in which time does not count, or all in which it does, and returns their reports in order. `on_game` is
    /// called for each game.
    ///
    /// # Errors
    /// If a network cannot be opened or a match fails.
    pub fn play(
        &self,
        matches: &[RunMatch],
        setting: &MatchSetting<'_>,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<Vec<MatchReport>, RunError> {
        if matches.is_empty() {
            return Ok(Vec::new());
        }
        let mut all: Vec<RunPlayer> = Vec::new();
        let mut fixtures = Vec::new();
        for which in matches {
            let players = which.players().map(|player| {
                all.iter().position(|&known| known == player).unwrap_or_else(|| {
                    all.push(player);
                    all.len() - 1
                })
            });
            fixtures.push(Fixture::new(self.game, players, which.config(self.config))?);
        }
        let participants = all.into_iter().map(|player| Ok(Participant::new(self.maker(player)?)?));
        let participants = participants.collect::<Result<Vec<Participant<'_>>, RunError>>()?;
        Ok(play_fixtures(&participants, &fixtures, setting, &mut OnProgress(|_| on_game()))?)
    }

    /// Makes players A and B of a match.
    ///
    /// # Errors
    /// If a network cannot be opened.
    pub fn for_match(&self, which: RunMatch) -> Result<[MakePlayer<'_>; 2], RunError> {
        let [a, b] = which.players().map(|player| self.maker(player));
        Ok([a?, b?])
    }

    fn maker(&self, player: RunPlayer) -> Result<MakePlayer<'_>, RunError> {
        match player {
            RunPlayer::Network(generation) => {
                let generation_player = self.generation_player(generation)?;
                Ok(Box::new(move || generation_player.player(self.config.gate.limits())))
            }
            RunPlayer::Baseline(baseline) => {
                let spec = &self.config.gate.eval_opponents[baseline];
                Ok(Box::new(move || build_player(self.game, spec, &self.agents)))
            }
        }
    }

    fn generation_player(&self, generation: u32) -> Result<Arc<GenerationPlayer>, RunError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.get(&generation) {
            return Ok(known.clone());
        }
        let network = (self.open)(generation)?;
        let generation_player =
            Arc::new(GenerationPlayer::new(self.game, self.config, generation, network, self.cache.clone()));
        opened.insert(generation, generation_player.clone());
        Ok(generation_player)
    }
}
