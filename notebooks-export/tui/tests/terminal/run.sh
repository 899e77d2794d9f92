#!/usr/bin/env bash
# Runs the dashboard on a terminal made by Python, and looks whether that is as before afterwards.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../../apps/frontends/tests/clients/common.sh"
need python3 python3
build_program
python3 "$here/check.py" "$target/debug/examples/dashboard"
