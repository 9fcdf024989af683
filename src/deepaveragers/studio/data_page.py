"""The data: findings, returns, lengths, actions, columns, coverage."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Int64
from ..data.transitions import Transitions
from ..doctor.diagnosing import diagnose
from ..doctor.findings import Diagnosis, Finding
from ..server.problems import Problem
from ..solvers.plan import Plan
from ..solvers.planned_actions import action_spans, numbers_of, planned_actions
from .axes import spread_rows
from .colouring import Bytes, categories
from .columns import action_labels
from .data_messages import (
    ActionHistogram,
    ActionShare,
    Coverage,
    DataPage,
    FindingSeen,
    Histogram,
    NamedHistogram,
)
from .messages import Legend
from .planned_distances import planned_distances
from .session import Session

BINS = 40
COLUMNS_SHOWN = 64
"""Columns that have a histogram."""
LARGEST_WHOLE = 2**31
"""Beyond, numbers are not counted one by one."""
SAMPLE = 100_000
"""Core states that a column's histogram counts."""


def diagnosis(session: Session) -> Diagnosis:
    """Return the doctor's findings; they are made once."""
    return session.once("diagnosis", lambda: diagnose(session.data))


def data_page(session: Session, plan: Plan) -> DataPage:
    """Return what is shown of the data, beside a plan."""
    found, data = diagnosis(session), session.data
    planned = planned_actions(plan)
    planned = planned[planned >= 0]
    gaps = planned_distances(plan)
    gaps = gaps[np.isfinite(gaps)]
    return DataPage(
        findings=tuple(_seen(number, one) for number, one in enumerate(found.findings)),
        facts=found.facts,
        returns=suited_histogram(found.returns),
        lengths=whole_histogram(found.lengths),
        actions=() if data.action_vectors else _actions(found, data, planned),
        action_columns=_action_columns(data, planned) if data.action_vectors else (),
        columns=session.once("histograms", lambda: _columns(session)),
        coverage=Coverage(histogram(gaps), float(np.median(gaps)) if len(gaps) else None),
    )


def _actions(found: Diagnosis, data: Transitions, planned: Int64) -> tuple[ActionShare, ...]:
    counts = np.bincount(planned, minlength=data.num_actions).tolist()
    medians = found.facts.get("median_distance_by_action", {})
    return tuple(
        ActionShare(
            index=place,
            name=name,
            logged=int(found.action_counts[place]),
            planned=counts[place],
            distance=medians.get(name),
        )
        for place, name in enumerate(data.action_names)
    )


def _action_columns(data: Transitions, planned: Int64) -> tuple[ActionHistogram, ...]:
    both, found = (data.actions, numbers_of(data, planned)), []
    (low, high), whole = action_spans(data), data.actions.dtype.kind == "i"
    for place, name in enumerate(action_labels(data)):
        least, most = float(low[place]), float(high[place])
        margin = 0.5 if whole or least == most else 0.0
        parts = int(most - least) + 1 if whole and most - least < BINS else BINS
        edges = np.linspace(least - margin, most + margin, parts + 1)
        counts = [tuple(np.histogram(one[:, place], edges)[0].tolist()) for one in both]
        found.append(ActionHistogram(place, name, tuple(edges.tolist()), *counts))
    return tuple(found)


def by_finding(session: Session, name: str) -> tuple[Legend, Bytes]:
    """Colour the states that a finding concerns."""
    findings = diagnosis(session).findings
    place = int(name) if name.isdecimal() and len(name) < 5 else len(findings)
    if place >= len(findings):
        raise Problem(404, f"There is no finding {name!r}.")
    concerned = np.zeros(len(session.mdp), dtype=np.int64)
    rows = findings[place].rows
    if rows is not None:
        concerned[rows] = 1
    return categories(f"finding:{name}", findings[place].what, concerned, ("others", "concerned"))


def histogram(values: Array, bins: int = BINS) -> Histogram:
    """Return counts between the 0.5 and 99.5 % quantiles; what lies beyond is in the end bins."""
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    if not len(finite):
        return Histogram((0.0, 1.0), (0,))
    low, high = np.quantile(finite, (0.005, 0.995))
    if not low < high:
        low, high = finite.min(), finite.max()
    if not low < high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins + 1)
    counts, _ = np.histogram(np.clip(finite, low, high), bins=edges)
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()))


def whole_histogram(values: Array, bins: int = BINS) -> Histogram:
    """Return counts of whole numbers, the edges halfway between them; see `histogram`."""
    if not len(values):
        return Histogram((-0.5, 0.5), (0,), whole=True)
    low, high = map(int, np.quantile(values, (0.005, 0.995), method="nearest"))
    if low == high:
        low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // bins)
    number = -(-(high - low + 1) // width)
    edges = low - 0.5 + width * np.arange(number + 1)
    counts, _ = np.histogram(np.clip(values, low, high), bins=edges)
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()), whole=True)


def suited_histogram(values: Array) -> Histogram:
    """Return a histogram; bins of whole numbers hold equally many of them, so none looks empty."""
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    whole = (
        len(finite) and np.abs(finite).max() < LARGEST_WHOLE and (finite == np.rint(finite)).all()
    )
    return whole_histogram(finite) if whole else histogram(finite)


def _columns(session: Session) -> tuple[NamedHistogram, ...]:
    axes = session.axes
    if not axes.labels:
        return ()
    picks = spread_rows(len(session.mdp), SAMPLE)
    rows = np.asarray(session.data.next_observations[picks])
    found = []
    for place, (name, unit) in enumerate(zip(axes.labels, axes.units, strict=True)):
        if place == COLUMNS_SHOWN:
            break
        one = suited_histogram(rows[:, place])
        found.append(NamedHistogram(name, unit, one.edges, one.counts, one.whole))
    return tuple(found)


def _seen(number: int, finding: Finding) -> FindingSeen:
    return FindingSeen(
        id=str(number),
        code=finding.code,
        severity=finding.certainty,
        title=finding.what,
        where=finding.where,
        text=finding.meaning,
        remedy=finding.fix,
        states=None if finding.rows is None else len(finding.rows),
    )
