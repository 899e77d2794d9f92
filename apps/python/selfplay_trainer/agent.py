"""Players: trained agents, and players given by a spec."""

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
    """A move that was analysed."""

    move: str
    """In the game's notation."""
    visits: int
    """Simulations through the move."""
    q: float | None
    """Value for the side that makes it, from -1 lost to 1 won; None if the search neither visited nor proved it."""
    prior: float
    """Prior of the network, from 0 to 1."""
    proven: int | None
    """Proven result for the side that makes it: 1 won, 0 drawn, -1 lost; else None."""
    turns: int | None
    """Turns of both sides to the end under perfect play, from a tablebase; else None."""


@dataclass(frozen=True)
class Analysis:
    """A player's analysis of a position, for the side to move."""

    move: str
    """The move that the player would make."""
    wdl: tuple[float, float, float] | None
    """Probabilities of win, draw and loss; None if the player has none."""
    moves: list[Move]
    """The analysed moves, best first; empty if the player reports none."""
    alpha_beta: dict[str, Any] | None
    """The result of alpha-beta (`depth`, `nodes`, `lines`), for such players."""


class Agent:
    """A player: the file of an exported agent, a run (its champion), a checkpoint, `released` (the trained agent of the game
    with the program), or a specification such as `alphabeta:time=100ms`.

    `threads` search one move; default: all cores. `seed` determines random choices:
    two agents with the same seed and the same sequence of calls choose the same moves.

    Raises SelfplayError if there is no such player.
    """

    def __init__(self, player: str | os.PathLike[str], *, threads: int | None = None, seed: int = 0):
        look_beside_the_program()
        self._agent = _Agent(os.fspath(player), threads=threads, seed=seed)

    @property
    def spec(self) -> str:
        """The player's spec."""
        return self._agent.spec

    def act(self, game: str | Game | Position, moves: str | list[str] | list[int] | None = None, *, time_ms: int | None = None) -> str:
        """The move in the position that `moves` lead to, in the game's notation; see `analyse`.

        Random choices differ from call to call.
        """
        return self._agent.act(_position(game, moves), time_ms)

    def analyse(
        self, game: str | Game | Position, moves: str | list[str] | list[int] | None = None, *, time_ms: int | None = None
    ) -> Analysis:
        """Analyses a position: the one after `moves` in `game`, or a `Position`.

        Players without a limit of their own search for `time_ms` milliseconds, or with the default of their kind. Ctrl-C
        interrupts. Repeated calls return the same, unless time is the limit.

        Raises SelfplayError if a move is not legal, the game is over, or the player plays another game.
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
        """Evaluates positions with the network, without a search.

        Takes `observations`, `[positions, planes, height, width]`, and `action_mask`, `[positions, actions]`, as `VectorEnv` has them.
        Returns the policy over the allowed actions, `[positions, actions]`, each row with sum 1, and the probabilities of win, draw and loss for the
        side to move, `[positions, 3]`.

        Raises SelfplayError if a shape is wrong, an observation is not from -1 to 1, or the player has no network.
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
