//! What training asks of a game whose type it does not know.

use selfplay_env::{Rules, Typed, WholeGame};
use selfplay_mcts::{Network, SearchConfig};

use crate::actor::{Actor, GameActor};
use crate::replay::SampledPosition;
use crate::row::{Row, View, encode_row};
use crate::selfplay_config::SelfPlayConfig;
use selfplay_network::training::LearnerConfig;

/// A game that is learned: the parts of self-play and of sampling that know its type.
pub trait Trainable: Rules {
    /// An actor that plays with `network` in one generation of a run.
    ///
    /// # Panics
    /// When it plays, if the network was made for another game.
    fn actor(
        &self,
        network: Box<dyn Network>,
        config: &SelfPlayConfig,
        run_seed: u64,
        generation: u32,
    ) -> Box<dyn Actor>;

    /// Writes the sampled position as `view` has it, with its targets. The moves that `search` looks at share the
    /// policy: nobody will ask for the priors of others.
    fn encode_row(
        &self,
        sample: &SampledPosition<'_>,
        view: View,
        config: &LearnerConfig,
        search: &SearchConfig,
        row: Row<'_>,
    );
}

impl<G: WholeGame> Trainable for Typed<G> {
    fn actor(
        &self,
        network: Box<dyn Network>,
        config: &SelfPlayConfig,
        run_seed: u64,
        generation: u32,
    ) -> Box<dyn Actor> {
        Box::new(GameActor::<G, _>::new(network, config, run_seed, generation))
    }

    fn encode_row(
        &self,
        sample: &SampledPosition<'_>,
        view: View,
        config: &LearnerConfig,
        search: &SearchConfig,
        row: Row<'_>,
    ) {
        encode_row::<G>(sample, view, config, search, row);
    }
}
