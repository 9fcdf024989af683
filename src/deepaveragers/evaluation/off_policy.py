"""What a policy would be worth, estimated from the data alone.

Three estimates of the discounted value at the start states, with different weaknesses:

- `cross_fitted_values`: the policy was planned on other episodes, and is evaluated exactly in
  the MDP compiled from these: no transition judges a plan that it helped to make.
- `fitted_q_values`: fitted Q-evaluation with the averager as regressor. Its fixed point
  Q(s, a) = sum_j alpha_j (r_j + gamma Q(s'_j, pi(s'_j))) is the policy's exact value in the
  compiled MDP at C = 0 with equal weights (Gordon, 1995), so no iteration is needed.
- `importance.weighted_importance`: per-decision weighted importance sampling. The behaviour b is
  the logged propensity or, where the log has none, estimated as the (smoothed) shares of the
  actions among the nearest source states.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Bool, Float64, Int64
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..neighbors.tree import TreeIndex
from ..policy.policy import Policy
from ..solvers.policy_evaluation import policy_values
from ..solvers.starts import Starts
from .importance import Estimate
from .statistics import bootstrap_interval

BEHAVIOUR_NEIGHBORS = 25
TOLERANCE = 1e-4


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
    """Return [N] the chance of each logged action: as logged, or else estimated."""
    data = mdp.transitions
    if data.propensities is not None and not np.isnan(data.propensities).any():
        return data.propensities
    count = min(BEHAVIOUR_NEIGHBORS, len(mdp))
    found, _ = TreeIndex(mdp.source_features).query(mdp.source_features, count)
    same = (data.actions[found] == data.actions[:, None]).sum(axis=1)
    estimated: Float64 = (same + 1.0) / (count + data.num_actions)
    if data.propensities is None:
        return estimated
    return np.where(np.isnan(data.propensities), estimated, data.propensities)
