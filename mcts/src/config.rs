//! The numbers that shape a search.

use selfplay_config::{above, config_choice, config_section};
use selfplay_env::tactics::wins_at_once;
use selfplay_env::{Action, ImmediateWin, Outcome, Tactics};

use crate::tree::KnownResult;

config_choice! {
    #[derive(Copy)]
    /// What a move is worth before its first visit ("first play urgency", Gelly and Wang 2006), in the mover's view.
    pub enum Fpu {
        /// This value, whatever the node is worth: -1 as in AlphaZero's published pseudocode, 0 as in AlphaGo Zero's
        /// text.
        Absolute(value: f32, in -1.0..=1.0) = "absolute",
        /// The node's own value minus this reduction times √(sum of the priors of the visited moves), at least -1: the
        /// rule of Leela Zero and KataGo.
        ReducedParent(reduction: f32, in 0.0..=2.0) = "reduced_parent",
    }
}

config_choice! {
    #[derive(Copy)]
    /// How the root of a move that explores is searched; the others are PUCT without noise
    /// ([`Exploration`](crate::Exploration)).
    pub enum RootSearch, default Puct {
        /// PUCT with Dirichlet noise in the priors; the target is the share of visits (AlphaZero).
        Puct = "puct",
        /// Gumbel search with sequential halving and completed values; the target is the improved policy (Danihelka et
        /// al. 2022).
        Gumbel(gumbel: GumbelConfig) = "gumbel",
    }
}

config_section! {
    #[derive(Copy)]
    /// The parameters of Gumbel search (Danihelka et al. 2022, "Policy improvement by planning with Gumbel").
    ///
    /// The root's moves are perturbed once, `g(a) + ln P(a)` with standard Gumbel variables `g`, and the greatest
    /// [`max_num_considered_actions`](Self::max_num_considered_actions) of them share the move's simulations by sequential halving (Karnin et
    /// al. 2013). Search settles on the greatest `g(a) + ln P(a) + σ(q(a))` among the most visited, and the policy
    /// target is proportional to `P(a) · exp(σ(q(a)))`, where
    ///
    /// `σ(q) = (c_visit + max N) · c_scale · (q + 1) / 2`.
    ///
    /// The paper rescales values to 0..=1; ours have the known bounds −1 and 1, so that is `(q + 1) / 2`. An unvisited
    /// move counts as worth the mixed value `(v + ΣN · Σ P·q / Σ P) / (1 + ΣN)` with the evaluator's own `v` for the
    /// node and sums over the visited moves (appendix D).
    pub struct GumbelConfig {
        /// Maximum of root actions that are considered (the paper's number for Go and chess).
        pub max_num_considered_actions: u32 = 16, in 1..;
        /// Visits in the scale of the values, as in the formula above (the paper).
        pub c_visit: f32 = 50.0, in 0.0..;
        /// Factor of the values, as in the formula above (the paper, board games).
        pub c_scale: f32 = 1.0, in above(0.0);
        /// How moves are selected below the root.
        pub below_root: BelowRoot = BelowRoot::Puct;
    }
}

config_choice! {
    #[derive(Copy, Eq)]
    /// How a Gumbel search selects moves below the root.
    pub enum BelowRoot, default Puct {
        /// By the PUCT rule.
        Puct = "puct",
        /// The move with the greatest π'(a) − N(a) / (1 + ΣN), where π' is the node's improved policy: visits in
        /// proportion to it, without randomness (section 5 of the paper).
        ImprovedPolicy = "improved_policy",
    }
}

/// Which positions count as finished because of what their rules tell without search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TacticsDepth {
    /// Only finished games: the rules tell nothing else.
    Off,
    /// Those whose result one look tells ([`Tactics::tactical_outcome`]), as in self-play.
    Shallow,
    /// Those whose result a longer look tells ([`Tactics::threat_outcome`]), as in play.
    Deep,
}

/// From the keys `tactics` and `deep_tactics`; the second has no effect without the first.
impl From<(bool, bool)> for TacticsDepth {
    fn from((tactics, deep_tactics): (bool, bool)) -> Self {
        match (tactics, deep_tactics) {
            (false, _) => TacticsDepth::Off,
            (true, false) => TacticsDepth::Shallow,
            (true, true) => TacticsDepth::Deep,
        }
    }
}

impl From<TacticsDepth> for (bool, bool) {
    fn from(tactics: TacticsDepth) -> Self {
        (tactics != TacticsDepth::Off, tactics == TacticsDepth::Deep)
    }
}

