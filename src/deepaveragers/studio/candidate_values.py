"""The candidates of a state, where actions are rows: what each is worth."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..mdp.candidate_problem import candidates_of
from ..policy.candidate_rule import Choices
from ..policy.vector_policy import VectorPolicy
from .columns import in_words
from .inspection_messages import ActionValue

NOT_ALLOWED = "not allowed by the question"


def candidate_values(
    policy: VectorPolicy, state: int | None, observation: Array
) -> tuple[ActionValue, ...]:
    """Return the candidates of a core state, or of an observation; the best first."""
    plan, data = policy.plan, policy.plan.mdp.transitions
    if state is None:
        found = policy.choices(observation)
    else:
        here = slice(state, state + 1)
        known = candidates_of(plan.mdp)
        found = Choices(known._replace(**{n: getattr(known, n)[here] for n in known._fields}),
                        plan.q_values[here])  # fmt: skip
    q_values, rows = found.q_values[0], found.candidates.transitions[0]
    tied = q_values.max() - q_values <= plan.below + plan.above
    order = [place for place in np.argsort(-q_values, kind="stable") if rows[place] >= 0]
    there = np.isfinite(q_values)
    return tuple(
        ActionValue(
            index=int(place),
            name=in_words(data, int(rows[place])),
            q=float(q_values[place]) if there[place] else None,
            below=plan.below,
            above=plan.above,
            available=bool(there[place]),
            reason="" if there[place] else NOT_ALLOWED,
            cases=0,
            distance=float(found.candidates.gaps[0, place]),
            best=rank == 0,
            tie=rank > 0 and bool(there[place] and tied[place]),
        )
        for rank, place in enumerate(order)
    )
