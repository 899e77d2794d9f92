//! The kinds of players of this crate: their settings, and how each is built.

use selfplay_config::{InvalidKey, above, check};
use selfplay_mcts::{Limits, SearchConfig, TacticsDepth};

use super::network_source::{NetworkSource, RELEASED_CHECKPOINT, UNIFORM_CHECKPOINT, open_networks};
use super::player_kind::{KindOf, PlayerKind};
use super::player_spec::{PlayerBuilder, PlayerSpec};
use crate::alphabeta::AlphaBetaConfig;
use crate::baselines::{GreedyPlayer, UctConfig};
use crate::error::EvalError;
use crate::playable::Playable;
use crate::player::Player;
use crate::player_settings;
use crate::program::{GtpPlayer, ProgramConfig};
use crate::random_player::RandomPlayer;
use crate::search_player::{SearchPlayerConfig, SpecSymmetry, Variety, Verification};
use crate::settings::domain::{Text, Time};
use crate::settings::{Key, PlayerSettings, Settings};
use crate::table_player::TablePlayer;

/// All of them.
pub(super) const BUILT_IN: [&'static dyn PlayerKind; 9] = [
    &KindOf::<RandomSpec>::NEW,
    &KindOf::<GreedySpec>::NEW,
    &KindOf::<AlphaBetaConfig>::NEW,
    &KindOf::<UctConfig>::NEW,
    &KindOf::<TableSpec>::NEW,
    &KindOf::<ProgramConfig>::NEW,
    &KindOf::<SearchSpec>::NEW,
    &KindOf::<PolicySpec>::NEW,
    &Released,
];

/// A tree takes some hundred bytes a simulation; this many still fit in an ordinary machine.
const MAX_SIMULATIONS: u32 = 10_000_000;
const CHECKPOINT: Text = Text("a path, `released` or `uniform`");
const PRECISION: Text = Text("`f32` or `int8`");

player_settings! {
    #[derive(Copy, Eq)]
    /// [`RandomPlayer`].
    pub struct RandomSpec, kind "random" {}
}

impl PlayerBuilder for RandomSpec {
    fn is_complete(&self) -> bool {
        true
    }

    fn build(
        &self,
        _game: &'static dyn Playable,
        _name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        Ok(Box::new(RandomPlayer::new()))
    }
}

player_settings! {
    #[derive(Copy, Eq)]
    /// [`GreedyPlayer`].
    pub struct GreedySpec, kind "greedy" {}
}

impl PlayerBuilder for GreedySpec {
    fn is_complete(&self) -> bool {
        true
    }

    fn build(
        &self,
        _game: &'static dyn Playable,
        _name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        Ok(Box::new(GreedyPlayer::new()))
    }
}

impl PlayerBuilder for AlphaBetaConfig {
    fn depends_on_time(&self) -> bool {
        self.limits.has_time() || self.threads > 1
    }

    fn analyses(&self) -> bool {
        true
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn within(&self, time_ms: u64) -> Option<PlayerSpec> {
        let mut config = *self;
        config.limits.time_ms.get_or_insert(time_ms);
        Some(PlayerSpec::new(config))
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        game.alpha_beta_player(name, *self)
    }
}

impl PlayerBuilder for UctConfig {
    fn depends_on_time(&self) -> bool {
        self.time_ms.is_some()
    }

    fn analyses(&self) -> bool {
        true
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn within(&self, time_ms: u64) -> Option<PlayerSpec> {
        Some(PlayerSpec::new(UctConfig { time_ms: self.time_ms.or(Some(time_ms)), ..*self }))
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        game.uct_player(name, *self)
    }
}

player_settings! {
    #[derive(Eq)]
    /// [`TablePlayer`].
    pub struct TableSpec, kind "table" {
        /// The path of the table.
        pub file(*): String = String::new(), as "the file, as in `table:pylos.table`,";
    }
}

impl PlayerBuilder for TableSpec {
    fn analyses(&self) -> bool {
        true
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        Ok(Box::new(TablePlayer::new(name, self.file.as_ref(), game)?))
    }
}

impl PlayerBuilder for ProgramConfig {
    fn depends_on_time(&self) -> bool {
        true
    }