config_section! {
    /// The parameters of PUCT, of the root search and of MCTS-Solver.
    ///
    /// The rule (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess, shogi, and Go
    /// through self-play", Methods and published pseudocode) picks the move `a` with the greatest
    ///
    /// `Q(s,a) + c(s) · P(s,a) · √N(s) / (1 + N(s,a))`, `c(s) = ln((1 + N(s) + pb_c_base) / pb_c_base) + c_puct`,
    ///
    /// where `Q` is the mean value in −1..=1 for the side to move in `s`, `P` the prior, `N(s,a)` the visits of the
    /// move and `N(s)` those of the node, its own evaluation included.
    ///
    /// ```
    /// use selfplay_mcts::{TacticsDepth, SearchConfig};
    ///
    /// let config = SearchConfig { c_puct: 1.5, tactics: TacticsDepth::Deep, ..SearchConfig::default() };
    /// assert!(config.validate().is_ok());
    /// ```
    pub struct SearchConfig, keys SearchKeys {
        /// Exploration constant at few visits. The `pb_c_init` of AlphaZero's pseudocode is 1.25 for values in 0 to 1, which is
        /// 2.5 for ours in -1 to 1; on our scale KataGo's self-play takes 1.1 and Lc0 1.745.
        pub c_puct: f32 = 2.5, in 0.0..;
        /// Visits at which exploration starts to grow (`pb_c_base` of AlphaZero's pseudocode); a huge number switches
        /// the growth off.
        pub pb_c_base: f32 = 19_652.0, in above(0.0);
        /// Softmax temperature of the priors at every node: p^(1 / temperature), normalised. Above 1, actions of small prior
        /// are explored sooner (Lc0 plays with 1.36).
        pub policy_softmax_temperature: f32 = 1.0, in above(0.0);
        /// First-play urgency: the value of unvisited actions (default: KataGo's self-play configuration).
        pub fpu: Fpu = Fpu::ReducedParent(0.2);
        /// Total concentration of the Dirichlet noise at the root; each of n actions gets alpha = total / n (KataGo: AlphaGo
        /// Zero's 0.03 on 361 points).
        pub dirichlet_total_concentration: f32 = 10.83, in above(0.0);
        /// Fraction of Dirichlet noise in the root's priors (AlphaZero).
        pub root_exploration_fraction: f32 = 0.25, in 0.0..=1.0;
        /// k of the forced playouts; 0 disables them. In a PUCT search with root noise each visited action of the root gets
        /// at least √(k · P · ΣN) visits, and policy target pruning removes the visits that PUCT would not have spent (Wu
        /// 2019, section 3.2; KataGo: 2). No effect with a Gumbel root, like the two keys above.
        pub forced_playouts_k: f32 = 0.0, in 0.0..;
        /// Root search of full searches in self-play; fast searches and matches always use PUCT.
        pub root: RootSearch = RootSearch::Puct;
        /// Virtual loss: lost visits per leaf in flight on its path, so that the leaves of a batch differ (KataGo). No effect
        /// if a search gathers one leaf at a time.
        pub virtual_loss: f32 = 1.0, in 0.0..;
        /// Proven results propagate up the tree (MCTS-Solver, Winands et al. 2008). Without it a finished game is one more
        /// exact sample, as in AlphaZero.
        pub mcts_solver: bool = true;
    }

    /// Which positions count as finished without search. Has no effect without `mcts_solver`.
    pub tactics: TacticsDepth, keys {
        /// Positions with a tactical outcome are terminal nodes, without an evaluation: a win with the next action or a
        /// decided game; in `pentago-swap` whatever three actions force, in `pente` threat sequences. In these two games
        /// the search skips actions that lose at once, and the policy target covers only the others. Needs `mcts_solver`.
        pub tactics: bool = true;
        /// A deeper static analysis in games that have one: in `connect4` a search of up to 3,000 positions, in `pentago-swap`
        /// threat sequences. Meant for play: in training the network never learns what the leaves decide, and self-play is
        /// slower (docs/research/recipe.md). Needs `tactics`.
        pub deep_tactics: bool = false;
    }
}

impl SearchConfig {
    /// The tactics that take effect: none without the solver.
    pub(crate) fn effective_tactics(&self) -> TacticsDepth {
        if self.mcts_solver { self.tactics } else { TacticsDepth::Off }
    }

    /// The result of `position` as far as it is taken for known without searching.
    pub(crate) fn known_outcome<G: Tactics>(&self, position: &G) -> Option<Outcome> {
        match self.effective_tactics() {
            TacticsDepth::Off => position.outcome(),
            TacticsDepth::Shallow => position.tactical_outcome(),
            TacticsDepth::Deep => position.threat_outcome(),
        }
    }

    /// [`known_outcome`](Self::known_outcome) with the distance of the end, as far as one look tells it.
    pub(crate) fn known_result<G: Tactics>(&self, position: &G) -> Option<KnownResult> {
        let outcome = self.known_outcome(position)?;
        let is_won = outcome == Outcome::Win(position.side_to_move());
        let plies = if position.outcome().is_some() {
            Some(0)
        } else if is_won && matches!(position.immediate_win(), ImmediateWin::By(_)) {
            Some(1)
        } else {
            None
        };
        Some(KnownResult { outcome, plies })
    }

    /// [`known_result`](Self::known_result) of a successor of the root, where more effort pays: whether its side to move wins
    /// at once is tried out where the game cannot tell.
    pub(crate) fn known_at_root<G: Tactics>(&self, position: &G) -> Option<KnownResult> {
        let known = self.known_result(position);
        if known.is_some_and(|known| known.plies.is_some()) || !wins_at_once(position) {
            return known;
        }
        Some(KnownResult { outcome: Outcome::Win(position.side_to_move()), plies: Some(1) })
    }

    /// Replaces the contents of `actions` by the moves of `position` that a search looks at: those that get a prior.
    pub fn list_actions<G: Tactics>(&self, position: &G, actions: &mut Vec<Action>) {
        match self.effective_tactics() {
            TacticsDepth::Off => position.distinct_actions(actions),
            TacticsDepth::Shallow | TacticsDepth::Deep => position.non_losing_actions(actions),
        }
    }
}
