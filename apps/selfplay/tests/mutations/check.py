"""Changes files at random and has every command read them that does: each change is noticed and named, or changes nothing.

    check.py PROGRAM [--count N] [--from-seed N] [--only KIND]

Of each kind of file N changes are tried: bits and bytes changed, pieces cut out, doubled or zeroed, the end cut off. (Of a games file,
which is text for people and ends where a kill cut it, single characters of its games.) A command that
reads the file then either ends with an error that does not come from a panic, within its time and memory, or prints what it prints
of the whole file. A failure prints the kind and the seed that replay it.
"""

import argparse
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PARSER = argparse.ArgumentParser()
PARSER.add_argument("program")
PARSER.add_argument("--count", type=int, default=20)
PARSER.add_argument("--from-seed", type=int, default=0)
PARSER.add_argument("--only")
OPTIONS = PARSER.parse_args()
PROGRAM = str(Path(OPTIONS.program).resolve())
MEMORY = 4 << 30
SECONDS = 60
CONFIG = (Path(__file__).resolve().parent / "tiny.toml").read_text()


def call(folder, arguments, program=PROGRAM):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, timeout=SECONDS, preexec_fn=limit)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def change(data, choose, first, is_text):
    """`data` with one change from its byte `first` on, and where it begins; of a text of lines only characters."""
    data = bytearray(data)
    at = choose.randrange(first, max(1, len(data) - is_text))
    length = min(len(data) - at, choose.choice([1, 2, 8, 64, 1024]))
    kind = choose.randrange(3 if is_text else 7)
    if kind <= 1 and data:
        data[at] ^= 1 << choose.randrange(8)
    elif kind == 2 and data:
        data[at] = choose.randrange(256)
    elif kind == 3:
        del data[at:]
    elif kind == 4:
        del data[at : at + length]
    elif kind == 5:
        data[at:at] = data[at : at + length]
    else:
        data[at : at + length] = bytes(length)
    return bytes(data), at


def code_of(agent):
    """How many of the agent's bytes are the program, which its header tells: the table of its sections ends it."""
    [sections] = struct.unpack_from("<Q", agent, 40)
    size, count = struct.unpack_from("<HH", agent, 58)
    return sections + size * count


def lasting(said):
    """Output without what differs from call to call."""
    return b"\n".join(line for line in said.splitlines() if b" s" not in line and b"/s" not in line)


SPEC = "policy:checkpoint=RUN/networks/gen-00001,precision=f32"
ANALYSE = ["analyse", "--json", "--threads", "1", "tictactoe", SPEC]
CHECK = ["doctor", "--check", "RUN"]
ON = ["train", "tiny.toml", "--run", "RUN", "--checkpoints", ".", "--threads", "1", "--set", "generations=2"]
# Kind, file, the commands that read it, each with what of its folder counts beside what it prints.
KINDS = [
    ("weights", "RUN/networks/gen-00001/weights.safetensors", [ANALYSE, CHECK]),
    ("manifest", "RUN/networks/gen-00001/manifest.toml", [ANALYSE, CHECK]),
    ("training", "RUN/networks/gen-00001/training.safetensors", [CHECK, ON]),
    ("optimizer", "RUN/networks/gen-00001/optimizer.safetensors", [CHECK, ON]),
    ("shard", "RUN/games/gen-00001.shard", [["doctor", "RUN"], CHECK, ON]),
    ("selfplay report", "RUN/phases/gen-00001.selfplay.json", [["doctor", "RUN"], CHECK, ON]),
    ("gate report", "RUN/phases/gen-00001.gate.json", [["doctor", "RUN"], CHECK, ON]),
    ("games file", "games.jsonl", [["elo", "games.jsonl"]]),
    ("solved file", "solved.jsonl", [["accuracy", "tictactoe", "greedy", "--after", "1..6", "--positions", "20", "--solved-file", "solved.jsonl"]]),
    ("table", "whole.table", [["solve", "tictactoe", "--table", "whole.table"], ["tablebase", "inspect", "tictactoe", "whole.table"]]),
    ("agent", "agent", [["info"]]),
]


