"""Builds the Python package from source (PEP 517): maturin builds the module; this adds the program, configs and agents.

`pip install .` and `python -m build` call it. `--config-setting profile=dev` takes another profile of Cargo than `release`.
"""

import contextlib
import gzip
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import maturin
from staging import ROOT, STAGED, clear, source_files, stage

HERE = ROOT / "apps/python"
Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    _require_rust()
    _require_c_compiler()
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    # Cargo describes the package.
    _require_rust()
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    # Maturin demands the folder, which may be empty here.
    STAGED.mkdir(exist_ok=True)
    try:
        with contextlib.chdir(HERE):
            return str(maturin.prepare_metadata_for_build_wheel(metadata_directory))
    finally:
        clear()


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    with _staged(config_settings) as for_maturin:
        return str(maturin.build_wheel(wheel_directory, for_maturin, metadata_directory))


def build_editable(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    with _staged(config_settings) as for_maturin:
        return str(maturin.build_editable(wheel_directory, for_maturin, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """The whole project, as it is under version control: the module is built from most of its crates."""
    with tempfile.TemporaryDirectory() as folder:
        metadata = Path(folder, prepare_metadata_for_build_wheel(folder), "METADATA").read_bytes()
    fields = dict(line.split(": ", 1) for line in metadata.decode().splitlines() if line.startswith(("Name: ", "Version: ")))
    name = f"{fields['Name'].replace('-', '_')}-{fields['Version']}"
    path = Path(sdist_directory, f"{name}.tar.gz")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=_epoch()) as packed:
        archive = tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT)
        for source in sorted(source_files()):
            archive.add(ROOT / source, f"{name}/{source.as_posix()}", recursive=False, filter=_reproducible)
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        info.size = len(metadata)
        archive.addfile(_reproducible(info), io.BytesIO(metadata))
        archive.close()
    return path.name


def _reproducible(file: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same file without owner, time and umask: the same source gives the same archive."""
    file.uid = file.gid = 0
    file.uname = file.gname = ""
    file.mode = 0o755 if file.mode & 0o100 else 0o644
    file.mtime = _epoch()
    return file


def _epoch() -> int:
    return int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


@contextlib.contextmanager
def _staged(settings: Settings) -> Iterator[dict[str, Any]]:
    """Builds the program and lays it out with all that belongs to it, for a build by maturin in this folder.

    Yields the settings for maturin.
    """
    settings = dict(settings or {})
    profile = settings.pop("profile", "release")
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "build", "--locked", "--profile", profile, "--package", "selfplay-program", "--bins"]
    command += ["--features", "selfplay-program/cluster", "--message-format", "json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE)
    if built.returncode != 0:
        raise SystemExit("selfplay-trainer: the program could not be built: see the messages of cargo above")
    messages = map(json.loads, built.stdout.splitlines())
    programs = {path.stem: path for path in (Path(message.get("executable") or "-") for message in messages)}
    arguments = maturin.get_maturin_pep517_args(settings)
    settings["maturin.build-args"] = [*arguments, "--locked", "--profile", profile]
    try:
        stage([programs["selfplay"]], [programs["selfplay-agent"]])
        with contextlib.chdir(HERE):
            yield settings
    finally:
        clear()


def _require_rust() -> None:
    # Maturin would download Rust where it finds none.
    if shutil.which("cargo") is None:
        rust = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
        raise SystemExit(
            f"selfplay-trainer: building from source needs Rust {rust} or newer, and there is no `cargo` on the path: install "
            "it from https://rustup.rs"
        )


def _require_c_compiler() -> None:
    if os.name == "posix" and not any(map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))):
        raise SystemExit("selfplay-trainer: building from source needs a C compiler: install gcc or clang")
