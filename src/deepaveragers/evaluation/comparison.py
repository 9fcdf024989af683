"""What-if: where two plans act differently, and what each would lose by the other's ways.

With pi and rho the two plans' policies, and V^rho the exact value of rho under the first
plan's objective (`solvers.policy_evaluation`), the first loses V^pi - V^rho by acting like the
second; at the start states that is one number, at every core state a map. The regret of one
decision is Q(s, pi(s)) - Q(s, rho(s)), in the first plan's own Q-values.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import file_path, instance, known_keywords, number
from ..arrays import Bool, Float64, Int64, frozen
from ..errors import InputError
from ..markup import text_html
from ..printable import printable
from ..solvers.greedy import greedy_chances
from ..solvers.plan import Plan
from ..solvers.policy_evaluation import policy_values
from ..solvers.start_states import Starts, start_states

SHOWN = 8
COLUMNS_SHOWN = 16
"""Numbers of a state that are shown at most."""
TOLERANCE = 1e-5
"""Of the values of policies, relative to the largest possible."""


@dataclass(frozen=True)
class Loss:
    """What a plan loses, under its own objective, by acting like another.

    Attributes:
        value: mean value of its own policy at the start states.
        other: mean value of the other's policy there, under the same objective.
        lost: value - other.
        error: certified bound on the error of `lost`.
        impossible: core states where the other's action is not available to this plan; its
            own is then taken.
    """

    value: float
    other: float
    lost: float
    error: float
    impossible: int


@dataclass(frozen=True)
class Difference:
    """One core state where the plans act differently.

    Attributes:
        transition: index of the core state; in one-step data, of the logged state.
        first: the first plan's action.
        second: the second plan's.
        first_regret: what the first plan would lose by this one decision; inf where the second's
            action is not available to it.
        second_regret: what the second would.
        episode: the log's own id of the episode that led there.
        observation: the state by column, its first 16 numbers.
    """

    transition: int
    first: str
    second: str
    first_regret: float
    second_regret: float
    episode: str
    observation: dict[str, float]

    def summary(self) -> dict[str, Any]:
        """Return plain values, for JSON; a regret is None where the action is not available."""
        regrets = {name: getattr(self, name) for name in ("first_regret", "second_regret")}
        known = {name: one if np.isfinite(one) else None for name, one in regrets.items()}
        return {**asdict(self), **known}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two plans of one compiled MDP, side by side.

    Attributes:
        first: the one plan.
        second: the other.
        states: [M] int64, core states that go on; in one-step data, all logged states.
        differs: [M] bool, where the actions differ.
        first_regret: [M] float64, regret of the first plan at the second's action; 0 where
            they agree, inf where that action is not available.
        second_regret: [M] float64, the mirror image.
        first_loss: the first plan acting like the second.
        second_loss: the second plan acting like the first.
        pairs: core states by (first's action, second's action), where they differ.
        largest: the differences with the largest regret of both together.
    """

    first: Plan
    second: Plan
    states: Int64
    differs: Bool
    first_regret: Float64
    second_regret: Float64
    first_loss: Loss
    second_loss: Loss
    pairs: dict[tuple[str, str], int]
    largest: tuple[Difference, ...]

    @property
    def share(self) -> float:
        """Share of the core states where the plans act differently."""
        return float(self.differs.mean())

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        return {
            "states": len(self.states),
            "different": int(self.differs.sum()),
            "share": self.share,
            "first_loss": asdict(self.first_loss),
            "second_loss": asdict(self.second_loss),
            "pairs": {f"{one} -> {two}": count for (one, two), count in self.pairs.items()},
            "largest": [difference.summary() for difference in self.largest],
        }

    def __repr__(self) -> str:
        return (
            f"Comparison(different actions in {self.share:.1%} of {len(self.states):,} states, "
            f"the first plan loses {self.first_loss.lost:.4g} by acting like the second, "
            f"the second {self.second_loss.lost:.4g})"
        )

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def __str__(self) -> str:
        lines = [
            f"different actions in {int(self.differs.sum()):,} of {len(self.states):,} states "
            f"({self.share:.1%})"
        ]
        for name, loss in (("first", self.first_loss), ("second", self.second_loss)):
            note = f", not possible in {loss.impossible:,} states" if loss.impossible else ""
            lines.append(
                f"the {name} plan is worth {loss.value:.5g} at the starts, acting like the other "
                f"{loss.other:.5g}: loses {loss.lost:.4g} +- {loss.error:.1g}{note}"
            )
        lines += [f"  {one} -> {two}: {count:,}" for (one, two), count in self.pairs.items()]
        if self.largest:
            lines.append("    state      first     second  first's regret  second's regret")
        lines += [
            f"{d.transition:>9}{d.first:>11}{d.second:>11}"
            f"{_in_words(d.first_regret):>16}{_in_words(d.second_regret):>17}"
            for d in self.largest
        ]
        return printable("\n".join(lines))

    def picture(
        self, path: str | os.PathLike[str], columns: Sequence[int | str] | None = None
    ) -> Path:
        """Draw where the plans differ.

        Args:
            path: of the picture.
            columns: two columns of the observations, by number or name; None takes the two
                principal components of the representation.
        """
        from .pictures import comparison_picture

        return comparison_picture(self, file_path("path", path), columns)