def products(folder, without):
    """What training leaves, where it went on, without the file that was changed."""
    paths = sorted((folder / "RUN").glob("games/*")) + sorted((folder / "RUN").glob("networks/*/*"))
    names = {str(path.relative_to(folder)): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if name != without}


def attempt(work, kind, seed, expected):
    name, file, commands = kind
    choose = random.Random(f"{name} {seed}")
    whole = (work / "base" / file).read_bytes()
    code = code_of(whole) if name == "agent" else 0
    if name == "games file":
        # The first line names what nothing else tells.
        first = whole.index(b"\n") + 1
    else:
        # Of an agent nearly all is the program: every other change is in what that carries.
        first = code * (seed % 2)
    changed, at = change(whole, choose, first, name == "games file")
    if changed == whole:
        return None
    # A program that is changed itself may be stopped by the system, do nothing or wait for ever, before it can say so.
    is_code = at < code
    for arguments, (status, said, left) in zip(commands, expected):
        folder = Path(tempfile.mkdtemp(dir=work)) / "base"
        shutil.copytree(work / "base", folder, copy_function=os.link if name != "agent" else shutil.copy)
        (folder / file).unlink()
        (folder / file).write_bytes(changed)
        if name == "agent":
            (folder / file).chmod(0o755)
        wrong = None
        try:
            found, printed, error = call(folder, arguments, str(folder / "agent") if name == "agent" else PROGRAM)
            is_silent = is_code and not printed
            if (found < 0 and not is_code) or "panicked" in error or "memory allocation" in error:
                wrong = f"status {found}: {error[-500:]}"
            elif found == 0 and lasting(printed) != said and not is_silent:
                wrong = f"it says otherwise and nothing of the damage: {printed[:300]} for {said[:300]}"
            elif found == 0 and arguments is ON and products(folder, file) != left:
                wrong = "it went on to other games or networks and said nothing"
            elif found > 0 and not error.strip():
                wrong = f"status {found} without a word"
        except subprocess.TimeoutExpired as late:
            wrong = None if is_code and not late.stdout else f"it takes longer than {SECONDS} s"
        except OSError as error:
            # The system itself starts no such program.
            wrong = None if is_code else str(error)
        shutil.rmtree(folder.parent)
        if wrong:
            return f"{name}, seed {seed}: {' '.join(arguments)}: {wrong}"
    return None


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count()) as workers:
        work = Path(work)
        base = work / "base"
        base.mkdir()
        (base / "tiny.toml").write_text(CONFIG)
        for arguments in [
            ["train", "tiny.toml", "--run", "RUN", "--checkpoints", ".", "--threads", "1"],
            ["match", "tictactoe", "alphabeta:depth=2", "greedy", "--games", "8", "--games-file", "games.jsonl", "--threads", "1"],
            KINDS[8][2][0],
            ["tablebase", "build", "tictactoe", "--out", "whole.table"],
            ["export", "tictactoe", "RUN/networks/gen-00001", "--out", "agent"],
        ]:
            status, _, error = call(base, arguments)
            assert status == 0, f"{arguments}: {error}"
        for kind in KINDS:
            name, file, commands = kind
            if OPTIONS.only not in (None, name):
                continue
            expected = []
            for arguments in commands:
                folder = Path(tempfile.mkdtemp(dir=work)) / "base"
                shutil.copytree(base, folder)
                status, said, error = call(folder, arguments, str(folder / "agent") if name == "agent" else PROGRAM)
                assert status == 0, f"{arguments}: {error}"
                expected.append((status, lasting(said), products(folder, file)))
                shutil.rmtree(folder.parent)
            seeds = range(OPTIONS.from_seed, OPTIONS.from_seed + OPTIONS.count)
            found = [wrong for wrong in workers.map(lambda seed: attempt(work, kind, seed, expected), seeds) if wrong]
            failures += len(found)
            print(f"{'FAIL' if found else 'ok  '} {name}: {OPTIONS.count} changes, {len(found)} of them neither noticed nor harmless", flush=True)
            for wrong in found[:4]:
                print(f"     {wrong[:900]}")
    sys.exit(bool(failures))


main()
