"""Whoever plays: trained agents, and players by their specification."""

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import Agent as _Agent
from ._native import Game, Position, SelfplayError
from .program import look_beside_the_program


@dataclass(frozen=True)
class Move:
    """A decision that was looked at."""

    move: str
    """In the game's notation."""
    visits: int
    """Simulations that went through it."""
    q: float | None
    """Expected result for the side that makes it, from -1 lost to 1 won; None if the search has neither visited nor proven it."""
    prior: float
    """The network's share of it, from 0 to 1."""
    proven: int | None
    """What is proven for the side that makes it: 1 won, 0 drawn, -1 lost."""
    turns: int | None
    """Turns of both sides to the end under perfect play, where a table tells."""


@dataclass(frozen=True)
class Analysis:
    """One player's opinion of a position, for the side to move."""

    move: str
    """The decision that the player would make."""
    wdl: tuple[float, float, float] | None
    """Shares of won, drawn and lost; None if the player has no such thing."""
    moves: list[Move]
    """What was looked at, best first; empty if the player tells nothing."""
    alpha_beta: dict[str, Any] | None
    """What alpha-beta found (`depth`, `nodes`, `lines`), of such players."""


class Agent:
    """A player: the file of an exported agent, a run (its champion), a checkpoint, `released` (the game's trained agent that comes
    with the program), or a specification such as `alphabeta:time=100ms`.

    `threads` are those of a single decision; all cores unless said otherwise. `seed` decides what is random:
    agents with the same one that are asked for the same decisions one after the other take the same.

    Raises SelfplayError if there is no such player.
    """

    def __init__(self, player: str | os.PathLike[str], *, threads: int | None = None, seed: int = 0):
        look_beside_the_program()
        self._agent = _Agent(os.fspath(player), threads=threads, seed=seed)

    @property
    def spec(self) -> str:
        """What the program calls the player."""
        return self._agent.spec

    def act(self, game: str | Game | Position, moves: str | list[str] | list[int] | None = None, *, time_ms: int | None = None) -> str:
        """The decision in the position that `moves` lead to, in the game's notation; see `analyse`.

        Each call draws anew: `random` answers otherwise the next time.
        """
        return self._agent.act(_position(game, moves), time_ms)

    def analyse(
        self, game: str | Game | Position, moves: str | list[str] | list[int] | None = None, *, time_ms: int | None = None
    ) -> Analysis:
        """What the player thinks of a position: that after `moves` in `game`, or a `Position` itself.

        Players without a limit of their own think for `time_ms` milliseconds, or as long as their kind does by itself. Ctrl-C
        interrupts. The same question has the same answer, unless time is the limit.

        Raises SelfplayError if a decision is not legal, the game is over, or the player plays another game.
        """
        found = json.loads(self._agent.analyse(_position(game, moves), time_ms))
        wdl = found["wdl"]
        return Analysis(
            move=found["move"],
            wdl=None if wdl is None else (wdl["win"], wdl["draw"], wdl["loss"]),
            moves=[Move(**move) for move in found["moves"]],
            alpha_beta=found.get("alpha_beta"),
        )

    def evaluate(
        self, game: str | Game, observations: NDArray[np.float32], action_mask: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the network alone says, without a search.

        Takes `observations`, `[positions, planes, height, width]`, and `action_mask`, `[positions, actions]`, as `VectorEnv` has them.
        Gives the policy over the allowed actions, `[positions, actions]`, each row adding up to 1, and won, drawn and lost for the
        side to move, `[positions, 3]`.

        Raises SelfplayError if the shapes are others, an observation is not from -1 to 1, or the player has no network.
        """
        game = game if isinstance(game, Game) else Game(game)
        observations = np.ascontiguousarray(observations, dtype=np.float32)
        action_mask = np.ascontiguousarray(action_mask, dtype=np.int8)
        if observations.ndim != 4 or action_mask.ndim != 2:
            given = f"{observations.shape} and {action_mask.shape}"
            raise SelfplayError(f"expected observations [positions, planes, height, width] and masks [positions, actions], not {given}")
        return self._agent.evaluate(game, observations, action_mask)

    def __repr__(self) -> str:
        return repr(self._agent)


def _position(game: str | Game | Position, moves: str | list[str] | list[int] | None) -> Position:
    if isinstance(game, Position):
        if moves is not None:
            raise TypeError("a position is given with its moves already: give the game and moves, or the position")
        return game
    return (game if isinstance(game, Game) else Game(game)).position(moves)
