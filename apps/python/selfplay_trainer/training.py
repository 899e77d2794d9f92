"""Training, as `selfplay train` does it."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ._native import SelfplayError
from .contests import options
from .program import call
from .run import Run

# The version of the events in docs/events.md that is read here.
_VERSION = 1

Config = str | os.PathLike[str] | Mapping[str, Any]


def train(
    config: Config,
    callback: Callable[[Run, dict[str, Any]], object] | None = None,
    *,
    run: str | None = None,
    checkpoints: str | os.PathLike[str] = "checkpoints",
    set: Mapping[str, Any] | None = None,
    on_log: Callable[[str], None] | None = None,
    **given: Any,
) -> Run:
    """Trains an agent or resumes its run. Returns the run after the last generation.

    `config` is a TOML file, the name of a shipped config (`sum15-4/quickstart`), the id of a game together with `hours=…`, or a
    mapping such as `{"game": "connect4", "generations": 5, "selfplay": {"num_simulations": 32}}`. A mapping needs a `run` name.
    For a Python game it has the id of the class, and `game_file` is the file. `set` overrides keys:
    `{"selfplay.num_simulations": 64}`. After each generation `callback` receives the run and the row of `generations.csv`. If it
    returns False, training stops. `on_log` receives each line of the program's output.
    Other options are those of `selfplay train`: `hours=1`, `threads=2`.

    Ctrl-C, and an exception in a callback, stop the training at the next safe point. The same call resumes it.

    Raises SelfplayError with the message of the program if something is wrong.
    """
    if isinstance(config, Mapping):
        if run is None:
            raise TypeError("a config that is a mapping needs a name for its run: train(…, run='first')")
        if str(config.get("game", "")).endswith(".py"):
            raise TypeError("a config's game is the `id` of its class; the file is given beside it: train(…, game_file='my_game.py')")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.toml"
            path.write_text(_toml(config), encoding="utf-8")
            return train(path, callback, run=run, checkpoints=checkpoints, set=set, on_log=on_log, **given)
    arguments = ["train", os.fspath(config), "--events", "json", "--checkpoints", os.fspath(checkpoints), *options({"run": run, **given})]
    for key, value in (set or {}).items():
        arguments += ["--set", f"{key}={_value(value)}"]
    if callback is not None:
        arguments.append("--step")
    following = _Following(callback, on_log)
    call(arguments, following.line, lambda line: "".join(f"{text}\n" for text in _lines(_event(line))))
    # After the last generation it waits for nobody.
    following.call_back()
    assert following.run is not None, "the program names its run first"
    return following.run


def _event(line: str) -> dict[str, Any]:
    """The event that a line of the program holds."""
    event: dict[str, Any] = json.loads(line)
    if event["version"] != _VERSION:
        raise SelfplayError(
            f"the program writes events of version {event['version']}, this module reads version {_VERSION}: install both from one wheel"
        )
    return event


def _lines(event: dict[str, Any]) -> list[str]:
    """What people read of an event."""
    text: str | None = event["text"]
    return [] if text is None else text.split("\n")


class _Following:
    """Follows the program's events, and the run's table of generations."""

    def __init__(self, callback: Callable[[Run, dict[str, Any]], object] | None, on_log: Callable[[str], None] | None):
        self.callback = callback
        self.on_log = on_log
        self.run: Run | None = None
        self.seen = -1

    def line(self, line: str) -> bool | None:
        """Looks at an event of the program; what it is to be answered, where it waits."""
        event = _event(line)
        if self.on_log is not None:
            for text in _lines(event):
                self.on_log(text)
        if event["event"] == "run_opened":
            self.run = Run(event["run"])
            # What was there before the call is nothing new.
            self.seen = max((row["generation"] for row in self.run.rows("generations")), default=-1)
        elif event["event"] == "waiting":
            return self.call_back()
        return None

    def call_back(self) -> bool:
        """Tells of all generations that are new; False once that is enough."""
        assert self.run is not None, "the program names its run first"
        for row in self.run.rows("generations") if self.callback is not None else []:
            if row["generation"] > self.seen:
                self.seen = row["generation"]
                if self.callback is not None and self.callback(self.run, row) is False:
                    return False
        return True


def _value(value: object) -> str:
    """A value as TOML has it, which is JSON's way for texts, numbers, lists and truth."""
    return json.dumps(value, ensure_ascii=False)


def _toml(config: Mapping[str, Any], prefix: str = "") -> str:
    lines = []
    for key, value in config.items():
        if isinstance(value, Mapping):
            lines.append(_toml(value, f"{prefix}{key}."))
        else:
            lines.append(f"{prefix}{key} = {_value(value)}\n")
    return "".join(lines)
