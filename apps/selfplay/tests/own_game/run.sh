#!/usr/bin/env bash
# A game of one's own from nothing, in a folder outside this workspace: written, built, tested, checked, trained and gated,
# exported, and one game of its agent over GTP. `run.sh PROGRAM` takes the program that writes it.
set -euo pipefail
program="$(realpath "${1:-$(dirname "$0")/../../../../target/debug/selfplay}")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
trap 'echo "own game: line $LINENO failed: $BASH_COMMAND" >&2' ERR
step() { printf '\n== own game: %s\n' "$*"; "$@"; }

cd "$folder"
step "$program" new three-or-four
cd three-or-four
step cargo test 2>&1 | tee said
# A profile that names what is not there is no more than a warning.
if grep -q 'profile package spec' said; then
    echo "own game: a profile names a crate that is not there" >&2
    exit 1
fi
step cargo run -- check three-or-four
step cargo run -- train configs/quickstart.toml --set generations=2 --set selfplay.games_per_generation=32 \
    --set gate.pairs=2 --set gate.eval_pairs=1
step cargo run -- export three-or-four checkpoints/three-or-four-quickstart --out agent

# Thirteen moves of each side fill the board; those after the end are refused.
step ./agent gtp > game < <(
    echo clear_board
    for _ in {1..13}; do printf 'genmove b\ngenmove w\n'; done
    printf 'showboard\ngogui-rules_final_result\nquit\n'
)
cat game
grep -Eq '^= (black wins|white wins|draw)$' game

# A rule that is not the same in the mirror is found, and shown where it is.
sed -i 's/Action::from_index(symmetry.map_cell(action.index(), SIZE))/action/' src/lib.rs
if cargo run -- check three-or-four > found; then
    echo "own game: a broken law was not found" >&2
    exit 1
fi
cat found
grep -q 'mirrored left to right, .* does something else there' found
grep -q 'in the initial position' found
