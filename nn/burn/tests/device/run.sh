#!/usr/bin/env bash
# A device against the CPU: `run.sh wgpu` builds the program with it and, where there is no GPU, takes Mesa's software Vulkan;
# `run.sh cuda` needs an NVIDIA GPU. The same positions through the same networks must answer alike, and a training must run,
# be killed and go on.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../../apps/frontends/tests/clients/common.sh"
device="${1:?which device: wgpu or cuda}"
if [ "$device" = wgpu ]; then
    [ -n "$(find /usr/share/vulkan/icd.d /etc/vulkan/icd.d -name '*.json' -print -quit 2>/dev/null)" ] \
        || debian_install mesa-vulkan-drivers libvulkan1
fi
need python3 python3
built="${2:-}"
if [ -z "$built" ]; then
    (cd "$root" && "${CARGO:-cargo}" build --release --locked --package selfplay-program --features "$device" --target-dir "$target/device")
    built="$target/device/release/selfplay"
fi
python3 "$here/check.py" "$built" "$device" "$root"
