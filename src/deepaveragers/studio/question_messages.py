"""Questions as the page asks them."""

from __future__ import annotations

from typing import Literal

import msgspec

Operator = Literal["<", "<=", ">", ">="]
Side = Literal["state", "next", "change", "logged", "constant"]


class Request(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the page sends; a field that is not known is refused."""


class When(Request, frozen=True):
    """A condition on a column."""

    column: str
    op: Operator
    value: float


class RewardTerm(Request, frozen=True):
    """One term of a reward: weight times a number of the transition, where a condition holds.

    Attributes:
        weight: times what is looked at.
        of: the column in the state, in the next one, its change, the logged reward, or 1.
        column: its name; "" for the logged reward and for 1.
        when: where the term counts: in the state for "state", "logged" and "constant", in the
            next one for "next" and "change"; everywhere if None.
        action: the one action, by number, for which the term counts; for all if None.
    """

    weight: float
    of: Side = "next"
    column: str = ""
    when: When | None = None
    action: int | None = None


class Reward(Request, frozen=True):
    """Another reward: the sum of terms, and of the logged reward if it is kept."""

    terms: tuple[RewardTerm, ...] = ()
    keep_logged: bool = True


class Range(Request, frozen=True):
    """A forbidden range of a column of the actions, ends included; None is no end."""

    column: int
    low: float | None = None
    high: float | None = None


class Question(Request, frozen=True):
    """What is asked of the model; the fields are those of `Objective`, actions by number.

    Where actions are rows, `ranges` are forbidden instead, and `penalties` are the prices of a
    column's square, by its number.
    """

    gamma: float = 0.99
    cost: float | None = None
    k: int | None = None
    weighting: Literal["inverse", "uniform"] = "inverse"
    slip: float = 0.0
    worst_case: float = 0.0
    horizon: int | None = None
    support: float = 0.0
    forbidden: tuple[int, ...] = ()
    ranges: tuple[Range, ...] = ()
    penalties: dict[int, float] = {}
    reward: Reward | None = None
