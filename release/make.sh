#!/usr/bin/env bash
# Makes what is handed out, in a folder: the wheel for Python, which has program, module, configs and trained agents in it; a tarball
# with the same without the module; the list of all that they are built from (CycloneDX); checksums.
#
#     make.sh [--out DIR]              for Linux with glibc 2.17 or newer, everything optimised; half an hour to forty minutes on two cores
#     make.sh --dry-run [--out DIR]    the same steps, from what `cargo test --workspace` built: for this machine, large and slow
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
source "$root/apps/frontends/tests/clients/common.sh"
cd "$root"
out="$target/release-files" dry=
while [ $# -gt 0 ]; do
    case $1 in
        --dry-run) dry=yes; shift ;;
        --out) out=${2:?a folder}; shift 2 ;;
        *) echo "make.sh: $1 is unknown: it takes --dry-run and --out DIR" >&2; exit 2 ;;
    esac
done
mkdir -p "$out"
out=$(realpath "$out")
MOST_WHEEL_BYTES=40000000

# What is missing is said before anything is installed.
missing=()
command -v cargo > /dev/null || missing+=("cargo: https://rustup.rs")
[ -n "$dry" ] || command -v rustup > /dev/null || missing+=("rustup, for WebAssembly: https://rustup.rs")
[ -n "$dry" ] || command -v objdump > /dev/null || missing+=("objdump: the package binutils")
for program in selfplay selfplay-agent; do
    [ -z "$dry" ] || [ -x "$target/debug/$program" ] || missing+=("$target/debug/$program: cargo test --workspace")
done
if [ ${#missing[@]} -gt 0 ]; then
    printf 'make.sh: missing: %s\n' "${missing[@]}" >&2
    exit 1
fi

venv="$clients/release"
need_python "$venv" maturin==1.16.0
[ -n "$dry" ] || need_python "$venv" ziglang==0.15.2 cargo-zigbuild==0.24.1
export PATH="$venv/bin:$PATH"
arch=$(uname -m) version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

if [ -n "$dry" ]; then
    built="$target/debug" profile=dev
    for_systems=(--compatibility linux --auditwheel skip)
    agent="$built/selfplay-agent"
else
    # zig brings the C library of old systems.
    triple="$arch-unknown-linux-gnu" profile=dist
    built="$target/$triple/dist"
    for_systems=(--target "$triple" --compatibility manylinux2014)
    cargo zigbuild --locked --profile dist --target "$triple.2.17" -p selfplay-program --features cluster --bin selfplay
    cargo zigbuild --locked --profile agent --target "$triple.2.17" -p selfplay-program --bin selfplay-agent
    agent="$target/$triple/agent/selfplay-agent"
    rustup target list --installed | grep -qx wasm32-wasip1 || rustup target add wasm32-wasip1
    cargo build --locked --profile dist --package selfplay-page --target wasm32-wasip1
fi

# `bin/` and `share/selfplay/`, as they are installed.
staged="$root/apps/python/selfplay_trainer.data"
work=$(mktemp -d)
trap 'rm -rf "$staged" "$work"' EXIT
mkdir "$work/stripped"
install -s -m 755 "$built/selfplay" "$agent" "$work/stripped"
[ -n "$dry" ] || cp "$target/wasm32-wasip1/dist/selfplay_page.wasm" "$work/stripped/"
(cd "$work/stripped" && python3 "$root/apps/python/staging.py" ./selfplay*)
share="$staged/data/share/selfplay"

if [ -z "$dry" ]; then
    # Zig links the module too. In maturin's own way with it all would be compiled again that is compiled by now.
    cat > "$work/cargo" <<END
#!/usr/bin/env bash
[ "\$1" != rustc ] || exec cargo-zigbuild "\${@/#$triple/$triple.2.17}"
exec cargo "\$@"
END
    chmod +x "$work/cargo"
    export CARGO="$work/cargo"
fi
rm -f "$out"/selfplay*
maturin build --locked --profile "$profile" "${for_systems[@]}" --manifest-path apps/python/Cargo.toml --out "$out"
wheel=$(ls "$out"/selfplay_trainer-*.whl)

folder="selfplay-$version-$arch-linux"
mkdir -p "$work/$folder/bin" "$work/$folder/share"
cp "$staged/scripts/selfplay" "$work/$folder/bin/"
cp -r "$share" "$work/$folder/share/"
cp README.md LICENSE-APACHE LICENSE-MIT "$work/$folder/"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$folder.tar.gz" "$folder"

# What module and program are built from, which are the same crates: maturin lists them in the wheel.
python3 - "$wheel" "$out/$folder.cyclonedx.json" <<'P'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    [listed] = [name for name in wheel.namelist() if "/sboms/" in name and name.endswith(".json")]
    open(sys.argv[2], "wb").write(wheel.read(listed))
P
(cd "$out" && sha256sum selfplay* > SHA256SUMS)
(cd "$out" && ls -l)

if [ -z "$dry" ]; then
    size=$(stat -c %s "$wheel")
    [ "$size" -le "$MOST_WHEEL_BYTES" ] || { echo "the wheel has $size bytes, more than $MOST_WHEEL_BYTES"; exit 1; }
    for program in "$staged/scripts/selfplay" "$share/selfplay-agent"; do
        newest=$(objdump -T "$program" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -1)
        [ "$(printf 'GLIBC_2.17\n%s\n' "$newest" | sort -V | tail -1)" = GLIBC_2.17 ] || { echo "$program needs $newest"; exit 1; }
    done
    echo "a wheel of $size bytes; programs for glibc 2.17 and newer"
fi
