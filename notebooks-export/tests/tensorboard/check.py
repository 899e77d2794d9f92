"""Holds a folder of `metrics_sample` against what TensorBoard's own reader finds there: tags, steps, values, times.

Usage: check.py FOLDER
"""

import json
import pathlib
import struct
import sys
import tempfile

from tensorboard.backend.event_processing import event_accumulator, event_file_loader


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


# Nothing is thinned out.
EVERYTHING = {event_accumulator.SCALARS: 0}


def records(data):
    """The TFRecords of a file, each with its frame."""
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        yield data[: length + 16]
        data = data[length + 16 :]


def check_follower(file, tag, wanted):
    """A TensorBoard that was open before a run was resumed goes on to the new file and reads no point twice."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = (pathlib.Path(folder) / f"events.out.tfevents.{number:010}.selfplay" for number in (1, 2))
        data = file.read_bytes()
        whole = list(records(data))
        old.write_bytes(b"".join(whole[: len(whole) // 2]))
        follower = event_accumulator.EventAccumulator(folder, size_guidance=EVERYTHING)
        follower.Reload()
        before = len(follower.Scalars(tag))
        assert 0 < before < len(wanted), f"{tag}: {before} of {len(wanted)}"
        old.write_bytes(b"")
        new.write_bytes(data)
        follower.Reload()
        steps = [event.step for event in follower.Scalars(tag)]
        assert steps == wanted, f"{tag}: steps {steps} instead of {wanted}"


def main():
    folder = pathlib.Path(sys.argv[1])
    expected = json.loads((folder / "expected.json").read_text())
    files = sorted((folder / "tensorboard").iterdir())
    full = [path for path in files if path.stat().st_size > 0]
    assert full == files[-1:], f"the last file alone is to hold events: {files}"

    # The reader checks every checksum and would stop at a wrong one.
    accumulator = event_accumulator.EventAccumulator(str(folder / "tensorboard"), size_guidance=EVERYTHING)
    accumulator.Reload()
    tags = sorted(accumulator.Tags()["scalars"])
    assert tags == sorted(expected), f"tags differ: {set(tags) ^ set(expected)}"
    points = 0
    for tag, wanted in expected.items():
        found = [(event.step, event.value, event.wall_time) for event in accumulator.Scalars(tag)]
        assert found == [(step, float32(value), time) for step, value, time in wanted], f"{tag}: {found} != {wanted}"
        steps = [step for step, _, _ in found]
        assert steps == sorted(set(steps)), f"{tag}: a step stands there twice, or out of order: {steps}"
        points += len(found)
    assert points > 200, f"only {points} points"

    # The version comes first, as TensorBoard asks for.
    first = next(iter(event_file_loader.RawEventFileLoader(str(full[0])).Load()))
    assert b"brain.Event:2" in first, first
    check_follower(full[0], "elo/rating", [step for step, _, _ in expected["elo/rating"]])

    events = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    played = [event["generation"] for event in events if event["event"] == "self_play"]
    assert played == list(range(1, len(played) + 1)), f"metrics.jsonl: generations {played}"
    print(f"TensorBoard reads {len(tags)} tags, {points} points; metrics.jsonl has {len(events)} events")


main()
