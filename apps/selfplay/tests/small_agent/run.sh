#!/usr/bin/env bash
# Builds the smallest program that carries agents, for systems with glibc 2.17 or newer, and tries it: as large as is said, no
# newer functions of the C library, an agent in it that plays. Some ten minutes on two cores.
#
#     run.sh SELFPLAY            the program that exports; the small one is then at
#                                target/x86_64-unknown-linux-gnu/agent/selfplay-agent
set -euo pipefail
selfplay=$(realpath -e -- "${1:?the selfplay program}")
root=$(realpath "$(dirname "$0")/../../../..")
target="${CARGO_TARGET_DIR:-$root/target}"
cd "$root"

# zig brings C libraries of any age; it comes as a Python package.
venv="$target/clients/zig"
[ -x "$venv/bin/cargo-zigbuild" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet ziglang cargo-zigbuild; }
arch=$(uname -m)
PATH="$venv/bin:$PATH" cargo zigbuild --locked --profile agent --bin selfplay-agent --target "$arch-unknown-linux-gnu.2.17"
program="$target/$arch-unknown-linux-gnu/agent/selfplay-agent"

size=$(stat -c %s "$program")
echo "$program has $size bytes"
[ "$size" -le 8000000 ] || { echo "more than 8 MB"; exit 1; }
newest=$(objdump -T "$program" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -1)
echo "it needs $newest"
[ "$(printf 'GLIBC_2.17\n%s\n' "$newest" | sort -V | tail -1)" = GLIBC_2.17 ] || { echo "newer than 2.17"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$selfplay" export connect4 checkpoints/released/connect4 --program "$program" --out "$work/agent"
"$work/agent" info
"$selfplay" match connect4 "program:$work/agent gtp --time 50ms" random --games 4 --games-file "$work/games.jsonl"
