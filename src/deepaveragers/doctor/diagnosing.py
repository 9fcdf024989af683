"""The data doctor: what is in a dataset, and what looks wrong with it.

Every check looks for one defect that logs are known to have, and says what it means, how
sure it is and how it is put right. Checks that compare rows use a sample of them; the same
data always give the same findings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import file_path, instance, optional, seed_number, whole_number
from ..arrays import Float64
from ..data.transitions import Transitions
from ..errors import InputError
from ..outputs import check_file
from .alignment import alignment_findings
from .columns import column_findings
from .ends import end_findings
from .findings import Diagnosis, Finding
from .support import action_counts, support, support_findings

CHECKS: tuple[Callable[[Transitions], Iterator[Finding]], ...] = (
    end_findings,
    column_findings,
    alignment_findings,
)
ORDER = {"certain": 0, "likely": 1, "possible": 2}


def diagnose(data: Transitions, *, seed: int = 0, most_rows: int | None = None) -> Diagnosis:
    """Return the facts of a dataset and the defects that were found in it.

    Args:
        data: the transitions.
        seed: of the rows that are sampled.
        most_rows: larger data are searched in a random sample of whole episodes with about this
            many rows; counts are then those of the sample. None searches everything.
    """
    instance("data", data, Transitions, "Transitions")
    seed = seed_number(seed)
    most_rows = optional(whole_number, "most_rows", most_rows)
    looked_at = data if most_rows is None else _some_episodes(data, most_rows, seed)
    findings = [finding for check in CHECKS for finding in check(looked_at)]
    supported = support(looked_at, seed)
    findings.extend(support_findings(looked_at, supported))
    findings.sort(key=lambda finding: ORDER[finding.certainty])
    lengths = np.array([rows.stop - rows.start for rows in data.episodes()])
    return Diagnosis(
        findings=tuple(findings),
        facts=_facts(data, supported),
        returns=data.episode_returns(),
        lengths=lengths,
        action_counts=action_counts(data),
        action_names=data.action_names,
        looked_at=len(looked_at),
        action_range=_range(data),
    )


def _some_episodes(data: Transitions, most_rows: int, seed: int) -> Transitions:
    """Return a random sample of whole episodes with about `most_rows` rows, in their order."""
    if len(data) <= most_rows:
        return data
    episodes = list(data.episodes())
    chosen, rows = [], 0
    for place in np.random.default_rng(seed).permutation(len(episodes)).tolist():
        chosen.append(place)
        rows += episodes[place].stop - episodes[place].start
        if rows >= most_rows:
            break
    ranges = [episodes[place] for place in sorted(chosen)]
    return data.subset(np.concatenate([np.arange(one.start, one.stop) for one in ranges]))


def write_report(diagnosis: Diagnosis, path: str | os.PathLike[str]) -> Path:
    """Write a diagnosis as a page (.html) or as a picture (.png)."""
    from .pages import write_html, write_png

    instance("diagnosis", diagnosis, Diagnosis, "a Diagnosis")
    path = file_path("path", path)
    check_report(path)
    (write_html if path.suffix == ".html" else write_png)(diagnosis, path)
    return path


def check_report(path: Path) -> None:
    """Raise an error unless a diagnosis can be written there, before any long work."""
    if path.suffix not in (".html", ".png"):
        raise InputError("path", "a name that ends in .html or .png", str(path))
    check_file(path)
    if not path.absolute().parent.is_dir():
        raise InputError("path", "in a folder that exists", str(path), "Make the folder first.")


def _range(data: Transitions) -> Float64 | None:
    if not data.action_vectors:
        return None
    return np.stack([data.actions.min(axis=0), data.actions.max(axis=0)]).astype(np.float64)


def _facts(data: Transitions, supported: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "transitions": len(data),
        "episodes": data.num_episodes,
        "observation_shape": list(data.observation_shape),
        "observation_type": str(data.observations.dtype),
        "actions": data.actions_in_words if data.action_vectors else data.num_actions,
        "terminations": int(data.terminations.sum()),
        "truncations": int(data.truncations.sum()),
        "reward_range": [float(data.rewards.min()), float(data.rewards.max())],
    }
    if supported is not None and data.action_vectors:
        facts["median_distance"] = float(supported.medians[0])
    elif supported is not None:
        facts["median_distance_by_action"] = {
            name: float(distance)
            for name, distance in zip(data.action_names, supported.medians, strict=True)
        }
    return facts
