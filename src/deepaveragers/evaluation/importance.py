"""What another policy would earn, from logged episodes weighted by how well it agrees with them.

Per-decision weighted importance sampling (Precup, Sutton, Singh, 2000). With w_it the product of
pi / b along episode i up to step t,

    value = sum_t gamma^t (sum_i w_it r_it) / (sum_i w_it).

The interval is that of the delta method for ratios: episode i moves the value by
sum_t gamma^t w_it (r_it - mean_t) / sum_j w_jt, and these are summed in squares.

An episode that ended keeps its weight, and earns nothing more. One that was cut off leaves both
sums where it was cut.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..arguments import instance, known_keywords, number, shown
from ..arrays import Array, Bool, Float64, Floats
from ..data.transitions import Transitions
from ..errors import InputError
from ..policy.policy import Policy
from .quantiles import normal_reach


@dataclass(frozen=True)
class Estimate:
    """An estimated value and its interval, over start states or episodes.

    Attributes:
        value: the estimate.
        low: lower end of the interval.
        high: upper end.
        episodes: how many episodes or starts it effectively rests on.
    """

    value: float
    low: float
    high: float
    episodes: float

    def summary(self) -> dict[str, float]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


@known_keywords
def importance_value(
    data: Transitions, policy: Policy | Any, *, gamma: float = 0.99, level: float = 0.95
) -> Estimate:
    """Return what a policy would earn per episode, by the propensities of the log.

    Args:
        data: with `propensities` everywhere.
        policy: a `Policy` that did not see these data; or the chances with which another one
            takes the logged actions, [N] numbers in [0, 1], or those of all actions, [N, A].
        gamma: discount within an episode.
        level: of the interval.
    """
    instance("data", data, Transitions, "Transitions")
    gamma = number("gamma", gamma, least=0.0, most=1.0)
    level = number("level", level, above=0.0, below=1.0)
    logged = data.propensities
    if logged is None or np.isnan(logged).any():
        raise InputError(
            "data",
            "with the propensities of all logged actions",
            "none" if logged is None else f"{int(np.isnan(logged).sum()):,} unknown ones",
            "Import them with --propensity COLUMN.",
        )
    found = weighted_importance(data, _agreement(data, policy), logged, gamma, level=level)
    if found is None:
        raise InputError("policy", "one that takes some of the logged actions", "none of them")
    return found


def _agreement(data: Transitions, policy: Policy | Any) -> Float64:
    """Return [N] the chances with which the policy takes the logged actions."""
    shapes = ((len(data),), (len(data), data.num_actions))
    if isinstance(policy, Policy):
        return np.asarray(policy.act(data.observations) == data.actions, dtype=np.float64)
    allowed = f"a Policy, or chances of shape {shapes[0]} or {shapes[1]}"
    try:
        chances = np.asarray(policy, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("policy", allowed, shown(policy)) from None
    if chances.shape not in shapes:
        raise InputError("policy", allowed, f"shape {chances.shape}")
    if not ((chances >= 0.0) & (chances <= 1.0)).all():
        raise InputError("policy", "chances in [0, 1]", "other numbers")
    if chances.ndim == 1:
        return chances
    if not np.allclose(chances.sum(axis=1), 1.0, atol=1e-6):
        raise InputError("policy", "chances that sum to 1 in every row", "other sums")
    return chances[np.arange(len(data)), data.actions]


def weighted_importance(
    data: Transitions, agreement: Array, chances: Float64, gamma: float, *, level: float = 0.95
) -> Estimate | None:
    """Return the estimate; None where no episode ever agrees.

    Args:
        data: logged episodes.
        agreement: [N] chances with which the policy takes the logged actions.
        chances: [N] chances with which they were taken.
        gamma: discount.
        level: of the interval.
    """
    found = weigh(data, agreement, chances)
    if not found.shares[:, 0].any():
        return None
    discount = gamma ** np.arange(found.shares.shape[1])
    value, moved = found.value(discount)
    count = len(moved)
    error = float(np.sqrt((moved**2).sum() * count / max(count - 1, 1)))
    reach = normal_reach(level) * error
    # Effective episodes where the weight of time is mostly spent.
    longest = len(discount)
    horizon = longest if gamma == 1.0 else round(1.0 / (1.0 - gamma))
    last = found.shares[:, min(longest, horizon) - 1]
    effective = last.sum() ** 2 / max(float((last**2).sum()), 1e-300)
    return Estimate(value, value - reach, value + reach, float(effective))


@dataclass(frozen=True, eq=False)
class Weighted:
    """Episodes side by side, with their weights.

    Attributes:
        shares: [E, T] float64, w_it / sum_j w_jt; 0 where no episode agrees.
        rewards: [E, T] float64, 0 beyond the end of an episode.
        alive: [E, T] bool, whether the episode has such a step.
    """

    shares: Float64
    rewards: Float64
    alive: Bool

    def value(self, discount: Floats) -> tuple[float, Float64]:
        """Return the value, and [E] by how much each episode moves it."""
        means = (self.shares * self.rewards).sum(axis=0)
        moved = (discount * self.shares * (self.rewards - means)).sum(axis=1)
        return float(discount @ means), moved


def weigh(data: Transitions, agreement: Array, chances: Float64) -> Weighted:
    """Return logged episodes with their weights; the arguments are as above."""
    starts = np.array([episode.start for episode in data.episodes()])
    lengths = np.diff(np.append(starts, len(data)))
    count, longest = len(starts), int(lengths.max())
    number_of = np.repeat(np.arange(count), lengths)
    step = np.arange(len(data)) - starts[number_of]
    alive = np.arange(longest) < lengths[:, None]
    logs, rewards = np.zeros((count, longest)), np.zeros((count, longest))
    with np.errstate(divide="ignore"):
        logs[number_of, step] = np.log(agreement) - np.log(chances)
    rewards[number_of, step] = data.rewards
    np.cumsum(logs, axis=1, out=logs)
    cut = ~data.terminations[starts + lengths - 1]
    logs[cut[:, None] & ~alive] = -np.inf
    largest = logs.max(axis=0)
    weights = np.exp(logs - np.where(np.isfinite(largest), largest, 0.0))
    total = weights.sum(axis=0)
    return Weighted(weights / np.where(total > 0.0, total, 1.0), rewards, alive)
