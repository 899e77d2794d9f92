#!/usr/bin/env bash
# Packages all crates that are not `publish = false` and compiles each archive without the workspace: a crate that reads files
# outside its own folder fails.
#
#     package.sh [OPTIONS]    options of `cargo package`: --offline, --no-verify, --list
#     package.sh --publish    publishes them on crates.io, each after those it depends on
set -euo pipefail
trap 'echo "package.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/.."
crates=$(cargo metadata --locked --no-deps --format-version 1 | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    if package["publish"] != []:
        print("--package=" + package["name"])')
# The crate of networks on Burn is empty without a device.
features=(--features selfplay-burn/flex)
if [ "${1:-}" = --publish ]; then
    cargo publish --locked $crates "${features[@]}" "${@:2}"
else
    cargo package --locked $crates "${features[@]}" "$@"
fi
