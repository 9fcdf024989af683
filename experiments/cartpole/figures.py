"""Figures laid out like the paper's, and the tables of the page, from the results alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import t as student

from .bags import BAGS
from .grid import Setting, ablation, cost_sweep, k_pi_sweep, k_sweep
from .results import Row

COLORS = {"random": "#a4243b", "optimal": "#2a6f97", "mixed": "#4f772d"}
SWEEPS = {
    "C": ("cost", cost_sweep, "cost C  (k = k_pi = 1)"),
    "k": ("k", k_sweep, "smoothness k  (k_pi = 1, C = 1)"),
    "k_pi": ("k_pi", k_pi_sweep, "policy smoothness k_pi  (k = 5, C = 1)"),
}
Point = tuple[float, float, int]
"""Mean return over the seeds, half-width of its 95 % interval, number of seeds.

The interval is over seeds; where there is one seed, over its episodes, which says nothing of
another dataset.
"""


class Table:
    """Rows by what they are about."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._found: dict[tuple[object, ...], list[Row]] = {}
        for row in rows:
            key = (row.bag, row.size, row.encoder, row.epsilon, *row.key[4:9])
            self._found.setdefault(key, []).append(row)

    def point(
        self, bag: str, size: int, encoder: str, epsilon: float, setting: Setting
    ) -> Point | None:
        """Return mean and interval over seeds (Student's t), None where nothing was run."""
        key = (bag, size, encoder, epsilon, *asdict(setting).values())
        rows = self._found.get(key, [])
        if not rows:
            return None
        means = np.array([row.mean_return for row in rows])
        if len(rows) == 1:
            size, deviation = rows[0].episodes, rows[0].deviation
        else:
            size, deviation = len(means), float(means.std(ddof=1))
        width = float(student.ppf(0.975, size - 1)) * deviation / np.sqrt(size)
        return float(means.mean()), float(width), len(means)


def draw(rows: Sequence[Row], home: Path) -> list[Path]:
    """Draw every figure for which there are rows."""
    table = Table(rows)
    sizes = sorted({row.size for row in rows})
    paths = []
    for encoder in sorted({row.encoder for row in rows}):
        shown = [row for row in rows if row.encoder == encoder]
        for epsilon in sorted({row.epsilon for row in shown}):
            name = f"cartpole-{encoder}-{'greedy' if epsilon == 0 else 'epsilon'}.png"
            paths.append(_sweeps(table, sizes, encoder, epsilon, home / name))
        paths.append(_ablation(table, sizes, encoder, home / f"cartpole-{encoder}-ablation.png"))
    return paths


def _sweeps(table: Table, sizes: Sequence[int], encoder: str, epsilon: float, path: Path) -> Path:
    figure = Figure(figsize=(13, 3.6 * len(sizes)), layout="constrained")
    grid = figure.subplots(len(sizes), 3, sharey=True, squeeze=False)
    for line, size in zip(grid, sizes):
        for axes, (field, sweep, label) in zip(line, SWEEPS.values()):
            settings = sweep()
            ticks = [getattr(setting, field) for setting in settings]
            for place, bag in enumerate(BAGS):
                points = [table.point(bag, size, encoder, epsilon, s) for s in settings]
                _line(axes, points, bag, 0.06 * (place - 1))
            axes.set_xticks(range(len(ticks)), [f"{tick:g}" for tick in ticks])
            axes.set_xlabel(label)
            axes.set_ylim(0, 520)
            axes.spines[["top", "right"]].set_visible(False)
        line[0].set_ylabel(f"return, {size // 1000}k transitions")
    grid[0][-1].legend(title="bag", frameon=False)
    how = "greedy" if epsilon == 0 else f"epsilon-greedy ({epsilon:g})"
    figure.suptitle(f"CartPole, {encoder} features, {how}; mean and 95 % interval")
    return _save(figure, path)


