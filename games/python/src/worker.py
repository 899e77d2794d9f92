"""Tells a program the rules of a game that is written in Python.

Standard input brings this source, then the source of the game and requests in frames that begin with their length; standard
output takes the answers in such frames. The program's side is line.rs, which says what they hold. A game that prints,
prints to standard error.
"""

import array
import copy
import hashlib
import inspect
import json
import linecache
import marshal
import operator
import os
import signal
import struct
import sys
import time
import types

RESULTS = {None: 0, 0: 1, 1: 2, "draw": 3}
OWNERS = {0: 0, 1: 1, None: 2}
RECORD = struct.Struct("<HHII")
PLAY, STEP, AGAIN, BOARD = range(4)
LENGTH = struct.Struct("<I")
STATUS = struct.Struct("<IBQ")
HEAD = struct.Struct("<IBBHi16s")
NEEDED = ("side_to_move", "outcome", "legal_actions", "play")
MOST_ACTIONS = 65_535


class Fault(Exception):
    """What is wrong with the game, as a sentence without its end."""


class Hang(BaseException):
    """A member takes too long. No exception of the game's: it must not be caught there."""


def shown(value):
    """The value as a person reads it, not too long."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def expect(holds, member, value, expected):
    if not holds:
        raise Fault(f"`{member}` is {shown(value)}: expected {expected}")


def holds(test):
    """What the test says; no, where a value is not even of a kind that can be asked."""
    try:
        return test()
    except Exception:
        return False


def is_int(value, least, most):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


class Game:
    """The class in the file, with what it says of itself."""

    def __init__(self, source, path):
        self.path = path
        linecache.cache[path] = (len(source), None, source.splitlines(True), path)
        module = types.ModuleType("game")
        module.__file__ = path
        sys.modules["game"] = module
        sys.path[0] = os.path.dirname(os.path.abspath(path))
        exec(compile(source, path, "exec"), module.__dict__)
        self.cls = self.find_class(module)
        self.facts = self.ask_facts()
        self.has_planes = "planes" in self.facts
        self.cells = self.facts["rows"] * self.facts["columns"]
        self.has_grid = hasattr(self.cls, "cells")
        self.has_heuristic = hasattr(self.cls, "heuristic")
        self.copy = getattr(self.cls, "copy", None) or copy.deepcopy
        self.initial = self.cls()
        self.names = self.attribute_names(self.initial)
        self.own_key = getattr(self.cls, "key", None)
        # Bytes of an answer without its actions and its length.
        planes = len(self.facts["planes"]) if self.has_planes else 0
        self.size = HEAD.size - LENGTH.size + self.cells * (self.has_grid + 4 * planes)
        self.state = operator.attrgetter(*self.names) if self.names else lambda state: ()

    def find_class(self, module):
        own = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == "game"]
        whole = [c for c in own if all(callable(getattr(c, member, None)) for member in NEEDED)]
        # A class that another one is made of is not the game.
        games = [c for c in dict.fromkeys(whole) if not any(issubclass(other, c) and other is not c for other in whole)]
        if len(games) == 1:
            return games[0]
        if games:
            raise Fault(f"the classes {', '.join(c.__name__ for c in games)} are all games: expected one in a file")
        if not own:
            raise Fault(f"there is no class: expected one with the methods {', '.join(NEEDED)}")
        nearest = max(own, key=lambda c: sum(hasattr(c, member) for member in NEEDED))
        missing = [member for member in NEEDED if not callable(getattr(nearest, member, None))]
        methods = " and no ".join(f"`{m}`" for m in missing)
        lacking = [f"`{m}`" for m in ("id", "action_count", "grid") if not hasattr(nearest, m)]
        lacking += [] if hasattr(nearest, "cells") or hasattr(nearest, "observation") else ["`cells`"]
        also = f"; it also lacks {', '.join(lacking)}" if lacking else ""
        raise Fault(f"the class {nearest.__name__} has no method {methods}{also}")

    def ask_facts(self):
        cls = self.cls
        name = getattr(cls, "id", None)
        letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
        is_plain = isinstance(name, str) and 0 < len(name) <= 60 and all(c in letters for c in name)
        expect(is_plain and name[0].isalpha(), "id", name, "a name of lower-case letters, digits and -, such as \"my-game\"")
        sides = getattr(cls, "side_names", ("First", "Second"))
        fine = isinstance(sides, (tuple, list)) and len(sides) == 2 and all(isinstance(s, str) and s for s in sides)
        expect(fine, "side_names", sides, "two names")
        count = getattr(cls, "action_count", None)
        expect(is_int(count, 1, MOST_ACTIONS), "action_count", count, f"a whole number from 1 to {MOST_ACTIONS:,}")
        most = getattr(cls, "max_plies", None)
        expect(most is None or is_int(most, 1, 1_000_000), "max_plies", most, "a whole number above 0, or None")
        grid = getattr(cls, "grid", None)
        fine = isinstance(grid, (tuple, list)) and len(grid) == 2 and all(is_int(n, 1, 64) for n in grid)
        expect(fine, "grid", grid, "(rows, columns), each from 1 to 64")
        rows, columns = grid
        facts = dict(id=name, title=str(getattr(cls, "title", name)), side_names=list(sides), action_count=count)
        facts.update(max_plies=most, rows=rows, columns=columns, readme=inspect.cleandoc(cls.__doc__ or ""))
        facts["version"] = getattr(cls, "encoding_version", 1)
        expect(is_int(facts["version"], 0, 2**32 - 1), "encoding_version", facts["version"], "a whole number")
        if hasattr(cls, "observation"):
            names = getattr(cls, "plane_names", None)
            fine = isinstance(names, (tuple, list)) and names and all(isinstance(n, str) for n in names)
            expect(fine, "plane_names", names, "a phrase for each plane of `observation`")
            facts["planes"] = list(names)
        elif not hasattr(cls, "cells"):
            raise Fault("there is neither `cells` nor `observation`: a network would see nothing")
        facts["is_grid"] = hasattr(cls, "cells")
        is_dense = not getattr(cls, "actions_are_cells", count % (rows * columns) == 0)
        expect(is_dense or count % (rows * columns) == 0, "actions_are_cells", True, f"a multiple of {rows * columns} actions")
        facts["policy_planes"] = 0 if is_dense else count // (rows * columns)
        facts["names"] = self.action_names(count, rows, columns)
        facts["clicks"] = self.action_cells(count, rows * columns)
        facts["falls"] = bool(getattr(cls, "discs_fall", False))
        for member, is_meant in (("action_cells", facts["clicks"] is not None), ("discs_fall", facts["falls"])):
            if is_meant and not facts["is_grid"]:
                raise Fault(f"there is `{member}` and no `cells`: one points at what is on the board")
        expect(not facts["falls"] or count == columns, "discs_fall", True, "an action for each column")
        facts["images"] = self.action_images(count, rows, columns)
        facts["has_board"] = hasattr(cls, "board") and callable(cls.board)
        return facts

    def action_names(self, count, rows, columns):
        name = getattr(self.cls, "action_name", None)
        if name is None and count == rows * columns:
            letters = ["".join(column_letters(column)) for column in range(columns)]
            return [f"{letters[cell % columns]}{cell // columns + 1}" for cell in range(count)]
        names = [str(action + 1) if name is None else name(action) for action in range(count)]
        for action, text in enumerate(names):
            fine = isinstance(text, str) and text and not any(c.isspace() for c in text) and text.isprintable()
            expect(fine, f"action_name({action})", text, "a word")
        if len(set(names)) < count:
            twice = next(text for text in names if names.count(text) > 1)
            raise Fault(f"`action_name` calls two actions {shown(twice)}")
        return names

    def action_cells(self, count, cells):
        where = getattr(self.cls, "action_cells", None)
        if where is None:
            return None
        clicks = [list(where(action)) for action in range(count)]
        for action, places in enumerate(clicks):
            fine = places and all(is_int(place, 0, cells - 1) for place in places)
            expect(fine, f"action_cells({action})", places, f"cells from 0 to {cells - 1}, in the order in which they are pointed at")
        return clicks

    def action_images(self, count, rows, columns):
        """For each symmetry that the game has, its number and the actions that the actions become."""
        named = getattr(self.cls, "symmetries", None)
        groups = {None: (0,), "left-right": (0, 1), "rectangle": (0, 1, 2, 3), "square": tuple(range(8))}
        expect(named is None or isinstance(named, str) and named in groups, "symmetries", named, "None or one of " + ", ".join(map(repr, list(groups)[1:])))
        expect(named != "square" or rows == columns, "symmetries", named, "a board as wide as high")
        own = getattr(self.cls, "transform_action", None)
        images = []
        for symmetry in groups[named]:
            if symmetry == 0:
                image = list(range(count))
            elif own is not None:
                def move(row, column):
                    return moved(symmetry, row, column, rows, columns)

                image = [own(action, move) for action in range(count)]
                fine = sorted(image) == list(range(count)) if all(is_int(a, 0, count) for a in image) else False
                expect(fine, "transform_action", image, "each action once, for each symmetry")
            elif count == columns and symmetry == 1:
                image = [columns - 1 - action for action in range(count)]
            elif count == rows * columns:
                places = [moved(symmetry, *divmod(cell, columns), rows, columns) for cell in range(count)]
                image = [row * columns + column for row, column in places]
            else:
                raise Fault(f"`symmetries` is {shown(named)}, and there is no `transform_action` to say what becomes of an action")
            images.append([symmetry, image])
        return images

    def attribute_names(self, state):
        if hasattr(state, "__dict__"):
            return sorted(vars(state))
        slots = [getattr(c, "__slots__", ()) for c in type(state).__mro__]
        names = {name for named in slots for name in ((named,) if isinstance(named, str) else named)}
        return sorted(names - {"__dict__", "__weakref__"})

    def answer(self, state):
        """The position as the program reads it."""
        try:
            legal = array.array("H", state.legal_actions())
            if self.own_key is None:
                key = self.state(state)
                if hasattr(state, "__dict__") and len(vars(state)) != len(self.names):
                    raise Fault
            else:
                key = state.key()
            parts = [
                HEAD.pack(
                    self.size + 2 * len(legal),
                    RESULTS[state.outcome()],
                    state.side_to_move(),
                    len(legal),
                    state.heuristic() if self.has_heuristic else 0,
                    hashlib.blake2b(marshal.dumps(key, 0), digest_size=16).digest(),
                ),
                legal.tobytes(),
            ]
            if self.has_grid:
                cells = bytes(map(OWNERS.__getitem__, state.cells()))
                if len(cells) != self.cells:
                    raise Fault
                parts.append(cells)
            if self.has_planes:
                planes = flat(state.observation())
                if len(planes) != len(self.facts["planes"]) * self.cells:
                    raise Fault
                parts.append(planes.tobytes())
            return b"".join(parts)
        except Hang:
            raise
        except BaseException as error:
            raised = self.raised(error)
            raise Fault(raised or self.nonsense(state)) from None

    def raised(self, error):
        """The sentence about an exception from the game's file; None if it did not come from there."""
        frames = []
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.path:
                frames.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
            trace = trace.tb_next
        if not frames:
            return None
        # Its first frame is the member that was asked, its last one the line at fault.
        said = f": {error}" if str(error) else ""
        return f"`{frames[0][0]}` raised {type(error).__name__}{said} (line {frames[-1][1]})"

    def nonsense(self, state):
        """Which member returned what the program cannot read."""
        outcome = state.outcome()
        if not (outcome is None or isinstance(outcome, (int, str))) or outcome not in RESULTS:
            return f"`outcome` returned {shown(outcome)}: expected None, 0, 1 or \"draw\""
        side = state.side_to_move()
        if not (isinstance(side, int) and side in (0, 1)):
            return f"`side_to_move` returned {shown(side)}: expected 0 or 1"
        legal = state.legal_actions()
        count = self.facts["action_count"]
        if not holds(lambda: all(0 <= operator.index(action) < count for action in legal)):
            return f"`legal_actions` returned {shown(legal)}: expected numbers from 0 to {count - 1}"
        if self.has_grid:
            cells = state.cells()
            if not holds(lambda: len(cells) == self.cells and all(owner in OWNERS for owner in cells)):
                return f"`cells` returned {shown(cells)}: expected {self.cells} times None, 0 or 1"
        if self.has_planes:
            planes = state.observation()
            if not holds(lambda: len(flat(planes)) == len(self.facts["planes"]) * self.cells):
                return f"`observation` returned {shown(planes)}: expected {len(self.facts['planes'])} x {self.cells} numbers"
        if self.has_heuristic:
            heuristic = state.heuristic()
            if not is_int(heuristic, -(2**31), 2**31 - 1):
                return f"`heuristic` returned {shown(heuristic)}: expected a whole number from -9999 to 9999"
        if self.own_key is None:
            there = set(self.attribute_names(state))
            if there != set(self.names):
                strange = ", ".join(f"`{name}`" for name in sorted(there ^ set(self.names)))
                return f"not every position has the attributes that `__init__` gives it: {strange}"
            for name in self.names:
                try:
                    marshal.dumps(getattr(state, name), 0)
                except ValueError:
                    kind = type(getattr(state, name)).__name__
                    return f"the attribute `{name}` is a {kind}: expected numbers, text, lists and the like, or a method `key`"
        else:
            return f"`key` returned {shown(state.key())}: expected numbers, text, tuples and the like"
        return "the game answers differently when it is asked again"

    def board(self, state):
        """The position drawn, with the length of that."""
        text = state.board()
        if not isinstance(text, str):
            raise Fault(f"`board` returned {shown(text)}: expected text")
        drawn = (text if text.endswith("\n") else text + "\n").encode()
        return LENGTH.pack(len(drawn)) + drawn


