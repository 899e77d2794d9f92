#!/usr/bin/env python3
"""Compares fused inference with ONNX Runtime, one position at a time, on all cores.

    pip install onnxruntime onnx numpy
    cargo build --release
    python3 nn/network/benches/onnx_runtime.py

Both sides judge Pentago-Swap positions with the default network (6 blocks of 64 channels) and fresh weights, batch
norms folded. ONNX Runtime spreads each position over the threads; fused inference gives each thread a position of its
own, as self-play does. The two are measured in turn, and the medians of the rounds are printed.
"""

import argparse
import json
import statistics
import subprocess
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

CHANNELS, BLOCKS, POLICY_CHANNELS, VALUE_CHANNELS, VALUE_HIDDEN = 64, 6, 32, 16, 64


class Graph:
    """Collects nodes and weights of one ONNX graph."""

    def __init__(self):
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(1)

    def add(self, kind, inputs, **attributes):
        name = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        values = self.random.normal(0, np.sqrt(2 / np.prod(shape[1:] or shape)), shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def conv(self, x, inputs, outputs, kernel):
        pad = kernel // 2
        weights = [self.weight(outputs, inputs, kernel, kernel), self.weight(outputs)]
        return self.add("Conv", [x, *weights], kernel_shape=[kernel, kernel], pads=[pad] * 4)

    def linear(self, x, inputs, outputs):
        return self.add("Gemm", [x, self.weight(outputs, inputs), self.weight(outputs)], transB=1)

    def relu(self, x):
        return self.add("Relu", [x])


def network(planes, height, width, policy_planes):
    """The network of `nn/burn/src/model.rs` for one position, with norms folded into the convolutions."""
    graph, cells = Graph(), height * width
    x = graph.relu(graph.conv("planes", planes, CHANNELS, 3))
    for _ in range(BLOCKS):
        inner = graph.relu(graph.conv(x, CHANNELS, CHANNELS, 3))
        x = graph.relu(graph.add("Add", [graph.conv(inner, CHANNELS, CHANNELS, 3), x]))
    policy = graph.relu(graph.conv(x, CHANNELS, POLICY_CHANNELS, 1))
    policy = graph.add("Flatten", [graph.conv(policy, POLICY_CHANNELS, policy_planes, 1)])
    value = graph.add("Flatten", [graph.relu(graph.conv(x, CHANNELS, VALUE_CHANNELS, 1))])
    value = graph.linear(graph.relu(graph.linear(value, VALUE_CHANNELS * cells, VALUE_HIDDEN)), VALUE_HIDDEN, 3)
    shape = [1, planes, height, width]
    onnx_graph = helper.make_graph(
        graph.nodes,
        "network",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, shape)],
        [
            helper.make_tensor_value_info(policy, TensorProto.FLOAT, [1, policy_planes * cells]),
            helper.make_tensor_value_info(value, TensorProto.FLOAT, [1, 3]),
        ],
        graph.weights,
    )
    model = helper.make_model(onnx_graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model.SerializeToString(), shape


def onnx_rate(session, planes, seconds):
    """Positions in a second."""
    end, count, start = time.perf_counter() + seconds, 0, time.perf_counter()
    while time.perf_counter() < end:
        session.run(None, {"planes": planes})
        count += 1
    return count / (time.perf_counter() - start)


def fused_rates(program, threads):
    """Positions in a second of fused inference, by precision."""
    command = [program, "bench", "network", "--rounds", "1", "--seconds", "0.3", "--threads", str(threads), "--json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]
    rate = {row["what"]: row["value"] for row in rows if row["unit"] == "positions/s"}
    return {precision: rate[f"6×6 fused {precision}, batch 1"] for precision in ("f32", "int8")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/selfplay")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()

    games = json.loads(subprocess.run([args.program, "games", "--json"], check=True, capture_output=True).stdout)
    game = next(game for game in games if game["id"] == "pentago-swap")
    model, shape = network(game["planes"], game["height"], game["width"], game["policy_planes"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = args.threads
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    planes = np.random.default_rng(2).integers(0, 2, shape).astype(np.float32)
    onnx_rate(session, planes, 0.2)

    theirs, ours = [], {"f32": [], "int8": []}
    for _ in range(args.rounds):
        theirs.append(onnx_rate(session, planes, args.seconds))
        for precision, rate in fused_rates(args.program, args.threads).items():
            ours[precision].append(rate)
    onnx_median = statistics.median(theirs)
    print(f"ONNX Runtime {onnxruntime.__version__}, batch 1, {args.threads} threads: {onnx_median:,.0f} positions/s")
    for precision, rates in ours.items():
        median = statistics.median(rates)
        print(f"fused {precision}, batch 1: {median:,.0f} positions/s, {median / onnx_median:.2f} times as many")


if __name__ == "__main__":
    main()
