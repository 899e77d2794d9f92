#!/usr/bin/env bash
# Installations from source, each into an empty environment: from the root of a clone, from apps/python, and from the archive that
# `python -m build` makes, which must build without the clone. Then what is said if Rust is missing. A quarter of an hour on two cores.
#
#     run.sh
set -euo pipefail
trap 'echo "install: line $LINENO failed: $BASH_COMMAND" >&2' ERR
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../frontends/tests/clients/common.sh"
need_python "$clients/install" build==1.3.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# One folder for what is compiled, and the profile of the tests.
export CARGO_TARGET_DIR="$target"
settings=(--config-settings profile=dev)
unset PYTHONPATH SELFPLAY_PROGRAM

# installs SOURCE: into an empty environment, and runs the README's example there.
installs() {
    rm -rf "$work/venv"
    need_python "$work/venv" pip
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check "${settings[@]}" "$1[plots]"
    (
        cd "$work"
        PATH="$work/venv/bin:$PATH"
        selfplay --version
        python "$here/example.py"
    )
    echo "install: $1 installs"
}
installs "$root"
installs "$root/apps/python"
"$clients/install/bin/python" -m build --sdist --outdir "$work" "$root"
archive=$(ls "$work"/*.tar.gz)
installs "$archive"

# Without Rust: one sentence, and nothing is downloaded in its place.
need_python "$work/venv" pip
if env -u CARGO PATH="$work/venv/bin:/usr/bin:/bin" pip install --quiet "$root" > "$work/said" 2>&1; then
    echo "install: it installed without Rust"
    exit 1
fi
grep "building from source needs Rust" "$work/said"
