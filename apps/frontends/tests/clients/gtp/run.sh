#!/usr/bin/env bash
# Plays every game over GTP with the npm package @sabaki/gtp as the client.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../common.sh"
need_node
work="$clients/gtp"
mkdir -p "$work"
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$work"
(cd "$work" && npm ci --silent --no-audit --no-fund)
build_program
node "$work/play.mjs" "$program"
