"""Agents, trainings, matches and runs."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import selfplay_trainer as selfplay
from selfplay_trainer import Agent, Position, Run, SelfplayError, VectorEnv

TINY: dict[str, Any] = {
    "game": "tictactoe",
    "seed": 5,
    "generations": 3,
    "network": {"channels": 8, "blocks": 1},
    "selfplay": {"games_per_generation": 48, "num_simulations": 12},
    "gate": {"pairs": 4, "eval_pairs": 4, "num_simulations": 8, "eval_opponents": ["random"]},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return selfplay.train(TINY, run="tiny", checkpoints=tmp_path_factory.mktemp("runs"))


def test_a_training_tells_of_each_generation_once_and_goes_on_where_it_stopped(tmp_path: Path, run: Run) -> None:
    seen: list[int] = []

    def until_the_first(run: Run, row: dict[str, Any]) -> bool:
        seen.append(row["generation"])
        return bool(row["generation"] < 1)

    stopped = selfplay.train(TINY, until_the_first, run="a", checkpoints=tmp_path)
    assert seen == [0, 1]
    assert stopped.rows("generations")[-1]["generation"] == 1
    lines: list[str] = []
    whole = selfplay.train(TINY, lambda run, row: seen.append(row["generation"]), run="a", checkpoints=tmp_path, on_log=lines.append)
    assert seen == [0, 1, 2, 3] and any("self-play" in line for line in lines)
    # Stopped or not, it ends with the same network.
    weights = [(path.path / "networks/gen-00003/weights.safetensors").read_bytes() for path in (whole, run)]
    assert weights[0] == weights[1]


def test_an_exception_in_a_callback_stops_and_is_raised(tmp_path: Path) -> None:
    def broken(run: Run, row: dict[str, Any]) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        selfplay.train(TINY, broken, run="a", checkpoints=tmp_path)
    assert selfplay.train(TINY, run="a", checkpoints=tmp_path).rows("generations")[-1]["generation"] == 3


def test_a_run_shows_its_tables_and_curves(run: Run) -> None:
    import matplotlib

    matplotlib.use("agg")
    assert (run.game, run.name, run.config["generations"]) == ("tictactoe", "tiny", 3)
    assert {"elo", "losses", "generations", "selfplay"} <= set(run.tables)
    for frame in ("pandas", "polars"):
        table = run.table("generations", frame=frame)
        assert list(table["generation"]) == [0, 1, 2, 3]
    assert run.rows("generations")[0]["policy_loss"] is None
    for over in ("cpu_hours", "games", "simulations"):
        ax = run.plot_elo(over=over)
        assert "Elo" in ax.get_ylabel() and len(ax.lines) >= 2
    assert run.plot_losses().lines and run.plot_throughput().lines
    assert run.champion is not None and (run.champion / "weights.safetensors").is_file()
    assert "match their checksums" in run.check()
    assert run.agent().act("tictactoe") in Position("tictactoe").legal_moves()
    # Two onto the same axes: as tables alone, under a name of their own.
    ax = selfplay.Tables(run.path, "a $name$").plot_elo(run.plot_elo())
    colours = {line.get_label(): line.get_color() for line in ax.lines}
    assert colours["tiny"] != colours[r"a \$name\$"]
    with pytest.raises(SelfplayError, match="has no table nothing; it has calibration"):
        run.table("nothing")
    with pytest.raises(SelfplayError, match="is no run"):
        Run(run.path / "networks")


def test_damage_is_named(run: Run, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(run.path, copy)
    (copy / "elo.csv").write_bytes(b"player,elo\n\xff\xfe,1\n")
    damaged: list[Callable[[Run], object]] = [
        lambda run: run.table("elo"),
        lambda run: run.table("elo", frame="polars"),
        lambda run: run.rows("elo"),
        lambda run: run.plot_elo(),
    ]
    for reading in damaged:
        with pytest.raises(SelfplayError, match="elo.csv is damaged: "):
            reading(Run(copy))
    for text in ("player,elo\nrandom\n", "player,elo\nrandom,0,1\n"):
        (copy / "elo.csv").write_text(text)
        with pytest.raises(SelfplayError, match="elo.csv is damaged: line 2 has other columns"):
            Run(copy).rows("elo")
    (copy / "elo.csv").write_text("player,elo\nrandom,0\n")
    with pytest.raises(SelfplayError, match="elo.csv has no rated generation"):
        Run(copy).plot_elo()
    weights = copy / "networks/gen-00003/weights.safetensors"
    changed = bytearray(weights.read_bytes())
    changed[len(changed) // 2] ^= 1
    weights.write_bytes(changed)
    with pytest.raises(SelfplayError, match="damaged or missing: 1 of the run's") as caught:
        Run(copy).check()
    assert "gen-00003" in "".join(caught.value.__notes__)


def test_a_move_is_that_of_the_program(run: Run) -> None:
    spec = f"search:checkpoint={run.path},simulations=100,leaves=3"
    for moves in ["b2", "b2 a1", "a1 c3 b1", "a3 b2 c1 a1"]:
        call = [str(selfplay.program()), "analyse", "--json", "tictactoe", spec, *moves.split()]
        found = json.loads(subprocess.run(call, check=True, capture_output=True).stdout)
        agent = Agent(spec)
        # What was asked before changes nothing.
        agent.act("tictactoe", "c3")
        assert agent.act("tictactoe", moves) == agent.analyse("tictactoe", moves).move == found["move"]


def test_an_agent_decides_analyses_and_evaluates(run: Run, tmp_path: Path) -> None:
    exported = tmp_path / "agent"
    subprocess.run([selfplay.program(), "export", "tictactoe", run.path, "--out", exported], check=True, capture_output=True)
    for agent in [Agent(run.path), Agent(exported), Agent("alphabeta:depth=9")]:
        analysis = agent.analyse("tictactoe", "a1 b1 a2 b2")
        assert analysis.move == "a3" == agent.act(Position("tictactoe", "a1 b1 a2 b2"), time_ms=50)
    assert analysis.alpha_beta is not None and analysis.alpha_beta["lines"][0]["proven"] == 1
    wdl, moves = Agent(run.path).analyse("tictactoe", time_ms=50).wdl, Agent(run.path).analyse("tictactoe", time_ms=50).moves
    assert wdl is not None and sum(wdl) == pytest.approx(1) and len(moves) == 9

    games = VectorEnv("tictactoe", 20)
    for _ in range(3):
        games.step(games.random_actions())
    # One in bytes and one in floats: what they say is nearly the same.
    for agent in [Agent(run.path), Agent(exported)]:
        policy, value = agent.evaluate("tictactoe", games.observations, games.action_mask)
        assert policy.shape == (20, 9) and value.shape == (20, 3)
        assert np.allclose(policy.sum(axis=1), 1, atol=1e-5) and np.allclose(value.sum(axis=1), 1, atol=1e-5)
        assert (policy[games.action_mask == 0] == 0).all()

    def evaluate_with(number: float) -> object:
        observations = games.observations.copy()
        observations[3, 1, 2, 0] = number
        return Agent(run.path).evaluate("tictactoe", observations, games.action_mask)

    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: Agent(exported).act("connect4"), "the agent plays tictactoe, not connect4"),
        (lambda: evaluate_with(np.nan), r"observations\[3, 1, 2, 0\] is NaN: expected -1 to 1"),
        (lambda: evaluate_with(-np.inf), r"observations\[3, 1, 2, 0\] is -inf: expected -1 to 1"),
        (lambda: evaluate_with(1.5), r"observations\[3, 1, 2, 0\] is 1.5: expected -1 to 1"),
        (lambda: Agent("nobody"), "there is no kind `nobody`"),
        (lambda: Agent(str(Path(__file__))), "contains no agent"),
        (lambda: Agent("random").evaluate("tictactoe", games.observations, games.action_mask), "random has no network"),
        (lambda: Agent(run.path).evaluate("connect4", games.observations, games.action_mask), "connect4 has observations"),
        (lambda: Agent(run.path).act("tictactoe", "a1 b1 a2 b2 a3"), "the game is over"),
        (lambda: Agent(run.path / "networks").act("tictactoe"), "neither a run"),
    ]
    for wrong, words in refused:
        with pytest.raises(SelfplayError, match=words):
            wrong()


def test_what_is_random_differs_from_call_to_call_and_is_told_by_the_seed() -> None:
    twenty = [[agent.act("tictactoe") for _ in range(20)] for agent in (Agent("random"), Agent("random"), Agent("random", seed=1))]
    assert len(set(twenty[0])) > 3
    assert twenty[0] == twenty[1] != twenty[2]
    agent = Agent("random")
    assert len({agent.analyse("tictactoe").move for _ in range(20)}) == 1


def test_released_agents_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Agent("released").act("connect4", time_ms=50) == "4"


def test_matches_and_ratings(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    result = selfplay.match("tictactoe", "alphabeta:depth=3", "random", games=20, games_file=games)
    assert result.wins + result.draws + result.losses == result.games == 20 and result.score > 0.5
    rated = selfplay.elo(games, anchor="random=0")
    assert "random" in str(rated)
    with pytest.raises(SelfplayError, match="there is no kind `nobody`"):
        selfplay.match("tictactoe", "nobody", "random")


def test_long_work_lets_other_threads_run() -> None:
    from threading import Thread

    agent, counted = Agent("uct:time=1s"), 0
    thinking = Thread(target=lambda: agent.act("pentago-swap"))
    thinking.start()
    while thinking.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 50


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    "work",
    [
        "selfplay.Agent('uct:time=600s').act('pentago-swap')",
        "selfplay.train('pentago-swap/smoke', run='a', checkpoints=sys.argv[1], set={'generations': 10000})",
    ],
)
def test_ctrl_c_ends_at_once(work: str, tmp_path: Path) -> None:
    code = f"import sys, selfplay_trainer as selfplay\nprint('begun', flush=True)\n{work}"
    running = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None and running.stdout.readline() == "begun\n"
    time.sleep(1.5)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=60)
    assert "KeyboardInterrupt" in error, error
    # Nothing goes on behind it.
    left = subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, text=True).stdout
    assert not left
