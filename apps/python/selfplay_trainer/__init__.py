"""Trains strong players of board games from their rules, on an ordinary computer.

What takes seconds is done here, by the native part of this module: positions, many games at once, agents. What takes minutes or
hours is done by the program `selfplay`, which comes with it and is called as a process of its own: training, matches, ratings.
"""

import sys

from ._native import Game, Position, SelfplayError, VectorEnv, game_ids, set_python
from .agent import Agent, Analysis, Move
from .contests import MatchResult, elo, match
from .own_game import check
from .program import program
from .run import Run
from .tables import Tables
from .training import train

__all__ = [
    "Agent",
    "Analysis",
    "Game",
    "MatchResult",
    "Move",
    "Position",
    "Run",
    "SelfplayError",
    "Tables",
    "VectorEnv",
    "check",
    "elo",
    "games",
    "match",
    "program",
    "train",
]


# A game in a file may import what is installed where this is.
if sys.executable:
    set_python(sys.executable)


def games() -> list[Game]:
    """The built-in games."""
    return [Game(game) for game in game_ids()]
