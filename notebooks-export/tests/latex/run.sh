#!/usr/bin/env bash
# Compiles the figures of a report with LaTeX: `run.sh [RUN]`, or those of a small run that is made for it.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../apps/frontends/tests/clients/common.sh"
need pdflatex texlive-latex-base texlive-latex-recommended texlive-pictures
[ -x "$program" ] || build_program
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
run="${1:-}"
if [ -z "$run" ]; then
    "$program" train "$root/configs/tictactoe/smoke.toml" --run small --checkpoints "$work" >/dev/null
    run="$work/small"
fi
"$program" report "$run" --no-png --out "$work/report"
cd "$work/report"
pdflatex -interaction=nonstopmode -halt-on-error figures.tex >log || { grep -A5 '^!' log; exit 1; }
if grep -n 'Missing character\|Undefined control' log; then exit 1; fi
echo "ok   $(grep -o 'Output written.*' log)"
