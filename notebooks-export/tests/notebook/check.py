"""Validates and executes the notebook of each report in a folder, as a reader would who has nothing but that folder and the
module.

Its pictures lie beside it and have a text for those who do not see them, every table is read, and every code cell ends
without an error and draws what the tables hold, or says in words what they lack.
"""

import csv
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

IMAGE = re.compile(r"!\[(.*?)\]\((.*?)\)")


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


def rated(path):
    """Whether the table has a generation whose rating and cost are known."""
    if not path.exists():
        return False
    with open(path, newline="", encoding="utf-8") as file:
        return any(row["role"] != "baseline" and row["cumulative_cpu_hours"] for row in csv.DictReader(file))


def check(report, damaged=()):
    """`damaged` are the tables that cannot be read; all others are."""
    notebook = nbformat.read(report / "report.ipynb", as_version=4)
    nbformat.validate(notebook)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(report)}})
    client.execute()
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    shown = [image for text in texts for image in IMAGE.findall(text)]
    assert all(alternative for alternative, _ in shown), f"{report.name}: a picture without a text"
    pictures = sorted(str(path.relative_to(report)) for path in report.rglob("*.svg"))
    assert sorted(path for _, path in shown) == pictures, f"{report.name}: {shown} in place of {pictures}"

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    words = ""
    for cell in cells:
        assert cell.execution_count, f"{report.name}: a cell did not run"
        errors = [output for output in cell.outputs if output.output_type == "error"]
        assert not errors, f"{report.name}: {errors}"
        words += "".join(output.text for output in cell.outputs if output.output_type == "stream")
    assert "Warning" not in words, f"{report.name}: {words}"
    read, drawn = ([output.get("data", {}) for output in cell.outputs] for cell in cells)
    folders = sorted(path for path in report.rglob("tables") if path.is_dir())
    for table in (path for folder in folders for path in folder.glob("*.csv")):
        was_read = any(table.stem in data.get("text/html", "") for data in read)
        assert was_read == (table.stem not in damaged), f"{report.name}: {table} was not read"
        said = f"{table.relative_to(report)} is damaged: " in words
        assert said == (table.stem in damaged), f"{report.name}, {table}: {words}"
    assert sum("image/png" in data for data in drawn) == 1, f"{report.name}: not one plot"
    for folder in folders:
        place = folder.relative_to(report)
        said = any(lack in words for lack in [f"{place}/elo.csv has no rated generation", f"{place} has no table elo;"])
        assert said != rated(folder / "elo.csv"), f"{report.name}, {folder}: {words}"
    print(f"{report.name}: {len(shown)} pictures")


def main():
    reports = sorted(path.parent for path in Path(sys.argv[1]).glob("*/report.ipynb"))
    assert reports, f"no report under {sys.argv[1]}"
    for report in reports:
        check(report)
    check(torn_copy(Path(sys.argv[1]) / "12"), damaged=("selfplay", "calibration"))


if __name__ == "__main__":
    main()
