#!/usr/bin/env bash
# Self-play in Connect Four beside OpenSpiel's two trainers, in one run: `run.sh PROGRAM [--rounds N] [--seconds N]`.
# OpenSpiel, JAX and PyTorch are installed under target/trainers, and the trainer in C++ is compiled there. That needs cmake, ninja, g++ and
# libnop (Debian: cmake ninja-build g++ libnop-dev). Nothing else should run on the machine.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
mkdir -p "$here/../../../../target"
venv="$(cd "$here/../../../../target" && pwd)/trainers"
openspiel=open_spiel-2.0.2
if [ ! -f "$venv/ready" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet open_spiel==2.0.2 jax==0.10.2 chex==0.1.92 flax==0.12.8 optax==0.2.8 orbax-checkpoint==0.12.8
    # For processors alone: of CUDA no more than what PyTorch's library for them is linked to.
    "$venv/bin/pip" install --quiet --no-deps torch==2.9.1 nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-cupti-cu12==12.9.79
    archive=https://files.pythonhosted.org/packages/bb/3b/9d56d511eff27e26714aa232c945bb00335f792bc1959637ee0d2639a018/$openspiel.tar.gz
    curl --silent --show-error --fail --output "$venv/$openspiel.tar.gz" "$archive"
    echo "6f520dfe499b9e5e1e3a31cf77bf071abb02b98104789e7698021922a064e856  $venv/$openspiel.tar.gz" | sha256sum --check --quiet
    tar --extract --gzip --directory "$venv" --file "$venv/$openspiel.tar.gz"
    cmake -S "$here/openspiel_cpp" -B "$venv/openspiel_cpp" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOPENSPIEL="$venv/$openspiel" \
        -DPYTHON_PACKAGES="$(echo "$venv"/lib/python3*/site-packages)"
    cmake --build "$venv/openspiel_cpp"
    touch "$venv/ready"
fi
exec "$venv/bin/python" "$here/measure.py" "$@" --alpha-zero "$venv/openspiel_cpp/alpha_zero"
