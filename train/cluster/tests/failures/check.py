"""Runs over many machines while things die; see run.sh.

Each scenario is a function. It starts a server, a learner and workers, does its harm, waits for the learner to end, and compares
games and networks with those of the same run on one machine, byte for byte.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import nats
from nats.js.api import ObjectMeta

CONFIG = """
game = "connect4"
seed = 7
generations = {generations}
[network]
blocks = 1
channels = 16
[selfplay]
games_per_generation = 96
num_simulations = {simulations}
{selfplay}
[selfplay.starts]
random_opening_prob = 0.3
go_exploit_prob = 0.2
[gate]
num_simulations = 24
pairs = 8
eval_opponents = ["random", "alphabeta:depth=1"]
eval_pairs = 4
"""

SCENARIOS = {}


class Impossible(Exception):
    """This system does not allow what a scenario needs; the message says what."""


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds} s")


class Server:
    """A NATS server with storage of its own."""

    def __init__(self, bench, extra="", host="127.0.0.1", prefix=()):
        self.bench = bench
        self.port = free_port()
        self.host = host
        self.prefix = list(prefix)
        self.store = bench.folder / "jetstream"
        self.conf = bench.folder / "nats.conf"
        self.conf.write_text(
            f"listen: {host}:{self.port}\n"
            f'jetstream {{ store_dir: "{self.store}", sync_interval: always }}\n{extra}\n'
        )
        self.start()

    @property
    def url(self):
        return f"nats://{self.host}:{self.port}"

    def start(self):
        log = open(self.bench.folder / "nats.log", "a")
        self.process = subprocess.Popen([*self.prefix, self.bench.server, "-c", self.conf], stdout=log, stderr=log)
        self.bench.started.append(self.process)
        if not self.prefix:
            wait_for(self.answers, 10, "the server listens")

    def answers(self):
        try:
            socket.create_connection((self.host, self.port), 1).close()
            return True
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def wipe(self):
        shutil.rmtree(self.store)


class Bench:
    """What a scenario works with: a folder, the program, the server, and all that it started."""

    def __init__(self, program, server, folder, is_long):
        self.program = program
        self.server = server
        self.folder = folder
        self.is_long = is_long
        self.started = []
        self.count = 0
        self.figures = {}
        self.random = random.Random(folder.name)

    def config(self, generations=3, simulations=120, selfplay=""):
        path = self.folder / "run.toml"
        path.write_text(CONFIG.format(generations=generations, simulations=simulations, selfplay=selfplay))
        self.text = path.read_text()
        return path

    def popen(self, *arguments, prefix=(), env=None, name=None):
        self.count += 1
        path = self.folder / f"{name or arguments[0]}-{self.count}.log"
        with open(path, "w") as log:
            process = subprocess.Popen(
                [*prefix, self.program, *map(str, arguments)],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **(env or {})},
            )
        process.log = path
        self.started.append(process)
        return process

    def learner(self, server, *arguments, **options):
        return self.popen(
            "train", "run.toml", "--run", "shared", "--checkpoints", "many", "--nats", getattr(server, "url", server),
            "--events", "json", *arguments, **options,
        )

    def worker(self, server, *arguments, **options):
        return self.popen(
            "worker", "--nats", getattr(server, "url", server), "--threads", "1", *arguments, **options
        )

    @property
    def run(self):
        return self.folder / "many" / "shared"

    def ends(self, learner, seconds=240):
        try:
            code = learner.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the learner has not ended within {seconds} s:\n{tail(learner.log)}") from None
        assert code == 0, f"the learner ended with {code}:\n{tail(learner.log)}"
        self.compare()

    def compare(self):
        alone = reference(self)
        shared = digests(self.run)
        wrong = sorted(name for name in alone | shared if alone.get(name) != shared.get(name))
        assert not wrong, f"not as on one machine: {wrong}"
        self.figures["files compared"] = len(alone)

    def stored(self):
        """Games in the shards so far, counted by their bytes alone."""
        return sum(path.stat().st_size for path in (self.run / "games").glob("*.shard"))

    def clean_up(self):
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()


REFERENCES = {}


def reference(bench):
    """The same run on one machine."""
    if bench.text not in REFERENCES:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "run.toml").write_text(bench.text)
            command = [bench.program, "train", "run.toml", "--run", "shared", "--checkpoints", "one"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            REFERENCES[bench.text] = digests(Path(folder) / "one" / "shared")
    return REFERENCES[bench.text]


def digests(run):
    files = [path for kind in ("games", "networks") for path in (run / kind).rglob("*") if path.is_file()]
    return {str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def tail(path, lines=12):
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


def says(process, text):
    return text in process.log.read_text(errors="replace")


def reports(learner, event, generation):
    """Whether the learner has written this event (docs/events.md); warnings stand in its log, too."""
    lines = learner.log.read_text(errors="replace").split("\n")[:-1]
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return any((found["event"], found.get("generation")) == (event, generation) for found in events)


# --- Nothing dies.


@scenario
def all_is_well(bench):
    """The learner plays, too, and a worker beside it; nothing is left on the server."""
    bench.config()
    server = Server(bench)
    learner, worker = bench.learner(server), bench.worker(server)
    bench.ends(learner)
    wait_for(lambda: says(worker, "left, its learner has ended it"), 10, "the worker hears of the end")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(10) == 0
    assert asyncio.run(streams(server)) == ["OBJ_selfplay-networks"], "nothing but the empty store is left"


async def streams(server):
    client = await nats.connect(server.url)
    found = [stream.config.name for stream in await client.jetstream().streams_info()]
    await client.close()
    return sorted(found)


@scenario
def a_lagging_network(bench):
    """`selfplay.policy_lag = 1`: games go on while the learner learns; the same run on one machine has the same weights."""
    bench.config(selfplay="policy_lag = 1")
    server = Server(bench)
    bench.worker(server)
    bench.ends(bench.learner(server, "--no-play"))


# --- Workers die.


@scenario
def workers_are_killed(bench):
    """kill -9 in the middle of tasks, and a new worker in the place of each."""
    bench.config()
    server = Server(bench)
    learner = bench.learner(server, "--no-play")
    workers = [bench.worker(server) for _ in range(3)]
    kills = 0
    while learner.poll() is None:
        time.sleep(bench.random.uniform(1.0, 2.5))
        place = bench.random.randrange(len(workers))
        workers[place].kill()
        workers[place].wait()
        workers[place] = bench.worker(server)
        kills += 1
        assert kills < 400, "the run does not end"
    bench.ends(learner)
    bench.figures["workers killed"] = kills
    assert kills >= 3


@scenario
def a_worker_gives_back_its_task(bench):
    """SIGTERM in the middle of a task: the worker is gone at once, and another has its task long before it would be missed."""
    bench.config(generations=1, simulations=1000)
    server = Server(bench)
    learner = bench.learner(server, "--no-play")
    worker = bench.worker(server)
    wait_for(lambda: says(worker, "plays connect4"), 20, "the worker joins")
    wait_for(lambda: re.search('"playing":[1-9]', workers_json(bench)), 60, "it plays")
    began = time.monotonic()
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(10) == 0
    bench.figures["seconds from SIGTERM to the end"] = round(time.monotonic() - began, 1)
    bench.worker(server)
    bench.worker(server)
    bench.ends(learner)


def workers_json(bench):
    try:
        return (bench.run / "workers.json").read_text()
    except FileNotFoundError:
        return ""


@scenario
def workers_come_and_go(bench):
    """Twenty workers join and leave at random, half of them by kill -9."""
    bench.config(generations=40 if bench.is_long else 4, simulations=120)
    server = Server(bench)
    learner = bench.learner(server, "--no-play")
    most, workers, joined = (20 if bench.is_long else 8), [], 0
    end = time.monotonic() + (600 if bench.is_long else 25)
    while learner.poll() is None:
        is_over = time.monotonic() > end
        if is_over and len(workers) >= 2:
            time.sleep(0.5)
            continue
        if len(workers) < most and (len(workers) < 2 or bench.random.random() < 0.5):
            workers.append(bench.worker(server))
            joined += 1
        else:
            gone = workers.pop(bench.random.randrange(len(workers)))
            gone.send_signal(signal.SIGKILL if bench.random.random() < 0.5 else signal.SIGTERM)
            gone.wait(15)
        time.sleep(bench.random.uniform(0.1, 1.5 if bench.is_long else 0.8))
    bench.ends(learner)
    bench.figures["workers that joined"] = joined


# --- The learner dies.


@scenario
def the_learner_is_killed(bench):
    """kill -9 at random moments; the same command goes on, and the workers never end."""
    bench.config()
    server = Server(bench)
    workers = [bench.worker(server) for _ in range(2)]
    kills, code = 0, None
    while code is None:
        learner = bench.learner(server, "--no-play")
        try:
            code = learner.wait(bench.random.uniform(1.5, 5.0) if kills < 12 else 240)
        except subprocess.TimeoutExpired:
            learner.kill()
            learner.wait()
            kills += 1
    bench.ends(learner)
    assert all(worker.poll() is None for worker in workers)
    bench.figures["learner killed"] = kills
    assert kills >= 3


@scenario
def the_learner_is_killed_as_it_stores(bench):
    """kill -9 as the learner is about to bring games to the disk, and as it has: before its receipt, either way."""
    bench.config(generations=2)
    server = Server(bench)
    bench.worker(server)
    bench.worker(server)
    kills = 0
    for call in range(2, 26, 3):
        when = f"inject=fdatasync:signal=SIGKILL:when={call}"
        prefix = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", when]
        learner = bench.learner(server, "--no-play", prefix=prefix)
        kills += learner.wait(120) != 0
    bench.ends(bench.learner(server, "--no-play"))
    bench.figures["learner killed at a disk write"] = kills
    assert kills >= 2


@scenario
def a_second_learner_is_refused(bench):
    """From a folder of its own, as if on another machine."""
    bench.config()
    server = Server(bench)
    first = bench.learner(server)
    wait_for(lambda: reports(first, "gate_finished", 0), 30, "the first learner is at work")
    second = bench.popen(
        "train", "run.toml", "--run", "shared", "--checkpoints", "other", "--nats", server.url, "--events", "json",
        name="second",
    )
    assert second.wait(20) == 1
    assert says(second, "another learner is training this run"), tail(second.log)
    bench.ends(first)


@scenario
def a_learner_that_was_cut_off_gives_way(bench):
    """Stopped for so long that another took the run over: it ends by itself and removes nothing of the other's."""
    bench.config()
    server = Server(bench)
    bench.worker(server)
    first = bench.popen(
        "train", "run.toml", "--run", "shared", "--checkpoints", "other", "--nats", server.url, "--no-play",
        "--events", "json", name="first",
    )
    wait_for(lambda: reports(first, "gate_finished", 0), 30, "the first learner is at work")
    first.send_signal(signal.SIGSTOP)
    second = bench.learner(server, "--no-play")
    wait_for(lambda: reports(second, "self_play_finished", 1), 60, "the second learner is at work")
    first.send_signal(signal.SIGCONT)
    assert first.wait(30) == 1
    assert says(first, "another learner has taken the run over"), tail(first.log)
    bench.ends(second)


