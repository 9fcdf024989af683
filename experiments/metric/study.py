"""Plans on learnt representations, near the data or not, played in the environment.

Defaults were set on data of seeds 0 and 1; the tables are of other seeds. A row of results.csv is
one policy, played 20 episodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from ..ledger import Ledger, pooled, written
from .tasks import TASKS

KEY = ("task", "seed", "representation", "plan")
VALUES = ("cost", "mean", "low", "high", "value", "returns")
EPISODES, K, K_PI = 20, 5, 31
FIRST_EPISODE = 20_000
"""Seed of the first episode that is played, far from those of the data."""

PREDICTED: dict[str, dict[str, Any]] = {
    "columns": {},
    "change": {"predict": "change"},
    "change, reward, end": {"predict": ("change", "reward", "end")},
    "change 1, 4, 16 ahead": {"predict": "change", "ahead": (1, 4, 16)},
    "change, state": {"predict": ("change", "state")},
    "change, return, action": {"predict": ("change", "return", "action")},
    "action": {"predict": "action"},
}
PLANS: dict[str, Callable[[da.DacMdp], da.Plan]] = {
    "default": lambda mdp: mdp.solve(),
    "C = 1": lambda mdp: mdp.solve(cost=1.0),
    "C = 10": lambda mdp: mdp.solve(cost=10.0),
    "support": lambda mdp: mdp.solve(support=0.3),
    "one step": lambda mdp: da.solve_one_step(mdp),
}


def run(
    directory: Path,
    tasks: Sequence[str],
    seeds: Sequence[int],
    representations: Sequence[str],
    plans: Sequence[str],
) -> Ledger:
    """Play what is not played yet, and return all results."""
    ledger = Ledger(directory / "results.csv", KEY, VALUES)
    for task in tasks:
        for seed in seeds:
            data = None
            for representation in representations:
                place = {"task": task, "seed": seed, "representation": representation}
                missing = [name for name in plans if not ledger.has(**place, plan=name)]
                if not missing:
                    continue
                data = TASKS[task].collect(seed) if data is None else data
                mdp = da.compile(data, K, _encoder(directory, data, **place))
                for name in missing:
                    _play(ledger, mdp, {**place, "plan": name})
    return ledger


def _encoder(directory: Path, data: da.Transitions, **place: Any) -> Any:
    """Return the representation, trained once and kept."""
    settings = PREDICTED[place["representation"]]
    if not settings:
        return None
    name = "-".join(str(part).replace(", ", "+").replace(" ", "_") for part in place.values())
    file = directory / "encoders" / f"{name}.safetensors"
    if not file.exists():
        encoder = da.train_dynamics(data, seed=place["seed"], **settings)
        da.save_encoder(encoder, file)
    return da.load_encoder(file)


def _play(ledger: Ledger, mdp: da.DacMdp, place: dict[str, Any]) -> None:
    plan = PLANS[place["plan"]](mdp)
    lookup = "lookahead" if place["plan"] == "one step" else "nearest"
    policy = plan.policy(K_PI, lookup)
    report = TASKS[place["task"]].evaluate(policy, EPISODES, FIRST_EPISODE)
    low, high = report.interval
    starts = [episode.start for episode in mdp.transitions.episodes()]
    best = policy.q_values(mdp.transitions.observations[starts]).max(axis=1)
    ledger.add(
        **place,
        cost=f"{plan.objective.cost:.4g}",
        mean=f"{report.mean:.1f}",
        low=f"{low:.1f}",
        high=f"{high:.1f}",
        value=f"{np.mean(best):.1f}",
        returns=written(report.returns),
    )
    print(*place.values(), f"{report.mean:.1f} [{low:.1f}, {high:.1f}]", flush=True)


def table(ledger: Ledger, plans: Sequence[str], seeds: Sequence[int]) -> str:
    """Return mean returns as a table in Markdown: a row per task and representation."""
    lines = [
        "| task | representation | " + " | ".join(plans) + " |",
        "|---|---|" + "---|" * len(plans),
    ]
    rows = [row for row in ledger.rows if int(row["seed"]) in seeds]
    for task in TASKS:
        for representation in PREDICTED:
            cells = []
            for plan in plans:
                found = [
                    row
                    for row in rows
                    if (row["task"], row["representation"], row["plan"])
                    == (task, representation, plan)
                ]
                cells.append(_cell(found))
            if any(cell != "-" for cell in cells):
                lines.append(f"| {task} | {representation} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(rows: Sequence[dict[str, str]]) -> str:
    if not rows:
        return "-"
    report = pooled(rows)
    low, high = report.interval
    return f"{report.mean:.0f} [{low:.0f}, {high:.0f}]"
