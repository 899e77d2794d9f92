"""Positions, simulations and evaluations of self-play in Connect Four: this program and OpenSpiel's trainers, in turn.

    python measure.py PROGRAM --alpha-zero FILE [--rounds N] [--seconds N]

All play with fresh weights of 6 blocks of 64 channels, 64 simulations for every move, on all cores. OpenSpiel's AlphaZero in Python has
an actor a core, as its trainer does; that in C++ (FILE, compiled from OpenSpiel's sources with libtorch) has 32 actors, which two threads
evaluate in batches of 16: of eight settings this evaluated the most. "Like for like" is this program in 32-bit floats, as OpenSpiel
computes, and without `mcts_solver` and `tactics`, which OpenSpiel's self-play does not have. "Defaults" is with both, and in 8-bit integers where
the CPU multiplies those faster. "From the cache" is the share of the leaves that were not evaluated anew, without those whose game is over;
the trainer in C++ does not count these, so there it is the share of all simulations. Medians of the rounds; each round takes all in turn.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PARSER = argparse.ArgumentParser()
PARSER.add_argument("program")
PARSER.add_argument("--alpha-zero", required=True)
PARSER.add_argument("--rounds", type=int, default=3)
PARSER.add_argument("--seconds", type=float, default=60)
PARSER.add_argument("--games", type=int, default=2048, help="of this program, for each measurement")
OPTIONS = PARSER.parse_args()

BLOCKS, CHANNELS, SIMULATIONS = 6, 64, 64
ACTOR = pathlib.Path(__file__).with_name("openspiel_actor.py")

CONFIG = f"""
game = "connect4"
seed = SEED
generations = 1
precision = "PRECISION"
[network]
blocks = {BLOCKS}
channels = {CHANNELS}
[selfplay]
games_per_generation = {OPTIONS.games}
num_simulations = {SIMULATIONS}
[selfplay.search]
mcts_solver = SOLVER
tactics = SOLVER
[replay]
replay_ratio = 0.001
[gate]
pairs = 2
eval_opponents = ["random"]
eval_pairs = 2
"""


def ours(solver, precision, round):
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "trainer.toml")
        text = CONFIG.replace("SEED", str(round + 1)).replace("SOLVER", solver).replace("PRECISION", precision)
        config.write_text(text)
        # What follows the games is short, and not counted.
        command = [OPTIONS.program, "train", config, "--checkpoints", folder]
        subprocess.run(command, check=True, capture_output=True)
        [report] = pathlib.Path(folder).glob("*/phases/*00001.selfplay.json")
        report = json.loads(report.read_text())
    summary, seconds = report["summary"], report["time"]["wall_seconds"]
    # Simulations that end at games that are over ask for nothing; without a count of them this is the most that there can be.
    hits = report["cache_hit_share"]
    return {"positions": summary["plies"] / seconds, "simulations": summary["simulations"] / seconds,
            "evaluations": summary["simulations"] * (1 - hits) / seconds, "hits": hits}


def alpha_zero():
    """OpenSpiel's trainer in C++. Its first step also counts the time until the first games end, its second is what it keeps up."""
    # Some 100 positions a second; the network learns nothing, since a batch is never full.
    positions = max(500, round(100 * OPTIONS.seconds))
    options = {"game": "connect_four", "nn_width": CHANNELS, "nn_depth": BLOCKS, "max_simulations": SIMULATIONS, "actors": 32,
               "evaluators": 0, "inference_batch_size": 16, "inference_threads": 2, "cutoff_probability": 0,
               "replay_buffer_size": positions, "replay_buffer_reuse": 1, "train_batch_size": 100 * positions, "max_steps": 2}
    with tempfile.TemporaryDirectory() as folder:
        command = [OPTIONS.alpha_zero, f"--path={folder}", *(f"--{name}={value}" for name, value in options.items())]
        subprocess.run(command, check=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
        step = json.loads(pathlib.Path(folder, "learner.jsonl").read_text().splitlines()[1])
    simulations, evaluations = step["states_per_s"] * SIMULATIONS, step["cache"]["misses_per_s"]
    return {"positions": step["states_per_s"], "simulations": simulations, "evaluations": evaluations,
            "hits": 1 - evaluations / simulations}


def openspiel(*options):
    numbers = map(str, (OPTIONS.seconds, SIMULATIONS, BLOCKS, CHANNELS))
    command = [sys.executable, ACTOR, *numbers, *options]
    # As its trainer: a process for each actor. More threads for one evaluation only cost time.
    environment = os.environ | {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "OMP_NUM_THREADS": "1"}
    actors = [subprocess.Popen(["taskset", "-c", str(core), *command], stdout=subprocess.PIPE, env=environment)
              for core in sorted(os.sched_getaffinity(0))]
    reports = [json.loads(actor.communicate()[0].splitlines()[-1]) for actor in actors]
    rate = lambda name: sum(report[name] / report["seconds"] for report in reports)
    return {"positions": rate("positions"), "simulations": rate("simulations"), "evaluations": rate("evaluations"),
            "hits": 1 - rate("evaluations") / rate("leaves")}


TRAINERS = {
    "selfplay, like for like": lambda round: ours("false", "f32", round),
    "OpenSpiel in C++": lambda _: alpha_zero(),
    "OpenSpiel in Python, compiled": lambda _: openspiel("--compiled"),
    "selfplay, defaults": lambda round: ours("true", "auto", round),
    "OpenSpiel in Python as it comes": lambda _: openspiel(),
}


def main():
    results = {name: [] for name in TRAINERS}
    for round in range(OPTIONS.rounds):
        for name, measure in TRAINERS.items():
            results[name].append(measure(round))
            print(f"round {round + 1}, {name}: {results[name][-1]['positions'] * 3600:,.0f} positions/h", file=sys.stderr)
    medians = {name: {what: statistics.median(each[what] for each in rounds) for what in rounds[0]}
               for name, rounds in results.items()}
    reference = medians["OpenSpiel in C++"]["positions"]
    print("| trainer | positions/h | simulations/s | evaluations/s | from the cache | positions, ratio |\n|---|---|---|---|---|---|")
    for name, found in medians.items():
        print(f"| {name} | {found['positions'] * 3600:,.0f} | {found['simulations']:,.0f} | {found['evaluations']:,.0f} "
              f"| {100 * found['hits']:.0f} % | {found['positions'] / reference:.2f} |")


main()
