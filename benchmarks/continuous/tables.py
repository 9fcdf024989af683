"""The ledger as a table of the page: a row per log, a column per method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

import deepaveragers as da

Entry = Mapping[str, str]


def table(entries: Iterable[Entry]) -> str:
    """Return what each method earned on each log, with 95 % intervals over the episodes."""
    kept = list(entries)
    methods = list(dict.fromkeys(one["method"] for one in kept))
    logs = list(dict.fromkeys((one["task"], one["steps"], one["seed"]) for one in kept))
    lines = [
        _line(["log", "transitions", "seed", "logged, whole episodes", *methods]),
        "|---" * (4 + len(methods)) + "|",
    ]
    for task, steps, seed in logs:
        own = {
            one["method"]: one
            for one in kept
            if (one["task"], one["steps"], one["seed"]) == (task, steps, seed)
        }
        whole = float(next(iter(own.values()))["whole"])
        cells = [_cell(own[one]) if one in own else "" for one in methods]
        lines.append(_line([task, f"{int(steps):,}", seed, f"{whole:.0f}", *cells]))
    return "\n".join(lines)


def seconds(entries: Iterable[Entry]) -> str:
    """Return the processor time of each method, least and most."""
    found: dict[str, list[float]] = {}
    for one in entries:
        found.setdefault(one["method"], []).append(float(one["seconds"]))
    return ", ".join(f"{name} {min(own):.0f} to {max(own):.0f}" for name, own in found.items())


def _cell(entry: Entry) -> str:
    returns = np.array([float(word) for word in entry["returns"].split()])
    report = da.EvaluationReport(returns, np.zeros(len(returns), np.int64), 0.0)
    low, high = report.interval
    return f"{report.mean:.0f} [{low:.0f}, {high:.0f}]"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
