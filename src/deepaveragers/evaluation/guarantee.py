"""The paper's performance bound, with its slips corrected.

Let Q be the DAC-MDP's optimal Q-function, pi its greedy policy, B the true Bellman operator,
and suppose |B[Q](s, a) - B[Q](s', a)| <= L d(s, s'). For the weights alpha_j of (s, a):

    dbar(s, a) = sum_j alpha_j d_j                       weighted distance to the data
    eps(s, a)  = (y_max - y_min) sqrt(sum_j alpha_j^2 / 2 * ln(2 M / delta))
    M          = A (k N)^(D/2 + 1)                       number of neighbour sets, up to a constant

where y ranges over the plan's Q-values and over r_i + gamma V(s'_i), which they average.

Hoeffding's inequality for weighted sums (1/k for equal weights) gives, with probability at
least 1 - delta, for all (s, a) at once:

    -((L + C) dbar + eps)  <=  Q - B[Q]  <=  max(L - C, 0) dbar + eps

Two statements follow, e- and e+ being the largest of the left and right sides:

    V^pi >= V* - (e- + e+) / (1 - gamma)        the paper's theorem: loss against the optimum
    V^pi >= V  - e+ / (1 - gamma)               the plan's own values, less its optimism

The second needs only Q <= B[Q] + e+ at the greedy actions: a plan with C >= L is pessimistic
but for the sampling term, which vanishes where transitions are deterministic. Both speak of
core states; a state far from all data has a larger dbar than any of them. In one-step data
they speak of the logged states, and 1 - gamma is 1: nothing follows. The plan's own certified
error is added: for values with T V >= V - x, T V <= V + y the same steps give x / (1 - gamma)
and y / (1 - gamma) more, which are the plan's `below` and `above`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..arguments import flag, instance, known_keywords, number, optional
from ..arrays import Float64, Int64
from ..errors import InputError
from ..mdp.problem import pose
from ..neighbors.tree import TreeIndex
from ..solvers.plan import Plan
from .decision_states import DecisionStates, decision_states

LIPSCHITZ_SAMPLE = 5_000
COLUMNS_SHOWN = 16
"""Numbers of a state that are shown at most."""
THINNEST = 5


@dataclass(frozen=True)
class ThinState:
    """A state whose planned action rests on far-away data.

    Attributes:
        transition: index of the core state; in one-step data, of the logged state.
        action: the planned action there.
        distance: its weighted distance to the data.
        episode: the log's own id of the episode that led there.
        observation: the state by column, its first 16 numbers.
    """

    transition: int
    action: str
    distance: float
    episode: str
    observation: dict[str, float]


@dataclass(frozen=True)
class Guarantee:
    """What can be said about the real performance of a plan's policy.

    Attributes:
        delta: the bounds fail with at most this probability.
        lipschitz: L.
        lipschitz_estimated: whether L was estimated from the data (then nothing is proved).
        distance_max: largest weighted distance over core states and available actions.
        distance_planned_max: the same over the planned actions only.
        distance_quantiles: of the planned actions' distances, by level.
        q_range: smallest and largest Q-value of the plan.
        sampling: eps, the largest sampling term; 0 when transitions are deterministic.
        optimism: the exact plan's values exceed the policy's real values by at most this.
        loss: the policy's real values fall short of the best possible by at most this.
        mean_value: mean planned value of the core states.
        mean_lower_bound: `mean_value - optimism`, less the plan's certified error below.
        vacuous: whether the bound says no more than the worst value that there is.
        thinnest: where more data would help most.
    """

    delta: float
    lipschitz: float
    lipschitz_estimated: bool
    distance_max: float
    distance_planned_max: float
    distance_quantiles: dict[str, float]
    q_range: tuple[float, float]
    sampling: float
    optimism: float
    loss: float
    mean_value: float
    mean_lower_bound: float
    vacuous: bool
    thinnest: tuple[ThinState, ...]

    def __repr__(self) -> str:
        estimated = " is estimated, so nothing is proved" if self.lipschitz_estimated else ""
        vacuous = ", says nothing: below the worst value" if self.vacuous else ""
        return (
            f"Guarantee(mean planned value {self.mean_value:.5g}, really at least "
            f"{self.mean_lower_bound:.5g} with chance {1 - self.delta:.4g}{vacuous}; "
            f"L={self.lipschitz:.4g}{estimated})"
        )

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


@known_keywords
def guarantee(
    plan: Plan,
    delta: float = 0.05,
    *,
    lipschitz: float | None = None,
    deterministic: bool = False,
) -> Guarantee:
    """Bound the real performance of a plan's policy from below.

    Args:
        plan: the plan.
        delta: probability with which the bound may fail.
        lipschitz: L, how fast B[Q] can change with distance; None estimates it from the
            data, which is a guess and is labelled as one.
        deterministic: whether the environment's transitions are; the sampling term is then 0.
    """
    instance("plan", plan, Plan, "a Plan")
    delta = number("delta", delta, above=0.0, below=1.0, remedy="A common choice is 0.05.")
    lipschitz = optional(number, "lipschitz", lipschitz, least=0.0)
    deterministic = flag("deterministic", deterministic)
    _check_theorem_holds(plan)
    asked = plan.objective
    cost = pose(plan.mdp, asked).cost
    states = decision_states(plan)
    planned = states.q_values.argmax(axis=1)
    planned_distances = np.take_along_axis(states.distances, planned[:, None], axis=1)[:, 0]
    slope = estimate_lipschitz(plan) if lipschitz is None else float(lipschitz)
    sampling = 0.0 if deterministic else _sampling(plan, states, delta)
    # Where nothing follows a decision, an error is made once.
    left = 1.0 if states.one_step else 1.0 - asked.gamma
    over = max(slope - cost, 0.0)
    optimism = (over * float(planned_distances.max()) + sampling) / left
    worst = float(states.distances[states.available].max())
    loss = ((slope + cost + over) * worst + 2.0 * sampling) / left + plan.greedy_loss
    mean_value = float(states.values.mean())
    lower = mean_value - (plan.greedy_loss - plan.above) - optimism
    return Guarantee(
        delta=float(delta),
        lipschitz=slope,
        lipschitz_estimated=lipschitz is None,
        distance_max=worst,
        distance_planned_max=float(planned_distances.max()),
        distance_quantiles={
            f"{level:.0%}": float(np.quantile(planned_distances, level))
            for level in (0.5, 0.9, 0.99)
        },
        q_range=_range(states.q_values),
        sampling=sampling,
        optimism=optimism,
        loss=loss,
        mean_value=mean_value,
        mean_lower_bound=lower,
        vacuous=lower <= _worst_value(plan, states.one_step),
        thinnest=_thinnest(plan, states, planned, planned_distances),
    )


def _check_theorem_holds(plan: Plan) -> None:
    """Raise an error where the theorem does not speak of such plans."""
    remedy = "Judge its policy on held-out episodes: da.fit, `dac fit`."
    plan.mdp.transitions.check_numbered("plan", "for the theorem behind a guarantee", remedy)
    asked = plan.objective
    if asked.penalty != "linear" or asked.worst_case or asked.slip or asked.horizon is not None:
        raise InputError(
            "plan",
            "one with the linear penalty, slip 0, worst_case 0 and no horizon, as in the theorem",
            "another objective",
        )


def _range(q_values: Float64) -> tuple[float, float]:
    finite = q_values[np.isfinite(q_values)]
    return float(finite.min()), float(finite.max())


def _sampling(plan: Plan, states: DecisionStates, delta: float) -> float:
    """Return the largest eps."""
    low, high = _range(states.q_values)
    spread = float(np.sqrt((states.alphas**2).sum(axis=2)[states.available].max() / 2.0))
    model = pose(plan.mdp, plan.objective)
    samples = model.rewards + model.gamma * plan.values
    span = max(high, float(samples.max())) - min(low, float(samples.min()))
    return span * spread * math.sqrt(_log_sets(plan, delta))


def estimate_lipschitz(plan: Plan, quantile: float = 0.99) -> float:
    """Estimate L from pairs of nearby transitions with the same action.

    y_i = r_i + gamma V(s'_i) is a sample of B[Q](s_i, a_i); L is the given quantile of
    |y_i - y_j| / d(s_i, s_j) over nearest pairs at a positive distance.
    """
    data, features = plan.mdp.transitions, plan.mdp.source_features
    rewards = pose(plan.mdp, plan.objective).rewards
    targets = rewards + plan.objective.gamma * plan.values
    slopes = [np.zeros(0)]
    for action in range(data.num_actions):
        rows = np.flatnonzero(data.actions == action)
        if len(rows) < 2:
            continue
        picks = np.random.default_rng(action).permutation(len(rows))[:LIPSCHITZ_SAMPLE]
        found, gaps = TreeIndex(features[rows]).query(features[rows[picks]], min(3, len(rows)))
        apart = gaps > 0.0
        change = np.abs(targets[rows[found]] - targets[rows[picks]][:, None])
        slopes.append(change[apart] / gaps[apart])
    everything: Float64 = np.concatenate(slopes)
    return float(np.quantile(everything, quantile)) if len(everything) else 0.0


def _worst_value(plan: Plan, one_step: bool) -> float:
    """Return the least that any policy can earn: the smallest reward, once or for ever."""
    model = pose(plan.mdp, plan.objective)
    least = float(model.rewards.min()) - float(model.penalties.max())
    may_end = bool(model.terminal.any())
    once = one_step or (least > 0.0 and may_end)
    return least if once else least / (1.0 - model.gamma)


def _log_sets(plan: Plan, delta: float) -> float:
    """Return ln(2 M / delta)."""
    mdp = plan.mdp
    k = plan.objective.k or mdp.graph.k
    exponent = mdp.core_features.shape[1] / 2.0 + 1.0
    sets = math.log(mdp.transitions.num_actions) + exponent * math.log(k * len(mdp))
    return math.log(2.0 / delta) + sets


def _thinnest(
    plan: Plan, states: DecisionStates, planned: Int64, distances: Float64
) -> tuple[ThinState, ...]:
    data = plan.mdp.transitions
    return tuple(
        ThinState(
            transition=int(states.rows[place]),
            action=data.action_names[int(planned[place])],
            distance=float(distances[place]),
            episode=data.episode_name(int(states.rows[place])),
            observation=data.by_name(states.observations[place], COLUMNS_SHOWN),
        )
        for place in np.argsort(-distances, kind="stable")[:THINNEST]
    )
