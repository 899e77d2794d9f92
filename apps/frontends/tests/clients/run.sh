#!/usr/bin/env bash
# Runs test suites that need clients from package registries: `run.sh browser`; without a name, all there are.
# Each suite is a folder with a `run.sh` of its own, which installs what it needs under target/clients/.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
suites=("$@")
if [ ${#suites[@]} -eq 0 ]; then
    for script in "$here"/*/run.sh; do suites+=("$(basename "$(dirname "$script")")"); done
fi
for suite in "${suites[@]}"; do
    if [ ! -f "$here/$suite/run.sh" ]; then
        echo "run.sh: there is no suite \`$suite\`; the suites are $(cd "$here" && ls -d */ | tr -d / | xargs)" >&2
        exit 2
    fi
    printf '\n== clients: %s\n' "$suite"
    bash "$here/$suite/run.sh"
done
