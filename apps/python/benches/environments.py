"""Steps per second of random play in Connect Four: this module, OpenSpiel, pgx and PettingZoo's classic game, in one run.

    pip install selfplay-trainer[environments] open_spiel==2.0.2 pgx==2.6.0 jax==0.10.2 pettingzoo[classic]
    python environments.py [--seconds N] [--rounds N]

Each is asked in turn, `rounds` times; the medians count. a step is one action of one game, chosen at random among the legal ones;
games begin anew when they are over; what a learner would see (planes and mask) is computed for every step.
"""

import argparse
import random
import statistics
import time

import numpy as np

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--seconds", type=float, default=2.0)
PARSER.add_argument("--rounds", type=int, default=5)
PARSER.add_argument("--batch", type=int, default=1024)
OPTIONS = PARSER.parse_args()


def rate(step, steps_each):
    """Steps per second of `step`, which makes `steps_each`."""
    step()
    begun, steps = time.perf_counter(), 0
    while time.perf_counter() - begun < OPTIONS.seconds:
        step()
        steps += steps_each
    return steps / (time.perf_counter() - begun)


def ours_batched():
    from selfplay_trainer import VectorEnv

    games = VectorEnv("connect4", OPTIONS.batch, seed=1)
    return lambda: games.step(games.random_actions()), OPTIONS.batch


def ours_single():
    from selfplay_trainer import Position

    position = Position("connect4")

    def step():
        nonlocal position
        actions = position.legal_actions()
        position.play(int(actions[random.randrange(len(actions))]))
        if position.is_terminal:
            position = Position("connect4")
        position.observation(), position.action_mask()

    return step, 1


def ours_pettingzoo():
    from selfplay_trainer import environments

    return pettingzoo_steps(environments.raw_env("connect4"))


def pettingzoo_classic():
    from pettingzoo.classic import connect_four_v3

    return pettingzoo_steps(connect_four_v3.raw_env())


def pettingzoo_steps(env):
    env.reset(seed=1)

    def step():
        if not env.agents or env.terminations[env.agent_selection]:
            env.reset()
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(legal[random.randrange(len(legal))]))

    return step, 1


def openspiel():
    import pyspiel

    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()

    def step():
        nonlocal state
        actions = state.legal_actions()
        state.apply_action(actions[random.randrange(len(actions))])
        if state.is_terminal():
            state = game.new_initial_state()
        state.observation_tensor(0), state.legal_actions_mask()

    return step, 1


def pgx_batched():
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("connect_four")
    init, one = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    # A hundred steps in one compiled loop: how pgx is meant to be used.
    @jax.jit
    def many(state, key):
        def body(carry, _):
            state, key = carry
            key, choose, reset = jax.random.split(key, 3)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            actions = jax.random.categorical(choose, logits)
            state = one(state, actions, jax.random.split(reset, OPTIONS.batch))
            return (state, key), state.observation.sum()

        (state, key), seen = jax.lax.scan(body, (state, key), None, length=100)
        return state, key, seen

    state, key = init(jax.random.split(jax.random.key(0), OPTIONS.batch)), jax.random.key(1)

    def step():
        nonlocal state, key
        state, key, seen = many(state, key)
        seen.block_until_ready()

    return step, 100 * OPTIONS.batch


CONTESTANTS = {
    f"selfplay_trainer.VectorEnv, {OPTIONS.batch} games": ours_batched,
    f"pgx, {OPTIONS.batch} games, compiled": pgx_batched,
    "selfplay_trainer.Position": ours_single,
    "OpenSpiel, Python loop": openspiel,
    "selfplay_trainer.environments (PettingZoo)": ours_pettingzoo,
    "PettingZoo's connect_four_v3": pettingzoo_classic,
}

measured = {name: [] for name in CONTESTANTS}
made = {}
for name, make in CONTESTANTS.items():
    try:
        made[name] = make()
    except ImportError as error:
        print(f"{name}: not installed ({error})")
for _ in range(OPTIONS.rounds):
    for name, (step, each) in made.items():
        measured[name].append(rate(step, each))
for name, rates in measured.items():
    if rates:
        print(f"{name:48} {statistics.median(rates):12,.0f} steps/s   ({min(rates):,.0f} to {max(rates):,.0f})")
