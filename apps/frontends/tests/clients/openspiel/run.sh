#!/usr/bin/env bash
# Plays with GTPBot of the PyPI package open-spiel as the client.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../common.sh"
work="$clients/openspiel"
need_python "$work" open-spiel==2.0.2
build_program
"$work/bin/python" "$here/play.py" "$program"