def _line(axes, points: Sequence[Point | None], bag: str, shift: float) -> None:
    known = [(place + shift, point) for place, point in enumerate(points) if point]
    if known:
        places = [place for place, _ in known]
        means = [point[0] for _, point in known]
        widths = [point[1] for _, point in known]
        axes.errorbar(
            places, means, widths, marker="o", ms=4, capsize=2, color=COLORS[bag], label=bag
        )


def _ablation(table: Table, sizes: Sequence[int], encoder: str, path: Path) -> Path:
    chosen = [size for size in sizes if size in (10_000, 100_000)][::-1] or list(sizes)
    figure = Figure(figsize=(6.5 * len(chosen), 4), layout="constrained")
    for axes, size in zip(figure.subplots(1, len(chosen), squeeze=False)[0], chosen):
        for place, bag in enumerate(BAGS):
            points = [table.point(bag, size, encoder, 0.0, s) for s in ablation()]
            for number, point in enumerate(points):
                if point:
                    axes.bar(
                        number + 0.27 * (place - 1), point[0], 0.25,
                        yerr=point[1], color=COLORS[bag], capsize=2,
                        label=bag if number == 0 else None,
                    )  # fmt: skip
        names = [_switches(setting) for setting in ablation()]
        axes.set_xticks(range(len(names)), names)
        axes.set_ylim(0, 600)
        axes.set_title(f"{size // 1000}k transitions")
        axes.set_ylabel("return")
        axes.spines[["top", "right"]].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, loc="upper center", ncols=3)
    figure.suptitle(f"Weighted averaging x nearest states, {encoder} features, greedy")
    return _save(figure, path)


def tables(rows: Sequence[Row]) -> str:
    """Return Markdown tables of every sweep."""
    table, parts = Table(rows), []
    for encoder in sorted({row.encoder for row in rows}):
        for epsilon in sorted({row.epsilon for row in rows if row.encoder == encoder}):
            for name, (field, sweep, _) in SWEEPS.items():
                settings = sweep()
                heads = [f"{getattr(setting, field):g}" for setting in settings]
                lines = [f"| bag, size | {' | '.join(f'{name}={head}' for head in heads)} |"]
                lines.append("|---" * (len(heads) + 1) + "|")
                for size in sorted({row.size for row in rows}, reverse=True):
                    for bag in BAGS:
                        points = [table.point(bag, size, encoder, epsilon, s) for s in settings]
                        if any(points):
                            cells = " | ".join(_cell(point) for point in points)
                            lines.append(f"| {bag} {size // 1000}k | {cells} |")
                how = "greedy" if epsilon == 0 else f"epsilon {epsilon:g}"
                parts.append(f"**{name}, {encoder}, {how}**\n\n" + "\n".join(lines))
            parts.append(_ablation_table(table, rows, encoder, epsilon))
    return "\n\n".join(parts)


def _ablation_table(table: Table, rows: Sequence[Row], encoder: str, epsilon: float) -> str:
    names = [_switches(setting).replace("\n", " ") for setting in ablation()]
    lines = [f"| bag, size | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for size in sorted({row.size for row in rows}, reverse=True):
        for bag in BAGS:
            points = [table.point(bag, size, encoder, epsilon, s) for s in ablation()]
            if any(points):
                cells = " | ".join(_cell(point) for point in points)
                lines.append(f"| {bag} {size // 1000}k | {cells} |")
    how = "greedy" if epsilon == 0 else f"epsilon {epsilon:g}"
    return f"**ablation, {encoder}, {how}**\n\n" + "\n".join(lines)


def _switches(setting: Setting) -> str:
    averaging = "on" if setting.weighting == "inverse" else "off"
    nearest = "on" if setting.lookup == "nearest" else "off"
    return f"WA {averaging}\nsKNN {nearest}"


def _cell(point: Point | None) -> str:
    if point is None:
        return "-"
    return f"{point[0]:.0f} ± {point[1]:.0f}"


def _save(figure: Figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    return path
