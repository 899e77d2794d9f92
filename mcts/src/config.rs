//! The numbers that shape a search.

use selfplay_env::{Action, Advice};
use serde::{Deserialize, Serialize};

use crate::error::{SearchError, check};

/// What a move is worth before its first visit ("first play urgency", Gelly and Wang 2006), in the mover's view.
///
/// In TOML: `fpu = { absolute = 0.0 }` or `fpu = { reduced_parent = 0.2 }`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fpu {
    /// This value in −1..=1, whatever the node is worth. AlphaZero's published pseudocode counts an unvisited move as
    /// lost, which is `Absolute(-1.0)`; AlphaGo Zero's text starts at `Absolute(0.0)`.
    Absolute(f32),
    /// The node's own value minus this reduction (0..=2) times √(sum of the priors of the visited moves), at least −1:
    /// the rule of Leela Zero and KataGo.
    ReducedParent(f32),
}

/// How the root of a move that explores is searched; the others are PUCT without noise
/// ([`Exploration`](crate::Exploration)).
///
/// In TOML: `root = "puct"`, `root = { gumbel = {} }` or `root = { gumbel = { max_considered = 8 } }`.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootSearch {
    /// PUCT with Dirichlet noise in the priors; the target is the share of visits (AlphaZero).
    #[default]
    Puct,
    /// Gumbel-Top-k with sequential halving; the target is the improved policy.
    Gumbel(GumbelConfig),
}

/// The parameters of Gumbel search (Danihelka et al. 2022, "Policy improvement by planning with Gumbel").
///
/// The root's moves are perturbed once, `g(a) + ln P(a)` with standard Gumbel variables `g`, and the greatest
/// [`max_considered`](Self::max_considered) of them share the move's simulations by sequential halving (Karnin et al.
/// 2013). Search settles on the greatest `g(a) + ln P(a) + σ(q(a))` among the most visited, and the policy target is
/// proportional to `P(a) · exp(σ(q(a)))`, where
///
/// `σ(q) = (c_visit + max N) · c_scale · (q + 1) / 2`.
///
/// The paper rescales values to 0..=1; ours have the known bounds −1 and 1, so that is `(q + 1) / 2`. An unvisited move
/// counts as worth the mixed value `(v + ΣN · Σ P·q / Σ P) / (1 + ΣN)` with the evaluator's own `v` for the node and
/// sums over the visited moves (appendix D).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GumbelConfig {
    /// Most moves of the root that are tried, ≥ 1. Default 16 (the paper, 9×9 Go, 19×19 Go and chess).
    pub max_considered: u32,
    /// Weight of values before the first visit, in visits, ≥ 0. Default 50 (the paper).
    pub c_visit: f32,
    /// Weight of values on the scale of logits, > 0. Default 1 (the paper, board games).
    pub c_scale: f32,
    /// How moves are selected below the root. Default `puct`.
    pub below_root: BelowRoot,
}

impl Default for GumbelConfig {
    fn default() -> Self {
        GumbelConfig { max_considered: 16, c_visit: 50.0, c_scale: 1.0, below_root: BelowRoot::Puct }
    }
}

/// How a Gumbel search selects moves below the root; in TOML `"puct"` or `"improved_policy"`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BelowRoot {
    /// By the PUCT rule.
    #[default]
    Puct,
    /// The move with the greatest `π'(a) − N(a) / (1 + ΣN)`, where `π'` is the node's improved policy: visits in
    /// proportion to it, without randomness (section 5 of the paper).
    ImprovedPolicy,
}

