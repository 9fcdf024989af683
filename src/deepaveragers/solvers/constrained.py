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
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from ..arguments import check_takes, instance, known_keywords, number, optional, whole_number
from ..arrays import Array, Float64
from ..errors import InputError
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import pose
from .greedy import greedy_chances
from .plan import Plan
from .planner import solve
from .policy_evaluation import PolicyValue, policy_values
from .start_states import Starts, start_states

Signal = Array | Callable[[Array, Array, Array], Any] | Literal["distance"]
Found = TypeVar("Found", Plan, PolicyValue)
MAX_SOLVES = 60
FINEST = 1e-14
EVALUATION_SHARE = 1e-5
"""Of the tolerance: how exactly values and signals of the policies are found."""


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


@dataclass(frozen=True, eq=False)
class _Point:
    """A plan, and its policy's certified value and signal at the start states."""

    plan: Plan
    upper: float
    value: float
    value_lower: float
    signal: float
    signal_upper: float


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
    search = _Search(mdp, signal, objective, tolerance, threads)
    free = search.ask(0.0)
    found = _Pair(free, None, free.upper, 0.0)
    if free.signal_upper > budget:
        found = _close_in(search, free, budget)
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


@dataclass(frozen=True, eq=False)
class _Pair:
    """The policies on both sides of the budget, and the least upper bound so far."""

    safe: _Point
    bold: _Point | None
    upper: float
    multiplier: float

    def mix(self, budget: float) -> tuple[float, float]:
        """Return the chance of the bold policy that spends the budget, and the value then."""
        safe, bold = self.safe, self.bold
        if bold is None:
            return 0.0, safe.value_lower
        share = (budget - safe.signal_upper) / (bold.signal_upper - safe.signal_upper)
        return share, share * bold.value_lower + (1.0 - share) * safe.value_lower


def _close_in(search: _Search, bold: _Point, budget: float) -> _Pair:
    """Return the pair at the optimum, from the best policy without a budget."""
    safe = search.most_careful()
    if safe.signal_upper > budget:
        least = f"at least {safe.signal_upper:.6g}, the least that is possible"
        raise InputError("budget", least, budget)
    found = _Pair(safe, bold, bold.upper, 0.0)
    while found.upper - found.mix(budget)[1] > search.allowed and search.solves < MAX_SOLVES:
        if bold.signal <= safe.signal:
            break
        # Never below 0: only then does g bound the answer.
        crossing = max(0.0, (bold.value - safe.value) / (bold.signal - safe.signal))
        point = search.ask(crossing)
        above = min((found.upper, found.multiplier), (point.upper + crossing * budget, crossing))
        ends = (safe.value, bold.value)
        if point.signal_upper <= budget:
            safe = point
        else:
            bold = point
        found = _Pair(safe, bold, *above)
        if (safe.value, bold.value) == ends:
            break
    return found


