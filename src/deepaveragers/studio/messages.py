"""What goes between the server and the page: one record per answer and per question.

`studio/src/types.ts` mirrors them. Numbers that are not finite are `null` in JSON.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from .question_messages import Question, Request


class ActionCount(msgspec.Struct, frozen=True):
    """An action and how often the log has it."""

    index: int
    name: str
    count: int


class ActionColumn(msgspec.Struct, frozen=True):
    """A column of actions that are rows.

    Attributes:
        index: its place.
        name: of the column.
        low, high: its bounds, or what the data have of it.
        whole: whether it has whole numbers only.
    """

    index: int
    name: str
    low: float
    high: float
    whole: bool


class Choice(msgspec.Struct, frozen=True):
    """A category of the log, as the values of the columns that it became."""

    label: str
    values: dict[str, float]


class Column(msgspec.Struct, frozen=True):
    """A column of the observations, over the core states.

    Attributes:
        name: of the column.
        low, high: its smallest and largest value.
        quantiles: at 2, 25, 50, 75 and 98 %.
        kind: a flag is 0 or 1; a category has few whole numbers.
        unit: "" where it has none.
        choices: of the first of several columns that one category of the log became.
    """

    name: str
    low: float
    high: float
    quantiles: tuple[float, ...]
    kind: Literal["number", "category", "flag"]
    unit: str
    choices: tuple[Choice, ...] | None = None


class Spread(msgspec.Struct, frozen=True):
    """Numbers in short; 5 and 95 % of them are below low and high."""

    mean: float
    low: float
    high: float


class PlanSummary(msgspec.Struct, frozen=True):
    """A plan in figures.

    Attributes:
        id: the same question has the same one.
        question: as asked.
        cost: the price of distance that was taken.
        status: "optimal" where the tolerance is certified.
        milliseconds: that planning took, kernels being ready.
        prepared: milliseconds in which kernels were compiled meanwhile, once per installation.
        error: certified, of every value.
        greedy_loss: the most that acting greedily loses; None where it is not known.
        start_value: mean over the starts of the episodes.
        start_states: over how many.
        start_logged: mean logged return there, prices of actions and the horizon counted.
        mean_value: over all core states.
        best_logged_return: the largest under this question.
        changed_share: of the core states that act otherwise than in the plan asked for.
        action_shares: of the core states that go on, by planned action; none of rows.
        action_spreads: of planned rows, by column.
        warnings: sentences.
        python: lines that ask the same.
        query: for the address of the page.
        pinned: label, where it is kept.
    """

    id: str
    question: Question
    cost: float
    status: str
    milliseconds: float
    prepared: float
    error: float
    greedy_loss: float | None
    start_value: float | None
    start_states: int
    start_logged: float
    mean_value: float
    best_logged_return: float
    changed_share: float | None
    action_shares: tuple[float, ...]
    action_spreads: tuple[Spread, ...]
    warnings: tuple[str, ...]
    python: str
    query: str
    pinned: str | None


class Category(msgspec.Struct, frozen=True):
    """One colour of a legend without order."""

    index: int
    name: str
    count: int


class Legend(msgspec.Struct, frozen=True):
    """What the bytes of a colouring mean: 0 .. 254 from low to high, or numbers of categories.

    Bytes of "continuous" and "diverging" are linear; what lies beyond low or high has its byte.
    255 is no value; `absent` says of how many states, and what that means.
    """

    by: str
    label: str
    kind: Literal["continuous", "categories", "diverging"]
    low: float | None = None
    high: float | None = None
    categories: tuple[Category, ...] = ()
    missing: int = 255
    absent: Category | None = None


class Planned(msgspec.Struct, frozen=True):
    """The head of an answer to a question: the plan, and what the bytes after it mean."""

    plan: PlanSummary
    legend: Legend


class Axis(msgspec.Struct, frozen=True):
    """Something that a map can show in a direction.

    Attributes:
        id: "c0" for the first column, "p0" for the first principal component.
        label: with the unit.
        kind: where it comes from.
        low, high: where 98 % of the states lie, with a margin.
        explained: share of the variance, of a component.
    """

    id: str
    label: str
    kind: Literal["column", "component"]
    low: float
    high: float
    explained: float | None = None


class Model(msgspec.Struct, frozen=True):
    """What the page shows first.

    Attributes:
        actions: none where actions are rows.
        action_columns: of rows; none otherwise.
        candidates: logged actions that a state chooses among, where they are rows; otherwise 0.
        other_action: share of a column's range by which a row has to differ to count as another.
        cut_share: of the episodes that did not end, but were cut off.
        live: whether re-plans follow a slider.
        question: that the first plan answers.
        kept: what every question keeps of a loaded plan, in words.
        action_noise: of a loaded plan; beside it no worst case can be asked for.
        findings_count: of the doctor; None until he is done.
        output: the folder that exports go to.
    """

    name: str
    digest: str
    states: int
    transitions: int
    episodes: int
    kind: Literal["vector", "pictures"]
    shape: tuple[int, ...]
    actions: tuple[ActionCount, ...]
    action_columns: tuple[ActionColumn, ...]
    candidates: int
    other_action: float
    columns: tuple[Column, ...]
    encoder: str
    k: int
    reward_columns: tuple[str, ...]
    cut_share: float
    live: bool
    question: Question
    kept: tuple[str, ...]
    action_noise: float
    findings_count: int | None
    output: str
    version: str


class Opening(msgspec.Struct, frozen=True):
    """The first plan, which the page does not wait for.

    Attributes:
        plan: that was loaded, or that answers the model's question.
        axes: two that tell most of its values.
    """

    plan: PlanSummary
    axes: tuple[str, ...]


class PlanRequest(Request, frozen=True):
    """A question, from a tab, with the number that tells newer ones."""

    question: Question
    tab: str
    sequence: int
    against: str | None = None
    colouring: str = "value"
    other: str | None = None


class PinRequest(Request, frozen=True):
    """A plan to keep, and what to call it."""

    plan: str
    label: str


class PlanNamed(Request, frozen=True):
    """A plan by its id."""

    plan: str


class ExportRequest(Request, frozen=True):
    """What to write, and under which name."""

    what: Literal["plan", "policy", "report"]
    plan: str
    name: str
