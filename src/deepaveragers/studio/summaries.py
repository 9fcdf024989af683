"""A plan in figures, for the page."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..arrays import Float64, Int64
from ..mdp.jumps import FARTHEST
from ..mdp.logged_returns import best_known, known_returns, logged_returns
from ..solvers.plan import Plan
from ..solvers.planned_actions import numbers_of
from ..solvers.start_states import Starts
from .columns import typeset
from .messages import PlanSummary, Spread
from .question_messages import Question
from .questions import query_of
from .snippet import python_of
from .source import Source

OFTEN_BROKEN = "Such a promise is often not kept: see Trust."


def summary_of(
    plan: Plan,
    planned: Int64,
    question: Question,
    source: Source,
    starts: Starts,
    name: str,
    *,
    jumps: float,
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
        jumps: how far neighbours are, in lengths of a step.
        prepared: seconds of planning in which kernels were compiled.
    """
    values = starts.values(plan.objective, plan.values)
    there = ~np.isnan(values)
    shares, spreads = _actions(plan, planned[planned >= 0])
    start = float(values[there].mean()) if there.any() else None
    asked = plan.mdp, plan.objective
    earned = logged_returns(*asked)
    endless = plan.objective.horizon is None
    from_starts = (
        earned if endless else logged_returns(plan.mdp, plan.objective, from_starts=True)
    )[starts.rows]
    doubts = _doubts(plan, start, starts.rows, from_starts, earned)
    return PlanSummary(
        id=name,
        question=question,
        cost=float(plan.objective.cost or 0.0),
        status=plan.status,
        milliseconds=1000.0 * (plan.seconds - prepared),
        prepared=1000.0 * prepared,
        error=plan.error,
        greedy_loss=plan.greedy_loss if math.isfinite(plan.greedy_loss) else None,
        start_value=start,
        start_states=int(there.sum()),
        start_logged=float(from_starts.mean()),
        mean_value=float(plan.values.mean()),
        best_logged_return=float(earned.max()),
        changed_share=None,
        action_shares=shares,
        action_spreads=spreads,
        warnings=tuple(map(typeset, (*_faults(plan), *_far(jumps), *doubts))),
        python=python_of(question, plan.mdp, source.path, source.kind, plan.tolerance),
        query=query_of(question),
        pinned=None,
    )


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


def _faults(plan: Plan) -> Iterator[str]:
    """Say what is wrong with a plan."""
    if not plan.converged:
        yield f"Planning was stopped after {plan.seconds:.2g} s: the certified error is larger."
    if plan.mdp.transitions.terminations.all():
        yield (
            "Every logged step ends its episode, so every state on the map is an end, in which "
            "nothing is decided. Decisions are at the starts: type an observation under Inspect."
        )


def _far(jumps: float) -> Iterator[str]:
    """Say if neighbours are far."""
    if jumps > FARTHEST:
        yield (
            f"Similar cases lie {jumps:.1f} times as far away as one step leads: the world may not "
            "keep what the plan promises. See Trust."
        )


def _doubts(
    plan: Plan, start: float | None, rows: Int64, from_starts: Float64, earned: Float64
) -> Iterator[str]:
    """Say where a plan promises more than the log gives reason for, its certified error counted.

    Args:
        plan: the plan.
        start: its mean value at the starts.
        rows: of the starts.
        from_starts: what the log earned from these rows on.
        earned: [N] what it earned from every row on.
    """
    mean = float(plan.values.mean())
    best = best_known(from_starts, known_returns(plan.mdp, plan.objective, from_starts=True)[rows])
    if start is not None and start - plan.below > best:
        yield (
            f"The starts promise {start:.4g}; the best logged episode earned {best:.4g}. "
            f"{OFTEN_BROKEN}"
        )
    elif mean - plan.below > (best := best_known(earned, known_returns(plan.mdp, plan.objective))):
        yield (
            f"The mean value, {mean:.4g}, is above the best logged return, {best:.4g}. "
            f"{OFTEN_BROKEN}"
        )
