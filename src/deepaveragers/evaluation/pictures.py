"""Pictures of plans and returns. Matplotlib is loaded only when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import several, shown, whole_number
from ..arrays import Float64
from ..data.column_names import listed
from ..data.transitions import Transitions
from ..errors import InputError, StorageError
from ..outputs import check_file
from .statistics import bootstrap_interval

if TYPE_CHECKING:
    from ..solvers.plan import Plan
    from .comparison import Comparison

COLORS = ("#9aa5b1", "#e0a458", "#2a6f97", "#a4243b", "#4f772d")


def quickstart_picture(plan: Plan, returns: Mapping[str, Float64], path: Path) -> Path:
    """Draw the returns side by side and the values over the pole's angle and velocity."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
    draw_returns(left, returns)
    draw_values(right, plan, columns=(2, 3), labels=("pole angle", "angular velocity"))
    return save_figure(figure, path)


def draw_returns(axes: Any, returns: Mapping[str, Float64]) -> None:
    """Draw mean returns as bars with 95 % intervals, and every episode as a dot."""
    generator = np.random.default_rng(0)
    for place, values in enumerate(returns.values()):
        low, high = bootstrap_interval(values)
        color = COLORS[place % len(COLORS)]
        axes.bar(place, values.mean(), width=0.6, color=color, alpha=0.75)
        axes.vlines(place, low, high, color="black", linewidth=2)
        shown = values if len(values) <= 200 else generator.choice(values, 200, replace=False)
        spread = generator.uniform(-0.22, 0.22, len(shown))
        axes.scatter(place + spread, shown, s=6, color="black", alpha=0.25, linewidths=0)
        axes.annotate(
            f"{values.mean():.1f}",
            (place, values.mean()),
            textcoords="offset points",
            xytext=(0, 5),
            ha="center",
            fontweight="bold",
        )
    axes.set_xticks(range(len(returns)), list(returns))
    axes.set_ylabel("return of an episode")
    axes.set_title("What each policy earns")
    axes.spines[["top", "right"]].set_visible(False)


def draw_values(axes: Any, plan: Plan, *, columns: tuple[int, int], labels: Any) -> None:
    """Draw the mean value of the core states over two columns of the observations."""
    living = ~plan.mdp.transitions.terminations
    states = plan.mdp.transitions.next_observations[living]
    cells = axes.hexbin(
        states[:, columns[0]],
        states[:, columns[1]],
        C=plan.values[living],
        gridsize=55,
        cmap="viridis",
        linewidths=0.1,
    )
    axes.figure.colorbar(cells, ax=axes, label="planned value V")
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.set_title(f"Values of {int(living.sum()):,} core states")


def comparison_picture(
    comparison: Comparison, path: Path, columns: Sequence[int | str] | None
) -> Path:
    """Draw where two plans act differently: one panel for each one's regret."""
    from matplotlib.figure import Figure

    points, labels = _plane(comparison, columns)
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    titles = ("first plan's regret", "second plan's regret")
    regrets = (comparison.first_regret, comparison.second_regret)
    differs = comparison.differs
    for axes, title, regret in zip(
        figure.subplots(1, 2, sharex=True, sharey=True), titles, regrets
    ):
        axes.scatter(*points[~differs].T, s=2, color="#d5dbe1", linewidths=0, rasterized=True)
        finite = np.where(np.isfinite(regret), regret, np.nan)[differs]
        top = float(np.nanquantile(finite, 0.98)) if np.isfinite(finite).any() else 1.0
        drawn = axes.scatter(
            *points[differs].T,
            s=5,
            c=np.nan_to_num(finite, nan=top),
            cmap="inferno_r",
            vmin=0.0,
            vmax=top or 1.0,
            linewidths=0,
            rasterized=True,
        )
        figure.colorbar(drawn, ax=axes, label="value lost by this one decision")
        axes.set_title(title)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
    figure.suptitle(f"Different actions in {comparison.share:.1%} of the core states (coloured)")
    return save_figure(figure, path)


def _plane(
    comparison: Comparison, columns: Sequence[int | str] | None
) -> tuple[Float64, list[str]]:
    """Return [M, 2] coordinates of the compared states, and the axes' labels."""
    mdp = comparison.first.mdp
    one_step = bool(mdp.transitions.terminations.all())
    if columns is not None:
        data = mdp.transitions
        seen = data.observations if one_step else data.next_observations
        flat = np.asarray(seen).reshape(len(mdp), -1)
        chosen = _chosen(mdp.transitions, columns, flat.shape[1])
        labels = [_axis(mdp.transitions, column) for column in chosen]
        return np.asarray(flat[comparison.states][:, chosen], dtype=np.float64), labels
    states = mdp.source_features if one_step else mdp.core_features
    features = np.asarray(states[comparison.states], dtype=np.float64)
    centred = features - features.mean(axis=0)
    if centred.shape[1] == 1:
        return np.column_stack((centred, np.zeros(len(centred)))), ["feature", ""]
    _, directions = np.linalg.eigh(centred.T @ centred)
    return centred @ directions[:, [-1, -2]], ["first component", "second component"]


def _chosen(data: Transitions, columns: Any, width: int) -> list[int]:
    """Return two columns that are given by name or number."""
    names = data.observation_names or ()
    named = f", or names among {listed(names)}" if names else ""
    allowed = f"two numbers in 0..{width - 1}{named}"
    given = several("columns", columns, allowed)
    if any(isinstance(one, str) and one not in names for one in given):
        raise InputError("columns", allowed, shown(columns))
    chosen = [
        names.index(one) if isinstance(one, str) else whole_number("columns", one, least=0)
        for one in given
    ]
    if len(chosen) != 2 or max(chosen) >= width:
        raise InputError("columns", allowed, shown(columns))
    return chosen


def _axis(data: Transitions, column: int) -> str:
    """Return the label of an axis: the column's name with its unit, or its number."""
    if data.observation_names is None:
        return f"observation {column}"
    unit = "" if data.observation_units is None else data.observation_units[column]
    return data.observation_names[column] + (f" [{unit}]" if unit else "")


def check_picture(path: Path) -> None:
    """Raise an error unless a picture can be written there, before any long work."""
    from matplotlib.backend_bases import FigureCanvasBase

    if path.suffix.lower().removeprefix(".") not in FigureCanvasBase.get_supported_filetypes():
        raise InputError("picture", "a name that ends in .png, .pdf or .svg", path)
    check_file(path)


def save_figure(figure: Any, path: Path) -> Path:
    """Write a figure, making its directory where needed."""
    check_picture(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
    return path
