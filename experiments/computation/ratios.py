"""The ratios that the paper gives: first run, and each further objective."""

from __future__ import annotations

from statistics import median
from typing import Any


def first_run(figures: dict[str, Any]) -> float:
    """Return our seconds from pictures to the first plan."""
    return float(figures["encode"] + figures["search"] + figures["first plan"])


def training(figures: dict[str, Any], learner: str) -> float:
    """Return the seconds of as many updates as there are transitions."""
    return float(figures["seconds an update"][learner] * figures["transitions"])


def table(figures: dict[str, Any]) -> str:
    """Return seconds and ratios in Markdown."""
    ours, again = first_run(figures), figures["further objectives"]
    typical = median(again.values())
    lines = [
        "| | seconds | DQN takes | BCQ takes |",
        "|---|---|---|---|",
        f"| DQN, {figures['transitions']:,} updates | {training(figures, 'DQN'):,.0f} | | |",
        f"| BCQ, {figures['transitions']:,} updates | {training(figures, 'BCQ'):,.0f} | | |",
    ]
    steps = {f"ours: {name}": figures[name] for name in ("encode", "search", "first plan")}
    steps |= {"**ours, first run**": ours}
    steps |= {f"ours again: {name}": seconds for name, seconds in again.items()}
    steps |= {"**ours again, median**": typical}
    for name, seconds in steps.items():
        ratios = [f"{training(figures, one) / seconds:,.0f}x" for one in ("DQN", "BCQ")]
        shown = ratios if name.startswith("**") else ["", ""]
        lines.append(f"| {name} | {seconds:.2f} | " + " | ".join(shown) + " |")
    return "\n".join(lines)
