"""The tables of a run or of a report, as frames and as curves."""

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._native import SelfplayError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COSTS = {
    "cpu_hours": ("cumulative_cpu_hours", "CPU time of self-play and learning (hours, all threads)"),
    "games": ("cumulative_games", "self-play games"),
    "simulations": ("cumulative_simulations", "search simulations of self-play"),
}


class Tables:
    """A folder of tables: of a run, of a released agent, or `tables/` of a report. It is only read.

    `name` labels the curves; default: the folder's name.
    """

    def __init__(self, path: str | os.PathLike[str], name: str | None = None):
        self.path = Path(path)
        self.name = self.path.name if name is None else name

    @property
    def tables(self) -> list[str]:
        """Names of the tables present. docs/tables.md explains every column."""
        return sorted(path.stem for path in self.path.glob("*.csv"))

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table as dictionaries; empty if the table does not exist yet. An unknown number
        one is None.

        Raises SelfplayError if it is damaged.
        """
        path = self.path / f"{table}.csv"
        if not path.is_file():
            return []
        try:
            with open(path, newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                rows = []
                for row in reader:
                    # A row that is too short or too long has values without a name, or names without a value.
                    if None in row or None in row.values():
                        raise csv.Error(f"line {reader.line_num} has other columns than the first")
                    rows.append({key: _value(value) for key, value in row.items()})
                return rows
        except (UnicodeDecodeError, csv.Error) as error:
            raise SelfplayError(f"{path} is damaged: {error}") from error

    def table(self, name: str, *, frame: str = "pandas") -> Any:
        """A table as a `pandas` or a `polars` frame.

        Raises SelfplayError if there is no such table (yet), or if it is damaged.
        """
        path = self.path / f"{name}.csv"
        if not path.is_file():
            raise SelfplayError(f"{self.path} has no table {name}; it has {', '.join(self.tables) or 'none'}")
        damage: type[Exception]
        if frame == "pandas":
            import pandas

            read, damage = pandas.read_csv, ValueError
        elif frame == "polars":
            import polars

            read, damage = polars.read_csv, polars.exceptions.PolarsError
        else:
            raise ValueError(f"{frame!r} is no kind of frame: pandas or polars")
        try:
            return read(path)
        except damage as error:
            raise SelfplayError(f"{path} is damaged: {error}") from error

    def plot_elo(self, ax: "Axes | None" = None, *, over: str = "cpu_hours") -> "Axes":
        """Strength of the generations over what they cost: `cpu_hours`, `games` or `simulations`; the band is the 95 %
        interval, dashed lines are the fixed opponents. Several runs go onto the same axes, each in a colour of its own.

        Raises SelfplayError if no generation has a rating (yet).
        """
        if over not in _COSTS:
            raise ValueError(f"{over!r} is no cost: {', '.join(_COSTS)}")
        column, title = _COSTS[over]
        # A column that a damaged table lacks is empty.
        elo = self.table("elo").reindex(columns=["player", "role", column, "elo", "elo_low", "elo_high"])
        generations = elo[(elo["role"] != "baseline") & elo[column].notna() & elo["elo"].notna()].sort_values(column)
        if generations.empty:
            raise SelfplayError(f"{self.path / 'elo.csv'} has no rated generation")
        ax = _axes(ax)
        (line,) = ax.plot(generations[column], generations["elo"], marker="o", markersize=3, label=_plain(self.name))
        colour = line.get_color()
        ax.fill_between(generations[column], generations["elo_low"], generations["elo_high"], color=colour, alpha=0.2, linewidth=0)
        champions = generations[generations["role"] == "champion"]
        ax.plot(champions[column], champions["elo"], color=colour, marker="D", linestyle="", label=_plain(f"{self.name}: champion"))
        for _, row in elo[(elo["role"] == "baseline") & elo["elo"].notna()].iterrows():
            ax.axhline(row["elo"], color=colour, linestyle="--", linewidth=0.8)
            ax.annotate(_plain(row["player"]), (1.0, row["elo"]), xycoords=("axes fraction", "data"), fontsize=7, va="bottom", ha="right")
        ax.legend()
        ax.set_xlabel(title)
        ax.set_ylabel("Elo")
        return ax

    def plot_losses(self, ax: "Axes | None" = None) -> "Axes":
        """Training and validation losses by training step."""
        ax = _axes(ax)
        losses = self.table("losses")
        for name in [name for name in losses.columns if name.endswith("_loss") and losses[name].notna().any()]:
            shown = losses[losses[name].notna()]
            ax.plot(shown["step"], shown[name], label=name.replace("_", " "))
        ax.legend()
        return self._titled(ax, "optimizer steps", "loss (nats)")

    def plot_throughput(self, ax: "Axes | None" = None) -> "Axes":
        """Self-play speed of each generation."""
        ax = _axes(ax)
        selfplay = self.table("selfplay")
        ax.plot(selfplay["generation"], selfplay["simulations"] / selfplay["wall_seconds"], color="#0072b2", marker="o", markersize=3)
        ax.set_ylim(bottom=0)
        return self._titled(ax, "generation", "simulations per second")

    def _titled(self, ax: "Axes", x: str, y: str) -> "Axes":
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.set_title(_plain(self.name))
        return ax

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"


def _axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def _plain(text: str) -> str:
    """Text as matplotlib shows it as it is: a dollar begins no formula."""
    return text.replace("$", r"\$")


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
