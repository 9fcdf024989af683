"""Explaining a decision among candidates, and imagining what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..data.action_vectors import text_of_action
from ..data.transitions import Transitions
from ..mdp.candidate_problem import candidate_graph
from ..solvers.plan import Plan
from .candidate_lookup import CandidateLookup
from .candidate_rule import Choices
from .case import Case, Cases
from .decision import Decision, Evidence, ImaginedStep
from .lookup import Grounds
from .support import UNLIKE


@dataclass(frozen=True, eq=False)
class Asked:
    """One state that a decision is about.

    Attributes:
        observation: [1, ...] as in the data.
        choices: its candidates.
        action: [Da] the fallback's action; None where the plan decides.
        support: in [0, 1].
    """

    observation: Array
    choices: Choices
    action: Array | None
    support: float


def explain(plan: Plan, lookup: CandidateLookup, asked: Asked, count: int) -> Decision:
    """Return a decision with its evidence, and so many of the best candidates as cases."""
    data, cases = plan.mdp.transitions, Cases(plan.mdp.transitions, None)
    q_values = asked.choices.q_values[0]
    rows = asked.choices.candidates.transitions[0]
    # The nearest candidate first, then by index: as they are searched.
    order = np.argsort(-q_values, kind="stable")[: int(np.isfinite(q_values).sum())]
    best = int(order[0])
    grounds = lookup.grounds(asked.choices, 0, best)
    names = {place: f"{data.action_text(rows[place])} [{rows[place]}]"
             for place in range(len(rows)) if rows[place] >= 0}  # fmt: skip
    total = float(q_values[best])
    tied = [place for place in order[1:] if total - q_values[place] <= plan.below + plan.above]
    action = data.actions[rows[best]] if asked.action is None else asked.action
    other = int(order[1]) if len(order) > 1 else None
    gaps = asked.choices.candidates.gaps[0]

    def case(place: int) -> Case:
        return cases.at(int(rows[place]), float(gaps[place]), asked.observation)

    return Decision(
        action=tuple(action.tolist()),
        action_name=names[best]
        if asked.action is None
        else text_of_action(data.action_names, action),
        observation=cases.named(asked.observation),
        q_values={name: float(q_values[place]) for place, name in names.items()},
        q_error=plan.error,
        ties=tuple(names[place] for place in tied),
        support=asked.support,
        unlike=asked.support < UNLIKE,
        abstained=asked.action is not None,
        cases=tuple(case(int(place)) for place in order[:count]),
        times_taken=int((data.actions == action).all(axis=1).sum()),
        alternative=None if other is None else names[other],
        alternative_cases=() if other is None or not count else (case(other),),
        alternative_taken=0 if other is None else _times(data, rows[other]),
        reward=grounds.reward,
        future=total - grounds.reward + grounds.penalty,
        penalty=grounds.penalty,
        evidence=_evidence(data, cases, grounds),
        basis=lookup.basis,
        similar={},
    )


def _times(data: Transitions, row: int) -> int:
    return int((data.actions == data.actions[row]).all(axis=1).sum())


def _evidence(data: Transitions, cases: Cases, grounds: Grounds) -> tuple[Evidence, ...]:
    order = np.lexsort((grounds.transitions, -grounds.weights))
    return tuple(
        Evidence(
            transition=int(row),
            episode=int(data.episode_ids[row]),
            episode_name=data.episode_name(int(row)),
            step=cases.step(int(row)),
            distance=float(grounds.distances[place]),
            weight=float(grounds.weights[place]),
            action=data.action_text(int(row)),
            reward=float(data.rewards[row]),
            share=float(grounds.shares[place]),
        )
        for place, row in zip(order, grounds.transitions[order], strict=True)
    )


def imagine(plan: Plan, choices: Choices, steps: int) -> list[ImaginedStep]:
    """Follow the plan through the best candidates, and the heaviest states that they lead to.

    It ends where the episode does, or before it would repeat itself.
    """
    data, graph = plan.mdp.transitions, candidate_graph(plan.mdp)
    place = int(np.argmax(choices.q_values[0]))
    found = choices.candidates
    row, state = int(found.transitions[0, place]), int(found.indices[0, place, 0])
    gap, path, seen = float(found.gaps[0, place]), list[ImaginedStep](), set[int]()
    while True:
        seen.add(state)
        path.append(
            ImaginedStep(
                action=data.action_text(row),
                transition=row,
                reward=float(data.rewards[row]),
                distance=gap,
                value=float(plan.values[state]),
                ends=bool(data.terminations[row]),
            )
        )
        if len(path) == steps or data.terminations[row]:
            return path
        place = int(np.argmax(plan.q_values[state]))
        row, gap = int(graph.transitions[state, place]), float(graph.gaps[state, place])
        state = int(graph.indices[state, place, 0])
        if state in seen:
            path[-1] = replace(path[-1], repeats=True)
            return path
