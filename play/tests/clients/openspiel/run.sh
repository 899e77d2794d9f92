#!/usr/bin/env bash
# Plays with GTPBot of the PyPI package open-spiel as the client.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../common.sh"
need python3 python3
python3 -c "import ensurepip" 2>/dev/null || debian_install python3-venv
work="$clients/openspiel"
[ -x "$work/bin/python" ] || python3 -m venv "$work"
"$work/bin/pip" install --quiet --disable-pip-version-check open-spiel==2.0.2
build_program
"$work/bin/python" "$here/play.py" "$program"
