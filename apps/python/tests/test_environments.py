"""PettingZoo's own tests, for every game."""

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import selfplay_trainer as selfplay
from selfplay_trainer import environments

GAMES = [game.id for game in selfplay.games()]


# A dictionary with a mask, which PettingZoo's classic games have as well, is nothing that its tests expect.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array", "ignore:Observation space for each agent")
@pytest.mark.parametrize("make", [environments.env, environments.raw_env])
@pytest.mark.parametrize("game", GAMES)
def test_the_interface(game: str, make: type[environments.raw_env]) -> None:
    api_test(make(game), num_cycles=300)


@pytest.mark.parametrize("game", GAMES)
def test_seeds(game: str) -> None:
    seed_test(lambda: environments.env(game), num_cycles=60)


@pytest.mark.parametrize("game", GAMES)
def test_rendering(game: str) -> None:
    modes = {"svg": lambda drawn: isinstance(drawn, str) and drawn.startswith("<svg")}
    render_test(lambda render_mode: environments.env(game, render_mode=render_mode), modes)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_to_its_end(game: str) -> None:
    env = environments.env(game)
    env.reset(seed=1)
    choose = np.random.default_rng(1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(max_iter=5000):
        observation, reward, termination, truncation, _ = env.last()
        total[agent] += reward
        over = termination or truncation
        env.step(None if over else int(choose.choice(np.flatnonzero(observation["action_mask"]))))
    assert not env.agents, "it does not end"
    assert sorted(total.values()) in ([-1, 1], [0, 0])


def test_an_illegal_action_loses() -> None:
    env = environments.env("tictactoe")
    env.reset()
    env.step(4)
    env.step(4)
    assert env.unwrapped.terminations == {"player_0": True, "player_1": True}
    assert env.unwrapped.rewards == {"player_0": 0, "player_1": -1}


def test_a_wrong_way_to_render_is_named() -> None:
    with pytest.raises(ValueError, match="human, ansi, svg"):
        environments.env("pylos", render_mode="rgb_array")
