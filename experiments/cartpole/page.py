"""What docs/cartpole.md shows of the results: written between its markers, never by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .bags import BAGS
from .claims import claims_table
from .figures import SWEEPS, switches
from .grid import Setting, ablation
from .summary import Point, Summary

PAGE = Path(__file__).parents[2] / "docs" / "cartpole.md"


def study_parts(summary: Summary) -> dict[str, str]:
    """Return the parts of the page that come from the study."""
    parts = {f"claims {encoder}": claims_table(summary, encoder) for encoder in summary.encoders}
    return {**parts, "results": tables(summary)}


def tables(summary: Summary) -> str:
    """Return Markdown tables of every sweep."""
    parts = []
    for encoder in summary.encoders:
        for epsilon in summary.epsilons(encoder):
            how = f"{encoder}, {'greedy' if epsilon == 0 else f'epsilon {epsilon:g}'}"
            for name, (field, sweep, _) in SWEEPS.items():
                heads = [f"{name}={getattr(setting, field):g}" for setting in sweep()]
                body = _table(summary, encoder, epsilon, sweep(), heads)
                parts.append(f"**{name}, {how}**\n\n{body}")
            heads = [switches(setting).replace("\n", " ") for setting in ablation()]
            body = _table(summary, encoder, epsilon, ablation(), heads)
            parts.append(f"**ablation, {how}**\n\n{body}")
    return "\n\n".join(parts)


def _table(
    summary: Summary,
    encoder: str,
    epsilon: float,
    settings: Sequence[Setting],
    heads: Sequence[str],
) -> str:
    lines = [f"| bag, size | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for size in sorted(summary.sizes, reverse=True):
        for bag in BAGS:
            points = [summary.point(bag, size, encoder, epsilon, s) for s in settings]
            if any(points):
                lines.append(f"| {bag} {size // 1000}k | {' | '.join(map(_cell, points))} |")
    return "\n".join(lines)


def _cell(point: Point | None) -> str:
    return "-" if point is None else f"{point[0]:.0f} ± {point[1]:.0f}"
