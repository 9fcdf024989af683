"""What is remembered of the solves of an MDP: where to begin the next, and what that gained."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from ..arrays import Float64
from ..mdp.model import DacMdp
from .plan import Plan


@dataclass(frozen=True, eq=False)
class Last:
    """Of the last plan that reached its tolerance; not the plan, which would hold the MDP.

    Attributes:
        values: [N] float64.
        q_values: [N, A] float64.
        cold_seconds: what the last solve took that began with nothing, by the default method;
            None before one.
    """

    values: Float64
    q_values: Float64
    cold_seconds: float | None


_LAST: WeakKeyDictionary[DacMdp, Last] = WeakKeyDictionary()


def last_of(mdp: DacMdp) -> Last | None:
    """Return what is remembered of an MDP, if anything."""
    return _LAST.get(mdp)


def remember(plan: Plan, cold: bool) -> None:
    """Remember a plan; one with a horizon says nothing about plans without.

    Args:
        plan: just solved.
        cold: whether it began with nothing, and went the default way.
    """
    if not plan.converged or plan.objective.horizon is not None:
        return
    before = _LAST.get(plan.mdp)
    seconds = before.cold_seconds if before is not None else None
    _LAST[plan.mdp] = Last(plan.values, plan.q_values, plan.seconds if cold else seconds)
