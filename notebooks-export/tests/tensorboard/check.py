"""Holds a folder of `metrics_sample` against what TensorBoard's own reader finds there: tags, steps, values, times.

Usage: check.py FOLDER
"""

import json
import pathlib
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator, event_file_loader


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def main():
    folder = pathlib.Path(sys.argv[1])
    expected = json.loads((folder / "expected.json").read_text())
    files = sorted(path.name for path in (folder / "tensorboard").iterdir())
    assert len(files) == 1, f"one file is expected, there are {files}"

    # Nothing is thinned out; the reader checks every checksum and would stop at a wrong one.
    everything = {event_accumulator.SCALARS: 0}
    accumulator = event_accumulator.EventAccumulator(str(folder / "tensorboard"), size_guidance=everything)
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

    # A reader that follows the file sees the version first.
    first = next(iter(event_file_loader.RawEventFileLoader(str(folder / "tensorboard" / files[0])).Load()))
    assert b"brain.Event:2" in first, first

    events = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    played = [event["generation"] for event in events if event["event"] == "self_play"]
    assert played == list(range(1, len(played) + 1)), f"metrics.jsonl: generations {played}"
    print(f"TensorBoard reads {len(tags)} tags, {points} points; metrics.jsonl has {len(events)} events")


main()