class _Search:
    """Solves for multipliers, and judges the policies that come out."""

    def __init__(
        self,
        mdp: DacMdp,
        signal: Signal,
        objective: Objective,
        tolerance: float,
        threads: int | None,
    ) -> None:
        self._mdp, self._threads = mdp, threads
        self._starts: Starts = start_states(mdp)
        model = pose(mdp, objective)
        self._objective = replace(objective, cost=model.cost)
        self._rewards = model.rewards
        gamma, k, weighting = objective.gamma, objective.k, objective.weighting
        distance = isinstance(signal, str)
        if distance and signal != "distance":
            raise InputError("signal", "numbers, a function or 'distance'", repr(signal))
        # The negative of the signal, as an objective: to be maximised when careful.
        self._careful = Objective(
            gamma=gamma,
            k=k,
            weighting=weighting,
            cost=1.0 if distance else 0.0,
            rewards=np.zeros(len(mdp)) if distance else -_numbers(mdp, signal),
        )
        self._by_distance, self._cost = distance, model.cost
        self._tolerance = tolerance
        largest = float(np.abs(model.rewards).max()) + float(np.abs(model.penalties).max())
        self.allowed = tolerance * largest / (1.0 - gamma)
        self.solves = 0

    def ask(self, multiplier: float) -> _Point:
        """Return the optimum of the reward less multiplier times the signal."""
        if self._by_distance:
            asked = replace(self._objective, cost=self._cost + multiplier)
        else:
            rewards = self._rewards + multiplier * np.asarray(self._careful.rewards)
            asked = replace(self._objective, rewards=rewards)
        return self._judge(self._solve(asked))

    def most_careful(self) -> _Point:
        """Return the policy with the least signal, whatever it earns."""
        shared = ("forbidden_actions", "action_mask", "support", "slip")
        limits: dict[str, Any] = {name: getattr(self._objective, name) for name in shared}
        return self._judge(self._solve(replace(self._careful, **limits)))

    def _solve(self, objective: Objective) -> Plan:
        self.solves += 1
        target, tolerance = 0.2 * self.allowed, 0.1 * self._tolerance
        plan = self._plan(objective, tolerance, None)
        # The planner's tolerance is relative to a scale of its own, and is often outdone.
        while plan.error > target > 0.0 and tolerance > FINEST:
            tolerance *= min(0.1, 0.9 * target / plan.error)
            plan = self._plan(objective, tolerance, plan)
        return plan

    def _plan(self, objective: Objective, tolerance: float, start: Plan | None) -> Plan:
        return _as_fine_as_possible(
            lambda finest: solve(
                self._mdp, objective, tolerance=finest, start=start, threads=self._threads
            ),
            tolerance,
            self._tolerance,
        )

    def _judge(self, plan: Plan) -> _Point:
        gamma, slip = self._objective.gamma, self._objective.slip
        at_starts = self._starts.q_values(plan.objective, plan.values)
        first = greedy_chances(at_starts, slip)
        chances = greedy_chances(plan.q_values, slip)
        known = np.where(np.isfinite(at_starts), at_starts, 0.0)
        value, error = self._worth(chances, first, self._objective)
        signal, signal_error = self._worth(chances, first, self._careful)
        return _Point(
            plan=plan,
            upper=float((first * known).sum(axis=1).mean()) + gamma * plan.above,
            value=value,
            value_lower=value - error,
            signal=-signal,
            signal_upper=-signal + signal_error,
        )

    def _worth(self, chances: Float64, first: Float64, objective: Objective) -> tuple[float, float]:
        """Return the mean value of a policy at the start states, and its certified error."""
        found = _as_fine_as_possible(
            lambda finest: policy_values(
                self._mdp, chances, objective, tolerance=finest, threads=self._threads
            ),
            EVALUATION_SHARE * self._tolerance,
            self._tolerance,
        )
        q_values = self._starts.q_values(replace(objective, slip=0.0), found.values)
        known = np.where(first > 0.0, q_values, 0.0)
        error = objective.gamma * max(found.below, found.above)
        return float((first * known).sum(axis=1).mean()), error


def _as_fine_as_possible(ask: Callable[[float], Found], tolerance: float, given: float) -> Found:
    """Return the answer to a tolerance, or to the least above it that float64 can certify.

    Answers carry their own bounds, so a coarser one is less sharp and never wrong. Only where
    even the tolerance that was given is too small is that refused. An interruption, which ends
    one answer early, ends the search.
    """
    while True:
        try:
            found = ask(tolerance)
        except InputError as error:
            if error.parameter != "tolerance" or tolerance >= given:
                raise
            tolerance = min(10.0 * tolerance, given)
        else:
            if found.status == "interrupted":
                raise KeyboardInterrupt
            return found


def _numbers(mdp: DacMdp, signal: Any) -> Float64:
    """Return the signal [N] of the transitions."""
    data = mdp.transitions
    if callable(signal):
        check_takes("signal", signal, "observations", "actions", "next_observations")
        signal = signal(data.observations, data.actions, data.next_observations)
    try:
        numbers = np.asarray(signal, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("signal", "numbers", type(signal).__name__) from None
    if numbers.shape != (len(data),) or not np.isfinite(numbers).all():
        raise InputError(
            "signal", f"{len(data)} finite numbers, one per transition", f"shape {numbers.shape}"
        )
    return numbers


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
