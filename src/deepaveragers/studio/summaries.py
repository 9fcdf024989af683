"""A plan in figures, for the page."""

from __future__ import annotations

import math

import numpy as np

from ..solvers.plan import Plan
from ..solvers.start_states import Starts
from .colouring import planned_actions
from .messages import PlanSummary, Question
from .questions import query_of
from .snippet import python_of
from .source import Source


def summary_of(
    plan: Plan, question: Question, source: Source, starts: Starts, name: str
) -> PlanSummary:
    """Return the figures of a plan by itself.

    Args:
        plan: the plan.
        question: that it answers.
        source: of the model.
        starts: of the model's episodes.
        name: id of the plan.
    """
    values = starts.values(plan.objective, plan.values)
    there = ~np.isnan(values)
    actions = planned_actions(plan)
    counts = np.bincount(actions[actions >= 0], minlength=plan.q_values.shape[1])
    best, mean = plan.best_logged_return, float(plan.values.mean())
    return PlanSummary(
        id=name,
        question=question,
        cost=float(plan.objective.cost or 0.0),
        status=plan.status,
        milliseconds=1000.0 * plan.seconds,
        error=plan.error,
        greedy_loss=plan.greedy_loss if math.isfinite(plan.greedy_loss) else None,
        start_value=float(values[there].mean()) if there.any() else None,
        start_states=int(there.sum()),
        mean_value=mean,
        best_logged_return=best,
        changed_share=None,
        action_shares=tuple((counts / max(1, counts.sum())).tolist()),
        warnings=_warnings(plan, mean, best),
        python=python_of(question, plan.mdp, source.path, source.kind, plan.tolerance),
        query=query_of(question),
        pinned=None,
    )


def _warnings(plan: Plan, mean: float, best: float) -> tuple[str, ...]:
    found = []
    if not plan.converged:
        found.append(f"Planning stopped early ({plan.status}): the certified error is larger.")
    if mean > best:
        found.append(
            f"The mean value, {mean:.4g}, is above the best logged return, {best:.4g}: the plan "
            "joins parts of different episodes."
        )
    return tuple(found)
