"""Watches long work: see run.sh."""

import argparse
import asyncio
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARSER = argparse.ArgumentParser()
PARSER.add_argument("program")
PARSER.add_argument("--serve-seconds", type=int, default=120)
PARSER.add_argument("--clients", type=int, default=500)
PARSER.add_argument("--generations", type=int, default=200)
PARSER.add_argument("--games", type=int, default=10_000)
OPTIONS = PARSER.parse_args()

CONFIG = """
game = "tictactoe"
generations = 1
network = { channels = 8, blocks = 1 }
selfplay = { games_per_generation = 60, num_simulations = 12 }
replay = { capacity_positions = 2000, window_start_positions = 500 }
gate = { pairs = 2, eval_pairs = 2, num_simulations = 8, eval_opponents = ["random"] }
"""


def held(process):
    """What a process holds: MiB of memory, open files, threads; None once it has ended."""
    folder = Path(f"/proc/{process}")
    try:
        status = (folder / "status").read_text()
        files = len(list((folder / "fd").iterdir()))
    except OSError:
        return None
    number = lambda name: int((re.search(rf"^{name}:\s+(\d+)", status, re.M) or [0, 0])[1])
    return {"MiB": number("VmRSS") / 1024, "files": files, "threads": number("Threads")}


def growth(title, samples, harmless_files=0):
    """Prints the second and the last quarter; what they differ in must be little, or so few files that they are no leak."""
    quarter = len(samples) // 4
    if quarter < 4:
        sys.exit(f"{title}: too short to see anything")
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    most = {name: (max(s[name] for s in early), max(s[name] for s in late)) for name in samples[0]}
    print(f"{title}: " + ", ".join(f"{name} {a:.0f} to {b:.0f}" for name, (a, b) in most.items()), flush=True)
    wrong = [name for name, (a, b) in most.items() if b > a * 1.25 + (16 if name == "MiB" else 4)]
    if most["files"][1] <= harmless_files:
        wrong = [name for name in wrong if name != "files"]
    if wrong:
        sys.exit(f"{title}: {', '.join(wrong)} grew")


def watched(title, arguments, folder):
    process = subprocess.Popen([OPTIONS.program, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    samples, start = [], time.time()
    while process.poll() is None:
        samples += [found for found in [held(process.pid)] if found and found["MiB"] > 0]
        time.sleep(0.02)
    if process.returncode != 0:
        sys.exit(f"{title}: {process.stderr.read().decode()}")
    growth(f"{title}, {time.time() - start:.0f} s", samples)


async def request(port, method, path, body=None, address="127.0.0.1"):
    reader, writer = await asyncio.open_connection(address, port)
    data = json.dumps(body).encode() if body is not None else b""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    writer.write(head.encode() + b"\r\n" + data)
    await writer.drain()
    answer = await reader.read()
    writer.close()
    status = int(answer.split(b" ", 2)[1]) if answer else 0
    text = answer.partition(b"\r\n\r\n")[2]
    return status, json.loads(text) if text.startswith(b"{") else None


async def good(port, counts):
    """Plays games of tic-tac-toe against the server's random player."""
    status, table = await request(port, "POST", "/api/tables", {"game": "tictactoe", "seats": [None, None]})
    while status in (200, 201) and table and not table["outcome"] and table.get("legal"):
        move = random.choice(table["legal"])["move"]
        path = f"/api/tables/{table['id']}/moves"
        status, table = await request(port, "POST", path, {"move": move, "ply": table["ply"]})
        counts["moves"] += status in (200, 201)
    counts[f"answered {status}"] = counts.get(f"answered {status}", 0) + 1


async def bad(port, kind):
    """Does what no client should."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        if kind == 0:
            writer.write(random.randbytes(2000))
            await reader.read()
        elif kind == 1:
            # A body that never ends.
            writer.write(b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n")
            for _ in range(20):
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.5)
        elif kind == 2:
            # Asks and never reads.
            for _ in range(200):
                writer.write(b"GET /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
                await asyncio.wait_for(writer.drain(), 2)
            await asyncio.sleep(15)
        elif kind == 3:
            # Leaves in the midst of it.
            writer.write(b"GET /api/games HTTP/1.1\r\nHo")
            await asyncio.sleep(4 * random.random())
        else:
            await asyncio.sleep(5)
    finally:
        writer.transport.abort()


async def client(port, end, counts, is_good):
    while time.time() < end:
        try:
            await asyncio.wait_for(good(port, counts) if is_good else bad(port, random.randrange(5)), 30)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            counts["refused or broken off"] += 1
        await asyncio.sleep(4 * random.random())


async def serve(folder):
    process = subprocess.Popen(
        [OPTIONS.program, "serve", "--port", "0"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    line = next(line for line in process.stdout if "http://" in line)
    port = int(re.search(r":(\d+)", line.split("http://")[1])[1])
    end, counts, samples = time.time() + OPTIONS.serve_seconds, {"moves": 0, "refused or broken off": 0}, []
    clients = [asyncio.create_task(client(port, end, counts, number % 2 == 0)) for number in range(OPTIONS.clients)]
    while not all(task.done() for task in clients):
        samples += [found for found in [held(process.pid)] if found]
        await asyncio.sleep(0.25)
    status, games = await request(port, "GET", "/api/games")
    if process.poll() is not None or status != 200 or not games["games"]:
        sys.exit(f"the server does not answer any more: {status}")
    process.terminate()
    process.wait(10)
    # A server has places for fewer connections than these, full or not at the moment.
    growth(f"serve, {OPTIONS.clients} clients, {OPTIONS.serve_seconds} s", samples, harmless_files=200)
    print(f"serve: {counts}")
    if counts["moves"] == 0:
        sys.exit("no good client was served")


def main():
    work = Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        (work / "tiny.toml").write_text(CONFIG)
        watched(
            f"{OPTIONS.generations} generations",
            ["train", "tiny.toml", "--set", f"generations={OPTIONS.generations}", "--checkpoints", "."], work,
        )
        watched(
            f"{OPTIONS.games} games",
            ["match", "tictactoe", "random", "uct:simulations=200", "--games", str(OPTIONS.games), "--games-file", "g.jsonl"], work,
        )
        asyncio.run(serve(work))
    finally:
        shutil.rmtree(work)


main()
