"""Lines of the audit log: what is kept of each decision."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..arrays import Array
from ..policy.deciding import Decisions

Inputs = Literal["full", "digest"]


class AuditLine(msgspec.Struct, omit_defaults=True):
    """One decision in the log.

    Attributes:
        time: UTC, in ISO 8601.
        id: the client's name for it, or the log's own.
        plan: digest of the policy.
        action: its name.
        q: planned value of every action.
        support: of the observation.
        abstained: whether the fallback acted.
        input: the observation as the policy read it.
        input_sha256: digest of its numbers, in place of the input.
    """

    time: str
    id: str
    plan: str
    action: str
    q: dict[str, float | None]
    support: float
    abstained: bool
    input: dict[str, float] | list[Any] | UnsetType = UNSET
    input_sha256: str | UnsetType = UNSET


class RowAuditLine(msgspec.Struct, omit_defaults=True):
    """One decision in the log, where actions are rows of numbers.

    Attributes:
        time: UTC, in ISO 8601.
        id: the client's name for it, or the log's own.
        plan: digest of the policy.
        action: its numbers by the names of their columns.
        value: planned value of the best of the actions that were weighed.
        support: of the observation.
        abstained: whether the fallback acted.
        input: the observation as the policy read it.
        input_sha256: digest of its numbers, in place of the input.
    """

    time: str
    id: str
    plan: str
    action: dict[str, float]
    value: float
    support: float
    abstained: bool
    input: dict[str, float] | list[Any] | UnsetType = UNSET
    input_sha256: str | UnsetType = UNSET


@dataclass(frozen=True, eq=False)
class Entry:
    """Decisions on their way to the log.

    Attributes:
        moment: seconds since 1970.
        ids: of the decisions.
        plan: digest of the policy.
        names: of the columns; None where they have none.
        rows: [n, ...] the observations.
        decisions: of a batch.
        places: of these rows in that batch.
    """

    moment: float
    ids: Sequence[str]
    plan: str
    names: tuple[str, ...] | None
    rows: Array
    decisions: Decisions
    places: slice


def lines_of(entry: Entry, inputs: Inputs) -> Iterator[AuditLine | RowAuditLine]:
    """Yield the lines of some decisions.

    Args:
        entry: the decisions.
        inputs: "full" keeps observations, "digest" only their SHA-256.
    """
    second, fraction = divmod(entry.moment, 1.0)
    clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
    moment = f"{clock}.{int(fraction * 1e6):06d}Z"
    found, places = entry.decisions, entry.places
    names, rows = found.action_names, found.actions.ndim == 2
    columns = zip(
        entry.ids,
        entry.rows,
        found.actions[places].tolist(),
        (found.values if rows else found.q_values)[places].tolist(),
        found.support[places].tolist(),
        found.abstained[places].tolist(),
        strict=True,
    )
    for name, row, action, worth, *rest in columns:
        line = (
            RowAuditLine(moment, name, entry.plan, dict(zip(names, action)), worth, *rest)
            if rows
            else AuditLine(moment, name, entry.plan, names[action], dict(zip(names, worth)), *rest)
        )
        if inputs == "digest":
            line.input_sha256 = hashlib.sha256(row.tobytes()).hexdigest()
        else:
            numbers = row.tolist()
            line.input = numbers if entry.names is None else dict(zip(entry.names, numbers))
        yield line
