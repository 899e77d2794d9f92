"""Measures runs over many machines: what the way over the server costs, and how many results a learner can take.

The 200 workers are made up: a run is deterministic, so what real workers sent for it once is sent again for the same run, after a
fixed time for each task.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import nats

from check import Bench, Server, digests

ALIKE = """
game = "connect4"
seed = 7
generations = 2
[network]
blocks = 2
channels = 32
[selfplay]
games_per_generation = 256
num_simulations = 128
[gate]
num_simulations = 16
pairs = 2
eval_opponents = ["random"]
eval_pairs = 1
"""

MANY = """
game = "connect4"
seed = 7
generations = 10
[network]
blocks = 1
channels = 16
[selfplay]
games_per_generation = 12000
num_simulations = 8
[replay]
replay_ratio = 0.01
capacity_positions = 200000
[gate]
num_simulations = 8
pairs = 2
eval_opponents = ["random"]
eval_pairs = 1
"""
WORKERS = 200
SECONDS_PER_TASK = 1.0


def self_play(run):
    """Seconds and games of a run's self-play."""
    reports = [json.loads(path.read_text()) for path in sorted((run / "phases").glob("*.selfplay.json"))]
    return sum(report["time"]["wall_seconds"] for report in reports), sum(report["summary"]["games"] for report in reports)


def bench(program, server, text):
    folder = Path(tempfile.mkdtemp(prefix="figures-"))
    made = Bench(Path(program).resolve(), Path(server).resolve(), folder, False)
    (folder / "run.toml").write_text(text)
    return made


def throughput(program, server, rounds=5):
    """Games a second over two workers of one thread, as a share of those in one process with two threads."""
    ratios = []
    for _ in range(rounds):
        made = bench(program, server, ALIKE)
        alone = made.popen("train", "run.toml", "--run", "shared", "--checkpoints", "one", "--threads", "2")
        assert alone.wait(600) == 0
        broker = Server(made)
        workers = [made.worker(broker) for _ in range(2)]
        learner = made.learner(broker, "--no-play")
        assert learner.wait(600) == 0
        here, games = self_play(made.folder / "one" / "shared")
        there, _ = self_play(made.run)
        assert digests(made.folder / "one" / "shared") == digests(made.run)
        ratios.append(here / there)
        print(f"in one process {games / here:.1f} games/s, over two workers {games / there:.1f} games/s: {here / there:.3f}")
        for worker in workers:
            worker.terminate()
        made.clean_up()
    print(f"median {statistics.median(ratios):.3f} of {rounds}")


async def record(made, broker, learner):
    """All results of a run, by their subjects, and the bytes they have."""
    client = await nats.connect(broker.url)
    heard = {}

    async def hear(message):
        heard[message.subject] = message.data

    subscription = await client.subscribe("selfplay.*.result.>", cb=hear, pending_bytes_limit=1 << 30)
    while learner.poll() is None:
        await asyncio.sleep(0.1)
    await client.flush()
    await subscription.unsubscribe()
    await client.close()
    return heard


async def replay(broker, learner, heard):
    """Two hundred workers that send what was heard, each task after a fixed time; the learner's memory meanwhile, in MiB."""
    client = await nats.connect(broker.url)
    run = next(iter(heard)).split(".")[1]
    memory, cpu = [], [0.0]

    async def work(number):
        mine = await nats.connect(broker.url)
        jetstream = mine.jetstream()
        await asyncio.sleep(SECONDS_PER_TASK * number / WORKERS)
        while learner.poll() is None:
            try:
                tasks = await jetstream.pull_subscribe_bind(durable="workers", stream=f"selfplay-{run}-tasks")
                break
            except Exception:
                await asyncio.sleep(0.2)
        while learner.poll() is None:
            try:
                [message] = await tasks.fetch(1, timeout=1)
            except Exception:
                continue
            # What several parts would need is not made up here: these tasks are small.
            await asyncio.sleep(SECONDS_PER_TASK)
            await jetstream.publish(message.subject.replace(".task.", ".result."), heard[message.subject.replace(".task.", ".result.")])
            await message.ack()
        await mine.close()

    async def watch():
        while learner.poll() is None:
            status = Path(f"/proc/{learner.pid}/status").read_text()
            resident = [line for line in status.splitlines() if line.startswith("VmRSS")]
            memory.extend(int(line.split()[1]) / 1024 for line in resident)
            fields = Path(f"/proc/{learner.pid}/stat").read_text().rsplit(")", 1)[1].split()
            cpu[0] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            await asyncio.sleep(0.5)

    await asyncio.gather(watch(), *(work(number) for number in range(WORKERS)))
    await client.close()
    return memory, cpu[0]


def many(program, server):
    made = bench(program, server, MANY)
    broker = Server(made)
    learner = made.learner(broker)
    heard = asyncio.run(record(made, broker, learner))
    tasks = {subject: data for subject, data in heard.items() if ".games." in subject}
    seconds, games = self_play(made.run)
    print(f"{sum(map(len, tasks.values())) / games:.0f} bytes a game on their way, in {len(tasks)} tasks")
    shards = sum(path.stat().st_size for path in (made.run / "games").glob("*.shard"))
    print(f"{shards / games:.0f} bytes a game on the disk")
    first = digests(made.run)
    (made.folder / "many").rename(made.folder / "recorded")
    learner = made.learner(broker, "--no-play")
    memory, cpu = asyncio.run(replay(broker, learner, heard))
    assert learner.wait() == 0, learner.log.read_text()
    assert digests(made.run) == first, "not the same run"
    reports = [json.loads(path.read_text()) for path in sorted((made.run / "phases").glob("*.selfplay.json"))]
    for number, report in enumerate(reports, 1):
        spent = report["time"]
        print(
            f"generation {number}: {1500 / spent['wall_seconds']:.0f} tasks/s, "
            f"{report['summary']['games'] / spent['wall_seconds']:.0f} games/s; "
            f"the workers offer {WORKERS / SECONDS_PER_TASK:.0f} tasks/s"
        )
    print(f"{1000 * cpu / len(tasks):.2f} ms of the learner's CPU for a task, learning included")
    quarter = max(1, len(memory) // 4)
    print(f"memory of the learner: {statistics.median(memory[quarter:2 * quarter]):.0f} MiB in the second quarter of the time, "
          f"{statistics.median(memory[-quarter:]):.0f} MiB in the last, {max(memory):.0f} MiB at most")
    made.clean_up()


if __name__ == "__main__":
    if "--many" not in sys.argv:
        throughput(*sys.argv[1:3])
    many(*sys.argv[1:3])
