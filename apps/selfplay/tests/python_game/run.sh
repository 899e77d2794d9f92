#!/usr/bin/env bash
# A game in one Python file, in an empty folder: checked, trained with its gate, killed and gone on with, exported, played over
# GTP and offered in the browser. `run.sh PROGRAM`.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
program="$(realpath "${1:-$here/../../../../target/debug/selfplay}")"
folder="$(mktemp -d)"
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
trap 'echo "python game: line $LINENO failed: $BASH_COMMAND" >&2' ERR
step() { printf '\n== python game: %s\n' "$*" >&2; "$@"; }

# wait_for PROCESS COMMAND...: until the command succeeds; fails if the process ends before.
wait_for() {
    local process=$1
    shift
    until "$@" > /dev/null 2>&1; do
        kill -0 "$process"
        sleep 0.1
    done
}

cd "$folder"
cp "$here/../../../python/examples/connect_four.py" .
cat > config.toml <<'TOML'
game = "python-connect4"
generations = 2
[network]
blocks = 1
channels = 8
[selfplay]
games_per_generation = 32
num_simulations = 16
[gate]
pairs = 4
eval_pairs = 2
TOML

step "$program" check connect_four.py --games 20
train() { "$program" train config.toml --game-file connect_four.py "$@"; }
step train --run whole

# The processes that run the file are gone with the program, whatever ends it.
"$program" train config.toml --game-file connect_four.py --run killed --threads 1 & killed=$!
has_games() { compgen -G 'checkpoints/killed/games/*.shard'; }
wait_for "$killed" has_games
# They are listed with the file that they run, in a line that can be read.
listed=$(pgrep -f -a "$folder")
if [ -z "$listed" ] || [ "$(wc -L <<< "$listed")" -gt 400 ] || grep -qv connect_four.py <<< "$listed"; then
    echo "python game: the list of processes: $listed" >&2
    exit 1
fi
kill -9 "$killed"
wait "$killed" 2> /dev/null || true
# They notice that their pipe is closed; a loaded machine may take its time.
for _ in {1..300}; do
    left=$(pgrep -f "$folder" || true)
    [ -n "$left" ] || break
    sleep 0.1
done
if [ -n "$left" ]; then
    echo "python game: processes are left: $left" >&2
    exit 1
fi
step train --run killed
cmp checkpoints/{whole,killed}/networks/gen-00002/weights.safetensors
step "$program" doctor checkpoints/whole --game-file connect_four.py
step "$program" doctor checkpoints/whole --game-file connect_four.py --check
# A game of moves from cell to cell.
cp "$here/../../../python/examples/breakthrough.py" .
step "$program" check breakthrough.py --games 20

step "$program" match connect_four.py random search:checkpoint=checkpoints/whole,simulations=8 --games 4

step "$program" export connect_four.py checkpoints/whole --out agent
mkdir elsewhere
mv agent elsewhere
step ./elsewhere/agent gtp --time 20ms > game < <(
    echo clear_board
    for _ in {1..21}; do printf 'genmove b\ngenmove w\n'; done
    printf 'showboard\ngogui-rules_final_result\nquit\n'
)
cat game
grep -Eq '^= (black wins|white wins|draw)$' game

# Who does not name the file is told what is not offered, and the rest is.
"$program" serve --port 0 > served-without 2> said & server=$!
wait_for "$server" grep -q http served-without
kill "$server"
wait "$server" || true
grep -q 'plays python-connect4, which this program does not know.*--game-file' said

# A file of its own: the first server's address must not be taken for this one's.
"$program" serve --game-file connect_four.py --port 0 > served-with & server=$!
wait_for "$server" grep -q http served-with
step curl --silent --fail "$(grep -o 'http://[^ ]*' served-with | head -1)/api/games" > listed
grep -q python-connect4 listed
