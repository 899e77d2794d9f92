"""The games as PettingZoo's AEC environments: `connect4 = environments.env("connect4")`.

Needs `pip install selfplay-trainer[environments]`.
"""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._native import Game, Position

Observation = dict[str, NDArray[Any]]

AGENTS = ("player_0", "player_1")
"""The sides: who decides first, and the other."""

RENDER_MODES = ("human", "ansi", "svg")


def env(game: str, render_mode: str | None = None) -> AECEnv[str, Observation, int]:
    """A game as an environment, with PettingZoo's own checks of whoever steps it: order, range, and an illegal action, which
    loses the game."""
    checked: AECEnv[str, Observation, int] = raw_env(game, render_mode)
    checked = wrappers.TerminateIllegalWrapper(checked, illegal_reward=-1)
    checked = wrappers.AssertOutOfBoundsWrapper(checked)
    return wrappers.OrderEnforcingWrapper(checked)


class raw_env(AECEnv[str, Observation, int]):
    """A game without these checks.

    An observation is what its game's network sees, from the view of the side that is to move, whoever observes:
    `observation`, `[planes, height, width]`, and `action_mask`, `[actions]`, 1 where the rules allow the action and nothing for who
    is not to move. Rewards are 1 won, 0 drawn, -1 lost, at the end. A side may decide several times in a row (Pylos).
    """

    def __init__(self, game: str, render_mode: str | None = None):
        super().__init__()
        self.game = Game(game)
        self.metadata = {
            "name": f"selfplay_{game}_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": False, "render_fps": 1,
        }
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"{render_mode!r} is no way to render: {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        box = gymnasium.spaces.Box(-1.0, 1.0, self.game.shape, np.float32)
        mask = gymnasium.spaces.Box(0, 1, (self.game.action_count,), np.int8)
        spaces = {agent: gymnasium.spaces.Dict({"observation": box, "action_mask": mask}) for agent in AGENTS}
        self.observation_spaces = spaces
        self.action_spaces = {agent: gymnasium.spaces.Discrete(self.game.action_count) for agent in AGENTS}

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. Nothing in the rules is random, so `seed` changes nothing."""
        self.position: Position = self.game.position()
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.position.side_to_move]

    def observe(self, agent: str) -> Observation:
        is_to_move = not self.position.is_terminal and AGENTS[self.position.side_to_move] == agent
        mask = self.position.action_mask() if is_to_move else np.zeros(self.game.action_count, np.int8)
        return {"observation": self.position.observation(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert action is not None, "a running game needs an action"
        self._cumulative_rewards[self.agent_selection] = 0
        self.position.play(int(action))
        rewards = self.position.returns
        self.rewards = dict(zip(AGENTS, (int(reward) for reward in rewards), strict=True)) if rewards else dict.fromkeys(AGENTS, 0)
        if rewards is not None:
            self.terminations = dict.fromkeys(AGENTS, True)
            # Each side is told in turn that it is over, the one that did not move first.
            self.agent_selection = AGENTS[1 - AGENTS.index(self.agent_selection)]
        else:
            self.agent_selection = AGENTS[self.position.side_to_move]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The board: as text, or as the picture that the page draws."""
        if self.render_mode is None:
            gymnasium.logger.warn("an environment without a render_mode is not rendered")
            return None
        if self.render_mode == "svg":
            return self.position.svg()
        if self.render_mode == "human":
            print(self.position)
            return None
        return str(self.position)

    def close(self) -> None:
        """There is nothing to close."""

    def _repr_html_(self) -> str:
        return self.position._repr_html_()
