"""Pictures are those of the page: its own code draws the same positions, and the shapes are compared."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import pytest
from test_games import GAMES, random_position

import selfplay_trainer as selfplay

HERE = Path(__file__).parent

Shape = tuple[str, tuple[tuple[str, object], ...], str]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    command = [str(selfplay.program()), "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        line = next(line for line in running.stdout if line.startswith("http"))
        yield line.split()[0]
        running.terminate()


def asked(server: str, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(server + path, data, {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


def rounded(value: str) -> object:
    """Numbers as numbers: the page writes as many digits as JavaScript has."""
    try:
        # Half a tenth of a unit is seen by nobody, and JavaScript rounds it otherwise.
        return round(float(value) + 1e-6, 1)
    except ValueError:
        return value


def shapes(tag: str, attributes: dict[str, str], children: list[Any], text: str) -> Iterator[Shape]:
    """What is drawn, in order, without groups that only animate and without what is for the page's pointer."""
    shown = {name: rounded(value) for name, value in attributes.items()}
    if shown.get("class") != "moving":
        yield tag, tuple(sorted(shown.items(), key=lambda pair: pair[0])), text
    for child in children:
        yield from child


def of_page(element: dict[str, Any]) -> Iterator[Shape]:
    parts = element["children"]
    text = "".join(part for part in parts if isinstance(part, str))
    inner = [list(of_page(part)) for part in parts if not isinstance(part, str)]
    return shapes(element["tag"], element["attributes"], inner, text)


def of_picture(element: ElementTree.Element) -> Iterator[Shape]:
    return shapes(element.tag.split("}")[1], dict(element.attrib), [list(of_picture(child)) for child in element], element.text or "")


def test_the_same_is_drawn(server: str, tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("board.js", "dom.js", "geometry.js"):
        with urlopen(f"{server}/{name}") as answer:
            (assets / name).write_bytes(answer.read())
    (assets / "package.json").write_text('{"type": "module"}')
    games = {game["id"]: game for game in asked(server, "/api/games")["games"]}
    positions = [random_position(game, plies, plies) for game in GAMES for plies in (0, 1, 14, 60)]
    asked_for = []
    for position in positions:
        table = asked(server, "/api/tables", {"game": position.game.id, "seats": [None, None]})["id"]
        looked = asked(server, f"/api/tables/{table}/look", {"ply": 0, "variation": position.moves})
        asked_for.append({"game": games[position.game.id], "view": looked["view"], "last": looked["last"]})
    node = shutil.which("node")
    assert node, "node is needed"
    done = subprocess.run([node, HERE / "page_board.mjs", assets], input=json.dumps(asked_for), capture_output=True, text=True, check=True)
    for position, page in zip(positions, json.loads(done.stdout), strict=True):
        # Without definitions, style, targets and what is shown of an analysis.
        drawn = [part for part in page["children"] if part["tag"] == "g" and part["attributes"].get("class") not in ("heat", "targets")]
        picture = [part for part in ElementTree.fromstring(position.svg()) if part.tag.endswith("}g")]
        assert [list(of_page(part)) for part in drawn] == [list(of_picture(part)) for part in picture], repr(position)
        width, height = page["attributes"]["viewBox"].split()[2:]
        assert ElementTree.fromstring(position.svg()).attrib["viewBox"].split()[2:] == [width, height]
