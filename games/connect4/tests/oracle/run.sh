#!/usr/bin/env bash
# Connect Four against an outside solver: BitBully with its opening book, from the Python index. It is a tool of this
# test alone; no part of the program links to it.
#
#     run.sh SELFPLAY [GAMES]       GAMES games as first and as second player against perfect opponents; 10 without it
#
# Solves every 20th position of positions.csv again, then plays. eval/arena/tests/it/connect4_oracle.rs compares the program's
# own solver with positions.csv. To make positions.csv anew: oracle.py positions > positions.csv (5 minutes).
set -euo pipefail
selfplay=$(realpath -e -- "${1:?the selfplay program}")
games="${2:-10}"
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../../apps/frontends/tests/clients/common.sh"
if ! need_python "$clients/oracle" bitbully==0.0.79 bitbully-databases==0.0.2; then
    echo "run.sh: skipped: the Python packages bitbully and bitbully-databases cannot be installed here"
    exit 0
fi
python="$clients/oracle/bin/python"
"$python" "$here/oracle.py" check "$here/positions.csv" --every 20
"$python" "$here/oracle.py" play "$selfplay" "${SPEC:-released}" --games "$games"
