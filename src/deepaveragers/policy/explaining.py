"""Explaining a decision, and imagining what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, Float64, Floats
from .case import Cases
from .decision import Decision, Evidence, ImaginedStep
from .lookup import Grounds, Lookup, Nearest, Network
from .support import UNLIKE

if TYPE_CHECKING:
    from ..solvers.plan import Plan


@dataclass(frozen=True, eq=False)
class Asked:
    """One state that a decision is about, looked at once.

    Attributes:
        observation: [1, ...] as in the data.
        features: [1, D].
        q_values: [A].
        action: what the policy does.
        support: in [0, 1].
        abstained: whether the fallback acted.
    """

    observation: Array
    features: Floats
    q_values: Float64
    action: int
    support: float
    abstained: bool


def explain(plan: Plan, lookup: Lookup, cases: Cases, asked: Asked, count: int) -> Decision:
    """Return a decision with its evidence, and at most `count` comparable cases."""
    data, q_values = plan.mdp.transitions, asked.q_values
    names = data.action_names
    best = int(np.argmax(q_values))
    grounds = lookup.grounds(asked.features, best)
    total = float(q_values[best])
    other = _best_other(q_values, asked.action)
    # Each Q-value is at most `below` too large and `above` too small, so that a difference
    # beyond both together is proved.
    tied = total - q_values <= plan.below + plan.above
    # Where no similar core state takes the network's action, what they take is done.
    overruled = isinstance(lookup, Network) and not lookup.own.taken(asked.features)[0, best]
    return Decision(
        action=asked.action,
        action_name=names[asked.action],
        observation=cases.named(asked.observation),
        q_values={name: float(value) for name, value in zip(names, q_values, strict=True)},
        q_error=plan.error,
        ties=tuple(names[a] for a in np.flatnonzero(tied).tolist() if a != best),
        support=asked.support,
        unlike=asked.support < UNLIKE,
        abstained=asked.abstained,
        cases=cases.find(asked.features, asked.observation, asked.action, count),
        times_taken=cases.taken(asked.action),
        alternative=None if other is None else names[other],
        alternative_cases=(
            () if other is None else cases.find(asked.features, asked.observation, other, count)
        ),
        alternative_taken=0 if other is None else cases.taken(other),
        reward=grounds.reward,
        future=total - grounds.reward + grounds.penalty,
        penalty=grounds.penalty,
        evidence=_evidence(plan, cases, grounds),
        basis=Nearest.basis if overruled else lookup.basis,
        similar=_similar(plan, asked.features),
        network=isinstance(lookup, Network) and not overruled,
    )


def _similar(plan: Plan, features: Floats) -> dict[str, int]:
    if not plan.objective.support:
        return {}
    counts = plan.mdp.imitation.counts(features)[0].tolist()
    return dict(zip(plan.mdp.transitions.action_names, counts, strict=True))


def _best_other(q_values: Float64, action: int) -> int | None:
    """Return the best action but one; None where there is no other to take."""
    others = q_values.copy()
    others[action] = -np.inf
    place = int(np.argmax(others))
    return None if np.isneginf(others[place]) else place


def _evidence(plan: Plan, cases: Cases, grounds: Grounds) -> tuple[Evidence, ...]:
    data = plan.mdp.transitions
    order = np.lexsort((grounds.transitions, -grounds.weights))
    rows = grounds.transitions
    return tuple(
        Evidence(
            transition=int(rows[place]),
            episode=int(data.episode_ids[rows[place]]),
            episode_name=data.episode_name(int(rows[place])),
            step=cases.step(int(rows[place])),
            distance=float(grounds.distances[place]),
            weight=float(grounds.weights[place]),
            action=data.action_names[data.actions[rows[place]]],
            reward=float(data.rewards[rows[place]]),
            share=float(grounds.shares[place]),
        )
        for place in order
    )


def imagine(
    plan: Plan, lookup: Lookup, features: Floats, action: int, steps: int
) -> list[ImaginedStep]:
    """Follow the plan from features [1, D] through the heaviest transitions.

    The first action is given; every later one is the plan's at the core state reached. So a
    path that comes back to a transition repeats itself from there, and ends before that.
    """
    data, graph = plan.mdp.transitions, plan.mdp.graph
    row = lookup.likeliest(features, action)
    distance = float(np.linalg.norm(features[0] - plan.mdp.source_features[row]))
    path: list[ImaginedStep] = []
    seen: set[int] = set()
    while True:
        seen.add(row)
        path.append(
            ImaginedStep(
                action=data.action_names[action],
                transition=row,
                reward=float(data.rewards[row]),
                distance=distance,
                value=float(plan.values[row]),
                ends=bool(data.terminations[row]),
            )
        )
        if len(path) == steps or data.terminations[row]:
            return path
        action = int(np.argmax(plan.q_values[row]))
        distance = float(graph.distances[row, action, 0])
        row = int(graph.indices[row, action, 0])
        if row in seen:
            path[-1] = replace(path[-1], repeats=True)
            return path
