"""Questions of the page as objectives, by their ids, and as a part of an address."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import msgspec
import numpy as np

from ..arrays import Float64
from ..errors import InputError
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import action_number
from .question_messages import Question, Range
from .reward_terms import rewards_of

TOLERANCE = 1e-3
"""As `DacMdp.solve` takes by default."""
DEAR_TOLERANCE = 3e-3
ID_LETTERS = 16
"""Of a plan's id: enough that two questions never share one."""


def tolerance_of(question: Question, *, live: bool) -> float:
    """Return the tolerance of a plan: the library's own, or a wider one where sweeps are dear.

    With slip or against the worst neighbour a plan to the library's tolerance takes longer than a
    slider may wait (`python -m benchmarks.studio`); what is certified is told either way.
    """
    return DEAR_TOLERANCE if live and (question.slip or question.worst_case) else TOLERANCE


def objective_of(question: Question, mdp: DacMdp, base: Objective, logged: Float64) -> Objective:
    """Return the objective of a question.

    Args:
        question: what the page asks.
        mdp: the model.
        base: has what a question does not speak of: a mask, the kind of penalty, rewards.
        logged: [N] the rewards of the base.
    """
    reward, data = question.reward, mdp.transitions
    return replace(
        base,
        gamma=question.gamma,
        cost=question.cost,
        k=question.k,
        weighting=question.weighting,
        slip=question.slip,
        worst_case=question.worst_case,
        horizon=question.horizon,
        support=question.support,
        forbidden_actions=_forbidden(question, mdp, base),
        action_penalties=_penalties(question, mdp, base),
        rewards=base.rewards if reward is None else rewards_of(reward, data, logged),
    )


def _forbidden(question: Question, mdp: DacMdp, base: Objective) -> Any:
    if not mdp.transitions.action_vectors:
        if question.ranges:
            raise InputError("ranges", "none where actions are discrete", len(question.ranges))
        return tuple(action_number(mdp, action, "forbidden") for action in question.forbidden)
    if question.forbidden:
        raise InputError("forbidden", "none where actions are rows: ranges", question.forbidden)
    if not question.ranges and callable(base.forbidden_actions):
        return base.forbidden_actions
    found: dict[str, list[tuple[float | None, float | None]]] = {}
    for one in question.ranges:
        place = action_number(mdp, one.column, "ranges")
        found.setdefault(mdp.transitions.action_names[place], []).append((one.low, one.high))
    return found or ()


def _penalties(question: Question, mdp: DacMdp, base: Objective) -> Any:
    names, rows = mdp.transitions.action_names, mdp.transitions.action_vectors
    if rows and not question.penalties and not _by_action(base.action_penalties):
        return base.action_penalties
    found: dict[int | str, float] = {}
    for action, price in question.penalties.items():
        place = action_number(mdp, action, "penalties")
        if price:
            found[names[place] if rows else place] = price
    return found or None


def _by_action(penalties: Any) -> bool:
    """Whether the page can show such penalties: a price per action, or per column of rows."""
    return penalties is None or hasattr(penalties, "items")


def question_of(objective: Objective, mdp: DacMdp) -> Question:
    """Return the question that a loaded plan answers; what it cannot say is in the base."""
    prices: Any = objective.action_penalties
    rows = mdp.transitions.action_vectors
    if prices is None or (rows and not _by_action(prices)):
        prices = {}
    if not hasattr(prices, "items"):
        prices = dict(enumerate(np.asarray(prices).tolist()))
    forbidden = objective.forbidden_actions
    return Question(
        gamma=objective.gamma,
        cost=objective.cost,
        k=objective.k,
        weighting=objective.weighting,
        slip=objective.slip,
        worst_case=objective.worst_case,
        horizon=objective.horizon,
        support=objective.support,
        forbidden=()
        if rows
        else tuple(action_number(mdp, action, "forbidden") for action in forbidden),
        ranges=tuple(
            Range(action_number(mdp, column, "ranges"), low, high)
            for column, several in (forbidden.items() if hasattr(forbidden, "items") else ())
            for low, high in several
        ),
        penalties={
            action_number(mdp, action, "penalties"): float(price)
            for action, price in prices.items()
        },
    )


def kept_words(base: Objective) -> tuple[str, ...]:
    """Return in words what every question keeps of a loaded plan, as the page cannot change it."""
    found = {
        f"action noise {base.action_noise:g}": base.action_noise > 0.0,
        "its mask of actions": base.action_mask is not None,
        "its rewards": base.rewards is not None,
        f"the {base.penalty} penalty of distance": base.penalty != Objective().penalty,
    }
    return tuple(words for words, kept in found.items() if kept)


def normal(question: Question) -> Question:
    """Return the question as all that ask the same are written: in order, without zeros."""
    prices = {action: question.penalties[action] for action in sorted(question.penalties)}
    return msgspec.structs.replace(
        question,
        forbidden=tuple(sorted(set(question.forbidden))),
        ranges=tuple(sorted(set(question.ranges), key=_order)),
        penalties={action: price for action, price in prices.items() if price},
    )


def _order(one: Range) -> tuple[float, ...]:
    low = -math.inf if one.low is None else one.low
    return one.column, low, math.inf if one.high is None else one.high


def plan_id(question: Question, digest: str) -> str:
    """Return the id of the plan of a question about the model with this digest."""
    text = msgspec.json.encode(_unusual(question))
    return hashlib.sha256(text + digest.encode()).hexdigest()[:ID_LETTERS]


def query_of(question: Question) -> str:
    """Return the question for the address of the page: only what is not as by default."""
    told = _unusual(question)
    if "forbidden" in told:
        told["forbidden"] = ",".join(map(str, question.forbidden))
    if "ranges" in told:
        told["ranges"] = ",".join(map(_range_text, normal(question).ranges))
    if "penalties" in told:
        prices = normal(question).penalties.items()
        told["penalty"] = ",".join(f"{action}:{price:.15g}" for action, price in prices)
        del told["penalties"]
    if "reward" in told:
        told["reward"] = msgspec.json.encode(question.reward).decode()
    return urlencode(told)


def _range_text(one: Range) -> str:
    """Return "column:low:high", an end that there is not left out."""
    ends = ("" if end is None else f"{end:.15g}" for end in (one.low, one.high))
    return ":".join((str(one.column), *ends))


def _unusual(question: Question) -> dict[str, Any]:
    """Return the fields that are not as by default."""
    asked, usual = msgspec.structs.asdict(normal(question)), msgspec.structs.asdict(Question())
    return {name: asked[name] for name in usual if asked[name] != usual[name]}
