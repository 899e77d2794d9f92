"""Validates and executes the notebook of each report in a folder, as a reader would who has nothing but that folder.

Every code cell must end without an error. A cell that draws from tables makes as many pictures as the tables call for,
and says in words which table has nothing to draw.
"""

import csv
import shutil
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

# The tables of each section of the notebook, by its heading, and how many pictures each run has there.
SECTIONS = {
    "Elo": ("elo", 3),
    "Gate verdicts": ("generations", 1),
    "Losses": ("losses", 2),
    "Self-play": ("selfplay", 3),
    "Value calibration": ("calibration", 1),
    "Value error by ply": ("value_error", 1),
    "Opening policy": ("opening_policy", 1),
    "Where the cores' time went": ("throughput", 1),
    "Cross table": ("cross_table", 1),
    "Ablation": ("ablation", 1),
}


def rows(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except (FileNotFoundError, UnicodeDecodeError):
        return []


def torn_copy(report):
    """A copy of a report whose tables were damaged after it was written."""
    copy = report.with_name("torn")
    shutil.copytree(report, copy, dirs_exist_ok=True)
    tables = copy / "tables"
    (tables / "elo.csv").unlink()
    (tables / "selfplay.csv").write_bytes(b"")
    (tables / "calibration.csv").write_bytes(b"generation,positions\n\xff\xfe,\x00")
    losses = (tables / "losses.csv").read_bytes()
    (tables / "losses.csv").write_bytes(losses[: len(losses) * 2 // 3])
    return copy


def expected_pictures(table, pictures, folder):
    """How many pictures the rows of one run call for."""
    found = rows(folder / f"{table}.csv")
    if table == "elo":
        costs = ["cumulative_cpu_hours", "cumulative_games", "cumulative_simulations"]
        return sum(any(row[cost] for row in found) for cost in costs)
    return pictures if found else 0


def check(report):
    notebook = nbformat.read(report / "report.ipynb", as_version=4)
    nbformat.validate(notebook)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(report)}})
    client.execute()
    runs = sorted(path for path in report.rglob("tables") if path.is_dir())
    drawn = 0
    heading, sections = None, set()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = cell.source.splitlines()[0].lstrip("# ")
            continue
        assert cell.execution_count, f"{report.name}: the cell under `{heading}` did not run"
        errors = [output for output in cell.outputs if output.output_type == "error"]
        assert not errors, f"{report.name}, {heading}: {errors}"
        pictures = sum("image/png" in output.get("data", {}) for output in cell.outputs)
        words = "".join(output.text for output in cell.outputs if output.output_type == "stream")
        assert "Warning" not in words, f"{report.name}, {heading}: {words}"
        drawn += pictures
        if heading not in SECTIONS:
            continue
        sections.add(heading)
        table, count = SECTIONS[heading]
        expected = sum(expected_pictures(table, count, folder) for folder in runs)
        assert pictures == expected, f"{report.name}, {heading}: {pictures} pictures in place of {expected}; {words}"
        if expected < count * len(runs):
            assert f"{table}.csv" in words, f"{report.name}, {heading}: nothing is said of what is missing"
    assert sections == set(SECTIONS), f"{report.name}: no cell under {set(SECTIONS) - sections}"
    print(f"{report.name}: {drawn} pictures")


def main():
    reports = sorted(path.parent for path in Path(sys.argv[1]).glob("*/report.ipynb"))
    assert reports, f"no report under {sys.argv[1]}"
    torn = torn_copy(Path(sys.argv[1]) / "12")
    for report in [*reports, torn]:
        check(report)


if __name__ == "__main__":
    main()
