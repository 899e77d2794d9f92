#!/usr/bin/env bash
# Random changes of every kind of file: `run.sh [PROGRAM]` tries a few of each, `run.sh PROGRAM --count 5000` many; check.py says the
# rest.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../frontends/tests/clients/common.sh"
need python3 python3
[ $# -gt 0 ] || set -- "$program"
[ -x "$1" ] || build_program
python3 "$here/check.py" "$1" "${@:2}"
