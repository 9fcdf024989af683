"""What the page shows of the data, and of how far plans can be trusted."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Known = Literal["proved", "estimated", "promised", "unknown", "assumed"]
"""How something is known: "promised" is what the model says of itself, "unknown" is nothing."""


class FindingSeen(msgspec.Struct, frozen=True):
    """A finding of the doctor.

    Attributes:
        id: by which a colouring names it: "finding:ID".
        code: short name of the defect.
        severity: "certain", "likely" or "possible".
        title: what was found, with numbers.
        where: the rows, columns or actions concerned.
        text: what it does to a plan.
        remedy: how it is put right.
        states: core states that are concerned, as far as they were looked at; None where it is
            not about single states.
    """

    id: str
    code: str
    severity: str
    title: str
    where: str
    text: str
    remedy: str
    states: int | None


class Histogram(msgspec.Struct, frozen=True):
    """Counts [B] between edges [B + 1]; of whole numbers, the edges lie halfway between them."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    whole: bool = False


class NamedHistogram(msgspec.Struct, frozen=True):
    """The histogram of a column."""

    name: str
    unit: str
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    whole: bool


class ActionShare(msgspec.Struct, frozen=True):
    """How often an action was logged, and is planned in the core states that go on.

    Attributes:
        index, name: of the action.
        logged, planned: how often.
        distance: median distance from states to its nearest transition; None for pictures and
            small data.
    """

    index: int
    name: str
    logged: int
    planned: int
    distance: float | None


class ActionHistogram(msgspec.Struct, frozen=True):
    """A column of actions that are rows: counts [B] as logged and as planned, edges [B + 1]."""

    index: int
    name: str
    edges: tuple[float, ...]
    logged: tuple[int, ...]
    planned: tuple[int, ...]


class Coverage(msgspec.Struct, frozen=True):
    """How near the data are to the states where the plan would use them.

    Attributes:
        distances: of the planned actions' data, the same as the colouring "support".
        median: of them.
    """

    distances: Histogram
    median: float | None


class DataPage(msgspec.Struct, frozen=True):
    """The data as the doctor sees them."""

    findings: tuple[FindingSeen, ...]
    facts: dict[str, Any]
    returns: Histogram
    lengths: Histogram
    actions: tuple[ActionShare, ...]
    action_columns: tuple[ActionHistogram, ...]
    columns: tuple[NamedHistogram, ...]
    coverage: Coverage


class Statement(msgspec.Struct, frozen=True):
    """One thing that is known, and how."""

    title: str
    text: str
    kind: Known


class Behaviour(msgspec.Struct, frozen=True):
    """What the log earned per episode under the question, discounted, with an interval.

    Attributes:
        mean: over the episodes.
        interval: of the mean.
        level: of the interval.
        episodes: how many.
        steps: of each that count, as many as in the value of a start; None is all.
    """

    mean: float
    interval: tuple[float, float]
    level: float
    episodes: int
    steps: int | None


class ThinPlace(msgspec.Struct, frozen=True):
    """A state whose planned action rests on far-away data."""

    state: int
    action: str
    distance: float
    episode: str
    observation: dict[str, float]


class Thin(msgspec.Struct, frozen=True):
    """Where more data would help."""

    states: int
    share: float
    threshold: float
    colouring: str
    thinnest: tuple[ThinPlace, ...]


class Trust(msgspec.Struct, frozen=True):
    """What is proved of a plan, what is estimated, what is promised, what is assumed."""

    statements: tuple[Statement, ...]
    behaviour: Behaviour
    planned: float | None
    estimate: dict[str, Any] | None
    guarantee: dict[str, Any] | None
    thin: Thin
