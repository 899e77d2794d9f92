# %% [markdown]
# ## Numbers
# All tables, read with the module `selfplay_trainer[plots]` that comes with selfplay: `tables[0]["elo"]` are the ratings of the
# first run. Missing numbers are not zero.

# %% code
import pandas as pd

import selfplay_trainer as selfplay

# Folder and name of each run.
RUNS = [("tables", "this run")]
runs = [selfplay.Tables(folder, name) for folder, name in RUNS]
tables: list[dict[str, pd.DataFrame]] = [{} for _ in runs]
for run, of_run in zip(runs, tables):
    for name in run.tables:
        try:
            of_run[name] = run.table(name)
        except selfplay.SelfplayError as error:
            print(error)
pd.DataFrame({f"{run.path}: rows": {name: len(rows) for name, rows in of_run.items()} for run, of_run in zip(runs, tables)})

# %% [markdown]
# ## A plot of your own
# Elo against CPU time with its 95 % interval, as a beginning.

# %% code
import matplotlib.pyplot as plt

axes = plt.subplots(figsize=(8, 5), layout="constrained")[1]
for run in runs:
    try:
        run.plot_elo(axes)
    except selfplay.SelfplayError as error:
        print(error)
plt.show()
