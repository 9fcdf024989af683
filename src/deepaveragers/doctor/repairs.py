"""Repairs of what the doctor finds, as far as the data alone say how.

Columns and copies that carry nothing are left out, flags that contradict each other are put
right, and actions whose names differ in upper case or spaces only become one. What may be as it
should be, or needs a look at the source (a leak, a shift, a rare action, another scale), is left
to people: such findings remain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bool
from ..data.action_names import same_words
from ..data.editing import renumbered, with_columns
from ..data.transitions import Transitions
from .diagnosing import diagnose
from .findings import Diagnosis, Finding

ROUNDS = 10
"""Of repairing and looking again: a repair may bring another defect to light."""
COLUMNS = frozenset({"constant_column", "equal_columns", "clock_column", "episode_column"})
TOGETHER = {"similar_actions": "names of actions differ in upper case or spaces only"}
"""What is said of findings that are repaired all at once."""

RowRepair = Callable[[Transitions, Finding], tuple[Transitions, str]]


@dataclass(frozen=True, eq=False)
class Repair:
    """A dataset after its repair.

    Attributes:
        transitions: the repaired data.
        changes: what was changed, in order; empty where nothing could be.
        diagnosis: what the doctor says now.
    """

    transitions: Transitions
    changes: tuple[str, ...]
    diagnosis: Diagnosis


def repair(data: Transitions) -> Repair:
    """Repair the defects that need no judgement, and diagnose again."""
    changes: list[str] = []
    diagnosis = diagnose(data)
    for _ in range(ROUNDS):
        before = len(changes)
        data = _without_columns(data, diagnosis, changes)
        # One at a time: rows move when others are left out.
        finding = next((one for one in diagnosis.findings if _can_repair(data, one)), None)
        if finding is not None:
            data, change = REPAIRS[finding.code](data, finding)
            changes.append(f"{TOGETHER.get(finding.code, finding.what)}: {change}")
        if len(changes) == before:
            break
        diagnosis = diagnose(data)
    return Repair(data, tuple(changes), diagnosis)


def _can_repair(data: Transitions, finding: Finding) -> bool:
    """Whether the data say how: where every end has both flags, they do not say which is false."""
    if finding.code == "both_flags":
        return bool((data.terminations & ~data.truncations).any())
    if finding.code == "similar_actions":
        return finding.certainty == "likely"
    return finding.code in REPAIRS


def _without_columns(data: Transitions, diagnosis: Diagnosis, changes: list[str]) -> Transitions:
    width = data.observation_shape[0]
    gone: set[int] = set()
    for finding in diagnosis.findings:
        places = set(finding.places) - gone
        if finding.code not in COLUMNS or not places or len(gone | places) == width:
            continue
        gone |= places
        numbers = ", ".join(data.column_name(place) for place in sorted(places))
        changes.append(f"{finding.what}: column(s) {numbers} left out")
    if not gone:
        return data
    kept = np.setdiff1d(np.arange(width), sorted(gone))
    return with_columns(data, kept)


def _time_limit(data: Transitions, finding: Finding) -> tuple[Transitions, str]:
    truncations = data.truncations | data.terminations
    changed = replace(data, terminations=np.zeros(len(data), dtype=bool), truncations=truncations)
    return changed, "marked truncated instead of terminated"


def _both_flags(data: Transitions, finding: Finding) -> tuple[Transitions, str]:
    return replace(data, terminations=data.terminations & ~data.truncations), "truncated only"


def _end_inside(data: Transitions, finding: Finding) -> tuple[Transitions, str]:
    starts = np.zeros(len(data), dtype=bool)
    starts[1:] = np.diff(data.episode_ids) != 0
    starts[1:] |= (data.terminations | data.truncations)[:-1]
    return renumbered(data, np.cumsum(starts)), "episodes split there, and numbered anew"


def _copies(data: Transitions, finding: Finding) -> tuple[Transitions, str]:
    kept = _all_but(data, finding)
    return data.subset(kept), f"{int((~kept).sum()):,} steps left out"


def _false_successors(data: Transitions, finding: Finding) -> tuple[Transitions, str]:
    kept = _all_but(data, finding) | data.terminations
    truncations = data.truncations.copy()
    same = data.episode_ids[1:] == data.episode_ids[:-1]
    truncations[:-1] |= same & kept[:-1] & ~kept[1:]
    changed = replace(data, truncations=truncations).subset(kept)
    count = int((~kept).sum())
    return changed, f"{count:,} last step(s) left out, and the steps before marked truncated"


def _spellings(data: Transitions, finding: Finding) -> tuple[Transitions, str]:
    names, counts = data.action_names, np.bincount(data.actions, minlength=data.num_actions)
    meant = [
        max(
            (
                place
                for place, other in enumerate(names)
                if other == name or same_words(name, other)
            ),
            key=lambda place: int(counts[place]),
        )
        for name in names
    ]
    kept = sorted(set(meant))
    numbers = np.array([kept.index(place) for place in meant], dtype=data.actions.dtype)
    said = [
        f"{name!r} is {names[place]!r} now"
        for number, (name, place) in enumerate(zip(names, meant, strict=True))
        if number != place
    ]
    changed = replace(
        data, actions=numbers[data.actions], action_names=tuple(names[place] for place in kept)
    )
    return changed, ", ".join(said)


REPAIRS: dict[str, RowRepair] = {
    "time_limit_as_end": _time_limit,
    "both_flags": _both_flags,
    "end_inside_episode": _end_inside,
    "repeated_episodes": _copies,
    "reset_as_successor": _false_successors,
    "similar_actions": _spellings,
}


def _all_but(data: Transitions, finding: Finding) -> Bool:
    kept = np.ones(len(data), dtype=bool)
    kept[list(finding.places)] = False
    return kept
