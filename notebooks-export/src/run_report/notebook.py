# %% [markdown]
# ## Numbers
# All tables: `tables[0]["elo"]` are the ratings of the first run. Missing numbers are not zero.

# %% code
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

# Name and folder of each run.
RUNS = [("this run", "tables")]


def read(path):
    """The rows of a table as far as they are whole; none where the file is damaged from the start."""
    try:
        return pd.read_csv(path, on_bad_lines="skip")
    except (OSError, ValueError) as error:
        print(f"{path}: {error}")
        return pd.DataFrame()


tables = [{path.stem: read(path) for path in sorted(Path(folder).glob("*.csv"))} for _, folder in RUNS]
pd.DataFrame({f"{folder}: rows": {name: len(rows) for name, rows in of_run.items()} for (_, folder), of_run in zip(RUNS, tables)})

# %% [markdown]
# ## A plot of your own
# Elo against CPU time with its 95 % interval, as a beginning.

# %% code
axes = plt.subplots(figsize=(8, 5), layout="constrained")[1]
for (run, folder), of_run in zip(RUNS, tables):
    numbers = ["cumulative_cpu_hours", "elo", "elo_low", "elo_high"]
    rated = of_run.get("elo", pd.DataFrame()).reindex(columns=["role", *numbers]).query("role != 'baseline'")
    rated = rated[numbers].apply(pd.to_numeric, errors="coerce").dropna().sort_values("cumulative_cpu_hours")
    if rated.empty:
        print(f"{run}: {folder}/elo.csv has no rated generation")
    hours, elo, low, high = rated.to_numpy(float).T
    axes.fill_between(hours, low, high, alpha=0.2, lw=0)
    axes.plot(hours, elo, marker="o", ms=3, label=run.replace("$", r"\$"))
axes.set(xlabel="CPU time of self-play and learning (hours, all threads)", ylabel="Elo")
axes.grid(color="#dddddd")
if RUNS:
    axes.legend()
plt.show()
