#!/usr/bin/env bash
# Long work under watch: 200 generations, 10,000 games, and a server with 500 clients, good and bad. What a process holds in
# memory, files and threads must not grow on the way.
#
#     run.sh SELFPLAY [--serve-seconds N]       an hour of serving is 3600; without it two minutes
set -euo pipefail
selfplay=$(realpath -e -- "${1:?the selfplay program}")
exec python3 "$(dirname "$0")/check.py" "$selfplay" "${@:2}"
