"""A run: its tables and curves, its champion, its report."""

import os
import tomllib
from pathlib import Path
from typing import Any

from ._native import SelfplayError, champion_of
from .agent import Agent
from .program import call
from .tables import Tables


class Run(Tables):
    """A run folder of `selfplay train`, with the tables and curves of `Tables`. It is only read.

    Raises SelfplayError if the folder is not a run.
    """

    def __init__(self, path: str | os.PathLike[str]):
        super().__init__(path)
        if not (self.path / "config.toml").is_file():
            raise SelfplayError(f"{self.path} is no run: it has no config.toml")

    @property
    def config(self) -> dict[str, Any]:
        """The keys that the run's config sets."""
        with open(self.path / "config.toml", "rb") as file:
            return tomllib.load(file)

    @property
    def game(self) -> str:
        """Id of its game."""
        game: str = self.config["game"]
        return game

    @property
    def champion(self) -> Path | None:
        """The checkpoint folder of the champion; None while there is none."""
        champion = champion_of(self.path)
        return None if champion is None else Path(champion)

    def agent(self, **given: Any) -> Agent:
        """The champion as a player; see `Agent`."""
        return Agent(self.path, **given)

    def check(self, game_file: str | os.PathLike[str] | None = None) -> str:
        """Checks every file of the run and returns the output of `selfplay doctor --check`. A run of a Python game needs its file.

        Raises SelfplayError if one is damaged or missing; its notes name them.
        """
        return call(["doctor", "--check", self.path, *([] if game_file is None else ["--game-file", game_file])])

    def report(self, out: str | os.PathLike[str]) -> Path:
        """Writes the run's report into the folder `out`. Returns the path of `report.html`."""
        call(["report", self.path, "--out", out])
        return Path(out) / "report.html"

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"
