"""Defects of single observation columns, on a sample of rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Array
from ..data.deadlines import is_deadline
from ..data.far_values import FEWEST, units
from ..data.observations import is_image
from ..data.transitions import Transitions
from .far_values import far_value_findings
from .findings import Finding

SAMPLE = 100_000
SAME = 0.999
"""Correlation above which a column tells another."""


def column_findings(data: Transitions) -> Iterator[Finding]:
    """Yield the defects of columns; pictures have none."""
    if is_image(data.observations) or len(data) < FEWEST:
        return
    step = max(1, len(data) // SAMPLE)
    rows = np.arange(0, len(data), step)
    columns = np.asarray(data.observations[rows], dtype=np.float64)
    binary = bool(np.isin(columns, (0.0, 1.0)).all())
    unit = units(columns)
    measured = np.ldexp(columns, -unit)
    spread = np.ldexp(measured.std(axis=0), unit)
    varied = spread > 1e-12 * np.abs(columns).max(axis=0)
    if not binary:
        yield from _constant(data, varied)
        yield from _scales(data, spread, varied)
        yield from far_value_findings(data, rows, columns, varied)
    yield from _twins(data, columns, varied)
    yield from _leaks(data, rows, measured, varied)
    yield from _clocks(data, rows, columns, varied)
    yield from _labels_of_episodes(data, varied)


def _constant(data: Transitions, varied: Array) -> Iterator[Finding]:
    if not varied.all():
        yield Finding(
            "constant_column",
            f"{int((~varied).sum())} observation column(s) never change",
            _listed(data, np.flatnonzero(~varied)),
            "certain",
            "They say nothing about the state; a constant sensor may be a broken one.",
            "Leave them out of --observations.",
            tuple(np.flatnonzero(~varied).tolist()),
        )


def _scales(data: Transitions, spread: Array, varied: Array) -> Iterator[Finding]:
    sizes = spread[varied]
    if len(sizes) > 1 and sizes.max() / 1e4 > sizes.min():
        times = min(float(sizes.max()) / float(sizes.min()), 1e308)
        widest = int(np.argmax(np.where(varied, spread, -1)))
        narrowest = int(np.argmin(np.where(varied, spread, np.inf)))
        yield Finding(
            "unscaled_columns",
            f"the widest column varies {times:.0e} times as much as the narrowest",
            f"columns {data.column_name(widest)} and {data.column_name(narrowest)}",
            "possible",
            "Without standardising, distances are those of the widest column alone.",
            "Keep the default encoder, which standardises, or bring the units together.",
        )


def _twins(data: Transitions, columns: Array, varied: Array) -> Iterator[Finding]:
    seen: dict[bytes, int] = {}
    for place in np.flatnonzero(varied):
        content = np.ascontiguousarray(columns[:, place]).tobytes()
        first = seen.setdefault(content, int(place))
        if first != place:
            yield Finding(
                "equal_columns",
                "two observation columns are equal",
                f"columns {data.column_name(first)} and {data.column_name(int(place))}",
                "certain",
                "What is there twice counts twice in every distance.",
                "Leave one of them out of --observations.",
                (int(place),),
            )


def _leaks(data: Transitions, rows: Array, columns: Array, varied: Array) -> Iterator[Finding]:
    rewards = data.rewards[rows, None]
    rewards = np.ldexp(rewards, -units(rewards))[:, 0]
    actions = data.actions[rows].reshape(len(rows), -1).astype(np.float64)
    actions = np.ldexp(actions, -units(actions))
    known = [*(("action", column) for column in actions.T), ("reward", rewards)]
    for name, values in known:
        if values.std() == 0:
            continue
        for place in np.flatnonzero(varied):
            strength = abs(np.corrcoef(columns[:, place], values)[0, 1])
            if strength > SAME:
                yield Finding(
                    f"leaks_{name}",
                    f"an observation column tells the {name} of the same step",
                    f"column {data.column_name(int(place))}, correlation {strength:.4f}",
                    "likely",
                    f"The {name} is not known when deciding: the plan would look into the future.",
                    "Leave the column out of --observations.",
                )


def _clocks(data: Transitions, rows: Array, columns: Array, varied: Array) -> Iterator[Finding]:
    living = ~(data.terminations | data.truncations)[rows]
    with np.errstate(over="ignore"):
        steps = data.next_observations[rows] - columns
    for place in np.flatnonzero(varied):
        step = steps[living, place]
        if len(step) < 20 or step[0] == 0 or not _is_even(step):
            continue
        ticks = np.round(columns[:, place] / step[0])
        if not is_deadline(ticks, data.terminations[rows], data.rewards[rows]):
            yield Finding(
                "clock_column",
                f"an observation column grows by {step[0]:g} at every step",
                f"column {data.column_name(int(place))}",
                "likely",
                "A clock makes every moment a state of its own: nothing is ever near.",
                "Leave it out of --observations and name it as --time, unless time left matters.",
                (int(place),),
            )


def _is_even(step: Array) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.isfinite(step[0]) and np.allclose(step, step[0], rtol=1e-4))


def _labels_of_episodes(data: Transitions, varied: Array) -> Iterator[Finding]:
    bounds = list(data.episodes())[:2000]
    if len(bounds) < 10 or max(rows.stop - rows.start for rows in bounds) < 3:
        return
    observations = np.asarray(data.observations)
    for place in np.flatnonzero(varied):
        values = []
        for rows in bounds:
            part = observations[rows, place]
            if (part != part[0]).any():
                break
            values.append(part[0])
        if len(values) == len(bounds) and len(set(values)) >= 0.9 * len(values):
            yield Finding(
                "episode_column",
                "an observation column is constant in every episode and differs between them",
                f"column {data.column_name(int(place))}",
                "likely",
                "It names the episode: neighbours are then only found inside the same episode.",
                "Leave it out of --observations and name it as --episode.",
                (int(place),),
            )


def _listed(data: Transitions, places: Array) -> str:
    shown = ", ".join(data.column_name(int(place)) for place in places[:8])
    return f"column(s) {shown}" + (", ..." if len(places) > 8 else "")
