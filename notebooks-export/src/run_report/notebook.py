# %% code
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

# Name and folder of each run.
RUNS = [("this run", "tables")]

# The palette of Okabe and Ito.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, GREY = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#aaaaaa")
SERIES = [BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, "black"]
plt.rcParams.update({"figure.figsize": (8, 5), "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True})


def load(folder, table, words=()):
    """The rows of a table as far as they are whole; none where the file is missing or damaged from the start."""
    path = Path(folder) / f"{table}.csv"
    try:
        rows = pd.read_csv(path, on_bad_lines="skip")
    except (OSError, ValueError) as error:
        print(f"{path}: {error}")
        return pd.DataFrame()
    for column in rows.columns.difference(["champion", *words]):
        rows[column] = pd.to_numeric(rows[column], errors="coerce")
    return rows


def has(rows, *columns):
    """Whether the table has a row with all of these."""
    return all(column in rows for column in columns) and not rows.dropna(subset=list(columns)).empty


def missing(run, table):
    print(f"{run}: nothing to draw, {table}.csv has no such rows")


def finish(axes, x, y, title):
    axes.set(xlabel=x, ylabel=y, title=title)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    plt.show()


def stages(rows):
    """The beginning, the middle and the end of a run, a tenth of its generations each."""
    every = np.sort(rows["generation"].unique())
    size = max(1, len(every) // 10)
    starts = [0, 1][: len(every)] if len(every) < 3 else [0, (len(every) - size) // 2, len(every) - size]
    for start, color in zip(starts, [SKY, ORANGE, BLUE][-len(starts):]):
        part = every[start:start + size]
        name = f"{int(part[0])}" if size == 1 else f"{int(part[0])}\u2013{int(part[-1])}"
        yield f"generation {name}", color, rows[rows["generation"].isin(part)]


def pooled(rows, by, value):
    """Positions, mean of `value` over them and half its 95 % interval for each `by`; the interval is that of the
    differences between generations (from four on), since positions of one game share its result."""
    count, weight = rows.groupby(by).size(), rows.groupby(by)["positions"].sum()
    mean = (rows[value] * rows["positions"]).groupby(rows[by]).sum() / weight
    squares = ((rows[value] - rows[by].map(mean)) * rows["positions"] / rows[by].map(weight)) ** 2
    free, z = (count - 1).where(count >= 4), 1.959964
    student = (
        z + (z**3 + z) / 4 / free + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / free**2
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / free**3
    )
    half = student * np.sqrt(squares.groupby(rows[by]).sum() * count / free)
    return pd.DataFrame({"positions": weight, "mean": mean, "half": half})


def stacked(run, table, rows, columns, y, title):
    """Known columns as stacked bars, a bar for each generation."""
    known = [column for column in columns if has(rows, column)]
    if not known:
        return missing(run, table)
    axes = plt.subplots()[1]
    bottom = np.zeros(len(rows))
    for column in known:
        name, color = columns[column]
        axes.bar(rows["generation"], rows[column].fillna(0), 1.0, bottom, color=color, label=name)
        bottom += rows[column].fillna(0).to_numpy()
    finish(axes, "Generation", y, f"{title}: {run}")


# %% [markdown]
# ## Elo
# Ratings with 95 % intervals against CPU time, games and simulations; dashed lines are baselines.

# %% code
for run, folder in RUNS:
    rows = load(folder, "elo", ["player", "role"])
    for cost, x in [
        ("cumulative_cpu_hours", "CPU time of self-play and learning (hours, all threads)"),
        ("cumulative_games", "Self-play games"),
        ("cumulative_simulations", "Search simulations of self-play"),
    ]:
        if not has(rows, cost, "elo", "elo_low", "elo_high", "role"):
            missing(run, "elo")
            continue
        rated = rows[rows["role"] != "baseline"].dropna(subset=[cost, "elo"]).sort_values(cost)
        axes = plt.subplots()[1]
        axes.fill_between(rated[cost], rated["elo_low"], rated["elo_high"], color=BLUE, alpha=0.2, lw=0, label="95 % interval")
        axes.plot(rated[cost], rated["elo"], color=BLUE, marker="o", ms=3, label="generation")
        champions = rated[rated["role"] == "champion"]
        axes.plot(champions[cost], champions["elo"], "D", color=ORANGE, mec="black", ms=4, label="champion")
        for baseline in rows[rows["role"] == "baseline"].itertuples():
            axes.axhline(baseline.elo, color="#5a5a5a", ls="--", lw=1)
            axes.annotate(f" {baseline.player} ({baseline.elo:.0f})", (1, baseline.elo), xycoords=("axes fraction", "data"), va="center", annotation_clip=False)
        if not champions.empty or len(rated):
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.06), ncols=3, frameon=False)
        axes.set(xlabel=x, ylabel="Elo", title=f"Elo: {run}")
        plt.show()

# %% [markdown]
# ## Runs against each other

# %% code
if len(RUNS) > 1:
    for table, x, y, low, high in [
        ("elo", "cumulative_cpu_hours", "elo", "elo_low", "elo_high"),
        ("losses", "step", "policy_loss", None, None),
        ("losses", "step", "value_loss", None, None),
    ]:
        axes = plt.subplots()[1]
        for index, (run, folder) in enumerate(RUNS):
            rows = load(folder, table, ["player", "role"])
            if not has(rows, x, y):
                missing(run, table)
                continue
            rows = rows.dropna(subset=[x, y]).sort_values(x)
            color = SERIES[index % len(SERIES)]
            axes.plot(rows[x], rows[y], color=color, label=run)
            if low:
                axes.fill_between(rows[x], rows[low], rows[high], color=color, alpha=0.2, lw=0)
        finish(axes, x.replace("_", " "), y.replace("_", " "), "Runs against each other")
else:
    print("There is only one run in this report.")

# %% [markdown]
# ## Gate verdicts

# %% code
for run, folder in RUNS:
    rows = load(folder, "generations", ["verdict"])
    if not has(rows, "generation", "verdict"):
        missing(run, "generations")
        continue
    figure, (upper, lower) = plt.subplots(2, sharex=True, height_ratios=[2, 1])
    upper.plot(rows["generation"], rows["ladder_score"], color=BLUE, marker="o", ms=3)
    upper.set(ylabel="Ladder score", ylim=(0, 1), title=f"Gate verdicts: {run}")
    for lane, (verdict, color) in enumerate([("reject", VERMILION), ("undecided", GREY), ("promote", BLUE)]):
        generations = rows.loc[rows["verdict"] == verdict, "generation"]
        lower.plot(generations, np.full(len(generations), lane), "|", ms=12, color=color)
    lower.set(xlabel="Generation", yticks=[0, 1, 2], yticklabels=["reject", "undecided", "promote"], ylim=(-0.5, 2.5))
    plt.show()

# %% [markdown]
# ## Losses
# Means over neighbouring records where there are many; dots are losses on held-out games.

# %% code
for run, folder in RUNS:
    rows = load(folder, "losses")
    if not has(rows, "step", "policy_loss", "value_loss"):
        missing(run, "losses")
        continue
    rows = rows.dropna(subset=["step"]).sort_values("step")
    means = rows.groupby(np.arange(len(rows)) // max(1, -(-len(rows) // 300))).mean()
    figure, panels = plt.subplots(2, sharex=True)
    for axes, term, color in zip(panels, ["policy_loss", "value_loss"], [BLUE, VERMILION]):
        axes.plot(means["step"], means[term], color=color, marker="o" if len(means) == 1 else None)
        axes.plot(rows["step"], rows[f"held_out_{term}"], "k.", ms=3)
        axes.set_ylabel(f"{term.replace('_', ' ')} (nats)")
    panels[0].set_title(f"Losses: {run}")
    panels[1].set_xlabel("Training step")
    plt.show()
    terms = ["total_loss", "gradient_norm", "next_action_loss", "moves_left_loss", "final_state_loss", "learning_rate"]
    known = [term for term in terms if has(rows, term)]
    figure, panels = plt.subplots(-(-len(known) // 2), 2, sharex=True, squeeze=False, layout="constrained")
    for axes, term, color in zip(panels.flat, known, SERIES):
        axes.plot(means["step"], means[term], color=color, marker="o" if len(means) == 1 else None)
        axes.set_title(term.replace("_", " "))
    for axes in panels.flat[len(known):]:
        axes.set_visible(False)
    figure.supxlabel("Training step")
    plt.show()

# %% [markdown]
# ## Self-play
# Policy entropy and surprise, game length, outcomes.

# %% code
for run, folder in RUNS:
    rows = load(folder, "selfplay")
    if not has(rows, "generation", "games"):
        missing(run, "selfplay")
        continue
    rows = rows[rows["games"] > 0].sort_values("generation")
    axes = plt.subplots()[1]
    axes.plot(rows["generation"], rows["policy_entropy_nats"], color=BLUE, marker="o", ms=3, label="entropy")
    axes.plot(rows["generation"], rows["policy_surprise_nats"], color=VERMILION, marker="o", ms=3, label="surprise")
    axes.set_ylim(bottom=0)
    finish(axes, "Generation", "nats", f"Policy: {run}")
    axes = plt.subplots()[1]
    axes.plot(rows["generation"], rows["mean_game_decisions"], color=BLUE, marker="o", ms=3)
    axes.set_ylim(bottom=0)
    finish(axes, "Generation", "Decisions per game", f"Game length: {run}")
    shares = rows.assign(**{c: 100 * rows[c] / rows["games"] for c in ["first_wins", "draws", "second_wins", "truncated"]})
    stacked(run, "selfplay", shares, {
        "first_wins": ("first player wins", BLUE), "draws": ("draw", GREY),
        "second_wins": ("second player wins", ORANGE), "truncated": ("cut at the limit", PURPLE),
    }, "Share of the games (%)", "Outcomes")

# %% [markdown]
# ## Value calibration
# Bars: 95 % intervals by the differences between generations.

# %% code
for run, folder in RUNS:
    rows = load(folder, "calibration")
    if not has(rows, "generation", "positions", "mean_predicted", "mean_scored"):
        missing(run, "calibration")
        continue
    rows = rows[rows["positions"] > 0]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    left.plot([0, 1], [0, 1], "--", color="#5a5a5a")
    for name, color, part in stages(rows):
        expected = pooled(part, "predicted_low", "mean_predicted")["mean"]
        real = pooled(part, "predicted_low", "mean_scored")
        positions = real["positions"]
        label = f"{name} ({int(positions.sum())} positions)"
        left.errorbar(expected, real["mean"], real["half"].fillna(0), color=color, marker="o", elinewidth=1, label=label)
        right.plot(expected, 100 * positions / positions.sum(), color=color, marker="o")
    left.set(xlabel="Expected score", ylabel="Real score", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    right.set(xlabel="Expected score", ylabel="Share of the positions (%)")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    plt.show()

# %% [markdown]
# ## Value error by ply
# Bands: 95 % intervals by the differences between generations.

# %% code
for run, folder in RUNS:
    rows = load(folder, "value_error")
    if not has(rows, "generation", "ply", "positions", "mean_absolute_error"):
        missing(run, "value_error")
        continue
    rows = rows[rows["positions"] > 0]
    axes = plt.subplots()[1]
    for name, color, part in stages(rows):
        errors = pooled(part, "ply", "mean_absolute_error")
        low, high = errors["mean"] - errors["half"], errors["mean"] + errors["half"]
        axes.fill_between(errors.index, low, high, color=color, alpha=0.2, lw=0)
        axes.plot(errors.index, errors["mean"], color=color, marker="o", ms=3, label=name)
    axes.set_ylim(bottom=0)
    finish(axes, "Ply", "Mean absolute error (0 to 1)", f"Value error: {run}")

# %% [markdown]
# ## Opening policy

# %% code
for run, folder in RUNS:
    rows = load(folder, "opening_policy")
    if not has(rows, "generation", "column", "row", "probability"):
        missing(run, "opening_policy")
        continue
    rows = rows.dropna()
    every = np.sort(rows["generation"].unique())
    shown = every[np.unique(np.linspace(0, len(every) - 1, 12).round().astype(int))]
    size = int(rows["row"].max()) + 1, int(rows["column"].max()) + 1
    lines = -(-len(shown) // 4)
    figure, panels = plt.subplots(lines, min(4, len(shown)), squeeze=False, layout="constrained", figsize=(10, 2.6 * lines))
    for axes in panels.flat:
        axes.set_axis_off()
    for axes, generation in zip(panels.flat, shown):
        board = np.full(size, np.nan)
        part = rows[rows["generation"] == generation]
        board[part["row"].astype(int), part["column"].astype(int)] = 100 * part["probability"]
        image = axes.imshow(board, cmap="Blues", vmin=0, vmax=100 * rows["probability"].max())
        axes.set_title(f"generation {int(generation)}", fontsize=9)
    figure.colorbar(image, ax=panels, label="First decision begins on the cell (%)")
    plt.show()

# %% [markdown]
# ## Where the cores' time went

# %% code
for run, folder in RUNS:
    rows = load(folder, "throughput")
    stacked(run, "throughput", rows, {
        "network_seconds": ("network", BLUE), "tree_seconds": ("tree", ORANGE),
        "rules_seconds": ("rules", GREEN), "idle_seconds": ("idle", GREY),
    }, "Self-play (core-seconds)", "Cores")

# %% [markdown]
# ## Cross table

# %% code
for run, folder in RUNS:
    rows = load(folder, "cross_table", ["a", "b"])
    if not has(rows, "a", "b", "score"):
        missing(run, "cross_table")
        continue
    mirrored = rows.rename(columns={"a": "b", "b": "a"}).assign(score=1 - rows["score"])
    table = pd.concat([rows, mirrored]).drop_duplicates(["a", "b"]).pivot(index="a", columns="b", values="score")
    order = table.mean(axis=1).sort_values(ascending=False).index
    table = table.reindex(index=order, columns=order)
    figure, axes = plt.subplots(figsize=(1.5 + 0.8 * len(order), 1 + 0.7 * len(order)))
    image = axes.imshow(100 * table, cmap="RdBu", vmin=0, vmax=100)
    axes.set(xticks=range(len(order)), yticks=range(len(order)), title=f"Score of row against column (%): {run}")
    axes.set_xticklabels(order, rotation=90)
    axes.set_yticklabels(order)
    axes.grid(False)
    for (line, column), score in np.ndenumerate(table.to_numpy()):
        if not np.isnan(score):
            axes.text(column, line, f"{100 * score:.0f}", ha="center", va="center", color="white" if abs(score - 0.5) > 0.35 else "black")
    plt.show()

# %% [markdown]
# ## Ablation

# %% code
for run, folder in RUNS:
    rows = load(folder, "ablation", ["variant"])
    if not has(rows, "variant", "elo", "elo_low", "elo_high"):
        missing(run, "ablation")
        continue
    rows = rows[rows["runs"] > 0].dropna(subset=["elo"])[::-1]
    axes = plt.subplots()[1]
    axes.errorbar(rows["elo"], rows["variant"], xerr=[rows["elo"] - rows["elo_low"], rows["elo_high"] - rows["elo"]], fmt="o", capsize=4, color=BLUE)
    finish(axes, "Elo above base", "", f"Ablation: {run}")
