"""Planning under a budget: the most reward at a limited discounted amount of something else.

With V the discounted rewards (the objective's own, costs included), W the discounted sum of a
second signal, both averaged over the start states, the question is

    max over policies of V   such that   W <= budget.

For a multiplier m >= 0 let g(m) = max over policies of (V - m W) + m budget: one ordinary
solve with the rewards r - m c. Any g(m) bounds the answer from above, and g is convex. Every
policy is a line V - m (W - budget) below g; the search keeps one policy on each side of the
budget and asks next where their lines cross, until nothing lies above the crossing. Playing
the bold policy in a share of the episodes and the safe one in the others, so that the budget
is met exactly, then attains g: the optimum needs such a mixture in general.

Reference: Altman, Constrained Markov Decision Processes, 1999.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from ..arguments import instance, known_keywords, number, optional, whole_number
from ..errors import InputError
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from .constrained_search import Pair, Search, Signal, close_in
from .plan import Plan


@dataclass(frozen=True, eq=False)
class ConstrainedPlan:
    """The certified answer to a question with a budget.

    In a share of the episodes follow `bold`, in the others `safe`: the mixture keeps the
    budget, and no policy that keeps it earns more than `upper`.

    Attributes:
        safe: a plan whose own signal keeps the budget.
        bold: a plan that earns more and does not keep it; None where none is needed.
        share: chance of `bold`, drawn once per episode.
        multiplier: m, what a unit of the signal is worth in reward at the optimum.
        budget: what was allowed.
        value: certified lower bound on the mixture's value at the start states.
        upper: certified upper bound on the value of any policy that keeps the budget.
        signal: certified upper bound on the mixture's discounted signal.
        safe_value: certified lower bound on the value of `safe` alone.
        status: "optimal" if upper - value is within the tolerance, else "out_of_solves".
        solves: plans that were made.
        seconds: wall-clock time.
    """

    safe: Plan
    bold: Plan | None
    share: float
    multiplier: float
    budget: float
    value: float
    upper: float
    signal: float
    safe_value: float
    status: Literal["optimal", "out_of_solves"]
    solves: int
    seconds: float

    @property
    def gap(self) -> float:
        """How much better than the mixture any policy within the budget can be."""
        return self.upper - self.value


@known_keywords
def solve_constrained(
    mdp: DacMdp,
    signal: Signal,
    budget: float,
    objective: Objective | None = None,
    *,
    tolerance: float = 1e-3,
    threads: int | None = None,
) -> ConstrainedPlan:
    """Return the plan with the largest value at the start states that keeps a budget.

    Args:
        mdp: the compiled MDP.
        signal: [N] a number per transition, or a function of (observations, actions,
            next_observations) that returns them; or "distance", the distance to the data.
        budget: largest discounted sum of the signal, on average over the start states.
        objective: what is to be maximised.
        tolerance: largest certified gap to the optimum, relative to max|r| / (1 - gamma).
        threads: None takes all cores.
    """
    began = time.perf_counter()
    instance("mdp", mdp, DacMdp, "a DacMdp")
    budget = number("budget", budget, unlimited=True)
    tolerance = number("tolerance", tolerance, above=0.0)
    threads = optional(whole_number, "threads", threads)
    objective = objective if objective is not None else Objective()
    _check(objective)
    search = Search(mdp, signal, objective, tolerance, threads)
    free = search.ask(0.0)
    found = Pair(free, None, free.upper, 0.0)
    if free.signal_upper > budget:
        found = close_in(search, free, budget)
    share, value = found.mix(budget)
    safe, bold = found.safe, found.bold
    return ConstrainedPlan(
        safe=safe.plan,
        bold=None if bold is None else bold.plan,
        share=share,
        multiplier=found.multiplier,
        budget=budget,
        value=value,
        upper=found.upper,
        signal=(1.0 - share) * safe.signal_upper + (share * bold.signal_upper if bold else 0.0),
        safe_value=safe.value_lower,
        status="optimal" if found.upper - value <= search.allowed else "out_of_solves",
        solves=search.solves,
        seconds=time.perf_counter() - began,
    )


def _check(objective: Objective) -> None:
    instance("objective", objective, Objective, "an Objective, or None")
    if objective.worst_case > 0.0 or objective.horizon is not None:
        raise InputError(
            "objective",
            "without worst_case and horizon, where values and signals add up",
            f"worst_case={objective.worst_case}, horizon={objective.horizon}",
        )
    if objective.penalty != "linear":
        raise InputError("objective", "with the linear penalty", repr(objective.penalty))
