"""Holds a device against the CPU; see run.sh."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

program, device, root = sys.argv[1], sys.argv[2], Path(sys.argv[3])
POSITIONS = 6
# Probabilities may differ by so much. Tensor cores multiply numbers of 10 bits (TF32) where others multiply 23.
TOLERANCE = 1e-3 if device == "cuda" else 1e-4


def run(*arguments, **options):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True, **options).stdout


def answer(on, game, agent, moves):
    """What the network alone says: win, draw and loss, and the prior of each move."""
    spec = f"policy:checkpoint={agent},precision=f32"
    told = json.loads(run("analyse", "--json", "--device", on, game, spec, *moves))
    return told["wdl"], {move["move"]: move["prior"] for move in told["moves"]}


def forward():
    """The largest difference of a probability over positions of every released agent."""
    worst = 0.0
    for folder in sorted((root / "checkpoints" / "released").iterdir()):
        game = folder.name
        for number, line in enumerate(run("random-games", game, POSITIONS).splitlines()):
            moves = line.split("=")[0].split()
            moves = moves[: min(3 * number, len(moves) - 1)]
            (here, priors), (there, others) = (answer(on, game, folder, moves) for on in ("cpu", device))
            assert priors.keys() == others.keys(), f"{game}: other moves"
            differences = [abs(here[key] - there[key]) for key in here] + [abs(priors[m] - others[m]) for m in priors]
            worst = max(worst, *differences)
            assert max(differences) < TOLERANCE, f"{game} after {' '.join(moves)}: off by {max(differences):.1e}"
        print(f"ok   {game}: the same answers", flush=True)
    print(f"     the largest difference of a probability: {worst:.1e}")


def training(folder):
    """A run that is killed in the middle and goes on."""
    config = root / "configs" / "connect4" / "smoke.toml"
    command = ["train", config, "--checkpoints", folder, "--device", device, "--set", "generations=2"]
    first = subprocess.Popen([program, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    report = folder / "connect4-smoke" / "phases" / "gen-00001.selfplay.json"
    end = time.monotonic() + 900
    while not report.exists() and first.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
    first.kill()
    _, said = first.communicate()
    assert report.exists(), f"no self-play within a quarter of an hour: {said.decode()[-400:]}"
    began = time.monotonic()
    events = [json.loads(line) for line in run(*command, "--events", "json").splitlines()]
    assert any(event["event"] == "gate_finished" and event["generation"] == 2 for event in events), events
    assert events[-1]["event"] == "finished" and events[-1]["champion"], events
    played = json.loads(report.read_text())
    rate = played["summary"]["positions"] / played["time"]["wall_seconds"]
    print(f"ok   training: {rate:.1f} positions/s of self-play; killed after it, and ended in {time.monotonic() - began:.0f} s more")


forward()
folder = Path(tempfile.mkdtemp())
try:
    training(folder)
finally:
    shutil.rmtree(folder)
