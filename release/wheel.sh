#!/usr/bin/env bash
# The wheel for this system alone, or the source archive, as `pip install .` and `python -m build` make them. On Linux,
# release/make.sh makes a wheel for old systems too.
#
#     wheel.sh DIR             the wheel
#     wheel.sh --source DIR    the source archive
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v python3 || command -v python) || { echo "wheel.sh: there is no Python on the path" >&2; exit 1; }
if [ "${1:-}" = --source ]; then
    tools=$(mktemp -d)
    trap 'rm -rf "$tools"' EXIT
    "$python" -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check build==1.3.0
    "$tools/bin/python" -m build --sdist --outdir "${2:?a folder}" "$root"
else
    "$python" -m pip wheel --disable-pip-version-check --no-deps --wheel-dir "${1:?a folder}" "$root"
fi
