#!/usr/bin/env bash
# The program for Windows, built by MinGW and tried under Wine: it trains, is killed and goes on to the same networks, checks its run,
# plays, exports an agent that plays, serves the page, and refuses programs as players. A quarter of an hour on two cores,
# nearly all of it the build. What Wine takes from the system below, such as when an open file can be replaced, is not Windows' own.
#
#     run.sh
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../../../frontends/tests/clients/common.sh"
need x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-posix
need wine wine wine64
need curl curl
triple=x86_64-pc-windows-gnu
rustup target list --installed | grep -qx $triple || rustup target add $triple
(cd "$root" && cargo build --release --locked --target $triple --package selfplay-program --bin selfplay)

work=$(mktemp -d)
export WINEPREFIX="$work/wine" WINEDEBUG=-all WINEDLLOVERRIDES="bcryptprimitives=n,b"
trap 'wineserver -k 2>/dev/null || true; rm -rf "$work"' EXIT
# Its share/ is found as an installed program's is.
mkdir -p "$work/bin" "$work/share/selfplay/checkpoints"
cp "$target/$triple/release/selfplay.exe" "$work/bin/"
cp -r "$root/configs" "$work/share/selfplay/"
cp -r "$root/checkpoints/released" "$work/share/selfplay/checkpoints/"
# Wine has this library of Windows 10 from version 9 on; one function of it is needed.
cat > "$work/random.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T len) { return SystemFunction036(data, (ULONG)len); }
C
x86_64-w64-mingw32-gcc -shared -o "$work/bin/bcryptprimitives.dll" "$work/random.c" -ladvapi32
cd "$work"
selfplay() { wine "$work/bin/selfplay.exe" "$@"; }
generations=12
train() { selfplay train "$here/../mutations/tiny.toml" --set generations=$generations --checkpoints "$1" --run a --threads 1; }
products() { (cd "$1/a" && find games networks -type f -not -name manifest.toml | sort | xargs sha256sum); }
train whole > /dev/null
kills=0
until [ -f broken/a/networks/gen-000$generations/weights.safetensors ] || [ $kills = 20 ]; do
    train broken > /dev/null 2>&1 & child=$!
    sleep 0.8
    kill -9 $child 2> /dev/null && kills=$((kills + 1))
    wait $child 2> /dev/null || true
    wineserver -k 9 || true
done
[ $kills -gt 0 ] || { echo "it ended before it could be killed: the check shows nothing"; exit 1; }
train broken > /dev/null
diff <(products whole) <(products broken)
selfplay doctor broken/a --check
echo "killed $kills times, it ended with the same games and networks"

selfplay train sum15-4/quickstart --set generations=1 --set selfplay.games_per_generation=32 --set gate.pairs=4 \
    --set gate.eval_pairs=2 | tail -1
selfplay match connect4 released greedy --games 4 | grep -a "4 games"
selfplay export tictactoe broken/a --out bin/agent.exe
wine bin/agent.exe info
[ "$(printf 'boardsize 3\nclear_board\ngenmove b\nquit\n' | wine bin/agent.exe gtp | grep -ac '^= [a-c][1-3]')" = 1 ]

selfplay serve --port 8765 > serve.txt 2>&1 &
for _ in $(seq 40); do curl -sf localhost:8765/api/games > games.json && break; sleep 0.5; done
grep -q '"id":"pylos"' games.json
curl -sf localhost:8765/ | grep -qi "<!doctype html>"
wineserver -k 9 || true

if selfplay match tictactoe "program:$work/bin/selfplay.exe gtp" random --games 2 > refused.txt 2>&1; then
    echo "a program plays where nothing ends it"; exit 1
fi
grep -a "expected a Unix system" refused.txt
echo "the program for Windows holds under $(wine --version)"
