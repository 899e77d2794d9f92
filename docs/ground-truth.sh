#!/usr/bin/env bash
# Measures the figures of ground-truth.md and writes them into it, a block for each game.
#
#     docs/ground-truth.sh [GAME…]        connect4, sum15-4, pylos, tictactoe; all of them without a name
#
# Needs target/release/selfplay. Pylos needs its tablebase: PYLOS_TABLE=FILE, or `pylos.table` in the current folder.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(dirname "$here")"
selfplay="${SELFPLAY:-$root/target/release/selfplay}"
table="${PYLOS_TABLE:-pylos.table}"
oracle="$root/games/connect4/tests/oracle"

policy="policy:checkpoint=released"
plain="released:solver=off,foresight=off,simulations"
players=("$policy" "$plain=100" "$plain=400" "$plain=800" released)

# write GAME: replaces the block of the game by standard input.
write() {
    python3 - "$here/ground-truth.md" "$1" <(cat) <<'PY'
import re, sys
page, game, block = sys.argv[1:]
text, found = open(page).read(), open(block).read().strip()
begin, end = f"<!-- begin {game} -->", f"<!-- end {game} -->"
written, count = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}\n\n{found}\n\n{end}", text, flags=re.S)
if count != 1 or not found:
    sys.exit(f"{page}: block of {game}: found {count} times, expected once; nothing is written")
open(page, "w").write(written)
PY
}

# setup COMMAND…: the machine, the version, the date and the command.
setup() {
    local cpu
    cpu=$(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1)
    printf '\nSetup: %s threads of %s, %s, %s, `%s`, %s s.\n\n' "$(nproc)" "$cpu" "$("$selfplay" --version)" "$(date +%F)" \
        "$*" "$SECONDS"
}

connect4() {
    SECONDS=0
    "$selfplay" accuracy connect4 "${players[@]}" released:proofs=on --critical --positions 1000 \
        --after 4,8,12,16,20,24 --values "$oracle/positions.csv" | sed "s|$root/||"
    SPEC=released "$oracle/run.sh" "$selfplay" 100 | sed 's/^\([0-9]\)/\n\1/; s/differ$/differ.\n/'
    setup docs/ground-truth.sh connect4
}

sum15_4() {
    SECONDS=0
    "$selfplay" accuracy sum15-4 "${players[@]}" released:proofs=on --critical --positions 500 --after 3,4,5,6,7
    setup docs/ground-truth.sh sum15-4
}

pylos() {
    SECONDS=0
    "$selfplay" accuracy pylos "${players[@]}" released:proofs=on --critical --positions 300 --pieces 4,8,12,16,20,24 \
        --table "$table"
    setup docs/ground-truth.sh pylos
}

tictactoe() {
    SECONDS=0
    "$selfplay" accuracy tictactoe alphabeta:depth=9 uct:simulations=1000 greedy --critical --positions 500 --after 1,2,3,4,5
    setup docs/ground-truth.sh tictactoe
}

for game in "${@:-connect4 sum15-4 pylos tictactoe}"; do
    for name in $game; do
        "${name//-/_}" | write "$name"
    done
done
