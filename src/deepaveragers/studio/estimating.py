"""What judges on held-out episodes say of a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..evaluation.candidates import Candidate
from ..evaluation.fitting.answer import Fit
from ..evaluation.fitting.fit import fit
from ..mdp.logged_returns import logged_rewards
from ..mdp.objective import Objective
from ..representation.encoder import Standardize
from ..solvers.plan import Plan
from .columns import typeset
from .session import Session

ESTIMATE_SECONDS = 50.0
"""Of an estimate: no networks are learnt, as `fit` does with a minute or more."""
TOLD = (
    "shown", "better", "interval", "level", "behaviour", "value", "episodes", "judges", "assumed",
    "seconds",
)  # fmt: skip
"""What the page learns as `fit` says it. Its notes are about several candidates, and networks."""


def estimated(
    session: Session, plan: Plan, watch: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Return what judges on held-out episodes say of a plan made in the same way.

    It is judged by the rewards of the question, less its prices of actions. `watch` is that of
    `fit`.
    """
    objective, mdp, data = plan.objective, session.mdp, session.data
    if objective.rewards is not None or objective.action_penalties is not None:
        # A price off every reward of an action is the same plan as a price of the action.
        data = replace(data, rewards=logged_rewards(plan.mdp, plan.objective))
    found = fit(
        data,
        [
            Candidate(
                objective=replace(objective, rewards=None, action_penalties=None, k=None),
                k=objective.k or mdp.graph.k,
                encoder=None if isinstance(mdp.encoder, Standardize) else mdp.encoder,
                candidates=mdp.graph.indices.shape[1] if data.action_vectors else None,
                name="this question",
            )
        ],
        gamma=objective.gamma,
        time_budget=ESTIMATE_SECONDS,
        show_progress=False,
        watch=watch,
    )
    told = found.summary()
    return {
        "answer": typeset(answer_of(found)),
        "notes": [typeset(note) for note in _notes(objective)],
        **{name: told[name] for name in TOLD},
    }


def answer_of(found: Fit) -> str:
    """Return the answer of a fit with one candidate, which is the plan on show."""
    if not found.heard:
        return (
            "Nothing can be said about this plan from this log: keep what you do (logged behaviour "
            f"earns {found.behaviour.value:.4g})."
        )
    if found.shown:
        return (
            f"A plan made like this earns {found.more}more than what is done today: {found.figures}"
        )
    return (
        "This plan is not shown to be better: keep what you do. It is estimated to earn "
        f"{found.figures}"
    )


def _notes(objective: Objective) -> list[str]:
    if objective.horizon is None:
        return []
    return [f"The judges count whole episodes, not {objective.horizon} steps."]
