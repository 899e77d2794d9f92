#!/usr/bin/env bash
# Drafts the release TAG on GitHub with all files of a folder and their checksums. Needs `gh`, with its login in the environment.
#
#     draft.sh DIR TAG
#     draft.sh --dry-run DIR TAG    writes the checksums and prints the command
set -euo pipefail
run=()
[ "${1:-}" != --dry-run ] || { run=(echo); shift; }
folder=${1:?the folder of files} tag=${2:?the tag}
"$(dirname "$0")/tag.sh" "$tag"
cd "$folder"
rm -f SHA256SUMS
sha256sum -- * > SHA256SUMS
"${run[@]}" gh release create "$tag" --draft --verify-tag --title "selfplay ${tag#v}" --generate-notes -- *
