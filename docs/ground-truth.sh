#!/usr/bin/env bash
# Measures the figures of ground-truth.md and writes them into it, a block for each game.
#
#     docs/ground-truth.sh [GAME…]        connect4, sum15-4, pylos, tictactoe; all of them without a name
#
# Needs target/release/selfplay. Pylos needs its tablebase: PYLOS_TABLE=FILE, or `pylos.table` in the current folder.
# Counts: POSITIONS for each stage, SLOW_POSITIONS for players with exact results, GAMES against the oracle.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(dirname "$here")"
selfplay="${SELFPLAY:-$root/target/release/selfplay}"
table="${PYLOS_TABLE:-pylos.table}"
oracle="$root/games/connect4/tests/oracle"

policy="policy:checkpoint=released"
plain="released:mcts_solver=off,tactics=off,simulations"
players=("$policy" "$plain=100" "$plain=400" "$plain=800")
slow_players=(released released:verify=on)
games="${GAMES:-100}"

# write GAME: replaces the block of the game by standard input.
write() {
    python3 - "$here/ground-truth.md" "$1" <(cat) <<'PY'
import re, sys
page, game, block = sys.argv[1:]
# The block first: it takes minutes to come, and the page may have changed by then.
found = open(block).read().strip()
text = open(page).read()
begin, end = f"<!-- begin {game} -->", f"<!-- end {game} -->"
written, count = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}\n\n{found}\n\n{end}", text, flags=re.S)
if count != 1 or not found:
    sys.exit(f"{page}: block of {game}: found {count} times, expected once; nothing is written")
open(page, "w").write(written)
PY
}

# setup COMMAND…: the machine, the version, the date, the time so far and the command.
setup() {
    local cpu
    cpu=$(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1)
    printf '\nSetup: %s threads of %s, %s, %s, %s s. Command: `%s`.\n' "$(nproc)" "$cpu" "$("$selfplay" --version)" \
        "$(date +%F)" "$SECONDS" "$*"
}

# accuracy POSITIONS SLOW_POSITIONS GAME OPTION…: a table of the fast players and one of the slow ones.
accuracy() {
    "$selfplay" accuracy "$3" "${players[@]}" --critical --positions "$1" "${@:4}" | grep '^|'
    echo
    "$selfplay" accuracy "$3" "${slow_players[@]}" --critical --positions "$2" "${@:4}" | sed "s|$root/||; s|^Values: $table|Values: pylos.table|"
}

connect4() {
    local positions="${POSITIONS:-1000}" slow="${SLOW_POSITIONS:-300}"
    SECONDS=0
    accuracy "$positions" "$slow" connect4 --after 4,8,12,16,20,24 --values "$oracle/positions.csv"
    echo
    "$oracle/run.sh" "$selfplay" "$games" | sed 's/differ$/differ.\n/'
    setup "POSITIONS=$positions SLOW_POSITIONS=$slow GAMES=$games docs/ground-truth.sh connect4"
}

sum15_4() {
    local positions="${POSITIONS:-200}" slow="${SLOW_POSITIONS:-200}"
    SECONDS=0
    accuracy "$positions" "$slow" sum15-4 --after 3,4,5,6,7
    setup "POSITIONS=$positions SLOW_POSITIONS=$slow docs/ground-truth.sh sum15-4"
}

pylos() {
    local positions="${POSITIONS:-500}" slow="${SLOW_POSITIONS:-300}"
    SECONDS=0
    accuracy "$positions" "$slow" pylos --pieces 4,8,12,16,20,24 --table "$table"
    setup "POSITIONS=$positions SLOW_POSITIONS=$slow docs/ground-truth.sh pylos"
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
