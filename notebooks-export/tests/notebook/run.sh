#!/usr/bin/env bash
# Executes the notebooks of made-up reports with nbclient, with the module from a wheel: every cell runs, and every picture and table is
# there. `run.sh WHEEL`.
set -euo pipefail
wheel=$(realpath -e -- "${1:?the wheel}")
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../apps/frontends/tests/clients/common.sh"
work="$clients/notebook"
rm -rf "$work"
need_python "$work" "$wheel[plots]" nbclient==0.11.0 nbformat==5.11.1 ipykernel==7.4.0
build_program
reports="$work/reports"
rm -rf "$reports"
for kind in 1 12 500 several sparse empty damaged; do
    "$target/debug/examples/report_sample" "$reports/$kind" "$kind"
done
"$work/bin/python" "$here/check.py" "$reports"
