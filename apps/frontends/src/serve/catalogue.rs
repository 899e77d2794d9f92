//! The agents that people can choose, and how a chosen one becomes a player.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use selfplay_env::rng::rng_for;
use selfplay_players::baselines::UctConfig;
use selfplay_players::program::ProgramConfig;
use selfplay_players::spec::SearchSpec;
use selfplay_players::{
    AlphaBetaConfig, AlphaBetaLimits, NetworkSource, Playable, Player, PlayerKinds, PlayerSpec, build_player,
};
use serde::{Deserialize, Serialize};

use super::config::ServeConfig;
use super::error::{Refusal, ServeError};
use super::run_page::{RunPage, RunPageCache};

/// Agents that need nothing but the rules: name, title and specification. Their memory is bounded, since every table
/// has its own.
const BUILT_IN: [(&str, &str, &str); 3] = [
    ("alphabeta", "Alpha-beta search", "alphabeta:memory=16"),
    ("uct", "Monte Carlo search", "uct:memory=64"),
    ("random", "Random moves", "random"),
];
/// Lines that alpha-beta looks at when it analyses.
const ANALYSED_LINES: usize = 3;
/// Random games, and moves of each, in which a heuristic that is there says something.
const TRIED_GAMES: u64 = 20;
const TRIED_PLIES: usize = 12;
/// The strength of who is asked without one.
const USUAL_STRENGTH: Strength = Strength::Seconds(1.0);

/// However many pages show a run, it is looked at once in this time.
const LOOK_AGAIN: Duration = Duration::from_millis(900);

/// An agent that people can choose in one game.
#[derive(Clone, PartialEq, Debug)]
pub struct CatalogueAgent {
    /// Id of the game it plays.
    pub game: String,
    /// What requests call it, different for each agent of a game.
    pub name: String,
    /// What people read.
    pub title: String,
    /// The player, whose limits are replaced by the strength that people choose.
    pub spec: PlayerSpec,
}

/// How long an agent thinks about a move. In JSON `{"simulations": 400}` or `{"seconds": 1.5}`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Simulations of its search.
    Simulations(u32),
    /// Seconds of wall-clock time.
    Seconds(f64),
}

/// What a request says about an agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentRequest {
    /// Its name in the catalogue.
    pub agent: String,
    /// How long it thinks; a second if this is missing.
    #[serde(default)]
    pub strength: Option<Strength>,
}

/// What people learn about an agent before they choose it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AgentInfo {
    /// What requests call it.
    pub name: String,
    /// What people read.
    pub title: String,
    /// The strengths it understands: `simulations`, `seconds`, both or none.
    pub strengths: Vec<&'static str>,
    /// Whether it tells visits and values, so that it can analyse.
    pub analyses: bool,
}

/// All agents of all games, and the run that is shown beside them.
pub struct Catalogue {
    games: Vec<&'static dyn Playable>,
    source: Box<dyn NetworkSource + Send>,
    agents: Vec<CatalogueAgent>,
    run: Option<Arc<RunPageCache>>,
}

impl Catalogue {
    /// The given `agents` of `games`, whose checkpoints `source` opens, and after them for each game `alphabeta`, `uct` and
    /// `random`: `uct` before `alphabeta` where the game has no heuristic, without which alpha-beta knows only proofs.
    ///
    /// # Errors
    /// [`ServeError::BadAgent`] for a game that does not exist, a name that is empty or taken, and a program outside:
    /// what comes from a browser never starts one.
    pub fn new(
        games: impl IntoIterator<Item = &'static dyn Playable>,
        source: impl NetworkSource + Send + 'static,
        agents: Vec<CatalogueAgent>,
    ) -> Result<Self, ServeError> {
        let games: Vec<_> = games.into_iter().collect();
        let kinds = PlayerKinds::built_in();
        let built_in = games.iter().flat_map(|game| {
            let mut agents = BUILT_IN.map(|(name, title, spec)| CatalogueAgent {
                game: game.id().into(),
                name: name.into(),
                title: title.into(),
                spec: kinds.parse(spec).expect("these specifications are tested"),
            });
            if !has_heuristic(*game) {
                agents.swap(0, 1);
            }
            agents
        });
        let agents: Vec<CatalogueAgent> = agents.into_iter().chain(built_in).collect();
        let mut names = HashSet::new();
        for agent in &agents {
            let reason = if !games.iter().any(|game| game.id() == agent.game) {
                let ids: Vec<&str> = games.iter().map(|game| game.id()).collect();
                format!("there is no such game; the games are {}", ids.join(", "))
            } else if agent.name.is_empty() || !names.insert((&agent.game, &agent.name)) {
                "its name is empty or already taken in this game".into()
            } else if agent.spec.settings::<ProgramConfig>().is_some() {
                "external programs cannot be played from a browser".into()
            } else {
                continue;
            };
            return Err(ServeError::BadAgent { game: agent.game.clone(), name: agent.name.clone(), reason });
        }
        Ok(Catalogue { games, source: Box::new(source), agents, run: None })
    }

    /// Adds a page that shows a training run, at `/run`.
    #[must_use]
    pub fn with_run(self, page: impl RunPage + 'static) -> Self {
        Catalogue { run: Some(Arc::new(RunPageCache::new(page, LOOK_AGAIN))), ..self }
    }

    /// What shows the run, if one is shown.
    pub(super) fn run(&self) -> Option<&Arc<RunPageCache>> {
        self.run.as_ref()
    }

    /// The agents of a game, the preferred one first.
    pub fn agents_of(&self, game: &str) -> Vec<AgentInfo> {
        self.agents.iter().filter(|agent| agent.game == game).map(info).collect()
    }

