# What the suites share: where things are, and how packages are installed. To be sourced.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)"
target="${CARGO_TARGET_DIR:-$root/target}"
clients="$target/clients"
program="$target/debug/selfplay"

# need COMMAND PACKAGE…: installs the Debian packages if the command is missing.
need() {
    command -v "$1" >/dev/null || debian_install "${@:2}"
}

debian_install() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "run.sh: install the Debian packages $*" >&2
        exit 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

need_node() {
    need node nodejs
    need npm npm
}

# need_python FOLDER PACKAGE…: a virtual environment there that has these PyPI packages.
need_python() {
    need python3 python3
    python3 -c "import ensurepip" 2>/dev/null || debian_install python3-venv
    [ -x "$1/bin/python" ] || python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

# Program, tests and examples, as `.ci/run` has built them already: a part alone would be built with other features of what it needs.
build_program() { (cd "$root" && "${CARGO:-cargo}" test --workspace --no-run --locked); }
