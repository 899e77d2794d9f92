"""Games of one's own, in a file."""

import shutil
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
    assert "keeps every law in 5 random games" in selfplay.check(module.ConnectFour, games=5)
    with pytest.raises(SelfplayError, match="there is no class: expected one with the methods"):
        selfplay.check(type("Here", (), {}))
    with pytest.raises(TypeError, match="int is not in a file.*%%writefile"):
        selfplay.check(int)


def test_a_broken_law_is_shown_with_its_position(tmp_path: Path) -> None:
    with pytest.raises(SelfplayError, match="python-connect4 breaks a law") as caught:
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
    assert position.planes()[1, 5, 0] == 1
    assert Agent("alphabeta:depth=4").choose(game.position("a g a g a g")) == "a"
    assert position == Game("python-connect4").position("d d d d d d a")
    with pytest.raises(SelfplayError, match="one game too many"):
        Game(str(copied(tmp_path, '"python-connect4"', '"another"')))


def test_a_file_that_asks_for_its_own_game_while_it_is_read_is_stopped(tmp_path: Path) -> None:
    path = copied(tmp_path)
    path.write_text(path.read_text() + "\nimport selfplay_trainer\nselfplay_trainer.check(ConnectFour)\n")
    with pytest.raises(SelfplayError, match="it asks for one itself"):
        selfplay.check(path)
