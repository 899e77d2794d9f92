#!/bin/bash
# Workers for a run on a Slurm cluster: `sbatch --array=1-50 slurm.sh`. Each has a node's cores for as long as Slurm gives them,
# and ends after five minutes without anything to do. When Slurm ends a job it sends SIGTERM first, and the lane that the worker
# is at is given back.
#SBATCH --job-name=selfplay-worker
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem-per-cpu=1G
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@30
#SBATCH --requeue
# All workers of a run that is to be the same bit for bit need one kind of CPU; what it is called differs from cluster to cluster:
##SBATCH --constraint=genoa
set -euo pipefail
exec srun selfplay worker \
    --nats "${SELFPLAY_NATS_URL:?the address of the NATS server, as in tls://login1:4222}" \
    --nats-credentials "$HOME/.config/selfplay/worker.toml" \
    --name "$SLURMD_NODENAME-$SLURM_ARRAY_TASK_ID" \
    --outbox "${SLURM_TMPDIR:-/tmp}/selfplay-outbox" \
    --threads "$SLURM_CPUS_PER_TASK" --idle-exit 300
