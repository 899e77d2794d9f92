"""One actor of OpenSpiel's Python AlphaZero: plays games for some seconds and prints what it did as a JSON object.

    python openspiel_actor.py SECONDS SIMULATIONS BLOCKS CHANNELS [--compiled]

The game loop, the search and the evaluator with its cache are OpenSpiel's (`open_spiel/python/algorithms/alpha_zero`), and the weights
are fresh. With `--compiled` the network is compiled once by `jax.jit`; as OpenSpiel comes, each evaluation goes through it operation by
operation.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator, utils

SECONDS, SIMULATIONS, BLOCKS, CHANNELS = float(sys.argv[1]), *map(int, sys.argv[2:5])


class Quiet:
    """Where OpenSpiel's game loop writes to."""

    def print(self, *_):
        pass

    opt_print = print


def compiled(model):
    """The network as one compiled function."""
    from flax import nnx

    state = model._state
    network = nnx.merge(state.graphdef, state.params, state.batch_stats)
    network.eval()
    graph, weights = nnx.split(network)

    @jax.jit
    def judge(weights, observation, mask):
        logits, value = nnx.merge(graph, weights)(observation)
        logits = jnp.where(mask, logits, jnp.finfo(jnp.float32).min)
        return value, jax.nn.softmax(logits)

    def inference(observation, mask):
        observation, mask = np.asarray(observation, np.float32), np.asarray(mask, bool)
        value, policy = judge(weights, observation, mask)
        return np.asarray(value), np.asarray(policy)

    return inference


class CountingEvaluator(evaluator.AlphaZeroEvaluator):
    """Counts the values that the search asks for, one for each leaf whose game is not over."""

    leaves = 0

    def evaluate(self, state):
        self.leaves += 1
        return super().evaluate(state)


def main():
    game = pyspiel.load_game("connect_four")
    shape = game.observation_tensor_shape()
    model = utils.api_selector("nnx").Model.build_model(
        "resnet", shape, game.num_distinct_actions(), CHANNELS, BLOCKS, 1e-4, 1e-3, None)
    if "--compiled" in sys.argv:
        model.inference = compiled(model)
    referee = CountingEvaluator(game, model)
    bots = [mcts.MCTSBot(game, 2, SIMULATIONS, judge, solve=False, dirichlet_noise=(0.25, 1),
                         child_selection_fn=mcts.SearchNode.puct_value, dont_return_chance_node=True) for _ in range(2)]
    model.inference(*(np.asarray(part) for part in
                      (game.new_initial_state().observation_tensor(), game.new_initial_state().legal_actions_mask())))
    begun, positions, games = time.perf_counter(), 0, 0
    while time.perf_counter() - begun < SECONDS:
        positions += len(alpha_zero._play_game(Quiet(), games, game, bots, 1, 10).states)
        games += 1
    seconds, cache = time.perf_counter() - begun, judge.cache_info()
    print(json.dumps({"seconds": seconds, "games": games, "positions": positions, "simulations": positions * SIMULATIONS,
                      "evaluations": cache.misses, "leaves": judge.leaves}))


main()
