#!/usr/bin/env bash
# The crates that have unsafe code, with every access to memory checked by AddressSanitizer: the kernels, whose tests hold each
# against a plain sum, what networks do with them, and tables, which map files. Some minutes on two cores.
#
#     run.sh
set -euo pipefail
cd "$(dirname "$0")/../../../.."
triple=$(rustc -vV | sed -n 's/^host: //p')
# Sanitizers are no stable part of the compiler, which has them all the same; the variable says that we know.
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" RUSTDOCFLAGS="-Zsanitizer=address"
cargo test --locked --target "$triple" --target-dir "${CARGO_TARGET_DIR:-target}/sanitizer" \
    -p selfplay-kernels -p selfplay-network -p selfplay-tablebase
