#!/usr/bin/env bash
# A training on a disk that is full: it ends with a sentence and goes on by the same command, or waits for room and goes on by
# itself; either way it ends as one that had room. Needs to be allowed to mount a file system in memory.
#
#     run.sh SELFPLAY
set -euo pipefail
selfplay=$(realpath -e -- "${1:?the selfplay program}")
work=$(mktemp -d)
trap 'umount "$work/disk" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/disk"
mount -t tmpfs -o size=4m none "$work/disk" 2>/dev/null || { echo "not run: no file system can be mounted here"; exit 0; }

train() {
    "$selfplay" train tictactoe.toml --checkpoints "$1" --run a "${@:2}"
}
cd "$work"
cat > tictactoe.toml <<'T'
game = "tictactoe"
generations = 3
network = { channels = 8, blocks = 1 }
selfplay = { games_per_generation = 64, num_simulations = 12 }
gate = { pairs = 2, eval_pairs = 2, num_simulations = 8, eval_opponents = ["random"] }
T
products() { (cd "$1/a" && find games networks -type f | sort | xargs sha256sum); }
# A file that leaves so many bytes of room.
fill() { head -c $(($(stat -f -c '%a * %S' disk) - $1)) /dev/zero > disk/filler; }

train roomy > /dev/null
for room in 4096 60000 200000; do
    rm -rf disk/a; fill $room
    if train disk > out.txt 2>&1; then echo "it needs less than $room bytes: the check shows nothing"; exit 1; fi
    grep -qi "no space left" out.txt || { echo "no sentence:"; cat out.txt; exit 1; }
    if grep -q panicked out.txt; then cat out.txt; exit 1; fi
    rm disk/filler
    train disk > /dev/null
    diff <(products roomy) <(products disk)
    echo "full with $room bytes: said so, went on, the same"
done

rm -rf disk/a; fill 60000
train disk --wait-for-space > out.txt 2>&1 &
waiting=$!
until grep -q "waiting for disk space" out.txt || ! kill -0 $waiting; do sleep 0.1; done
grep -q "waiting for disk space" out.txt || { echo "it did not wait:"; cat out.txt; exit 1; }
rm disk/filler
wait $waiting
diff <(products roomy) <(products disk)
echo "full, waited, went on by itself, the same"
