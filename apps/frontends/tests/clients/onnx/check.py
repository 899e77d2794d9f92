"""Exported files say what the program says: ONNX by onnxruntime, safetensors by a forward pass in NumPy.

    python check.py SELFPLAY CONFIGS
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from safetensors import safe_open

TOLERANCE = 1e-4
POSITIONS = 12
# Policies in planes and dense ones, boards of several sizes, with and without global pooling.
RUNS = [("pentago-swap", False), ("pentago-swap", True), ("pylos", False), ("pente-9", True), ("sum15-4", False)]


def softmax(x):
    x = np.exp(x - x.max())
    return x / x.sum()


def conv(x, weight):
    """`[planes, height, width]` by `[outputs, planes, k, k]`, edges padded with zeros."""
    reach = weight.shape[2] // 2
    padded = np.pad(x, ((0, 0), (reach, reach), (reach, reach)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2:], axis=(1, 2))
    return np.einsum("ihwkl,oikl->ohw", windows, weight)


class Network:
    """The forward pass as nn/burn/src/model.rs has it."""

    def __init__(self, path):
        with safe_open(path, framework="np") as file:
            self.metadata = file.metadata()
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}

    def norm(self, x, name):
        gamma, beta = self.tensors[f"{name}.norm.gamma"], self.tensors[f"{name}.norm.beta"]
        mean, variance = self.tensors[f"{name}.norm.running_mean"], self.tensors[f"{name}.norm.running_var"]
        scale = gamma / np.sqrt(variance + 1e-5)
        return x * scale[:, None, None] + (beta - mean * scale)[:, None, None]

    def conv_norm(self, x, name):
        return self.norm(conv(x, self.tensors[f"{name}.conv.weight"]), name)

    def linear(self, x, name):
        return x @ self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]

    def __call__(self, x):
        relu = lambda x: np.maximum(x, 0)
        summary = lambda x: np.concatenate([x.mean(axis=(1, 2)), x.max(axis=(1, 2))])
        x = relu(self.conv_norm(x, "stem"))
        block = 0
        while f"blocks.{block}.first.conv.weight" in self.tensors:
            name = f"blocks.{block}"
            inner = conv(x, self.tensors[f"{name}.first.conv.weight"])
            if f"{name}.pooling.bias.weight" in self.tensors:
                features = relu(self.conv_norm(x, f"{name}.pooling.features"))
                inner = inner + self.linear(summary(features), f"{name}.pooling.bias")[:, None, None]
            inner = relu(self.norm(inner, f"{name}.first"))
            x = relu(self.conv_norm(inner, f"{name}.second") + x)
            block += 1
        policy = relu(self.conv_norm(x, "policy.reduce"))
        output = next(name for name in self.tensors if name.startswith("policy.output") and name.endswith("weight"))
        weight, bias = self.tensors[output], self.tensors[output.replace("weight", "bias")]
        if weight.ndim == 4:
            logits = (conv(policy, weight) + bias[:, None, None]).flatten()
        else:
            logits = policy.flatten() @ weight + bias
        value = relu(self.conv_norm(x, "value.reduce"))
        inputs = self.tensors["value.hidden.weight"].shape[0]
        value = value.flatten() if inputs == value.size else summary(value)
        return logits, self.linear(relu(self.linear(value, "value.hidden")), "value.output")


def main():
    program, configs = sys.argv[1], Path(sys.argv[2])
    call = lambda *words: subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    passed = 0
    for game, pooling in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            sets = ["generations=1", f"network.global_pooling={str(pooling).lower()}"]
            call("train", str(configs / game / "smoke.toml"), "--checkpoints", folder, "--run", "run",
                 *(word for key in sets for word in ("--set", key)))
            run = f"{folder}/run"
            for form in ("onnx", "safetensors"):
                call("export", game, run, "--format", form, "--out", f"{folder}/agent.{form}")
            model = onnx.load(f"{folder}/agent.onnx")
            onnx.checker.check_model(model, full_check=True)
            metadata = {entry.key: entry.value for entry in model.metadata_props}
            network = Network(f"{folder}/agent.safetensors")
            assert metadata == network.metadata and metadata["game"] == game, metadata
            session = onnxruntime.InferenceSession(f"{folder}/agent.onnx", providers=["CPUExecutionProvider"])
            positions = []
            for line in call("random-games", game, str(POSITIONS)).splitlines():
                moves = line.split("=")[0].split()
                positions.append(moves[: random.Random(line).randrange(len(moves))])
            shown = [json.loads(call("show", "--json", game, *moves)) for moves in positions]
            batch = np.array([one["planes"] for one in shown], np.float32).reshape(-1, *shown[0]["shape"])
            outputs = session.run(["policy_logits", "wdl_logits"], {"planes": batch})
            worst = 0.0
            for index, (moves, one) in enumerate(zip(positions, shown)):
                spec = f"policy:checkpoint={run},precision=f32"
                answer = json.loads(call("analyse", "--json", game, spec, *moves))
                expected = {move["move"]: move["prior"] for move in answer["moves"]}
                wdl = [answer["wdl"][key] for key in ("win", "draw", "loss")]
                indices = [move["index"] for move in one["moves"]]
                priors = np.array([expected[move["move"]] for move in one["moves"]])
                for logits, value in ((outputs[0][index], outputs[1][index]), network(batch[index])):
                    worst = max(worst, np.abs(softmax(logits[indices]) - priors).max())
                    worst = max(worst, np.abs(softmax(value) - wdl).max())
            assert worst < TOLERANCE, f"{game}: off by {worst}"
            passed += 1
            print(f"ok {game}{', global pooling' if pooling else ''}: off by {worst:.1e} at most")
    print(f"{passed} passed, 0 failed")


main()