    /// The first agent of a game that analyses.
    pub fn analyst_of(&self, game: &str) -> Option<String> {
        self.agents_of(game).into_iter().find(|agent| agent.analyses).map(|agent| agent.name)
    }

    /// The specification of the agent that `request` names, with the strength that it asks for.
    ///
    /// # Errors
    /// 404 for an agent that the game does not have, 400 for a strength that the agent does not understand or that is
    /// beyond the bounds of `config`.
    pub fn spec(&self, game: &str, request: &AgentRequest, config: &ServeConfig) -> Result<PlayerSpec, Refusal> {
        let is_meant = |agent: &&CatalogueAgent| agent.game == game && agent.name == request.agent;
        let agent = self.agents.iter().find(is_meant).ok_or_else(|| {
            let names: Vec<String> = self.agents_of(game).into_iter().map(|agent| agent.name).collect();
            Refusal::not_found(
                format!("{game} has no agent `{}`", request.agent),
                format!("one of {}", names.join(", ")),
            )
        })?;
        let strength = checked(request.strength, strengths(&agent.spec), config)?;
        Ok(limited(agent.spec.clone(), strength, config.max_thinking_ms))
    }

    /// All games.
    pub fn games(&self) -> &[&'static dyn Playable] {
        &self.games
    }

    /// The game called `id`.
    ///
    /// # Errors
    /// 404 with the ids there are.
    pub fn game(&self, id: &str) -> Result<&'static dyn Playable, Refusal> {
        let known = self.games.iter().copied().find(|game| game.id() == id);
        known.ok_or_else(|| {
            let ids: Vec<&str> = self.games.iter().map(|game| game.id()).collect();
            Refusal::not_found(format!("there is no game `{id}`"), format!("one of {}", ids.join(", ")))
        })
    }

    /// Makes the player of `game` that `spec` describes.
    ///
    /// # Errors
    /// 500 with what its checkpoint's source says.
    pub fn player(&self, game: &'static dyn Playable, spec: &PlayerSpec) -> Result<Box<dyn Player>, Refusal> {
        build_player(game, spec, &*self.source).map_err(|error| Refusal::failure(error.to_string()))
    }
}

/// Whether the game's heuristic says anything, looked up in some random games.
fn has_heuristic(game: &dyn Playable) -> bool {
    (0..TRIED_GAMES).any(|seed| {
        let mut position = game.initial();
        position.play_random(TRIED_PLIES, &mut rng_for(&[seed]));
        position.heuristic() != 0
    })
}

/// `spec` as it analyses: alpha-beta looks at several lines.
pub(super) fn as_analyst(spec: PlayerSpec) -> PlayerSpec {
    match spec.settings::<AlphaBetaConfig>() {
        Some(&config) => PlayerSpec::new(AlphaBetaConfig { lines: ANALYSED_LINES, ..config }),
        None => spec,
    }
}

fn info(agent: &CatalogueAgent) -> AgentInfo {
    let analyses = agent.spec.analyses();
    let strengths = strengths(&agent.spec).to_vec();
    AgentInfo { name: agent.name.clone(), title: agent.title.clone(), strengths, analyses }
}

fn strengths(spec: &PlayerSpec) -> &'static [&'static str] {
    if spec.settings::<SearchSpec>().is_some() || spec.settings::<UctConfig>().is_some() {
        &["simulations", "seconds"]
    } else if spec.settings::<AlphaBetaConfig>().is_some() {
        &["seconds"]
    } else {
        &[]
    }
}

/// The strength asked for, or the usual one, if it is understood and within bounds.
fn checked(strength: Option<Strength>, understood: &[&str], config: &ServeConfig) -> Result<Option<Strength>, Refusal> {
    let Some(strength) = strength else {
        return Ok((!understood.is_empty()).then_some(USUAL_STRENGTH));
    };
    let most_seconds = config.max_thinking_ms as f64 / 1000.0;
    let (name, is_allowed, range) = match strength {
        Strength::Simulations(simulations) => (
            "simulations",
            (1..=config.max_simulations).contains(&simulations),
            format!("1 to {} simulations", config.max_simulations),
        ),
        Strength::Seconds(seconds) => {
            ("seconds", (0.001..=most_seconds).contains(&seconds), format!("0.001 to {most_seconds} seconds"))
        }
    };
    if !understood.contains(&name) {
        let expected = match understood {
            [] => "no strength: this agent has none".into(),
            _ => format!("a strength in {}", understood.join(" or ")),
        };
        return Err(Refusal::bad_request(format!("the agent has no strength `{name}`"), expected));
    }
    if !is_allowed {
        return Err(Refusal::bad_request(format!("`{name}` is out of range"), range));
    }
    Ok(Some(strength))
}

/// `spec` with this strength and the maximum thinking time.
fn limited(spec: PlayerSpec, strength: Option<Strength>, max_thinking_ms: u64) -> PlayerSpec {
    let simulations = match strength {
        Some(Strength::Simulations(simulations)) => Some(simulations),
        _ => None,
    };
    let time_ms = match strength {
        Some(Strength::Seconds(seconds)) => ((seconds * 1000.0).round() as u64).clamp(1, max_thinking_ms),
        _ => max_thinking_ms,
    };
    if let Some(search) = spec.settings::<SearchSpec>() {
        let search = search.clone();
        PlayerSpec::new(SearchSpec { simulations, time_ms: Some(time_ms), cpu_time_ms: None, ..search })
    } else if let Some(&config) = spec.settings::<UctConfig>() {
        PlayerSpec::new(UctConfig { simulations, time_ms: Some(time_ms), ..config })
    } else if let Some(&config) = spec.settings::<AlphaBetaConfig>() {
        let limits = AlphaBetaLimits { time_ms: Some(time_ms), ..config.limits };
        PlayerSpec::new(AlphaBetaConfig { limits, ..config })
    } else {
        spec
    }
}
