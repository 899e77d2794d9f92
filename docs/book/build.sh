#!/usr/bin/env bash
# The documentation as a site, with the API's under `api/`; a link between pages that leads nowhere fails.
#
#     build.sh DIR
set -euo pipefail
trap 'echo "book: line $LINENO failed: $BASH_COMMAND" >&2' ERR
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../apps/frontends/tests/clients/common.sh"
mkdir -p "${1:?the folder of the site}"
out=$(realpath "$1")
book="$clients/mdbook"
"$book/bin/mdbook" --version 2> /dev/null | grep -q 0.5.4 || cargo install --quiet --locked --root "$book" --no-default-features mdbook@0.5.4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cp "$here/book.toml" "$work"
cp "$here/SUMMARY.md" "$work/src"
cd "$root"
# As they lie in the project, so that links between them hold.
git ls-files -z ':(glob)*.md' ':(glob)docs/*.*' docs/decisions docs/quickstart docs/research docs/reports docs/pylos docs/cluster configs \
    ':(glob)games/*/README.md' ':(glob)checkpoints/released/*/README.md' ':(glob)apps/python/examples/*' \
    | xargs -0 cp --parents -t "$work/src"
"$book/bin/mdbook" build --dest-dir "$out" "$work"
rm -rf "$target/doc" "$out/api"
cargo doc --locked --no-deps --workspace
cp -r "$target/doc" "$out/api"
python3 "$here/links.py" "$out"