# --- The server dies.


@scenario
def the_server_is_killed(bench):
    """kill -9 with its storage kept, again and again."""
    kill_server(bench, wipe=False)


@scenario
def the_server_loses_everything(bench):
    """kill -9 and its storage wiped, again and again: the ledger knows what is missing."""
    kill_server(bench, wipe=True)


def kill_server(bench, wipe):
    bench.config()
    server = Server(bench)
    learner = bench.learner(server, "--no-play")
    for _ in range(2):
        bench.worker(server)
    kills = 0
    while learner.poll() is None and kills < 4:
        time.sleep(bench.random.uniform(2.0, 4.0))
        if learner.poll() is not None:
            break
        server.kill()
        if wipe:
            server.wipe()
        time.sleep(bench.random.uniform(0.1, 1.5))
        server.start()
        kills += 1
    bench.ends(learner)
    bench.figures["server killed"] = kills
    assert kills >= 2


@scenario
def the_stream_is_full(bench):
    """There is room for a mebibyte of results and the learner sleeps: workers wait with what they have, and lose nothing."""
    bench.config(generations=2, simulations=400)
    server = Server(bench)
    learner = bench.learner(server, "--no-play", "--nats-results-mib", "1")
    workers = [bench.worker(server) for _ in range(2)]
    wait_for(lambda: reports(learner, "gate_finished", 0), 60, "the run is under way")
    bench.figures["messages that filled the stream"] = asyncio.run(fill(bench, server, len(workers)))
    wait_for(lambda: any(says(worker, "waits: ") for worker in workers), 60, "a worker finds no room")
    learner.send_signal(signal.SIGCONT)
    bench.ends(learner)
    kept = (bench.run / "quarantine" / "reasons.jsonl").read_text()
    assert "not a part of a result" in kept


