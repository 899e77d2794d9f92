"""Checking a game of one's own."""

import inspect
import os
from pathlib import Path
from typing import Any

from ._native import SelfplayError
from .contests import options
from .program import call


def check(game: type | str | os.PathLike[str], **given: Any) -> str:
    """Checks whether a game meets the contract that training relies on, as `selfplay check` does. Returns statistics of its random games.

    `game` is a class in a file of its own, the path of such a file, or the id of a game. Options are those of the command: `games=1000`, `seed=2`.

    Raises SelfplayError if a check fails, with the check that fails and the smallest position found.
    """
    try:
        return call(["check", _file_of(game) if isinstance(game, type) else game, *options(given)])
    except SelfplayError as error:
        shown = getattr(error, "__notes__", [])
        raise SelfplayError("\n".join([str(error), *shown])) from None


def _file_of(game: type) -> Path:
    try:
        file = Path(inspect.getfile(game))
    except (TypeError, OSError):
        file = Path()
    if file.suffix != ".py" or not file.is_file():
        raise TypeError(f"{game.__name__} is not in a file: other processes read it there; in a notebook, begin its cell with %%writefile game.py")
    return file
