"""Lines of Python that ask the same question of the same bundle.

Names and paths stand in them as Python literals, so that no text of the data is ever code.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..data.column_names import labels_of
from ..data.transitions import Transitions
from ..mdp.model import DacMdp
from .question_messages import Question, Reward, RewardTerm
from .questions import TOLERANCE, normal
from .reward_terms import column_place

Kind = Literal["transitions", "model", "plan", "restricted"]
"""What was loaded; a restricted plan has a model without the candidates that it forbids."""
LOADING: dict[Kind, tuple[str, ...]] = {
    "transitions": ("mdp = da.compile(da.load({path}), k={k})",),
    "model": ("mdp = da.load({path})",),
    "plan": ("loaded = da.load({path})", "mdp = loaded.mdp"),
    "restricted": (
        "loaded = da.load({path})",
        "mdp = da.compile(",
        "    loaded.mdp.transitions, {k}, loaded.mdp.encoder, candidates={m}, landing={landing!r}",
        ")",
    ),
}

LINE = 88
"""Letters of a call that stands in one line."""
VALUE = "print(plan.start_value())"


def python_of(question: Question, mdp: DacMdp, path: str, kind: Kind, tolerance: float) -> str:
    """Return the lines.

    Args:
        question: what is asked.
        mdp: the model, whose actions and columns it names.
        path: of the bundle.
        kind: what the bundle holds.
        tolerance: of the plan.
    """
    question, data = normal(question), mdp.transitions
    asked = _fields(question, data)
    lines = ["import deepaveragers as da"]
    of_plan = kind in ("plan", "restricted")
    if of_plan:  # its mask, its kind of penalty and its rewards are kept
        lines.insert(0, "from dataclasses import replace\n")
    else:
        usual = _fields(Question(), data)
        asked = {name: value for name, value in asked.items() if value != usual[name]}
    lines.append("")
    graph = mdp.graph
    m, landing = graph.indices.shape[1], getattr(graph, "landing", "")
    known = {"path": repr(path), "k": graph.k, "m": m, "landing": landing}
    lines += [line.format(**known) for line in LOADING[kind]]
    words = [f"{name}={value!r}" for name, value in asked.items()]
    if question.reward is not None:
        lines += _reward_lines(question.reward, data)
        words.append("rewards=rewards")
    if of_plan:
        lines += _called("objective = replace", ["loaded.objective", *words])
        words = ["objective"]
    words += [f"tolerance={tolerance!r}"] if tolerance != TOLERANCE else []
    lines += _called("plan = mdp.solve", words)
    return "\n".join([*lines, VALUE])


def _called(what: str, words: list[str]) -> list[str]:
    """Return the lines of a call; a long one has a line per argument."""
    line = f"{what}({', '.join(words)})"
    if len(line) <= LINE:
        return [line]
    return [f"{what}(", *(f"    {word}," for word in words), ")"]


def _fields(question: Question, data: Transitions) -> dict[str, Any]:
    """Return the fields of the objective but for the rewards, actions and columns by name."""
    asked, names = msgspec.structs.asdict(question), data.action_names
    forbidden, prices = asked.pop("forbidden"), asked.pop("penalties")
    ranges: dict[str, list[tuple[float | None, float | None]]] = {}
    for one in asked.pop("ranges"):
        ranges.setdefault(names[one.column], []).append((one.low, one.high))
    del asked["reward"]
    return {
        **asked,
        "forbidden_actions": ranges
        if data.action_vectors
        else [names[action] for action in forbidden],
        "action_penalties": {names[a]: price for a, price in prices.items()} or None,
    }


def _reward_lines(reward: Reward, data: Transitions) -> list[str]:
    labels = labels_of(data.observation_names, data.observation_shape)
    lines = [
        "data = mdp.transitions",
        "now, later = data.observations, data.next_observations",
        f"rewards = {'1.0' if reward.keep_logged else '0.0'} * data.rewards",
    ]
    return lines + [f"rewards = rewards + {_term(term, labels)}" for term in reward.terms]


def _term(term: RewardTerm, labels: tuple[str, ...]) -> str:
    place = column_place(term.column, labels) if term.column else 0
    looked_at = {
        "state": f"now[:, {place}]",
        "next": f"later[:, {place}]",
        "change": f"(later[:, {place}] - now[:, {place}])",
        "logged": "data.rewards",
        "constant": "1.0",
    }[term.of]
    looked_at += "" if term.action is None else f" * (data.actions == {term.action})"
    if term.when is None:
        return f"{term.weight!r} * {looked_at}"
    side = "later" if term.of in ("next", "change") else "now"
    column = column_place(term.when.column, labels)
    holds = f"({side}[:, {column}] {term.when.op} {term.when.value!r})"
    return f"{term.weight!r} * {looked_at} * {holds}"