async def fill(bench, server, workers):
    """Stops the learner once all workers have a task, and fills its stream with what is no result."""
    client = await nats.connect(server.url)
    jetstream = client.jetstream()
    run = await run_name(client)
    for _ in range(600):
        tasks = await jetstream.consumer_info(f"selfplay-{run}-tasks", "workers")
        if tasks.num_ack_pending >= workers:
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError(f"{tasks.num_ack_pending} of {workers} workers have a task")
    for process in bench.started:
        if getattr(process, "log", None) and "train" in process.log.name:
            process.send_signal(signal.SIGSTOP)
    sent = 0
    for size in (200_000, 5_000, 200):
        while True:
            try:
                await jetstream.publish(f"selfplay.{run}.result.games.1.0-8", os.urandom(size))
                sent += 1
            except nats.js.errors.APIError:
                break
    await client.close()
    return sent


async def run_name(client):
    for _ in range(100):
        try:
            answer = await client.request("selfplay.runs", b"", timeout=0.5)
            return json.loads(answer.data)["run"]
        except (nats.errors.NoRespondersError, nats.errors.TimeoutError):
            await asyncio.sleep(0.2)
    raise AssertionError("no learner answers")


# --- What comes is not what it should be.


@scenario
def networks_are_torn_and_exchanged(bench):
    """Each network on the server is replaced by half of it, then by nonsense, as soon as it is there."""
    bench.config()
    server = Server(bench)
    learner = bench.learner(server, "--no-play")
    bench.worker(server)
    bench.worker(server)
    bench.figures["networks damaged"] = asyncio.run(damage(server, learner))
    bench.ends(learner)
    assert bench.figures["networks damaged"] >= 2