/// The parameters of the PUCT rule, of the search at the root and of the solver.
///
/// The rule (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess, shogi, and Go through
/// self-play", Methods and published pseudocode) picks the move `a` with the greatest
///
/// `Q(s,a) + c(s) · P(s,a) · √N(s) / (1 + N(s,a))`, `c(s) = ln((1 + N(s) + c_puct_base) / c_puct_base) + c_puct`,
///
/// where `Q` is the mean value in −1..=1 for the side to move in `s`, `P` the prior, `N(s,a)` the visits of the move
/// and `N(s)` those of the node, its own evaluation included.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Exploration at few visits, ≥ 0. Default 2.5: the `pb_c_init` of AlphaZero's pseudocode is 1.25 for values in
    /// 0..=1, which is 2.5 for ours in −1..=1. (KataGo's self-play takes 1.1 and Lc0 1.745 on our scale.)
    pub c_puct: f32,
    /// Visits at which exploration starts to grow, > 0; a huge number switches the growth off. Default 19652
    /// (`pb_c_base` of AlphaZero's pseudocode).
    pub c_puct_base: f32,
    /// Temperature of the priors, > 0: the search uses `p^(1 / policy_temperature)`, normalised, at every node. Above 1
    /// moves that the evaluator thinks little of are tried sooner. Default 1, the evaluator's own priors. (Lc0's
    /// `PolicyTemperature` is 1.36 in play.)
    pub policy_temperature: f32,
    /// Value of unvisited moves. Default `reduced_parent = 0.2` (KataGo's self-play configuration).
    pub fpu: Fpu,
    /// Total concentration of the root noise, > 0: each of `n` moves gets `dirichlet_alpha / n`. Default 10.83
    /// (KataGo: AlphaGo Zero's 0.03 on 361 points).
    pub dirichlet_alpha: f32,
    /// Share of the noise in the root's priors, 0..=1. Default 0.25 (AlphaZero).
    pub dirichlet_fraction: f32,
    /// `k` of the forced simulations, ≥ 0; 0 switches them off. Default 0 (KataGo: 2).
    ///
    /// In a PUCT search with root noise each visited move of the root gets at least `√(k · P · ΣN)` visits, and the
    /// policy target leaves out what PUCT would not have spent on its own (Wu 2019, "Accelerating Self-Play Learning in
    /// Go", section 3.2).
    pub forced_simulations: f32,
    /// How the root of a move that explores is searched. Default `puct`.
    pub root: RootSearch,
    /// Lost visits that each leaf in flight counts as on its path, ≥ 0, so that the leaves of one batch differ. Default
    /// 1 (KataGo). Without effect when leaves are gathered one at a time.
    pub virtual_loss: f32,
    /// Whether finished games prove the values of the positions above them (MCTS-Solver, Winands et al. 2008).
    /// Default true. Without it a finished game is one more exact sample, as in AlphaZero.
    pub solver: bool,
    /// Whether positions whose result the rules foresee at one look, such as a win with the next decision
    /// ([`Advice::foreseen_outcome`]), count as finished games: they need no evaluation, and moves of the root that lose
    /// to them are known at once. Moves that the rules foresee to lose to the opponent's next decision are not looked
    /// at ([`Advice::tenable_actions`]). Only with the solver. Default true.
    pub foresight: bool,
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchConfig {
            c_puct: 2.5,
            c_puct_base: 19_652.0,
            policy_temperature: 1.0,
            fpu: Fpu::ReducedParent(0.2),
            dirichlet_alpha: 10.83,
            dirichlet_fraction: 0.25,
            forced_simulations: 0.0,
            root: RootSearch::Puct,
            virtual_loss: 1.0,
            solver: true,
            foresight: true,
        }
    }
}

impl SearchConfig {
    /// Whether `foresight` has its effect: it needs the solver.
    pub(crate) fn foresees(&self) -> bool {
        self.solver && self.foresight
    }

    /// Replaces the contents of `actions` by the moves of `position` that a search looks at: those that get a prior.
    pub fn list_actions<G: Advice>(&self, position: &G, actions: &mut Vec<Action>) {
        if self.foresees() { position.tenable_actions(actions) } else { position.distinct_actions(actions) }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`SearchError::OutOfRange`] with the first key that is out of its range.
    pub fn validate(&self) -> Result<(), SearchError> {
        let is_finite_from = |value: f32, least: f32| value.is_finite() && value >= least;
        check(is_finite_from(self.c_puct, 0.0), "c_puct", self.c_puct, "a finite number of at least 0")?;
        let is_base = self.c_puct_base.is_finite() && self.c_puct_base > 0.0;
        check(is_base, "c_puct_base", self.c_puct_base, "a finite number above 0")?;
        let is_temperature = self.policy_temperature.is_finite() && self.policy_temperature > 0.0;
        check(is_temperature, "policy_temperature", self.policy_temperature, "a finite number above 0")?;
        match self.fpu {
            Fpu::Absolute(value) => {
                check((-1.0..=1.0).contains(&value), "fpu.absolute", value, "a value in -1..=1")?;
            }
            Fpu::ReducedParent(reduction) => {
                check((0.0..=2.0).contains(&reduction), "fpu.reduced_parent", reduction, "a reduction in 0..=2")?;
            }
        }
        let is_alpha = self.dirichlet_alpha.is_finite() && self.dirichlet_alpha > 0.0;
        check(is_alpha, "dirichlet_alpha", self.dirichlet_alpha, "a finite number above 0")?;
        let is_fraction = (0.0..=1.0).contains(&self.dirichlet_fraction);
        check(is_fraction, "dirichlet_fraction", self.dirichlet_fraction, "a share in 0..=1")?;
        let is_forced = is_finite_from(self.forced_simulations, 0.0);
        check(is_forced, "forced_simulations", self.forced_simulations, "a finite number of at least 0")?;
        if let RootSearch::Gumbel(gumbel) = &self.root {
            check(gumbel.max_considered >= 1, "root.gumbel.max_considered", gumbel.max_considered, "at least 1")?;
            let is_visit = is_finite_from(gumbel.c_visit, 0.0);
            check(is_visit, "root.gumbel.c_visit", gumbel.c_visit, "a finite number of at least 0")?;
            let is_scale = gumbel.c_scale.is_finite() && gumbel.c_scale > 0.0;
            check(is_scale, "root.gumbel.c_scale", gumbel.c_scale, "a finite number above 0")?;
        }
        let is_loss = is_finite_from(self.virtual_loss, 0.0);
        check(is_loss, "virtual_loss", self.virtual_loss, "a finite number of at least 0")
    }
}