def flat(numbers):
    """Numbers of a list, of lists in it, or of an array, as 32-bit floats."""
    if hasattr(numbers, "astype"):
        return array.array("f", numbers.astype("float32").tobytes())
    if numbers and isinstance(numbers[0], (list, tuple)):
        return flat([number for part in numbers for number in part])
    return array.array("f", numbers)


def column_letters(column):
    if column >= 26:
        yield from column_letters(column // 26 - 1)
    yield chr(ord("a") + column % 26)


def moved(symmetry, row, column, rows, columns):
    """Where a symmetry takes a cell: transposed by bit 2 first, then rows flipped by bit 1, then columns by bit 0."""
    if symmetry & 4:
        row, column = column, row
    return (rows - 1 - row if symmetry & 2 else row, columns - 1 - column if symmetry & 1 else column)


def serve(take, give, limit):
    """Answers until the program is gone."""

    def overslept(_signal, _frame):
        raise Hang

    def timed(on):
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, limit if on else 0)

    def tell(status, payload):
        spent = int(time.process_time() * 1e6)
        give.write(STATUS.pack(STATUS.size - LENGTH.size + len(payload), status, spent) + payload)
        give.flush()

    def fail(error, game, number):
        raised = game.raised(error) if game else None
        if isinstance(error, Hang):
            member, line = (raised.split(" ")[0], raised[raised.rindex(" (") :]) if raised else ("`__init__`", "")
            what = f"{member} did not return within {limit:g} seconds{line}"
        elif isinstance(error, Fault):
            what = str(error)
        elif isinstance(error, SyntaxError):
            what = f"{error.msg} (line {error.lineno})"
        else:
            what = raised or f"{type(error).__name__}: {error}"
        timed(False)
        tell(1, json.dumps(dict(what=what, record=number)).encode())

    def frame():
        head = take.read(4)
        return take.read(LENGTH.unpack(head)[0]) if len(head) == 4 else None

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, overslept)
    told = json.loads(frame())
    game = None
    try:
        timed(True)
        game = Game.__new__(Game)
        game.__init__(told["source"], told["path"])
        tell(0, json.dumps(game.facts).encode())
        timed(False)
    except BaseException as error:
        return fail(error, game if hasattr(game, "path") else None, 0)
    nodes = [game.initial]
    duplicate, answer = game.copy, game.answer
    while (records := frame()) is not None:
        parts = []
        number = 0
        try:
            timed(True)
            for op, action, parent, child in RECORD.iter_unpack(records):
                if op == PLAY or op == STEP:
                    state = nodes[parent]
                    if parent != child:
                        state = duplicate(state)
                    state.play(action)
                    if child < len(nodes):
                        nodes[child] = state
                    else:
                        nodes.extend([None] * (child - len(nodes)) + [state])
                    if op == PLAY:
                        parts.append(answer(state))
                elif op == AGAIN:
                    parts.append(answer(nodes[child]))
                else:
                    parts.append(game.board(nodes[child]))
                number += 1
            timed(False)
        except BaseException as error:
            return fail(error, game, number)
        tell(0, b"".join(parts))


def main():
    take = os.fdopen(os.dup(0), "rb")
    give = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.close(0)
    os.open(os.devnull, os.O_RDONLY)
    try:
        serve(take, give, float(sys.argv[1]))
    except BrokenPipeError:
        # The program has ended.
        os._exit(0)


main()
