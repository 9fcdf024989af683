"""The exact value, with bounds, of any given policy in the compiled MDP.

With the policy fixed the operator is linear: V_pi = R_pi + gamma P_pi V_pi. The planner's own
machinery solves and certifies it, so everything said there about tolerances holds here.

Factored values: R is a reward less a penalty, and values are linear in R, so

    V_pi = (discounted rewards to go) - (discounted penalties to go).

The second part says how far from the data the policy will be living.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from ..arguments import instance, known_keywords, number, optional, unmasked, whole_number
from ..arrays import Array, Float64
from ..errors import InputError
from ..kernels.bellman.problem import Problem
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import pose
from .iteration.limits import Limits
from .plan import Status
from .planner import solve_problem


@dataclass(frozen=True, eq=False)
class PolicyValue:
    """What a policy is worth in every core state.

    Attributes:
        values: [N] float64.
        below: how far the exact values can lie below (>= 0).
        above: how far the exact values can lie above (>= 0).
        status: "optimal" if the tolerance was reached.
        terminal: [N] bool, where the value is 0 exactly.
    """

    values: Float64
    below: float
    above: float
    status: Status
    terminal: Array

    @property
    def lower(self) -> Float64:
        """[N] float64, certified lower bounds."""
        return np.where(self.terminal, 0.0, self.values - self.below)

    @property
    def upper(self) -> Float64:
        """[N] float64, certified upper bounds."""
        return np.where(self.terminal, 0.0, self.values + self.above)


@known_keywords
def policy_values(
    mdp: DacMdp,
    policy: Array,
    objective: Objective | None = None,
    *,
    tolerance: float = 1e-6,
    threads: int | None = None,
) -> PolicyValue:
    """Return the certified values, in the compiled MDP, of any policy over its core states.

    What a policy is worth in the model, not in the world: for that, see `evaluate`. The
    plan's own greedy policy is `plan.q_values.argmax(axis=1)`.

    Args:
        mdp: the compiled MDP.
        policy: [N] actions, or [N, A] probabilities, of the core states. Rows where the
            episode ended are not read. An action that is forbidden, masked, or has no
            neighbours must have probability 0.
        objective: under which the policy is judged; its `slip` does not apply.
        tolerance: largest error allowed, relative to |R_pi| / (1 - gamma), where |R_pi| is
            the largest absolute value of one step.
        threads: None takes all cores.

    Returns:
        the values, and bounds that hold for the exact values V_pi.
    """
    objective, tolerance, threads = _checked(mdp, objective, tolerance, threads)
    return _evaluate(mdp, _posed(mdp, policy, objective), tolerance, threads)


@known_keywords
def factored_values(
    mdp: DacMdp,
    policy: Array,
    objective: Objective | None = None,
    *,
    tolerance: float = 1e-6,
    threads: int | None = None,
) -> tuple[PolicyValue, PolicyValue]:
    """Return the discounted rewards and penalties to go, those of actions among the latter.

    Arguments as of `policy_values`.
    """
    objective, tolerance, threads = _checked(mdp, objective, tolerance, threads)
    if objective.worst_case > 0.0:
        raise InputError("worst_case", "0 for factored values", objective.worst_case)
    whole = _posed(mdp, policy, objective)
    free = whole._replace(cost=0.0, adaptive=0.0, penalties=np.zeros_like(whole.penalties))
    rewards = _evaluate(mdp, free, tolerance, threads)
    total = _evaluate(mdp, whole, tolerance, threads)
    below, above = rewards.below + total.above, rewards.above + total.below
    return rewards, replace(total, values=rewards.values - total.values, below=below, above=above)


def _evaluate(mdp: DacMdp, problem: Problem, tolerance: float, threads: int | None) -> PolicyValue:
    limits = Limits(time.perf_counter(), math.inf, math.inf)
    found = solve_problem(mdp, problem, tolerance, limits, threads=threads)
    below, above = found.proof.below, found.proof.above
    return PolicyValue(found.values, below, above, found.status, problem.terminal)


def _posed(mdp: DacMdp, policy: Array, objective: Objective) -> Problem:
    """Return the model of the policy; refuse one that takes actions which are not there."""
    probabilities = _probabilities(mdp, policy)
    model = pose(mdp, replace(objective, slip=0.0), probabilities)
    taken = (probabilities > 0.0) & ~model.terminal[:, None]
    for lacking, allowed in (
        (taken & (model.indices[:, :, 0] < 0), "of actions that the data has"),
        (taken & ~model.allowed, "of actions that are neither forbidden nor masked"),
    ):
        if lacking.any():
            state, action = np.argwhere(lacking)[0]
            others = f"{int(lacking.any(axis=1).sum())} states that take another"
            name = mdp.transitions.action_names[action]
            raise InputError("policy", allowed, f"{others}, as state {state} takes {name!r}")
    return model


def _checked(
    mdp: DacMdp, objective: Objective | None, tolerance: float, threads: int | None
) -> tuple[Objective, float, int | None]:
    instance("mdp", mdp, DacMdp, "a DacMdp")
    asked = optional(instance, "objective", objective, kind=Objective, allowed="an Objective")
    if asked is not None and asked.horizon is not None:
        raise InputError("horizon", "None for the evaluation of a policy", asked.horizon)
    if asked is not None and asked.action_noise:
        raise InputError("action_noise", "0 for the evaluation of a policy", asked.action_noise)
    return (
        asked or Objective(),
        number("tolerance", tolerance, above=0.0),
        optional(whole_number, "threads", threads),
    )


def _probabilities(mdp: DacMdp, policy: Array) -> Float64:
    """Return the policy as [N, A] probabilities; what episodes' ends would do is dropped."""
    size, actions = mdp.graph.indices.shape[:2]
    policy = unmasked("policy", policy)
    try:
        given = np.asarray(policy)
    except ValueError:
        raise InputError("policy", "an array [N] or [N, A]", "rows of unequal length") from None
    ended = mdp.transitions.terminations
    if given.shape == (size,):
        if not np.issubdtype(given.dtype, np.integer):
            raise InputError("policy", "whole numbers, or probabilities [N, A]", given.dtype)
        known = (given >= 0) & (given < actions) | ended
        if not known.all():
            raise InputError("policy", f"actions in 0..{actions - 1}", given[~known][0])
        result = np.zeros((size, actions))
        result[np.arange(size), np.where(ended, 0, given)] = 1.0
    elif given.shape == (size, actions):
        result = np.where(ended[:, None], 0.0, given.astype(np.float64))
        living = result[~ended]
        sums = living.sum(axis=1, keepdims=True)
        if not ((living >= 0.0).all() and np.allclose(sums, 1.0, rtol=0.0, atol=1e-5)):
            raise InputError("policy", "probabilities >= 0 that sum to 1 in every row", "others")
        # Float32 chances sum to nearly 1; the bounds hold for those that sum to 1.
        result[~ended] = living / sums
    else:
        raise InputError(
            "policy", f"of shape ({size},) or ({size}, {actions})", f"shape {given.shape}"
        )
    return result
