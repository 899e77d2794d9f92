#!/usr/bin/env bash
# Crashes of the program at its operations on files, in turn: `run.sh [PROGRAM]` looks at a sample of them, `run.sh PROGRAM --every 1
# --seeds 3` at every one; check.py says the rest. Needs strace.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../frontends/tests/clients/common.sh"
need python3 python3
need strace strace
[ $# -gt 0 ] || set -- "$program"
[ -x "$1" ] || build_program
python3 "$here/check.py" "$1" "${@:2}"
