#!/usr/bin/env bash
# Plays every game in headless Chromium against the example server; screenshots go to target/screenshots/.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../common.sh"
need_node
need chromium chromium fonts-dejavu-core
work="$clients/browser"
mkdir -p "$work"
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$work"
(cd "$work" && npm ci --silent --no-audit --no-fund)

(cd "$root" && "${CARGO:-cargo}" build --workspace --locked --example serve)
"$target/debug/examples/serve" 0 >"$work/address" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
    [ -s "$work/address" ] && break
    sleep 0.1
done
node "$work/play.mjs" "$(cat "$work/address")" "$target/screenshots"
