#!/usr/bin/env bash
# Plays every game in headless Chromium against the example server; screenshots go to target/screenshots/.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../../../.." && pwd)"
target="${CARGO_TARGET_DIR:-$root/target}"
work="$target/clients/browser"

if ! command -v chromium >/dev/null; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "run.sh: Chromium is missing; install the Debian package \`chromium\`" >&2
        exit 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
fi
mkdir -p "$work"
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$work"
(cd "$work" && npm ci --silent --no-audit --no-fund)

${CARGO:-cargo} build --locked --manifest-path "$root/Cargo.toml" -p selfplay-play --example serve
"$target/debug/examples/serve" 0 >"$work/address" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
    [ -s "$work/address" ] && break
    sleep 0.1
done
node "$work/play.mjs" "$(cat "$work/address")" "$target/screenshots"