    fn within(&self, time_ms: u64) -> Option<PlayerSpec> {
        Some(PlayerSpec::new(ProgramConfig { time_ms: self.time_ms.or(Some(time_ms)), ..self.clone() }))
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        Ok(Box::new(GtpPlayer::new(game, name, self)?))
    }
}

player_settings! {
    /// A [`SearchPlayer`](crate::SearchPlayer) with [`SearchConfig::default`] but for these keys.
    pub struct SearchSpec, kind "search", then check_together {
        /// Where the evaluator comes from.
        pub checkpoint("checkpoint"): String = String::new(), as CHECKPOINT;
        /// Simulations of each move, besides the match's clock.
        pub simulations("simulations"): Option<u32> = None, in 1..=MAX_SIMULATIONS;
        /// Wall-clock time of each turn in milliseconds.
        pub time_ms("time"): Option<u64> = None, as Time;
        /// CPU time of each turn in milliseconds.
        pub cpu_time_ms("cpu"): Option<u64> = None, as Time;
        /// Leaves of one game evaluated at once; without it as many as suit the limits.
        pub leaves("leaves"): Option<u32> = None, in 1..;
        /// How random the choice is; 0 takes the best move.
        pub temperature("temperature"): f32 = 0.0, in 0.0..;
        /// How even the search takes the priors to be; 1 as the evaluator gives them.
        pub policy_softmax_temperature("policy_softmax_temperature"): f32 = 1.0, in above(0.0);
        /// How much the search explores ([`SearchConfig::c_puct`]).
        pub c_puct("c_puct"): f32 = SearchConfig::default().c_puct, in 0.0..;
        /// What networks compute in; their source knows the names.
        pub precision("precision"): Option<String> = None, as PRECISION;
        /// Under which symmetries of the board positions are evaluated.
        pub symmetry("symmetry"): SpecSymmetry = SpecSymmetry::Canonical;
        /// Whether results that are certain are carried up the tree ([`SearchConfig::mcts_solver`]).
        pub mcts_solver("mcts_solver"): bool = true;
        /// How far the rules' advice decides what is won or lost.
        pub tactics("tactics"): TacticsDepth = TacticsDepth::Deep;
        /// Whether alpha-beta helps with proofs.
        pub verify("verify"): Verification = Verification::Off;
        /// Whether moves that are equal by symmetry are varied.
        pub variety("variety"): Variety = Variety::Off;
    }
}

impl SearchSpec {
    /// What ends the search of each move, besides the match's clock.
    pub fn limits(&self) -> Limits {
        Limits {
            simulations: self.simulations,
            time_ms: self.time_ms,
            cpu_time_ms: self.cpu_time_ms,
            ..Limits::default()
        }
    }

    fn check_together(&self) -> Result<(), InvalidKey> {
        check_precision(&self.checkpoint, self.precision.as_deref())
    }
}

impl PlayerBuilder for SearchSpec {
    fn depends_on_time(&self) -> bool {
        self.time_ms.is_some() || self.cpu_time_ms.is_some()
    }

    fn analyses(&self) -> bool {
        true
    }

    fn is_complete(&self) -> bool {
        self.checkpoint().is_none()
    }

    fn checkpoint(&self) -> Option<&str> {
        file_of(&self.checkpoint)
    }

    fn within(&self, time_ms: u64) -> Option<PlayerSpec> {
        Some(PlayerSpec::new(SearchSpec { time_ms: self.time_ms.or(Some(time_ms)), ..self.clone() }))
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        let config = SearchPlayerConfig {
            search: SearchConfig {
                c_puct: self.c_puct,
                policy_softmax_temperature: self.policy_softmax_temperature,
                mcts_solver: self.mcts_solver,
                tactics: self.tactics,
                ..SearchConfig::default()
            },
            limits: self.limits(),
            leaves_per_gather: self.leaves.map(|leaves| leaves as usize),
            temperature: self.temperature,
            verify: self.verify,
            variety: self.variety,
            symmetry: self.symmetry,
        };
        let networks = open_networks(source, game, &self.checkpoint, self.precision.as_deref())?;
        game.search_player(name, config, networks, None)
    }
}

player_settings! {
    /// The evaluator's own policy, without looking ahead: a search of one simulation, which evaluates the position and takes
    /// the move with the greatest prior.
    pub struct PolicySpec, kind "policy", then check_together {
        /// Where the evaluator comes from.
        pub checkpoint("checkpoint"): String = String::new(), as CHECKPOINT;
        /// 0 for the most probable action, 1 for actions as probable as the policy says; in between and beyond as for
        /// searches.
        pub temperature("temperature"): f32 = 0.0, in 0.0..;
        /// What networks compute in; their source knows the names.
        pub precision("precision"): Option<String> = None, as PRECISION;
    }
}

impl PolicySpec {
    fn check_together(&self) -> Result<(), InvalidKey> {
        check_precision(&self.checkpoint, self.precision.as_deref())
    }
}

impl PlayerBuilder for PolicySpec {
    fn analyses(&self) -> bool {
        true
    }

    fn is_complete(&self) -> bool {
        self.checkpoint().is_none()
    }

    fn checkpoint(&self) -> Option<&str> {
        file_of(&self.checkpoint)
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        let config = SearchPlayerConfig {
            // The evaluator's own answer, whatever the rules tell.
            search: SearchConfig { mcts_solver: false, ..SearchConfig::default() },
            limits: Limits::simulations(1),
            temperature: self.temperature,
            ..SearchPlayerConfig::default()
        };
        let networks = open_networks(source, game, &self.checkpoint, self.precision.as_deref())?;
        game.search_player(name, config, networks, None)
    }
}

/// The checkpoint, unless it is `uniform`.
fn file_of(checkpoint: &str) -> Option<&str> {
    Some(checkpoint).filter(|checkpoint| *checkpoint != UNIFORM_CHECKPOINT)
}

fn check_precision(checkpoint: &str, precision: Option<&str>) -> Result<(), InvalidKey> {
    let has_network = precision.is_none() || checkpoint != UNIFORM_CHECKPOINT;
    check(has_network, "precision", precision.unwrap_or_default(), "no precision: `uniform` has no network")
}

/// Another way to write `search:checkpoint=released`, with the same keys.
struct Released;

impl PlayerKind for Released {
    fn name(&self) -> &'static str {
        RELEASED_CHECKPOINT
    }

    fn keys(&self) -> Vec<Key> {
        SearchSpec::keys()
    }

    fn read(&self, spec: &str, settings: &str) -> Result<PlayerSpec, EvalError> {
        let comma = if settings.is_empty() { "" } else { "," };
        let settings = format!("checkpoint={RELEASED_CHECKPOINT}{comma}{settings}");
        SearchSpec::read(spec, &settings).map(PlayerSpec::new)
    }
}
