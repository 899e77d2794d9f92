"""Crashes at every operation on files, in turn: killed with the power on, and with the power lost; then the same command again.

    check.py PROGRAM [--every N] [--slow-every N] [--seeds N] [--from-seed N] [--faults N] [--only NAME]

Each scenario is run once unbroken while its operations are recorded. Then, for every N-th operation, its folder is laid out as a
crash before that operation leaves it (disk.py), the same command is run there, and what comes of it is compared with the unbroken
run. `--seeds` says how often the power is lost at each. `--faults N` has every N-th write, sync and rename fail instead, as on a
full or a dying disk. A failure prints what replays it.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from disk import Disk, record

PARSER = argparse.ArgumentParser()
PARSER.add_argument("program")
PARSER.add_argument("--every", type=int, default=1)
PARSER.add_argument("--slow-every", type=int)
PARSER.add_argument("--seeds", type=int, default=1)
PARSER.add_argument("--from-seed", type=int, default=0)
PARSER.add_argument("--faults", type=int, default=0)
PARSER.add_argument("--only")
OPTIONS = PARSER.parse_args()
PROGRAM = str(Path(OPTIONS.program).resolve())
# What a report tells of the call that made it, and of nothing else.
OF_THE_CALL = {"time", "cores", "simulations_per_second", "cache_hit_share", "checksum", "seconds", "cpu_seconds", "wall_seconds"}
CONFIG = """
game = "tictactoe"
seed = 11
generations = 2
[network]
channels = 4
blocks = 1
policy_channels = 2
value_channels = 2
value_hidden = 4
[selfplay]
games_per_generation = 12
num_simulations = 8
[learner]
batch_size = 16
[gate]
pairs = 2
eval_pairs = 2
num_simulations = 4
eval_opponents = ["random", "alphabeta:depth=1"]
[replay]
window_start_positions = 20
capacity_positions = 60
validation_every = 0
[retention]
keep_last = 1
keep_networks_every = 0
"""


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def lasting(value):
    if isinstance(value, dict):
        return {key: lasting(entry) for key, entry in value.items() if key not in OF_THE_CALL}
    return [lasting(entry) for entry in value] if isinstance(value, list) else value


def of_runs(folder):
    """Games, networks, reports and champions of all runs below."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if not path.is_file() or path.suffix == ".tmp" or not {"games", "networks", "phases"} & set(name.parts) and path.name != "champion.toml":
            continue
        found[str(name)] = json.dumps(lasting(json.loads(path.read_text()))) if path.suffix == ".json" else digest(path)
    return found


def of_sound_runs(folder):
    """That there are runs and all of them are whole: what takes as long as it may differs from call to call."""
    runs = [path.parent for path in folder.rglob("config.toml") if (path.parent / "phases").is_dir()]
    return {"sound": bool(runs) and all(call(folder, ["doctor", "--check", str(run)])[0] == 0 for run in runs)}


def of_files(*names):
    return lambda folder: {name: digest(folder / name) for name in names}


TRAIN = ["train", "../tiny.toml", "--run", "a", "--checkpoints", ".", "--threads", "1"]
ABLATE = ["ablate", "../tiny.toml", "--factor", "selfplay.num_simulations=4,8", "--hours", "0.0001", "--seeds", "1", "--pairs", "2", "--threads", "1"]
PLAYERS = ["tictactoe", "alphabeta:depth=2", "uct:simulations=20"]
AGENT = ["tictactoe", "alphabeta:depth=3", "--out", "agent", "--force"]
# Those that take seconds for each crash: `--slow-every` may skip more of theirs.
SLOW = {"ablate", "train for a time"}
# Name, what has been there before, the command in its folder, and what counts of it.
SCENARIOS = [
    ("train", [], TRAIN, of_runs),
    ("train on", [TRAIN], [*TRAIN, "--set", "generations=5"], of_runs),
    ("ablate", [], ABLATE, of_sound_runs),
    ("train for a time", [], ["train", "tictactoe", "--hours", "0.001", "--checkpoints", ".", "--threads", "1"], of_sound_runs),
    ("match", [], ["match", *PLAYERS, "--games", "6", "--games-file", "games.jsonl", "--threads", "1"], of_files("games.jsonl")),
    ("export", [], ["export", *AGENT], of_files("agent")),
    ("export again", [["export", "tictactoe", "random", "--out", "agent"]], ["export", *AGENT], of_files("agent")),
]


