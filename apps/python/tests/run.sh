#!/usr/bin/env bash
# The wheel in a fresh environment: it installs, trains the quickstart from an empty folder, and passes PettingZoo's tests, the
# module's own and mypy.
#
#     run.sh WHEEL            all of it, and the notebooks of examples
#     run.sh --quick WHEEL    without the notebooks
set -euo pipefail
trap 'echo "wheel: line $LINENO failed: $BASH_COMMAND" >&2' ERR
notebooks=(nbclient==0.11.0 ipykernel==7.4.0)
if [ "${1:-}" = --quick ]; then
    notebooks=()
    shift
fi
wheel=$(realpath -e -- "${1:?the wheel}")
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../frontends/tests/clients/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venv="$clients/python"
rm -rf "$venv"
need_python "$venv" "$wheel[environments,plots]" polars==2.1.0 pytest==9.2.0 mypy==2.4.1 "${notebooks[@]}"
need node nodejs
# The wheel's module, not the source beside the tests; and no other program than the wheel's.
cd "$work"
cp -r "$here" tests
cp "$here"/../{pyproject.toml,staging.py,backend.py,examples/connect_four.py} .
unset PYTHONPATH SELFPLAY_PROGRAM
export PATH="$venv/bin:$PATH"
[ "$(command -v selfplay)" = "$venv/bin/selfplay" ]
selfplay train sum15-4/quickstart --set generations=1 --set selfplay.games_per_generation=32 --set gate.pairs=4 --set gate.eval_pairs=2
python tests/reference.py "$here/../../../docs/python-api.md"
selfplay docs python-game | grep -q "A game is a class in a file"
test -f "$venv/share/selfplay/apps/python/examples/connect_four.py"
if [ ${#notebooks[@]} -gt 0 ]; then
    # They are executed where they lie.
    cp "$here"/../examples/*.ipynb .
    for notebook in first_run own_game; do
        jupyter execute "$notebook.ipynb" --output="$notebook.executed.ipynb"
    done
fi
pytest -q -p no:cacheprovider tests
mypy --strict -p selfplay_trainer
mypy tests/*.py
mypy --strict staging.py backend.py
python -m mypy.stubtest --mypy-config-file pyproject.toml selfplay_trainer._native
