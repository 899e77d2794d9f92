#!/usr/bin/env bash
# Reads a sample of our TensorBoard files with the `tensorboard` package from PyPI.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../apps/frontends/tests/clients/common.sh"
work="$clients/tensorboard"
# tensorboard 2.20 still imports pkg_resources.
need_python "$work" tensorboard==2.20.0 "setuptools<81"
build_program
sample="$(mktemp -d)"
trap 'rm -rf "$sample"' EXIT
"$target/debug/examples/metrics_sample" "$sample"
"$work/bin/python" "$here/check.py" "$sample"
