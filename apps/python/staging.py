"""Lays out what the wheel has beside the module: the program, configs, released agents, documentation.

    staging.py PROGRAM AGENT_PROGRAM [PAGE]     PAGE: the program of agents that are one page, for WebAssembly
"""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Maturin takes `scripts` and `data` from here into the wheel.
STAGED = ROOT / "apps/python/selfplay_trainer.data"
SHARED = (
    "README.md",
    "docs/*.md",
    "docs/research/*.md",
    "docs/cluster/*",
    "games/*/README.md",
    "apps/python/examples/*",
    "configs/**/*",
    "checkpoints/released/**/*",
)


def source_files() -> list[Path]:
    """The files of the project, relative to its root: those under version control, or all of an unpacked source archive."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        return [Path(name) for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]
    produced = {Path("target"), Path(".venv"), STAGED.relative_to(ROOT), Path("PKG-INFO")}
    files = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file() and path.suffix not in (".so", ".pyc"))
    return [path for path in files if produced.isdisjoint((path, *path.parents))]


def stage(programs: Iterable[Path], shared_programs: Iterable[Path]) -> None:
    """Lays out `programs` as commands and `shared_programs` beside the configs."""
    clear()
    share = STAGED / "data/share/selfplay"
    wanted = {path for pattern in SHARED for path in ROOT.glob(pattern)}
    for file in source_files():
        if ROOT / file in wanted:
            copy(ROOT / file, share / file)
    for program in programs:
        copy(program, STAGED / "scripts" / program.name)
    for program in shared_programs:
        copy(program, share / program.name)


def copy(source: Path, to: Path) -> None:
    """Copies a file with its permissions, into a folder that need not exist."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, to)


def clear() -> None:
    """Removes what was laid out."""
    shutil.rmtree(STAGED, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, *shared = map(Path, sys.argv[1:])
    stage([program], shared)
