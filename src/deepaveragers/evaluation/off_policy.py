"""What a policy would be worth, estimated from the data alone.

Three estimates of the discounted value at the start states, with different weaknesses:

- `cross_fitted_values`: the policy was planned on other episodes, and is evaluated exactly in
  the MDP compiled from these: no transition judges a plan that it helped to make.
- `fitted_q_values`: fitted Q-evaluation with the averager as regressor. Its fixed point
  Q(s, a) = sum_j alpha_j (r_j + gamma Q(s'_j, pi(s'_j))) is the policy's exact value in the
  compiled MDP at C = 0 with equal weights (Gordon, 1995), so no iteration is needed.
- `importance_sampling`: per-decision weighted importance sampling (Precup, Sutton, Singh,
  2000). With w_t the product of pi / b along an episode,
  sum_t gamma^t (sum_i w_it r_it) / (sum_i w_it). The behaviour b is estimated as the
  (smoothed) shares of the actions among the nearest source states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bool, Float64, Int64
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..neighbors.tree import TreeIndex
from ..policy.policy import Policy
from ..solvers.policy_evaluation import policy_values
from ..solvers.start_states import Starts
from .statistics import RESAMPLES, bootstrap_interval

BEHAVIOUR_NEIGHBORS = 25
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Estimate:
    """An estimated value and its 95 % bootstrap interval, over start states or episodes.

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


def estimate(values: Float64) -> Estimate:
    """Return the mean of [n] values with its interval."""
    return Estimate(float(values.mean()), *bootstrap_interval(values), float(len(values)))


def cross_fitted_values(starts: Starts, policy: Policy, gamma: float) -> Float64 | None:
    """Return [S] values of a policy at the starts of a compiled MDP, the linear cost 1.

    None where the data of that MDP have none of the actions that the policy may take in some
    state: of what would follow they know nothing.
    """
    return _values(starts, policy, Objective(gamma=gamma))


def fitted_q_values(starts: Starts, policy: Policy, gamma: float) -> Float64 | None:
    """Return [S] values of a policy at the starts of a compiled MDP, by fitted Q-evaluation.

    None as for `cross_fitted_values`.
    """
    return _values(starts, policy, Objective(gamma=gamma, cost=0.0, weighting="uniform"))


def _values(starts: Starts, policy: Policy, objective: Objective) -> Float64 | None:
    data = starts.mdp.transitions
    there = np.bincount(data.actions, minlength=data.num_actions) > 0
    living = ~data.terminations
    actions = np.full(len(data), int(np.argmax(there)))
    first = _best_known(policy, starts.observations, there)
    following = _best_known(policy, data.next_observations[living], there)
    if first is None or following is None:
        return None
    actions[living] = following
    found = policy_values(starts.mdp, actions, objective, tolerance=TOLERANCE)
    return starts.q_values(objective, found.values)[np.arange(len(first)), first]


def _best_known(policy: Policy, observations: Array, there: Bool) -> Int64 | None:
    """Return [B] the policy's best actions among those there; None where it has none of them."""
    if len(observations) == 0:
        return np.empty(0, dtype=np.int64)
    q_values = np.where(there, policy.q_values(observations), -np.inf)
    return None if np.isneginf(q_values).all(axis=1).any() else q_values.argmax(axis=1)


def behaviour_chances(mdp: DacMdp) -> Float64:
    """Return [N] the estimated chance of the logged action at each logged state."""
    data = mdp.transitions
    count = min(BEHAVIOUR_NEIGHBORS, len(mdp))
    found, _ = TreeIndex(mdp.source_features).query(mdp.source_features, count)
    same = (data.actions[found] == data.actions[:, None]).sum(axis=1)
    return (same + 1.0) / (count + data.num_actions)


def importance_sampling(
    mdp: DacMdp, policy: Policy, chances: Float64, gamma: float, *, seed: int = 0
) -> Estimate | None:
    """Return the estimate for a greedy policy; None where no episode ever agrees with it.

    Args:
        mdp: with the data.
        policy: to estimate.
        chances: [N] as from `behaviour_chances`.
        gamma: discount.
        seed: of the bootstrap.
    """
    data = mdp.transitions
    agrees = np.asarray(policy.act(data.observations)) == data.actions
    starts = np.array([episode.start for episode in data.episodes()])
    lengths = np.diff(np.append(starts, len(data)))
    count, longest = len(starts), int(lengths.max())
    number = np.repeat(np.arange(count), lengths)
    step = np.arange(len(data)) - starts[number]
    weights = np.ones((count, longest))
    weights[number, step] = agrees / chances
    np.cumprod(weights, axis=1, out=weights)
    # An episode that ended earns nothing more, which is evidence; one that was cut is none.
    cut = ~data.terminations[starts + lengths - 1]
    weights[cut[:, None] & (np.arange(longest) >= lengths[:, None])] = 0.0
    rewards = np.zeros_like(weights)
    rewards[number, step] = data.rewards * gamma**step
    if not weights[:, 0].any():
        return None
    scale = np.maximum(weights.max(axis=0), 1e-300)
    weights /= scale
    draws = (
        np.random.default_rng(seed)
        .multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES)
        .astype(np.float64)
    )
    value = _ratio(np.ones((1, count)), weights, rewards)[0]
    low, high = np.quantile(_ratio(draws, weights, rewards), (0.025, 0.975))
    last = weights[:, min(longest, round(1.0 / (1.0 - gamma))) - 1]
    effective = last.sum() ** 2 / max(float((last**2).sum()), 1e-300)
    return Estimate(float(value), float(low), float(high), float(effective))


def _ratio(counts: Float64, weights: Float64, rewards: Float64) -> Float64:
    """Return [draws] the estimate when episode i occurs counts[., i] times."""
    total = counts @ weights
    earned = counts @ (weights * rewards)
    return np.where(total > 0.0, earned / np.where(total > 0.0, total, 1.0), 0.0).sum(axis=1)
