"""Games of one's own, in a file."""

import shutil
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest

import selfplay_trainer as selfplay
from selfplay_trainer import Agent, Game, SelfplayError

GAME = "connect_four.py"


def copied(folder: Path, right: str = "", wrong: str = "") -> Path:
    """The example, in a folder, with one thing changed."""
    path = folder / GAME
    shutil.copy(Path(__file__).parent.parent / GAME, path)
    source = path.read_text()
    assert right in source
    path.write_text(source.replace(right, wrong) if right else source)
    return path


def test_a_class_is_checked_by_its_file(tmp_path: Path) -> None:
    path = copied(tmp_path)
    spec = util.spec_from_file_location("connect_four", path)
    assert spec is not None and spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules["connect_four"] = module
    spec.loader.exec_module(module)
    assert "passes all conformance checks in 5 random games" in selfplay.check(module.ConnectFour, games=5)
    with pytest.raises(SelfplayError, match="there is no class: expected one with the methods"):
        selfplay.check(type("Here", (), {}))
    with pytest.raises(TypeError, match="int is not in a file.*%%writefile"):
        selfplay.check(int)


def test_a_broken_law_is_shown_with_its_position(tmp_path: Path) -> None:
    with pytest.raises(SelfplayError, match="python-connect4 fails a conformance check") as caught:
        selfplay.check(copied(tmp_path, "self.board.copy()", "self.board"), games=5)
    assert "does `copy` share a list?" in str(caught.value)
    with pytest.raises(SelfplayError, match="`play` raised NameError: name 'colum' is not defined"):
        selfplay.check(copied(tmp_path, "cell = column +", "cell = colum +"), games=5)


def test_a_game_in_a_file_is_a_game_like_all(tmp_path: Path) -> None:
    game = Game(str(copied(tmp_path)))
    assert (game.id, game.action_count, game.shape) == ("python-connect4", 7, (4, 6, 7))
    position = game.position("d d d d d d")
    assert position.legal_moves() == list("abcefg") and "Red" not in str(position)
    position.play("a")
    assert position.observation()[1, 5, 0] == 1
    assert Agent("alphabeta:depth=4").act(game.position("a g a g a g")) == "a"
    assert position == Game("python-connect4").position("d d d d d d a")
    with pytest.raises(SelfplayError, match="file changed since it was loaded"):
        Game(str(copied(tmp_path, '"python-connect4"', '"another"')))
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(SelfplayError, match="only one game file can be loaded"):
        Game(str(copied(other, '"python-connect4"', '"another"')))


def test_a_file_that_asks_for_its_own_game_while_it_is_read_is_stopped(tmp_path: Path) -> None:
    path = copied(tmp_path)
    path.write_text(path.read_text() + "\nimport selfplay_trainer\nselfplay_trainer.check(ConnectFour)\n")
    with pytest.raises(SelfplayError, match="it asks for one itself"):
        selfplay.check(path)


def test_a_process_that_was_forked_is_told_to_begin_anew(tmp_path: Path) -> None:
    # In a process of its own: what is said of it may end it.
    told = subprocess.run(
        [sys.executable, "-c", FORKING, str(copied(tmp_path))], capture_output=True, text=True, timeout=120, check=True
    ).stdout
    assert "SelfplayError: " in told and "spawn" in told
    assert "parent plays d d" in told


FORKING = """
import os, sys
import selfplay_trainer as selfplay

game = selfplay.Game(sys.argv[1])
position = game.position("d")
child = os.fork()
if child == 0:
    try:
        game.position("d e")
    except selfplay.SelfplayError as error:
        print("SelfplayError:", error, flush=True)
    many = selfplay.VectorEnv("tictactoe", 2048)
    many.step(many.random_actions())
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
position.play("d")
print("parent plays", " ".join(position.moves))
"""


def test_what_a_game_does_wrong_is_an_exception_that_stays_the_same(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", RAISING, str(copied(tmp_path, "cell = column +", "cell = 100 + column +"))],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout.splitlines()
    assert len(told) == 2 and told[0] == told[1]
    assert "`play` raised IndexError" in told[0]


RAISING = """
import sys
import selfplay_trainer as selfplay

game = selfplay.Game(sys.argv[1])
for _ in range(2):
    try:
        game.position("d")
    except selfplay.SelfplayError as error:
        print(error)
"""
