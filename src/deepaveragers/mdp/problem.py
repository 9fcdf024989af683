"""An objective posed on a compiled MDP: checked, and turned into what the kernels read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import number, plain, shown, unmasked
from ..arrays import Array, Bool, Float64, Floats, frozen
from ..errors import InputError
from ..kernels.bellman.problem import Problem
from ..neighbors.candidates import Candidates
from .action_rules import ActionRules
from .candidate_problem import as_problem, candidate_cost, candidates_of
from .cost import default_cost
from .imitation import supported
from .model import DacMdp
from .objective import Objective, is_action

LAYOUT = (np.int32, np.float32, np.float64, np.bool_, np.bool_, np.float64, np.float64)
"""Types of the first fields of a `Problem`, which are arrays."""


def pose(mdp: DacMdp, objective: Objective, policy: Float64 | None = None) -> Problem:
    """Return the arrays and numbers of one objective on one MDP.

    Args:
        mdp: the compiled MDP.
        objective: the question.
        policy: [N, A] float64, probabilities of a policy to evaluate instead of optimising.
    """
    k = _neighbors(mdp, objective)
    rewards = _plain(rewards_of(mdp, objective), np.float64)
    if mdp.transitions.action_vectors:
        given = np.empty((0, mdp.graph.indices.shape[1])) if policy is None else policy
        cost = _cost(mdp, objective, rewards)
        known = candidates_of(mdp)
        return _laid_out(as_problem(mdp, objective, given, rewards, cost, k, known))
    if objective.action_noise:
        raise InputError(
            "action_noise",
            "0 for discrete actions",
            objective.action_noise,
            "A random action by chance is slip.",
        )
    actions = mdp.transitions.num_actions
    return Problem(
        indices=_plain(mdp.graph.indices, np.int32),
        distances=_plain(mdp.graph.distances, np.float32),
        rewards=rewards,
        terminal=_plain(mdp.transitions.terminations, np.bool_),
        allowed=_plain(_allowed(mdp, objective), np.bool_),
        penalties=_plain(_penalties(mdp, objective)[None], np.float64),
        policy=_plain(np.empty((0, actions)) if policy is None else policy, np.float64),
        k=k,
        gamma=float(objective.gamma),
        cost=_cost(mdp, objective, rewards),
        uniform=objective.weighting == "uniform",
        adaptive=1.0 / _diameter(mdp) if objective.penalty == "adaptive" else 0.0,
        slip=float(objective.slip),
        worst_case=float(objective.worst_case),
    )


def pose_at(mdp: DacMdp, objective: Objective, found: Candidates, observations: Array) -> Problem:
    """Return an objective on the candidates of any states, where actions are rows.

    Args:
        mdp: the compiled MDP.
        objective: the question.
        found: the candidates of B states.
        observations: [B, ...] of the states.
    """
    k, rewards = _neighbors(mdp, objective), _plain(rewards_of(mdp, objective), np.float64)
    cost, nobody = _cost(mdp, objective, rewards), np.empty((0, found.transitions.shape[1]))
    return as_problem(mdp, objective, nobody, rewards, cost, k, found, observations)


def _neighbors(mdp: DacMdp, objective: Objective) -> int:
    """Return how many neighbours are averaged."""
    k = mdp.graph.k if objective.k is None else int(objective.k)
    if k > mdp.graph.k:
        raise InputError(
            "k", f"at most the compiled {mdp.graph.k}", k, "Compile again with a larger k."
        )
    return k


def _laid_out(problem: Problem) -> Problem:
    dtypes = zip(problem._fields[:7], LAYOUT, strict=True)
    arrays: dict[str, Any] = {name: _plain(getattr(problem, name), dtype) for name, dtype in dtypes}
    return problem._replace(**arrays)


def with_cost(mdp: DacMdp, objective: Objective) -> Objective:
    """Return the objective with the number that its cost is on this MDP."""
    if not isinstance(objective, Objective) or objective.cost is not None:
        return objective
    rewards = np.asarray(rewards_of(mdp, objective), dtype=np.float64)
    return replace(objective, cost=_cost(mdp, objective, rewards))


def _cost(mdp: DacMdp, objective: Objective, rewards: Float64) -> float:
    if objective.cost is not None:
        return float(objective.cost)
    if mdp.transitions.action_vectors:
        return candidate_cost(mdp, rewards)
    return default_cost(mdp, rewards, objective.gamma)


def _plain(array: Any, dtype: Any) -> Array:
    """Return one memory layout for all: a kernel is compiled once per layout."""
    return frozen(np.ascontiguousarray(np.asarray(array), dtype=dtype).view(np.ndarray))


def action_number(mdp: DacMdp, action: object, parameter: str) -> int:
    """Return the number of an action given by number or name."""
    names, action = mdp.transitions.action_names, plain(action)
    if isinstance(action, str) and action in names:
        return names.index(action)
    if is_action(action) and not isinstance(action, str) and 0 <= int(action) < len(names):  # type: ignore[call-overload]
        return int(action)  # type: ignore[call-overload]
    allowed = f"actions in 0..{len(names) - 1} or of {', '.join(names[:20])}"
    raise InputError(parameter, allowed, shown(action))


def rewards_of(mdp: DacMdp, objective: Objective) -> Array:
    """Return [N] the rewards of all transitions under an objective."""
    given, data = objective.rewards, mdp.transitions
    if given is None:
        return data.rewards
    if callable(given):
        given = given(data.observations, data.actions, data.next_observations)
    rewards = _as_array("rewards", given, np.float64)
    if rewards.shape != (len(data),):
        raise InputError("rewards", f"of shape ({len(data)},)", f"shape {rewards.shape}")
    if not np.isfinite(rewards).all():
        raise InputError("rewards", "finite", "NaN or infinity")
    return rewards


def prices_of(mdp: DacMdp, objective: Objective) -> Float64:
    """Return [N] what an objective takes off for the logged actions."""
    data = mdp.transitions
    if data.action_vectors:
        return ActionRules(data, objective).fees
    return np.asarray(_penalties(mdp, objective)[data.actions])


def _penalties(mdp: DacMdp, objective: Objective) -> Array:
    given, actions = objective.action_penalties, mdp.transitions.num_actions
    penalties = np.zeros(actions)
    if isinstance(given, Mapping):
        for action, penalty in given.items():
            place = action_number(mdp, action, "action_penalties")
            penalties[place] = number(f"action_penalties[{action!r}]", penalty)
    elif given is not None:
        penalties = _as_array("action_penalties", given, np.float64)
    if penalties.shape != (actions,) or not np.isfinite(penalties).all():
        raise InputError(
            "action_penalties",
            f"{actions} finite numbers, one per action, or a mapping",
            shown(given),
        )
    return penalties


def _allowed(mdp: DacMdp, objective: Objective) -> Bool:
    mask, forbidden = objective.action_mask, not_forbidden(mdp, objective)
    if callable(mask):
        mask = mask(mdp.transitions.next_observations)
    allowed = forbidden if mask is None else _masked(mask, forbidden, len(mdp))
    if not objective.support:
        return allowed
    return supported(mdp.imitation.core_counts, allowed, objective.support)


def allowed_at(
    mdp: DacMdp, objective: Objective, observations: Array, features: Floats | None = None
) -> Bool:
    """Return [B, A] or, where all have the same actions, [1, A]: what any observations allow.

    A mask given as an array speaks of core states only, and so does not apply here.

    Args:
        mdp: the compiled MDP.
        objective: the question.
        observations: [B, ...].
        features: [B, D] of them, if they are known.
    """
    allowed = not_forbidden(mdp, objective)
    if callable(objective.action_mask):
        allowed = _masked(objective.action_mask(observations), allowed, len(observations))
    if not objective.support:
        return allowed
    if features is None:
        features = mdp.encoder.encode(observations)
    return supported(mdp.imitation.counts(features), allowed, objective.support)


def only_action(mdp: DacMdp, objective: Objective) -> int | None:
    """Return the one action that is not forbidden; None where there are several."""
    left = np.flatnonzero(not_forbidden(mdp, objective)[0])
    return int(left[0]) if len(left) == 1 else None


def not_forbidden(mdp: DacMdp, objective: Objective) -> Bool:
    """Return [1, A] bool: the actions that are not forbidden everywhere."""
    allowed = np.ones((1, mdp.transitions.num_actions), dtype=bool)
    given = objective.forbidden_actions
    if callable(given) or isinstance(given, Mapping):
        kind = "a function" if callable(given) else "ranges"
        raise InputError("forbidden_actions", "actions by number or name: they are discrete", kind)
    for action in given:
        allowed[0, action_number(mdp, action, "forbidden_actions")] = False
    if not allowed.any():
        raise InputError("forbidden_actions", "fewer than all actions", "all of them")
    return allowed


def _masked(given: Any, allowed: Bool, size: int) -> Bool:
    mask = _as_array("action_mask", given, None)
    shape = (size, allowed.shape[1])
    if mask.shape != shape:
        raise InputError("action_mask", f"of shape {shape}", f"shape {mask.shape}")
    if mask.dtype != np.bool_ and not np.isin(mask, (0, 1)).all():
        raise InputError("action_mask", "flags: true or false, 1 or 0", f"other {mask.dtype}")
    return np.asarray(mask.astype(np.bool_, copy=False) & allowed)


def _diameter(mdp: DacMdp) -> float:
    features = np.asarray(mdp.core_features, dtype=np.float64)
    return float(np.linalg.norm(features.max(axis=0) - features.min(axis=0))) or 1.0


def _as_array(parameter: str, given: Any, dtype: Any) -> Array:
    given = unmasked(parameter, given)
    try:
        return np.asarray(given, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise InputError(parameter, "numbers", type(given).__name__) from None