def _in_words(regret: float) -> str:
    return f"{regret:.4g}" if np.isfinite(regret) else "not available"


@known_keywords
def compare(first: Plan, second: Plan, *, tolerance: float = TOLERANCE) -> Comparison:
    """Say where two plans of one compiled MDP act differently, and what that costs each.

    Args:
        first: the one plan.
        second: the other.
        tolerance: of the policies' values, as of `policy_values`; a loss says its own error.
    """
    _check(first, second)
    tolerance = number("tolerance", tolerance, above=0.0)
    data = first.mdp.transitions
    remedy = "Candidates have no names to count; compare what both policies do: policy.act."
    data.check_numbered("plans", "to be compared", remedy)
    states = np.flatnonzero(~data.terminations)
    starts = start_states(first.mdp)
    one, two, seen = first.q_values[states], second.q_values[states], data.next_observations
    if not len(states):
        # One-step data: decisions are made where episodes start, which is everywhere.
        states, seen = starts.rows, data.observations
        one, two = (starts.q_values(plan.objective, plan.values) for plan in (first, second))
    first_actions, second_actions = one.argmax(axis=1), two.argmax(axis=1)
    rows = np.arange(len(states))
    first_regret = one[rows, first_actions] - one[rows, second_actions]
    second_regret = two[rows, second_actions] - two[rows, first_actions]
    differs = first_actions != second_actions
    names = data.action_names
    both = np.where(differs, np.nan_to_num(first_regret + second_regret, posinf=1e300), -1.0)
    worst = np.argsort(-both, kind="stable")[: min(SHOWN, int(differs.sum()))]
    kinds, counts = np.unique(
        np.column_stack((first_actions, second_actions))[differs], axis=0, return_counts=True
    )
    return Comparison(
        first=first,
        second=second,
        states=frozen(states),
        differs=frozen(differs),
        first_regret=frozen(first_regret),
        second_regret=frozen(second_regret),
        first_loss=_loss(first, second, starts, tolerance),
        second_loss=_loss(second, first, starts, tolerance),
        pairs={(names[a], names[b]): int(n) for (a, b), n in zip(kinds, counts, strict=True)},
        largest=tuple(
            Difference(
                transition=int(states[row]),
                first=names[int(first_actions[row])],
                second=names[int(second_actions[row])],
                first_regret=float(first_regret[row]),
                second_regret=float(second_regret[row]),
                episode=data.episode_name(int(states[row])),
                observation=data.by_name(seen[states[row]], COLUMNS_SHOWN),
            )
            for row in worst
        ),
    )


def _loss(plan: Plan, other: Plan, starts: Starts, tolerance: float) -> Loss:
    objective = plan.objective
    possible = np.isfinite(plan.q_values)
    taken = other.q_values.argmax(axis=1)
    impossible = ~possible[np.arange(len(taken)), taken]
    at_starts = starts.q_values(objective, plan.values)
    theirs = starts.q_values(other.objective, other.values)
    own, own_error = _worth(plan, plan.q_values, at_starts, starts, tolerance)
    guide = np.where(impossible[:, None], plan.q_values, other.q_values)
    there = np.isfinite(at_starts)
    lost_start = np.max(np.where(there, theirs, -np.inf), axis=1, keepdims=True) == -np.inf
    guide_at_starts = np.where(lost_start, at_starts, theirs)
    value, error = _worth(
        plan, _last_choice(guide, possible), _last_choice(guide_at_starts, there), starts, tolerance
    )
    return Loss(own, value, own - value, own_error + error, int(impossible.sum()))


def _last_choice(q_values: Float64, possible: Bool) -> Float64:
    """Rank what only the other plan lacks last: never chosen, but a slip may still hit it."""
    return np.where(possible, np.maximum(q_values, np.finfo(np.float64).min), -np.inf)


def _worth(
    plan: Plan, q_values: Float64, at_starts: Float64, starts: Starts, tolerance: float
) -> tuple[float, float]:
    """Return the mean value at the starts of acting by Q-values, and its certified error."""
    objective = plan.objective
    chances = greedy_chances(q_values, objective.slip)
    found = policy_values(plan.mdp, chances, objective, tolerance=tolerance)
    first = greedy_chances(at_starts, objective.slip)
    worth = starts.q_values(replace(objective, slip=0.0), found.values)
    mean = (first * np.where(first > 0.0, worth, 0.0)).sum(axis=1).mean()
    return float(mean), objective.gamma * max(found.below, found.above)


def _check(first: Plan, second: Plan) -> None:
    for name, plan in (("first", first), ("second", second)):
        instance(name, plan, Plan, "a Plan")
        if plan.objective.horizon is not None:
            raise InputError(name, "a plan without horizon", plan.objective.horizon)
    same = first.mdp is second.mdp or np.array_equal(
        first.mdp.graph.indices, second.mdp.graph.indices
    )
    if not same:
        raise InputError("second", "a plan of the same compiled MDP", "one of another")
