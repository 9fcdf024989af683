"""What the page asks and learns of single states, of groups of them, and of futures."""

from __future__ import annotations

from typing import Literal

import msgspec

from .messages import Spread
from .question_messages import Request

Level = Literal["well", "thin", "none"]
Observation = dict[str, float | str | None] | tuple[float, ...]


class InspectRequest(Request, frozen=True):
    """A core state, or an observation that was typed in."""

    plan: str
    state: int | None = None
    observation: Observation | None = None


class ImagineRequest(Request, frozen=True):
    """Where to begin, and how far to look."""

    plan: str
    state: int | None = None
    observation: Observation | None = None
    steps: int = 20


class Polygon(Request, frozen=True):
    """A lasso: corners [[x, y], ...] on two axes."""

    x: str
    y: str
    points: tuple[tuple[float, float], ...]


class GroupRequest(Request, frozen=True):
    """Core states by number, or by a lasso."""

    plan: str
    states: tuple[int, ...] | None = None
    polygon: Polygon | None = None


class Seen(msgspec.Struct, frozen=True):
    """One column of an observation; the percentile is among the core states."""

    name: str
    value: float
    percentile: float
    unit: str


class ActionValue(msgspec.Struct, frozen=True):
    """An action in a state, or a candidate where actions are rows.

    Attributes:
        index, name: of the action; the place of a candidate, and its numbers by column.
        q: planned; None where it is not available.
        below, above: how far the exact value can lie below and above it, certified.
        available: whether the plan may take it here.
        reason: why not.
        cases: how often it was taken in the logged states most like this one; 0 of candidates.
        distance: to the logged state in which a candidate was taken; None of other actions.
        best: whether the plan takes it.
        tie: whether the certificate does not tell it apart from the best.
    """

    index: int
    name: str
    q: float | None
    below: float
    above: float
    available: bool
    reason: str
    cases: int
    distance: float | None
    best: bool
    tie: bool


class SupportWords(msgspec.Struct, frozen=True):
    """How like the data a state is.

    Attributes:
        level: "none" is unlike anything in the data.
        words: a sentence.
        score: in [0, 1], see `policy.support`.
        distance: mean distance to the data's nearest states.
        typical_distance: the median of it over the data's own states.
        similar: logged states that `cases` of the actions count.
    """

    level: Level
    words: str
    score: float
    distance: float
    typical_distance: float
    similar: int


class CaseSeen(msgspec.Struct, frozen=True):
    """A logged decision in a state like this one.

    Attributes:
        state: the transition, which is also the core state that it led to.
        episode: the log's own id.
        step: place in the episode, from 0.
        time: as the log says.
        done: what was done, by name or by its numbers.
        reward: as logged.
        distance: of the state asked about.
        weight: in the plan's own average; None where it has no part in it.
        return_after: earned from there to the end of the episode, by the question's rewards, prices
            of actions, discount and horizon.
        return_known: whether cutting the episode off took little from it.
        ended: "terminated", "truncated" or "open".
        last_reward: of its episode, as logged.
        values: what was observed then, by column.
        own: whether it is what was logged next, after the very state that is asked about.
        picture: address of a picture of the state, where observations are pictures.
    """

    state: int
    own: bool
    episode: str
    step: int
    time: str | None
    done: str
    reward: float
    distance: float
    weight: float | None
    return_after: float
    return_known: bool
    ended: str
    last_reward: float
    values: dict[str, float]
    picture: str | None


class Inspected(msgspec.Struct, frozen=True):
    """A state: what the plan does there, and why.

    `time` is when it was seen; where the log has no row of it, `after` is that of the row before.
    The exact value can lie so far `below` and `above` the value, certified.
    """

    observation: tuple[Seen, ...]
    state: int | None
    episode: str | None
    time: str | None
    after: str | None
    ended: bool
    value: float
    below: float
    above: float
    actions: tuple[ActionValue, ...]
    support: SupportWords
    cases: tuple[CaseSeen, ...]
    basis: str
    picture: str | None


class Step(msgspec.Struct, frozen=True):
    """One step of an imagined future; the probability is the weight of this transition."""

    state: int
    done: str
    value: float
    reward: float
    distance: float
    probability: float | None


class Imagined(msgspec.Struct, frozen=True):
    """The most likely future through the data; where it goes in a circle it is cut off."""

    steps: tuple[Step, ...]
    ended: bool
    repeats: bool


class Condition(msgspec.Struct, frozen=True):
    """One part of a description; several hold together."""

    column: str
    op: str
    value: float
    text: str


class GroupAction(msgspec.Struct, frozen=True):
    """How often an action is planned in a group, and was logged there."""

    index: int
    planned: int
    logged: int


class GroupActionColumn(msgspec.Struct, frozen=True):
    """A column of actions that are rows, as planned in a group and as logged there."""

    index: int
    planned: Spread | None
    logged: Spread | None


class GroupColumn(msgspec.Struct, frozen=True):
    """A column in a group; the difference is in standard deviations of all core states."""

    name: str
    mean: float
    overall: float
    difference: float


class Group(msgspec.Struct, frozen=True):
    """Some core states together.

    Attributes:
        states: how many.
        share: of all.
        members: their numbers, the first ones of many.
        value: planned.
        actions: planned and logged; none of rows.
        action_columns: of rows; none otherwise.
        columns: the most unusual first.
        rule: describes the group by columns; empty where nothing does.
        rule_precision: share of the states under the rule that are in the group.
        rule_recall: share of the group that is under the rule.
    """

    states: int
    share: float
    members: tuple[int, ...]
    value: Spread | None
    actions: tuple[GroupAction, ...]
    action_columns: tuple[GroupActionColumn, ...]
    columns: tuple[GroupColumn, ...]
    rule: tuple[Condition, ...]
    rule_precision: float | None
    rule_recall: float | None
