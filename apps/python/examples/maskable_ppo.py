"""Somebody else's learner in these games: sb3-contrib's MaskablePPO learns Tic-tac-toe, or another game, against alpha-beta.

    pip install selfplay-trainer sb3-contrib
    python maskable_ppo.py [--game tictactoe] [--opponent alphabeta:depth=2] [--steps 50000]

The environment is an ordinary Gymnasium one: the learner's side is drawn for each game, the opponent answers within `step`. Some moves
of the opponent are random, so that games differ.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from selfplay_trainer import Agent, Position

Observation = NDArray[np.float32]


class Against(gymnasium.Env[Observation, int]):
    """A game against one opponent: reward 1 won, 0 drawn, -1 lost, at the end."""

    def __init__(self, game: str, opponent: str, random_opening_prob: float):
        self.game, self.opponent, self.random_opening_prob = game, Agent(opponent), random_opening_prob
        rules = Position(game).game
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (int(np.prod(rules.shape)),), np.float32)
        self.action_space = gymnasium.spaces.Discrete(rules.action_count)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self.position, self.side = Position(self.game), int(self.np_random.integers(2))
        self.let_opponent_play()
        return self.observed(), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self.position.play(int(action))
        self.let_opponent_play()
        rewards = self.position.returns
        return self.observed(), rewards[self.side] if rewards else 0.0, rewards is not None, False, {}

    def let_opponent_play(self) -> None:
        while not self.position.is_terminal and self.position.side_to_move != self.side:
            if self.np_random.random() < self.random_opening_prob:
                self.position.play(int(self.np_random.choice(self.position.legal_actions())))
            else:
                self.position.play(self.opponent.act(self.position))

    def observed(self) -> Observation:
        return self.position.observation().ravel()

    def action_masks(self) -> NDArray[np.bool_]:
        return self.position.action_mask().astype(bool)


def score(model: MaskablePPO, env: Against, games: int) -> float:
    """The learner's share of the points in so many games."""
    total = 0.0
    for game in range(games):
        observation, _ = env.reset(seed=10_000 + game)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
            observation, reward, over, _, _ = env.step(int(action))
        total += (reward + 1) / 2
    return total / games


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", default="tictactoe")
    parser.add_argument("--opponent", default="alphabeta:depth=2")
    parser.add_argument("--steps", type=int, default=50_000)
    options = parser.parse_args()
    env = Against(options.game, options.opponent, random_opening_prob=0.25)
    model = MaskablePPO("MlpPolicy", env, seed=1, n_steps=1024, batch_size=256, learning_rate=1e-3, device="cpu")
    tests = {"random": Against(options.game, "random", 0.0), options.opponent: env}
    for moment in ("before", "after"):
        if moment == "after":
            model.learn(options.steps)
        scores = ", ".join(f"{100 * score(model, test, 200):.1f} % against {name}" for name, test in tests.items())
        print(f"{moment} learning: {scores}", flush=True)


if __name__ == "__main__":
    main()
