#!/usr/bin/env bash
# Self-play in Connect Four beside OpenSpiel's trainer, in one run: `run.sh PROGRAM [--rounds N] [--seconds N]`.
# OpenSpiel and JAX are installed under target/trainers. Nothing else should run on the machine.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
venv="$here/../../../../target/trainers"
if [ ! -f "$venv/ready" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet open_spiel==2.0.2 jax==0.10.2 chex==0.1.92 flax==0.12.8 optax==0.2.8 orbax-checkpoint==0.12.8
    touch "$venv/ready"
fi
exec "$venv/bin/python" "$here/measure.py" "$@"
