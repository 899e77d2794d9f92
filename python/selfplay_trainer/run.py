"""What a run has to show: its tables, its champion, its curves."""

import csv
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._native import SelfplayError, champion_of
from .agent import Agent
from .program import call

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COSTS = {
    "cpu_hours": ("cumulative_cpu_hours", "CPU time of self-play and learning (hours, all threads)"),
    "games": ("cumulative_games", "self-play games"),
    "simulations": ("cumulative_simulations", "search simulations of self-play"),
}


class Run:
    """A run folder, as `selfplay train` makes it. Nothing is written there.

    Raises SelfplayError if the folder is no run.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        if not (self.path / "config.toml").is_file():
            raise SelfplayError(f"{self.path} is no run: it has no config.toml")

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.path.name

    @property
    def config(self) -> dict[str, Any]:
        """The run's config, all keys that it says."""
        with open(self.path / "config.toml", "rb") as file:
            return tomllib.load(file)

    @property
    def game(self) -> str:
        """Id of its game."""
        game: str = self.config["game"]
        return game

    @property
    def tables(self) -> list[str]:
        """Names of the tables that are there; docs/tables.md says what each column means."""
        return sorted(path.stem for path in self.path.glob("*.csv"))

    def rows(self, table: str) -> list[dict[str, Any]]:
        """A table as dictionaries, without any other library; empty if it is not there yet. Numbers are numbers, an unknown
        one is None."""
        path = self.path / f"{table}.csv"
        if not path.is_file():
            return []
        with open(path, newline="", encoding="utf-8") as file:
            return [{key: _value(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def table(self, name: str, *, frame: str = "pandas") -> Any:
        """A table as a `pandas` or a `polars` frame.

        Raises SelfplayError if the run has no such table (yet).
        """
        path = self.path / f"{name}.csv"
        if not path.is_file():
            raise SelfplayError(f"{self.path} has no table {name}; it has {', '.join(self.tables) or 'none'}")
        if frame == "pandas":
            import pandas

            return pandas.read_csv(path)
        if frame == "polars":
            import polars

            return polars.read_csv(path)
        raise ValueError(f"{frame!r} is no kind of frame: pandas or polars")

    @property
    def champion(self) -> Path | None:
        """The checkpoint folder of the champion, as the gate reports have it; None while there is none."""
        champion = champion_of(self.path)
        return None if champion is None else Path(champion)

    def agent(self, **given: Any) -> Agent:
        """The champion as a player; see `Agent`."""
        return Agent(self.path, **given)

    def check(self, game_file: str | os.PathLike[str] | None = None) -> str:
        """What `selfplay doctor --check` says of every file of the run; a run of a game in a Python file needs that file.

        Raises SelfplayError if one is damaged or missing; its notes name them.
        """
        return call(["doctor", "--check", self.path, *([] if game_file is None else ["--game-file", game_file])])

    def report(self, out: str | os.PathLike[str]) -> Path:
        """Writes the run's report, `report.html` among it, into the folder `out`."""
        call(["report", self.path, "--out", out])
        return Path(out) / "report.html"

    def plot_elo(self, ax: "Axes | None" = None, *, over: str = "cpu_hours") -> "Axes":
        """Strength of the generations over what they cost: `cpu_hours`, `games` or `simulations`; the band is the 95 %
        interval, dashed lines are the fixed opponents."""
        if over not in _COSTS:
            raise ValueError(f"{over!r} is no cost: {', '.join(_COSTS)}")
        column, title = _COSTS[over]
        ax = _axes(ax)
        elo = self.table("elo")
        generations = elo[(elo["role"] != "baseline") & elo[column].notna()].sort_values(column)
        ax.plot(generations[column], generations["elo"], color="#0072b2", marker="o", markersize=3, label="generation")
        ax.fill_between(generations[column], generations["elo_low"], generations["elo_high"], color="#0072b2", alpha=0.2)
        champions = generations[generations["role"] == "champion"]
        ax.plot(champions[column], champions["elo"], color="#e69f00", marker="D", linestyle="", label="champion")
        for _, row in elo[elo["role"] == "baseline"].iterrows():
            ax.axhline(row["elo"], color="#555555", linestyle="--", linewidth=0.8)
            ax.annotate(row["player"], (1.0, row["elo"]), xycoords=("axes fraction", "data"), fontsize=7, va="bottom", ha="right")
        ax.legend()
        return self._titled(ax, title, "Elo")

    def plot_losses(self, ax: "Axes | None" = None) -> "Axes":
        """What learning minimises, over its steps, and what it is on games that are held out."""
        ax = _axes(ax)
        losses = self.table("losses")
        for name in [name for name in losses.columns if name.endswith("_loss") and losses[name].notna().any()]:
            shown = losses[losses[name].notna()]
            ax.plot(shown["step"], shown[name], label=name.replace("_", " "))
        ax.legend()
        return self._titled(ax, "optimizer steps", "loss (nats)")

    def plot_throughput(self, ax: "Axes | None" = None) -> "Axes":
        """How fast each generation's self-play was."""
        ax = _axes(ax)
        selfplay = self.table("selfplay")
        ax.plot(selfplay["generation"], selfplay["simulations"] / selfplay["wall_seconds"], color="#0072b2", marker="o", markersize=3)
        ax.set_ylim(bottom=0)
        return self._titled(ax, "generation", "simulations per second")

    def _titled(self, ax: "Axes", x: str, y: str) -> "Axes":
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.set_title(self.name)
        return ax

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


def _axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def _value(text: str) -> Any:
    if text == "":
        return None
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
