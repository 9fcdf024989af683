"""Explaining a decision, and imagining what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, Float64, Floats
from .decision import Decision, Evidence, ImaginedStep
from .lookup import Grounds, Lookup
from .support import UNLIKE

if TYPE_CHECKING:
    from ..solvers.plan import Plan


def explain(
    plan: Plan,
    lookup: Lookup,
    features: Floats,
    q_values: Float64,
    *,
    action: int,
    support: float,
    abstained: bool,
) -> Decision:
    """Return the decision at features [1, D] with Q-values [A], and its evidence."""
    names = plan.mdp.transitions.action_names
    best = int(np.argmax(q_values))
    grounds = lookup.grounds(features, best)
    total = float(q_values[best])
    return Decision(
        action=action,
        action_name=names[action],
        q_values={name: float(value) for name, value in zip(names, q_values, strict=True)},
        q_error=plan.error,
        reward=grounds.reward,
        future=total - grounds.reward + grounds.penalty,
        penalty=grounds.penalty,
        support=support,
        unlike=support < UNLIKE,
        abstained=abstained,
        evidence=_evidence(plan, grounds),
        basis=lookup.basis,
        cases=_cases(plan, features),
    )


def _cases(plan: Plan, features: Floats) -> dict[str, int]:
    if not plan.objective.support:
        return {}
    counts = plan.mdp.imitation.counts(features)[0]
    return {
        name: int(count)
        for name, count in zip(plan.mdp.transitions.action_names, counts, strict=True)
    }


def _evidence(plan: Plan, grounds: Grounds) -> tuple[Evidence, ...]:
    data = plan.mdp.transitions
    order = np.lexsort((grounds.transitions, -grounds.weights))
    return tuple(
        Evidence(
            transition=int(grounds.transitions[place]),
            episode=int(data.episode_ids[grounds.transitions[place]]),
            step=_step(data.episode_ids, int(grounds.transitions[place])),
            distance=float(grounds.distances[place]),
            weight=float(grounds.weights[place]),
            action=data.action_names[data.actions[grounds.transitions[place]]],
            reward=float(data.rewards[grounds.transitions[place]]),
            share=float(grounds.shares[place]),
        )
        for place in order
    )


def _step(episode_ids: Array, row: int) -> int:
    """Return how many rows of the same episode stand directly before this one."""
    first = row
    while first > 0 and episode_ids[first - 1] == episode_ids[row]:
        first -= 1
    return row - first


def imagine(
    plan: Plan, lookup: Lookup, features: Floats, action: int, steps: int
) -> list[ImaginedStep]:
    """Follow the plan from features [1, D] through the heaviest transitions.

    The first action is given; every later one is the plan's at the core state reached.
    """
    data, graph = plan.mdp.transitions, plan.mdp.graph
    row = lookup.likeliest(features, action)
    distance = float(np.linalg.norm(features[0] - plan.mdp.source_features[row]))
    path: list[ImaginedStep] = []
    while True:
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
