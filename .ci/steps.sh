# What `.ci/run` and `.ci/nightly` share. To be sourced.
set -euo pipefail
trap 'echo "line $LINENO failed: $BASH_COMMAND" >&2' ERR
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Everything is compiled once: what would make a second build quicker makes this one slower.
export CARGO_INCREMENTAL=0
export CARGO_PROFILE_DEV_DEBUG=false
program="$(realpath "${CARGO_TARGET_DIR:-target}")/debug/selfplay"
runs=$(mktemp -d)
: > "$runs/times"
trap 'printf "\n== seconds of each step\n"; cat "$runs/times"; rm -rf "$runs"' EXIT

# Runs a command, prints how long it takes, and says which one failed.
step() {
    printf '\n== %s\n' "$*"
    local begun=$SECONDS status=0
    "$@" || status=$?
    printf '== %s s\n' $((SECONDS - begun))
    printf '%5s s  %s\n' $((SECONDS - begun)) "$*" >> "$runs/times"
    if [ "$status" -ne 0 ]; then
        printf '\n== failed with status %s: %s\n' "$status" "$*" >&2
        exit "$status"
    fi
}

# The program as the tests leave it, built from what is there now.
need_program() {
    [ -z "${built:-}" ] || return 0
    step cargo test --workspace --locked --no-run
    built=yes
}

# run_groups "GROUP…" [GROUP…]: runs the groups that are named, or all.
run_groups() {
    local all=$1 group
    shift
    for group in "$@"; do
        if [[ " $all " != *" $group "* ]]; then
            echo "$0: there is no group \`$group\`; the groups are: $all" >&2
            exit 2
        fi
    done
    [ $# -gt 0 ] || set -- $all
    for group in "$@"; do "$group"; done
    printf '\n== all passed in %s s\n' "$SECONDS"
}
