#!/usr/bin/env bash
# Packages all crates that are not `publish = false` and compiles each archive without the workspace: a crate that reads files
# outside its own folder fails. Arguments go to `cargo package`, for example --allow-dirty, --offline, --no-verify.
#
# From the second release on, run `cargo semver-checks --workspace` as well, after `cargo install cargo-semver-checks --locked`:
# it compares every published crate with its latest version on crates.io. Raise the version as it reports.
set -euo pipefail
cd "$(dirname "$0")/.."
crates=$(cargo metadata --locked --no-deps --format-version 1 | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    if package["publish"] != []:
        print("--package=" + package["name"])')
cargo package --locked $crates "$@"
