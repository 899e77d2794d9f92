"""Matches and ratings, as the command line has them."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from .program import call


@dataclass(frozen=True)
class MatchResult:
    """The result of a match, from `a`'s view."""

    a: str
    b: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    """Share of the points, from 0 to 1."""
    elo: float | None
    """Difference of strength; None where one of them won everything."""
    elo_low: float | None
    elo_high: float | None
    """Ends of the 95 % interval, from the results of game pairs."""
    los: float
    """Likelihood of superiority, from 0 to 1."""
    raw: dict[str, Any]
    """All that `selfplay match --json` tells; see docs/evaluation.md."""


def options(given: dict[str, Any]) -> list[str]:
    """Keyword arguments as options of the command line: `move_time="1s"` is `--move-time 1s`, True is an option alone."""
    arguments: list[str] = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(option)
        elif value is not None and value is not False:
            arguments += [option, str(value)]
    return arguments


def match(game: str, a: str, b: str, **given: Any) -> MatchResult:
    """Plays a match of game pairs between two players, or resumes a stopped one.

    Options are those of `selfplay match`, with underscores: `games=100`, `move_time="1s"`, `sprt="0,20"`, `games_file="games.jsonl"`.

    Raises SelfplayError with the message of the program if something is wrong.
    """
    found = json.loads(call(["match", game, a, b, "--json", *options(given)]))
    known = {field.name: found[field.name] for field in fields(MatchResult) if field.name != "raw"}
    return MatchResult(**known, raw=found)


def elo(files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **given: Any) -> dict[str, Any]:
    """Rates the players of games files or of `matches.csv` of runs. Returns the output of `selfplay elo --json`.

    Options are those of `selfplay elo`: `anchor="random=0"`, `min_pairs=5`.
    """
    files = [files] if isinstance(files, str | os.PathLike) else list(files)
    found: dict[str, Any] = json.loads(call(["elo", *files, "--json", *options(given)]))
    return found
