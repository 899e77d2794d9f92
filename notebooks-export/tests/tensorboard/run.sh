#!/usr/bin/env bash
# Reads a sample of our TensorBoard files with the `tensorboard` package from PyPI.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../play/tests/clients/common.sh"
need python3 python3
python3 -c "import ensurepip" 2>/dev/null || debian_install python3-venv
work="$clients/tensorboard"
[ -x "$work/bin/python" ] || python3 -m venv "$work"
# tensorboard 2.20 still imports pkg_resources.
"$work/bin/pip" install --quiet --disable-pip-version-check tensorboard==2.20.0 "setuptools<81"
(cd "$root" && "${CARGO:-cargo}" build --locked -p selfplay-notebooks-export --example metrics_sample)
sample="$(mktemp -d)"
trap 'rm -rf "$sample"' EXIT
"$target/debug/examples/metrics_sample" "$sample"
"$work/bin/python" "$here/check.py" "$sample"