async def damage(server, learner):
    client = await nats.connect(server.url)
    jetstream = client.jetstream()
    damaged = {}
    while learner.poll() is None:
        try:
            store = await jetstream.object_store("selfplay-networks")
            for entry in await store.list():
                if damaged.setdefault(entry.name, 0) < 2 and not entry.deleted:
                    whole = (await store.get(entry.name)).data
                    wrong = whole[: len(whole) // 2] if damaged[entry.name] == 0 else os.urandom(1000)
                    await store.put(entry.name, wrong, meta=ObjectMeta(name=entry.name))
                    damaged[entry.name] += 1
        except Exception:  # The store comes and goes with the run.
            pass
        await asyncio.sleep(0.3)
    await client.close()
    return sum(damaged.values())


@scenario
def results_come_twice_and_in_another_order(bench):
    """All that workers send is sent again, later, twice, and in another order."""
    bench.config()
    server = Server(bench)
    learner = bench.learner(server, "--no-play")
    bench.worker(server)
    bench.worker(server)
    bench.figures["results repeated"] = asyncio.run(tamper(server, learner, lambda chance, data: [data, data]))
    bench.ends(learner)
    assert not (bench.run / "quarantine").exists(), "the same again is no harm"


@scenario
def nonsense_comes_with_the_results(bench):
    """Of each result copies with wrong bits, cut off, or with other lengths and names are sent beside it."""
    bench.config()
    server = Server(bench)
    learner = bench.learner(server, "--no-play")
    bench.worker(server)
    bench.worker(server)

    def wrong(chance, data):
        copies = []
        for _ in range(4):
            copy = bytearray(data)
            for _ in range(chance.randrange(1, 6)):
                # The front is what says what the rest is.
                copy[chance.randrange(min(len(copy), 300) if chance.random() < 0.7 else len(copy))] ^= 1 << chance.randrange(8)
            copies.append(bytes(copy[: chance.randrange(len(copy))] if chance.random() < 0.3 else copy))
        return copies

    bench.figures["wrong copies sent"] = asyncio.run(tamper(server, learner, wrong))
    bench.ends(learner)
    reasons = (bench.run / "quarantine" / "reasons.jsonl").read_text().splitlines()
    bench.figures["results in quarantine"] = len(reasons)
    assert len(reasons) >= 10 and all(json.loads(line)["reason"] for line in reasons)
    outside = [path for path in bench.run.rglob("*.bin") if path.parent.name != "quarantine"]
    assert not outside, f"what comes chooses no path: {outside}"


async def tamper(server, learner, change):
    """Listens to all results and sends what `change` makes of each, later and in another order."""
    client = await nats.connect(server.url, max_reconnect_attempts=-1)
    chance = random.Random(1)
    held, mine, sent = [], set(), 0

    async def hear(message):
        digest = hashlib.sha256(message.data).digest()
        if digest in mine:
            mine.discard(digest)
            return
        held.append((message.subject, message.data))

    await client.subscribe("selfplay.*.result.>", cb=hear)
    while learner.poll() is None:
        await asyncio.sleep(0.2)
        chance.shuffle(held)
        for subject, data in held[: len(held) // 2 + 1]:
            for copy in change(chance, data):
                mine.add(hashlib.sha256(copy).digest())
                await client.publish(subject, copy)
                sent += 1
        del held[: len(held) // 2 + 1]
    await client.close()
    return sent


@scenario
def other_programs_are_refused(bench):
    """A learner of another version, and one whose games come out otherwise: a sentence on both sides, and no haste."""
    bench.config()
    server = Server(bench)
    real = bench.learner(server)
    refused = asyncio.run(impostor(bench, server))
    for reason in ("selfplay 9.9.9", "it computes otherwise"):
        assert any(reason in text for text in refused["worker"]), refused
        assert any(reason in text for text in refused["learner"]), refused
    bench.figures["questions of a refused worker in 10 s"] = refused["asked"]
    assert refused["asked"] < 40
    bench.ends(real)


async def impostor(bench, server):
    """Announces two runs that nobody may play for; what worker and learner are told."""
    client = await nats.connect(server.url)
    await run_name(client)
    answer = await client.request("selfplay.runs", b"", timeout=2)
    true = json.loads(answer.data)
    announced = [
        {**true, "run": "newer-00000000", "owner": "a", "version": "9.9.9"},
        {**true, "run": "other-00000000", "owner": "b", "probe": {**true["probe"], "digest": "0" * 64}},
    ]
    told, asked = [], 0

    async def announce(message):
        nonlocal asked
        asked += 1
        for run in announced:
            await client.publish(message.reply, json.dumps(run).encode())

    async def hear(message):
        state = json.loads(message.data)
        if state.get("refusal"):
            told.append(state["refusal"])

    await client.subscribe("selfplay.runs", cb=announce)
    await client.subscribe("selfplay.*.state", cb=hear)
    worker = bench.worker(server, "--run", "newer", "--run", "other", name="refused")
    began = asked
    await asyncio.sleep(10)
    questions = asked - began
    code = worker.wait(10)
    assert code == 1, f"nobody wants it: {tail(worker.log)}"
    await client.close()
    return {"worker": worker.log.read_text().splitlines(), "learner": told, "asked": questions}


@scenario
def another_kind_of_cpu_is_refused(bench):
    """A worker on an emulated CPU without AVX2: its sums round otherwise. With mixed machines it may play."""
    emulated = ["qemu-x86_64", "-cpu", "Nehalem"]
    server = Server(bench)
    bench.config(generations=2)
    learner = bench.popen(
        "train", "run.toml", "--run", "shared", "--checkpoints", "many", "--nats", server.url, "--no-play", name="waiting"
    )
    other = bench.worker(server, "--run", "shared", prefix=emulated, name="other")
    assert other.wait(120) == 1
    assert says(other, "it computes otherwise") and says(learner, "it computes otherwise"), tail(other.log)
    learner.kill()
    learner.wait()
    bench.config(generations=2, selfplay="mixed_machines = true")
    bench.popen(
        "train", "run.toml", "--run", "mixed", "--checkpoints", "many", "--nats", server.url, "--no-play", name="mixed"
    )
    admitted = bench.worker(server, "--run", "mixed", prefix=emulated, name="admitted")
    wait_for(lambda: says(admitted, "plays connect4"), 120, "it may play")


# --- The way between them.


@scenario
def the_network_is_parted(bench):
    """A worker on a host of its own behind a cable that is pulled for a while, and put in again."""
    seconds = 60 if bench.is_long else 20
    bench.config(generations=3, simulations=200)
    space, here, there = f"selfplay-{os.getpid()}", f"sp{os.getpid()}a", f"sp{os.getpid()}b"

    def run(*command):
        subprocess.run(command, check=True, capture_output=True, text=True)

    remove_hosts(lambda owner: not Path(f"/proc/{owner}").exists())
    try:
        inside = ["ip", "netns", "exec", space]
        try:
            run("ip", "netns", "add", space)
            run("ip", "link", "add", here, "type", "veth", "peer", "name", there)
            run("ip", "link", "set", there, "netns", space)
            run("ip", "addr", "add", "10.213.77.1/24", "dev", here)
            run("ip", "link", "set", here, "up")
            run(*inside, "ip", "addr", "add", "10.213.77.2/24", "dev", there)
            run(*inside, "ip", "link", "set", there, "up")
        except subprocess.CalledProcessError as error:
            raise Impossible(f"it has no hosts of one's own: {error.stderr.strip()}") from None
        server = Server(bench, host="10.213.77.1")
        reach = f"import socket; socket.create_connection(('{server.host}', {server.port}), 5)"
        if subprocess.run([*inside, sys.executable, "-c", reach], capture_output=True).returncode != 0:
            raise Impossible("nothing gets through between two hosts of one's own (a packet filter?)")
        learner = bench.learner(server, "--no-play")
        far = bench.worker(server, "--name", "far", prefix=inside)
        is_cut_off(
            bench, learner, far, seconds,
            lambda: run("ip", "link", "set", here, "down"), lambda: run("ip", "link", "set", here, "up"),
        )
    finally:
        remove_hosts(lambda owner: owner == os.getpid())


def remove_hosts(which):
    """Removes hosts of the processes that `which` is true of: their addresses would be in the way, even of those who are dead."""
    for space in Path("/run/netns").glob("selfplay-*"):
        owner = int(space.name.removeprefix("selfplay-"))
        if which(owner):
            subprocess.run(["ip", "link", "del", f"sp{owner}a"], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "del", space.name], check=False, capture_output=True)


@scenario
def the_connection_falls_silent(bench):
    """A worker behind a relay that passes nothing on for a while, refuses nobody and closes nothing, and then goes on."""
    # Long enough for the worker to find out: it asks every ten seconds, and gives up after two.
    seconds = 60 if bench.is_long else 35
    bench.config(generations=3, simulations=200)
    server = Server(bench)
    relay = Relay(server.port)
    learner = bench.learner(server, "--no-play")
    far = bench.worker(f"nats://127.0.0.1:{relay.port}", "--name", "far")
    is_cut_off(bench, learner, far, seconds, relay.passes.clear, relay.passes.set)
    assert relay.taken > 1, "the worker looked for a better connection"


def is_cut_off(bench, learner, far, seconds, cut, mend):
    """The only worker is out of reach for some seconds, in the middle of its tasks."""
    wait_for(lambda: '"far"' in workers_json(bench) and '"games":0' not in workers_json(bench), 60, "it plays")
    cut()
    time.sleep(seconds)
    assert learner.poll() is None and far.poll() is None
    mend()
    bench.ends(learner)
    bench.figures["seconds apart"] = seconds
    assert far.poll() is None


class Relay:
    """Passes bytes between a port of its own and the server's, while it `passes`."""

    def __init__(self, to):
        self.to = to
        self.passes = threading.Event()
        self.passes.set()
        self.taken = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        while True:
            near, _ = self.listener.accept()
            self.taken += 1
            far = socket.create_connection(("127.0.0.1", self.to))
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(source, target), daemon=True).start()

    def copy(self, source, target):
        try:
            while data := source.recv(1 << 16):
                self.passes.wait()
                target.sendall(data)
            self.passes.wait()
            target.shutdown(socket.SHUT_WR)
        except OSError:
            # One of the two is gone: so is the other, then.
            source.close()
            target.close()


@scenario
def clocks_jump(bench):
    """The clocks of learner and worker jump by a day, forwards and back, while they work."""
    library = next(iter(Path("/usr/lib").rglob("libfaketime.so.1")), None)
    assert library, "the Debian package libfaketime is not installed"
    bench.config()
    said = bench.folder / "clock"
    said.write_text("+0")
    env = {
        "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(said), "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    server = Server(bench)
    learner = bench.learner(server, "--no-play", env=env)
    bench.worker(server, env=env)
    jumps = 0
    while learner.poll() is None:
        time.sleep(1.5)
        said.write_text("+1d" if jumps % 2 == 0 else "-1d")
        jumps += 1
    bench.ends(learner)
    bench.figures["jumps"] = jumps


# --- Who may do what.


@scenario
def users_may_do_no_more_than_they_must(bench):
    """TLS, a learner and a worker with the permissions that docs/cluster.md writes out, and a stranger."""
    certificates(bench.folder)
    docs = (Path(__file__).parents[4] / "docs" / "cluster" / "nats.conf").read_text()
    permissions = docs[docs.index("authorization {"):]
    permissions = permissions.replace("$LEARNER_PASSWORD", '"learn"').replace("$WORKER_PASSWORD", '"work"')
    tls = f'tls {{ cert_file: "{bench.folder}/server.pem", key_file: "{bench.folder}/server.key" }}'
    server = Server(bench, extra=f"{tls}\n{permissions}")
    bench.config()
    url = f"tls://localhost:{server.port}"
    env = {"SELFPLAY_NATS_CA": str(bench.folder / "ca.pem")}
    login = lambda user, password: {**env, "SELFPLAY_NATS_USER": user, "SELFPLAY_NATS_PASSWORD": password}
    stranger = bench.worker(url, env=login("worker", "guess"), name="stranger")
    learner = bench.learner(url, "--no-play", env=login("learner", "learn"))
    file = bench.folder / "worker.toml"
    file.write_text(f'user = "worker"\npassword = "work"\nca = "{bench.folder}/ca.pem"\n')
    file.chmod(0o644)
    careless = bench.worker(url, "--nats-credentials", file, name="careless")
    assert careless.wait(10) == 1 and says(careless, "others may read it"), tail(careless.log)
    file.chmod(0o600)
    worker = bench.worker(url, "--nats-credentials", file)
    assert stranger.wait(20) == 1, tail(stranger.log)
    assert says(stranger, "uthorization"), tail(stranger.log)
    bench.ends(learner)
    assert not says(worker, "ermissions"), tail(worker.log)
    assert asyncio.run(forbidden(server, bench.folder)) == [], "a worker may not do this"


@scenario
def keys_and_tokens_open_the_door(bench):
    """An Ed25519 key, from a file and from the environment; a token; and strangers with others."""
    bench.config(generations=1)
    # The pair that the documentation of NATS prints.
    public = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
    seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    server = Server(bench, extra=f"authorization {{ users: [ {{ nkey: {public} }} ] }}")
    file = bench.folder / "key.toml"
    file.write_text(f'nkey = "{seed}"\n')
    file.chmod(0o600)
    stranger = bench.worker(server, env={"SELFPLAY_NATS_NKEY": "SUAGIEYODKBBTUMOB666Z5KA4FCWAZV7HWSGRHOD7MK6UM5IYLWLACH7DQ"})
    learner = bench.learner(server, "--nats-credentials", file)
    bench.worker(server, env={"SELFPLAY_NATS_NKEY": seed})
    assert stranger.wait(20) == 1 and says(stranger, "uthorization"), tail(stranger.log)
    bench.ends(learner)
    server.kill()
    server = Server(bench, extra='authorization { token: "sesame" }')
    token = lambda word: {"SELFPLAY_NATS_TOKEN": word}
    stranger = bench.worker(server, env=token("open"))
    shutil.rmtree(bench.folder / "many")
    learner = bench.learner(server, "--no-play", env=token("sesame"))
    bench.worker(server, env=token("sesame"))
    assert stranger.wait(20) == 1 and says(stranger, "uthorization"), tail(stranger.log)
    bench.ends(learner)


def certificates(folder):
    """An authority of our own, and a certificate for localhost."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=test authority", "-addext", "basicConstraints=critical,CA:TRUE")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    (folder / "names").write_text("subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem")


async def forbidden(server, folder):
    """What a worker's user could do that it need not."""
    import ssl

    denied = []

    async def on_error(error):
        denied.append(str(error))

    context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    client = await nats.connect(
        f"tls://localhost:{server.port}", user="worker", password="work", tls=context, error_cb=on_error
    )
    allowed = []
    attempts = {
        "delete a stream": "$JS.API.STREAM.DELETE.selfplay-x-results",
        "publish a task": "selfplay.x.task.games.1.0-8",
        "pretend to be the learner": "selfplay.x.receipt.other",
        "end a run": "selfplay.ends",
        "put a network": "$O.selfplay-networks.C.x",
        "purge results": "$JS.API.STREAM.PURGE.selfplay-x-results",
        "take results": "$JS.API.CONSUMER.MSG.NEXT.selfplay-x-results.learner",
    }
    for what, subject in attempts.items():
        before = len(denied)
        await client.publish(subject, b"")
        await client.flush()
        await asyncio.sleep(0.1)
        if len(denied) == before:
            allowed.append(what)
    await client.close()
    return allowed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("server", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the folders")
    arguments = parser.parse_intermixed_args()
    if arguments.list:
        for name, function in SCENARIOS.items():
            print(f"{name:<42} {function.__doc__.splitlines()[0]}")
        return 0
    unknown = [name for name in arguments.names if name not in SCENARIOS]
    if unknown:
        print(f"there is no {', '.join(unknown)}; --list says which there are", file=sys.stderr)
        return 2
    failed, left_out = 0, 0
    names = arguments.names or list(SCENARIOS)
    for name in names:
        folder = Path(tempfile.mkdtemp(prefix="cluster-"))
        bench = Bench(arguments.program.resolve(), arguments.server.resolve(), folder, arguments.long)
        began = time.monotonic()
        try:
            SCENARIOS[name](bench)
            figures = "".join(f", {value} {what}" for what, value in bench.figures.items())
            print(f"ok      {name} ({time.monotonic() - began:.0f} s{figures})", flush=True)
        except Impossible as error:
            left_out += 1
            print(f"NOT RUN {name}: this system does not allow it: {error}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAILED  {name} ({time.monotonic() - began:.0f} s): {error!r}\n        {error}", flush=True)
            if isinstance(error, AssertionError) and not str(error):
                import traceback
                traceback.print_exc()
            for process in bench.started:
                if getattr(process, "log", None):
                    print(f"--- {process.log.name}\n{tail(process.log)}", flush=True)
        finally:
            bench.clean_up()
            if arguments.keep:
                print(f"        {folder}")
            else:
                shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(names) - failed - left_out} passed, {failed} failed, {left_out} not run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
