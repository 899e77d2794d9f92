"""The program `selfplay` that this module was installed with, and how it is called."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import Thread
from typing import IO

from . import _native
from ._native import SelfplayError

_NAME = "selfplay.exe" if os.name == "nt" else "selfplay"


@cache
def program() -> Path:
    """Path of the program: the value of the variable `SELFPLAY_PROGRAM`, or the program installed with this module.

    Raises FileNotFoundError if there is none.
    """
    named = os.environ.get("SELFPLAY_PROGRAM")
    if named:
        if not Path(named).is_file():
            raise FileNotFoundError(f"SELFPLAY_PROGRAM names {named}, where there is no program")
        return Path(named)
    package = Path(__file__).resolve().parent
    # In an environment, for one user, and where a folder was given to install into.
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"), str(package.parent / "bin")]
    for place in (Path(folder) / _NAME for folder in folders):
        if place.is_file():
            return place
    found = shutil.which(_NAME)
    if found is None:
        raise FileNotFoundError("the program selfplay is not installed beside this module: set SELFPLAY_PROGRAM to where it is")
    return Path(found)


def look_beside_the_program() -> None:
    """Has the native part find released agents where the program has its own."""
    try:
        _native.look_beside(program())
    except FileNotFoundError:
        # Without the program there are no such agents, and whoever asks for one is told so.
        pass


def call(
    arguments: Sequence[str | os.PathLike[str]],
    answer: Callable[[str], bool | None] | None = None,
    readable: Callable[[str], str] | None = None,
) -> str:
    """What the program prints with these arguments.

    `answer` is given each line as it comes; True sends the program a line, False ends what it can read, None does neither. Ctrl-C, and
    whatever `answer` raises, end the program at its next safe point, and are raised again then.

    Raises SelfplayError with the program's own sentence, and what it had printed as a note, if it fails; `readable` turns a line into
    what people read of it there.
    """
    command = [str(program()), *(os.fspath(argument) for argument in arguments)]
    # Of a group of its own: Ctrl-C on a terminal reaches Python alone, which passes it on once.
    running = subprocess.Popen(
        command, stdin=subprocess.DEVNULL if answer is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        errors="replace", start_new_session=True,
    )
    assert running.stdout is not None and running.stderr is not None
    complaints: list[str] = []
    listener = Thread(target=_listen, args=(running.stderr, complaints), daemon=True)
    listener.start()
    printed: list[str] = []
    try:
        for line in running.stdout:
            printed.append(line)
            said = None if answer is None else answer(line.rstrip("\n"))
            if said is not None and running.stdin is not None:
                _send(running.stdin, said)
        status = running.wait()
    except BaseException:
        running.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
        # What it still prints would fill the pipe that nobody reads.
        running.stdout.read()
        running.wait()
        raise
    finally:
        listener.join()
        for pipe in (running.stdin, running.stdout, running.stderr):
            if pipe is not None:
                pipe.close()
    if status != 0:
        error = SelfplayError(_sentence("".join(complaints)) or f"selfplay ended with status {status} and said nothing")
        if printed:
            error.add_note("".join(printed if readable is None else map(readable, printed)).rstrip())
        raise error
    return "".join(printed)


def _send(stdin: IO[str], goes_on: bool) -> None:
    try:
        if goes_on:
            stdin.write("\n")
            stdin.flush()
        else:
            stdin.close()
    except BrokenPipeError:
        # It has ended by itself, and its status says why.
        pass


def _listen(stream: IO[str], lines: list[str]) -> None:
    lines.extend(stream)


def _sentence(complaints: str) -> str:
    """What the program said was wrong, without what decorates it."""
    lines = [line.strip().removeprefix("×").strip() for line in complaints.splitlines()]
    return "\n".join(line for line in lines if line)
