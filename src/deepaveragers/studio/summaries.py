"""A plan in figures, for the page."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Float64, Int64
from ..data.returns import last_rows
from ..kernels.returns import discounted_returns
from ..mdp.problem import rewards_of
from ..solvers.plan import Plan
from ..solvers.planned_actions import numbers_of
from ..solvers.start_states import Starts
from .messages import PlanSummary, Spread
from .question_messages import Question
from .questions import query_of
from .snippet import python_of
from .source import Source


def summary_of(
    plan: Plan,
    planned: Int64,
    question: Question,
    source: Source,
    starts: Starts,
    name: str,
    *,
    prepared: float = 0.0,
) -> PlanSummary:
    """Return the figures of a plan by itself.

    Args:
        plan: the plan.
        planned: [N] what it does in every core state.
        question: that it answers.
        source: of the model.
        starts: of the model's episodes.
        name: id of the plan.
        prepared: seconds of planning in which kernels were compiled.
    """
    values = starts.values(plan.objective, plan.values)
    there = ~np.isnan(values)
    shares, spreads = _actions(plan, planned[planned >= 0])
    best, mean = plan.best_logged_return, float(plan.values.mean())
    endless = plan.objective.horizon is None
    return PlanSummary(
        id=name,
        question=question,
        cost=float(plan.objective.cost or 0.0),
        status=plan.status,
        milliseconds=1000.0 * (plan.seconds - prepared),
        prepared=1000.0 * prepared,
        error=plan.error,
        greedy_loss=plan.greedy_loss if math.isfinite(plan.greedy_loss) else None,
        start_value=float(values[there].mean()) if there.any() else None,
        start_states=int(there.sum()),
        start_logged=float(logged_returns(plan, starts.rows).mean()) if endless else None,
        mean_value=mean,
        best_logged_return=best,
        changed_share=None,
        action_shares=shares,
        action_spreads=spreads,
        warnings=_warnings(plan, mean, best),
        python=python_of(question, plan.mdp, source.path, source.kind, plan.tolerance),
        query=query_of(question),
        pinned=None,
    )


def logged_returns(plan: Plan, rows: Int64) -> Float64:
    """Return [S] what the log earned from rows [S] on, under the rewards of a plan's question."""
    data, gamma = plan.mdp.transitions, float(plan.objective.gamma)
    rewards = np.asarray(rewards_of(plan.mdp, plan.objective), dtype=np.float64)
    return discounted_returns(rewards, last_rows(data), np.zeros(len(data)), gamma)[rows]


def _actions(plan: Plan, planned: Int64) -> tuple[tuple[float, ...], tuple[Spread, ...]]:
    """Return the shares of planned actions, or spreads of the columns of planned rows."""
    data = plan.mdp.transitions
    if data.action_vectors:
        return (), tuple(filter(None, map(spread_of, numbers_of(data, planned).T)))
    counts = np.bincount(planned, minlength=data.num_actions)
    return tuple((counts / max(1, counts.sum())).tolist()), ()


def spread_of(values: Float64) -> Spread | None:
    """Return values in short; None where there are none."""
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    low, high = np.quantile(values, (0.05, 0.95))
    return Spread(float(values.mean()), float(low), float(high))


def _warnings(plan: Plan, mean: float, best: float) -> tuple[str, ...]:
    found = []
    if not plan.converged:
        found.append(
            f"Planning was stopped after {plan.seconds:.2g} s: the certified error is larger."
        )
    if plan.mdp.transitions.terminations.all():
        found.append(
            "Every logged step ends its episode, so every state on the map is an end, in which "
            "nothing is decided. Decisions are at the starts: type an observation under Inspect."
        )
    if mean > best:
        found.append(
            f"The mean value, {mean:.4g}, is above the best logged return, {best:.4g}: the plan "
            "joins parts of different episodes."
        )
    return tuple(found)
