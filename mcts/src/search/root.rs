//! The root of a move: how it begins, its noise or its Gumbel plan, and what selection does there.

use selfplay_env::Tactics;
use selfplay_env::rng::GameRng;

use super::Search;
use crate::config::{BelowRoot, RootSearch};
use crate::forced::forced_edge;
use crate::gumbel::GumbelRoot;
use crate::improved_policy::select_improved_edge;
use crate::noise::dirichlet;
use crate::select::terms_of;
use crate::tree::{Edge, ROOT};

/// Whether the search of a move explores beyond what its evaluator suggests. One tree serves moves of both kinds.
#[derive(Debug)]
pub enum Exploration<'a> {
    /// PUCT with the evaluator's priors: for matches, and for quick moves of self-play whose policy is not learnt from.
    Off,
    /// The search of [`SearchConfig::root`](crate::SearchConfig::root): PUCT with root noise, and forced simulations if
    /// these are configured, or Gumbel search.
    On {
        /// Simulations that the caller is going to make for this move, ≥ 1. Sequential halving shares them out; PUCT
        /// takes no notice.
        simulations: u32,
        /// Generator of the noise or of the Gumbel variables.
        rng: &'a mut GameRng,
    },
}

impl<G: Tactics> Search<G> {
    /// Begins a move at the current position: counts simulations from 0 again and keeps the tree.
    ///
    /// With [`Exploration::On`] the root gets fresh noise or Gumbel variables, now or as soon as its priors are known;
    /// they replace any earlier ones and touch no other node.
    pub fn start_move(&mut self, exploration: Exploration<'_>) {
        self.give_up_flights();
        self.remove_noise();
        self.forget_move();
        let Exploration::On { simulations, rng } = exploration else { return };
        let mut actions = Vec::new();
        self.config.list_actions(&self.position, &mut actions);
        if actions.is_empty() {
            return;
        }
        match self.config.root {
            RootSearch::Puct => self.noise = dirichlet(self.config.dirichlet_total_concentration, actions.len(), rng),
            RootSearch::Gumbel(config) => self.gumbel = Some(GumbelRoot::new(config, simulations, actions.len(), rng)),
        }
        if self.tree.node(ROOT).is_expanded() {
            self.explore_root();
        }
    }

    /// Does to the root, whose priors have just become known in this move, what its exploration asks for.
    pub(super) fn explore_root(&mut self) {
        if let Some(gumbel) = &mut self.gumbel {
            gumbel.plan(&self.tree, self.simulations);
        }
        if !self.noise.is_empty() {
            self.mix_noise();
        }
    }

    /// Whether moves of the root are given forced simulations.
    pub(super) fn is_forcing(&self) -> bool {
        !self.noise.is_empty() && self.config.forced_playouts_k > 0.0
    }

    /// Number of the edge of the expanded, unproven `node` that this move's exploration follows; the number of its
    /// children, if that is a move without one. `None` where PUCT is to select.
    #[inline]
    pub(super) fn select_exploring(&mut self, node: usize) -> Option<usize> {
        let Some(gumbel) = &mut self.gumbel else {
            let is_forcing = node == ROOT && self.is_forcing();
            return if is_forcing { forced_edge(self.config.forced_playouts_k, &self.tree) } else { None };
        };
        match gumbel.config().below_root {
            _ if node == ROOT => {
                let ordinal = gumbel.select(&self.tree);
                let child_count = self.tree.child_count(ROOT);
                if ordinal >= child_count {
                    self.tree.bring_forward(ROOT, ordinal);
                    gumbel.swap(child_count, ordinal);
                }
                Some(ordinal.min(child_count))
            }
            BelowRoot::Puct => None,
            BelowRoot::ImprovedPolicy => {
                self.tree.order_next_edge(node);
                Some(select_improved_edge(&self.config, gumbel.config(), &self.tree, node))
            }
        }
    }

    pub(super) fn forget_move(&mut self) {
        self.simulations = 0;
        self.noise.clear();
        self.root_without_noise.clear();
        self.gumbel = None;
    }

    /// Mixes `noise` into the priors of the expanded root.
    fn mix_noise(&mut self) {
        let fraction = self.config.root_exploration_fraction;
        let (noise, without_noise) = (&self.noise, &mut self.root_without_noise);
        self.tree.change_priors(ROOT, |ordinal, action, prior| {
            without_noise.push(Edge { action, prior: *prior });
            *prior = (1.0 - fraction) * *prior + fraction * noise[ordinal];
        });
        without_noise.sort_unstable_by_key(|edge| edge.action);
        self.refresh_root();
    }

    fn remove_noise(&mut self) {
        let without_noise = &self.root_without_noise;
        if without_noise.is_empty() {
            return;
        }
        self.tree.change_priors(ROOT, |_, action, prior| {
            if let Ok(index) = without_noise.binary_search_by_key(&action, |edge| edge.action) {
                *prior = without_noise[index].prior;
            }
        });
        self.refresh_root();
    }

    /// Tells selection that the priors of the root have changed.
    fn refresh_root(&mut self) {
        for ordinal in 0..self.tree.child_count(ROOT) {
            let child = self.tree.child_index(ROOT, ordinal);
            let prior = self.tree.priors(ROOT)[ordinal];
            self.tree.set_terms(child, terms_of(&self.config, self.tree.node(child), self.tree.node(ROOT).side, prior));
        }
    }
}
