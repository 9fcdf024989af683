"""The search for the multiplier at which a budget is spent; `constrained` says why it ends.

Every multiplier is one ordinary solve. Each policy that comes out is judged on its own, by its
certified value and signal at the start states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from ..arguments import check_takes
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
class Point:
    """A plan, and its policy's certified value and signal at the start states."""

    plan: Plan
    upper: float
    value: float
    value_lower: float
    signal: float
    signal_upper: float


@dataclass(frozen=True, eq=False)
class Pair:
    """The policies on both sides of the budget, and the least upper bound so far."""

    safe: Point
    bold: Point | None
    upper: float
    multiplier: float

    def mix(self, budget: float) -> tuple[float, float]:
        """Return the chance of the bold policy that spends the budget, and the value then."""
        safe, bold = self.safe, self.bold
        if bold is None:
            return 0.0, safe.value_lower
        share = (budget - safe.signal_upper) / (bold.signal_upper - safe.signal_upper)
        return share, share * bold.value_lower + (1.0 - share) * safe.value_lower


def close_in(search: Search, bold: Point, budget: float) -> Pair:
    """Return the pair at the optimum, from the best policy without a budget."""
    safe = search.most_careful()
    if safe.signal_upper > budget:
        least = f"at least {safe.signal_upper:.6g}, the least that is possible"
        raise InputError("budget", least, budget)
    found = Pair(safe, bold, bold.upper, 0.0)
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
        found = Pair(safe, bold, *above)
        if (safe.value, bold.value) == ends:
            break
    return found


class Search:
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
        distance = isinstance(signal, str)
        if distance and signal != "distance":
            raise InputError("signal", "numbers, a function or 'distance'", repr(signal))
        # The negative of the signal, as an objective: to be maximised when careful.
        kept = {name: getattr(objective, name) for name in ("gamma", "k", "weighting")}
        rewards = np.zeros(len(mdp)) if distance else -_numbers(mdp, signal)
        self._careful = Objective(cost=1.0 if distance else 0.0, rewards=rewards, **kept)
        self._by_distance, self._cost = distance, model.cost
        self._tolerance = tolerance
        largest = float(np.abs(model.rewards).max()) + float(np.abs(model.penalties).max())
        self.allowed = tolerance * largest / (1.0 - objective.gamma)
        self.solves = 0

    def ask(self, multiplier: float) -> Point:
        """Return the optimum of the reward less multiplier times the signal."""
        if self._by_distance:
            asked = replace(self._objective, cost=self._cost + multiplier)
        else:
            rewards = self._rewards + multiplier * np.asarray(self._careful.rewards)
            asked = replace(self._objective, rewards=rewards)
        return self._judge(self._solve(asked))

    def most_careful(self) -> Point:
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

    def _judge(self, plan: Plan) -> Point:
        gamma, slip = self._objective.gamma, self._objective.slip
        at_starts = self._starts.q_values(plan.objective, plan.values)
        first = greedy_chances(at_starts, slip)
        chances = greedy_chances(plan.q_values, slip)
        known = np.where(np.isfinite(at_starts), at_starts, 0.0)
        value, error = self._worth(chances, first, self._objective)
        signal, signal_error = self._worth(chances, first, self._careful)
        return Point(
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