def call(folder, arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout[-2000:] + done.stderr[-2000:]


def compare(folder, arguments, result_of, expected):
    """What is wrong when the command is run in `folder` again; nothing if all is well."""
    status, said = call(folder, arguments)
    if status != 0 or "panicked" in said:
        return f"it ends with status {status}: {said[-800:]}"
    found = result_of(folder)
    if found != expected:
        other = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        return f"other than in the unbroken run: {', '.join(other)[:400]}"
    return None


def crash(work, scenario, operations, at, seed, expected):
    """Lays out what a crash before operation `at` leaves, and goes on; `seed` loses the power. True, and what is wrong."""
    name, before, arguments, result_of = scenario
    disk = Disk()
    for operation in operations[:at]:
        disk.apply(operation)
    folder = Path(tempfile.mkdtemp(dir=work)) / "state"
    shutil.copy(work / "tiny.toml", folder.parent)
    disk.killed(folder) if seed is None else disk.without_power(folder, seed * 1_000_003 + at)
    wrong = compare(folder, arguments, result_of, expected)
    shutil.rmtree(folder.parent)
    return True, wrong and f"{name}: crash before operation {at} {operations[at][:2]}, {'killed' if seed is None else f'power lost, seed {seed}'}: {wrong}"


def fault(work, scenario, call_name, number, error, expected):
    """Has a call of the system fail once, and then goes on; whether it came to that call, and what is wrong."""
    name, before, arguments, result_of = scenario
    folder = Path(tempfile.mkdtemp(dir=work)) / "state"
    folder.mkdir()
    shutil.copy(work / "tiny.toml", folder.parent)
    for earlier in before:
        call(folder, earlier)
    trace = folder.parent / "trace"
    inject = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={call_name}", "-e", f"inject={call_name}:error={error}:when={number}"]
    first = subprocess.run([*inject, PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    wrong = "it panicked: " + first.stderr[-600:] if "panicked" in first.stderr or first.returncode < 0 else None
    wrong = wrong or compare(folder, arguments, result_of, expected)
    struck = "(INJECTED)" in trace.read_text(errors="replace")
    shutil.rmtree(folder.parent)
    return struck, wrong and f"{name}: {call_name} number {number} fails with {error}: {wrong}"


def main():
    failures, count = [], 0
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count()) as workers:
        work = Path(work)
        (work / "tiny.toml").write_text(CONFIG)
        for scenario in SCENARIOS:
            name, before, arguments, result_of = scenario
            if OPTIONS.only not in (None, name):
                continue
            folder = work / name.replace(" ", "-")
            folder.mkdir()
            operations = []
            for step in [*before, arguments]:
                first = len(operations)
                operations += record([PROGRAM, *step], folder, folder)
            expected = result_of(folder)
            assert expected and len(operations) > first, f"{name}: there is nothing to compare"
            jobs = []
            if OPTIONS.faults:
                for call_name, error in [("write", "ENOSPC"), ("fsync", "EIO"), ("rename", "EIO"), ("openat", "EACCES"), ("ftruncate", "EIO")]:
                    jobs += [
                        workers.submit(fault, work, scenario, call_name, number, error, expected)
                        for number in range(1 + OPTIONS.from_seed, 400, OPTIONS.faults)
                    ]
            else:
                every = OPTIONS.slow_every if name in SLOW and OPTIONS.slow_every else OPTIONS.every
                for at in range(first, len(operations), every):
                    seeds = range(OPTIONS.from_seed, OPTIONS.from_seed + OPTIONS.seeds)
                    jobs += [workers.submit(crash, work, scenario, operations, at, seed, expected) for seed in [None, *seeds]]
            # A command that makes fewer calls than that is not disturbed, and counts for nothing.
            struck = [wrong for happened, wrong in (job.result() for job in jobs) if happened or wrong]
            assert struck, f"{name}: nothing came to pass"
            found = [wrong for wrong in struck if wrong]
            count += len(struck)
            failures += found
            print(f"{'FAIL' if found else 'ok  '} {name}: {len(operations) - first} operations, {len(struck)} crashes", flush=True)
            for wrong in found[:5]:
                print(f"     {wrong}")
    print(f"{count} crashes, {len(failures)} of them not survived")
    sys.exit(bool(failures))


main()
