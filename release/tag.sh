#!/usr/bin/env bash
# Fails unless TAG names the version in Cargo.toml.
#
#     tag.sh TAG
set -euo pipefail
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml" | head -1)
if [ "${1:?the tag}" != "v$version" ]; then
    echo "tag.sh: the tag is $1, but Cargo.toml has version $version: tag v$version, or change the version" >&2
    exit 1
fi
