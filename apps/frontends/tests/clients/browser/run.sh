#!/usr/bin/env bash
# Plays every game in headless Chromium against the example server, looks at the page of a made-up run, and plays against
# agents that are one file each; screenshots go to target/screenshots/.
#
#     run.sh            all of it
#     run.sh --quick    one game and the page of the run
set -euo pipefail
trap 'echo "browser: line $LINENO failed: $BASH_COMMAND" >&2' ERR
quick=
[ "${1:-}" != --quick ] || quick=yes
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../common.sh"
need_node
need chromium chromium fonts-dejavu-core
work="$clients/browser"
mkdir -p "$work"
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$work"
(cd "$work" && npm ci --silent --no-audit --no-fund)

build_program

# serve EXAMPLE: starts it and sets `address` and `server`.
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true' EXIT
serve() {
    # Before the server starts, so that no earlier address is read.
    : >"$work/address"
    "$target/debug/examples/$1" 0 >"$work/address" &
    server=$!
    servers+=("$server")
    until grep -q http "$work/address"; do
        kill -0 "$server"
        sleep 0.1
    done
    address="$(cat "$work/address")"
}
serve serve
node "$work/play.mjs" "$address" "$target/screenshots" ${quick:+pentago-swap}
serve run_page
node "$work/run-page.mjs" "$address" "$target/screenshots" "$server"

[ -z "$quick" ] || exit 0

# Agents as pages of their own.
rustup target list --installed | grep -qx wasm32-wasip1 || rustup target add wasm32-wasip1
(cd "$root" && "${CARGO:-cargo}" build --locked --release --package selfplay-page --target wasm32-wasip1)
pages=()
for agent in connect4=checkpoints/released/connect4 pylos=alphabeta:memory=16; do
    page="$work/${agent%%=*}.html"
    (cd "$root" && "$program" export "${agent%%=*}" "${agent#*=}" --format html --force --out "$page" \
        --program "$target/wasm32-wasip1/release/selfplay_page.wasm")
    pages+=("$page")
done

# So is a game of one's own, as docs/export.md says.
own="$work/own-game"
rm -rf "$own"
"$program" new own-game --path "$own"
sed -i 's/^\[workspace\]$/&\nmembers = ["page"]/' "$own/Cargo.toml"
mkdir -p "$own/page/src"
cat >"$own/page/Cargo.toml" <<END
[package]
name = "own-game-page"
version = "0.1.0"
edition = "2024"
[lib]
crate-type = ["cdylib"]
[dependencies]
selfplay = { package = "selfplay-wasm", path = "$root/apps/wasm" }
END
cat >"$own/page/src/lib.rs" <<'END'
#[path = "../../src/lib.rs"]
mod rules;

selfplay::page!(&[selfplay::game::<rules::OwnGame>()]);
END
export CARGO_TARGET_DIR="$target"
(cd "$own" && "${CARGO:-cargo}" build --release --package own-game-page --target wasm32-wasip1)
(cd "$own" && "${CARGO:-cargo}" run --quiet -- export own-game alphabeta --format html --force --out "$work/own-game.html" \
    --program "$target/wasm32-wasip1/release/own_game_page.wasm")
pages+=("$work/own-game.html")
node "$work/offline.mjs" "$target/screenshots" "${pages[@]}"
