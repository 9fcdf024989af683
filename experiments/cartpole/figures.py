"""Figures laid out like the paper's, from the results alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from .bags import BAGS
from .grid import Setting, ablation, cost_sweep, k_pi_sweep, k_sweep
from .summary import Point, Summary

COLORS = {"random": "#a4243b", "optimal": "#2a6f97", "mixed": "#4f772d"}
SWEEPS = {
    "C": ("cost", cost_sweep, "cost C  (k = k_pi = 1)"),
    "k": ("k", k_sweep, "smoothness k  (k_pi = 1, C = 1)"),
    "k_pi": ("k_pi", k_pi_sweep, "policy smoothness k_pi  (k = 5, C = 1)"),
}


def draw(summary: Summary, home: Path) -> list[Path]:
    """Draw every figure for which there are results."""
    paths = []
    for encoder in summary.encoders:
        for epsilon in summary.epsilons(encoder):
            name = f"cartpole-{encoder}-{'greedy' if epsilon == 0 else 'epsilon'}.png"
            paths.append(_sweeps(summary, encoder, epsilon, home / name))
        paths.append(_ablation(summary, encoder, home / f"cartpole-{encoder}-ablation.png"))
    return paths


def _sweeps(summary: Summary, encoder: str, epsilon: float, path: Path) -> Path:
    sizes = summary.sizes
    figure = Figure(figsize=(13, 3.6 * len(sizes)), layout="constrained")
    grid = figure.subplots(len(sizes), 3, sharey=True, squeeze=False)
    for line, size in zip(grid, sizes):
        for axes, (field, sweep, label) in zip(line, SWEEPS.values()):
            settings = sweep()
            ticks = [getattr(setting, field) for setting in settings]
            for place, bag in enumerate(BAGS):
                points = [summary.point(bag, size, encoder, epsilon, s) for s in settings]
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


def _ablation(summary: Summary, encoder: str, path: Path) -> Path:
    sizes = summary.sizes
    chosen = [size for size in sizes if size in (10_000, 100_000)][::-1] or list(sizes)
    figure = Figure(figsize=(6.5 * len(chosen), 4), layout="constrained")
    for axes, size in zip(figure.subplots(1, len(chosen), squeeze=False)[0], chosen):
        for place, bag in enumerate(BAGS):
            points = [summary.point(bag, size, encoder, 0.0, s) for s in ablation()]
            for number, point in enumerate(points):
                if point:
                    axes.bar(
                        number + 0.27 * (place - 1), point[0], 0.25,
                        yerr=point[1], color=COLORS[bag], capsize=2,
                        label=bag if number == 0 else None,
                    )  # fmt: skip
        names = [switches(setting) for setting in ablation()]
        axes.set_xticks(range(len(names)), names)
        axes.set_ylim(0, 600)
        axes.set_title(f"{size // 1000}k transitions")
        axes.set_ylabel("return")
        axes.spines[["top", "right"]].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, loc="upper center", ncols=3)
    figure.suptitle(f"Weighted averaging x nearest states, {encoder} features, greedy")
    return _save(figure, path)


def switches(setting: Setting) -> str:
    """Return which of the two choices a setting of the ablation has on."""
    averaging = "on" if setting.weighting == "inverse" else "off"
    nearest = "on" if setting.lookup == "nearest" else "off"
    return f"WA {averaging}\nsKNN {nearest}"


def _save(figure: Figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    return path
