//! What training asks of a game whose type it does not know.

use selfplay_env::{CompleteGame, Rules, Typed};
use selfplay_mcts::{Network, SearchConfig};

use crate::actor::{Actors, PlayStats, play_games};
use crate::game_queue::GameQueue;
use crate::game_slot::GameContext;
use crate::replay::SampledPosition;
use crate::row::{Row, SampleView, encode_row};
use selfplay_network::training::LearnerConfig;

/// A game that is learned: the parts of self-play and of sampling that know its type.
pub trait Trainable: Rules {
    /// Plays the games of `queue` with `network` until there are none.
    ///
    /// # Panics
    /// If the network was made for another game.
    fn play_games(
        &self,
        network: &dyn Network,
        context: GameContext<'_>,
        actors: Actors<'_>,
        queue: &dyn GameQueue,
    ) -> PlayStats;

    /// Writes the sampled position as `view` has it, with its targets. The moves that `search` considers share the
    /// policy, because the priors of others are never requested.
    fn encode_row(
        &self,
        sample: &SampledPosition<'_>,
        view: SampleView,
        config: &LearnerConfig,
        search: &SearchConfig,
        row: Row<'_>,
    );
}

impl<G: CompleteGame> Trainable for Typed<G> {
    fn play_games(
        &self,
        network: &dyn Network,
        context: GameContext<'_>,
        actors: Actors<'_>,
        queue: &dyn GameQueue,
    ) -> PlayStats {
        play_games::<G, _>(&|| network.clone_box(), network.id(), context, actors, queue)
    }

    fn encode_row(
        &self,
        sample: &SampledPosition<'_>,
        view: SampleView,
        config: &LearnerConfig,
        search: &SearchConfig,
        row: Row<'_>,
    ) {
        encode_row::<G>(sample, view, config, search, row);
    }
}
