"""From the plan's values to Q-values of any state s.

- "nearest" (the paper's state-level heuristic, read as in its text): with c_i the k
  nearest core states and alpha_i their normalised weights,
  Q(s, a) = sum_i alpha_i Q(c_i, a). One search per decision.
- "network": the same of the one action that the network of the representation would take
  (`representation.own_policy`); where none of the k core states would, as "nearest".
- "lookahead" (Eq. 3): with the k nearest transitions of each action a and the objective's
  own operator, Q(s, a) = sum_j alpha_j (r_j - C d_j + gamma V(s'_j)). One search per action.

Core states where an episode ended have no actions, and are never neighbours. A core state
that may not take an action has no say about it. Where the objective asks for support, the state
itself must have it too, unless that would leave none of the actions of its neighbours.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..arrays import Array, Float64, Floats, Int64
from ..errors import InputError
from ..kernels.bellman import reference
from ..kernels.bellman.problem import Problem
from ..mdp.problem import allowed_at, pose
from ..neighbors.choice import serving_index
from ..parallel import available_threads
from ..representation.own_policy import own_policy_of
from .averaging import average_of, only, partly_masked, weights_of
from .sources import SourceStates

if TYPE_CHECKING:
    from ..solvers.plan import Plan


@dataclass(frozen=True, eq=False)
class Grounds:
    """What the Q-value of one action at one state rests on.

    Attributes:
        transitions: [k] int64, indices in the data.
        distances: [k] float64, of the state to them.
        weights: [k] float64, together 1.
        shares: [k] float64, together the Q-value.
        reward: expected immediate reward.
        penalty: expected price of distance and action.
    """

    transitions: Int64
    distances: Float64
    weights: Float64
    shares: Float64
    reward: float
    penalty: float


class Lookup(Protocol):
    """One way to Q-values of any state.

    Attributes:
        basis: what the transitions are that a Q-value rests on, for people.
    """

    basis: str

    def q_values(self, features: Floats, observations: Array) -> Float64:
        """Return [B, A] for features [B, D] of observations [B, ...]."""

    def grounds(self, features: Floats, action: int) -> Grounds:
        """Return what the Q-value of an action at features [1, D] rests on."""

    def likeliest(self, features: Floats, action: int) -> int:
        """Return the logged transition that is most like taking the action there."""

    def by(self, plan: Plan) -> Lookup:
        """Return the lookup of another plan of the same MDP; what is searched is shared."""


class Nearest:
    """Q-values by the nearest core states."""

    basis = (
        "These transitions led to states like this one. A share is what the plan expects of the "
        "best action from there on; what was done and earned on the way there is no part of it."
    )

    def __init__(self, plan: Plan, k: int) -> None:
        self.living = np.flatnonzero(~plan.mdp.transitions.terminations)
        if len(self.living) == 0:
            raise InputError(
                "lookup",
                "'lookahead' for a dataset in which every transition ends its episode",
                "'nearest'",
            )
        self._k = min(k, len(self.living))
        self.features = plan.mdp.core_features[self.living]
        self.index = serving_index(self.features)
        self._threads = available_threads()
        self._follow(plan)

    def by(self, plan: Plan) -> Nearest:
        """Return the lookup of another plan of the same MDP; the index is shared."""
        other = copy(self)
        other.__dict__.pop("_model", None)
        other._follow(plan)
        return other

    def _follow(self, plan: Plan) -> None:
        self._plan = plan
        self._q_values = plan.q_values[self.living]
        self._partly_masked = partly_masked(self._q_values)

    @cached_property
    def _model(self) -> Problem:
        """The plan's objective as arrays; a reward function is asked once."""
        return pose(self._plan.mdp, self._plan.objective)

    def q_values(self, features: Floats, observations: Array) -> Float64:
        """Return [B, A] for features [B, D]."""
        found = self._averaged(features)
        if not self._plan.objective.support:
            return found
        allowed = allowed_at(self._plan.mdp, self._plan.objective, observations, features)
        return only(found, allowed)

    def _averaged(self, features: Floats) -> Float64:
        """Return [B, A] averages over the nearest core states of features [B, D]."""
        rows, distances = self.index.query(features, self._k, threads=self._threads)
        weights = weights_of(distances, self._plan.objective.weighting)
        return average_of(weights, self._q_values[rows], masked=self._partly_masked)

    def grounds(self, features: Floats, action: int) -> Grounds:
        """Return what the Q-value of an action at features [1, D] rests on."""
        rows, distances = self.index.query(features, self._k)
        weights = weights_of(distances, self._plan.objective.weighting)[0]
        states = self.living[rows[0]]
        q_values = self._plan.q_values[states, action]
        weights = np.where(np.isfinite(q_values), weights, 0.0)
        weights /= weights.sum()
        model = self._model
        model = model._replace(
            indices=model.indices[states, action, : model.k][:, None],
            distances=model.distances[states, action, : model.k][:, None],
        )
        rewards, penalties = _parts(model, self._plan.values, action)
        return Grounds(
            transitions=states,
            distances=distances[0],
            weights=weights,
            shares=weights * np.where(weights > 0.0, q_values, 0.0),
            reward=float(weights @ rewards),
            penalty=float(weights @ penalties),
        )

    def likeliest(self, features: Floats, action: int) -> int:
        """Return the nearest transition of the action, as seen from the heaviest core state."""
        grounds = self.grounds(features, action)
        state = grounds.transitions[np.argmax(grounds.weights)]
        return int(self._plan.mdp.graph.indices[state, action, 0])


class Network(Nearest):
    """What the network of the representation would do, with Q-values by the nearest core states."""

    basis = (
        "The network of the representation chose the action. These transitions led to states like "
        "this one. A share is what is expected from there on where the network goes on deciding; "
        "what was done and earned on the way there is no part of it."
    )

    def _follow(self, plan: Plan) -> None:
        super()._follow(plan)
        self.own = own_policy_of(plan.mdp.encoder, plan.objective.support)

    def q_values(self, features: Floats, observations: Array) -> Float64:
        """Return [B, A] for features [B, D]; -inf but for the network's action."""
        return only(self._averaged(features), self.own.taken(features))


class Lookahead:
    """Q-values by one step through the nearest transitions of each action."""

    basis = (
        "These transitions took the best action in states like this one. A share is its reward and "
        "what the plan expects after it, less the price of the distance."
    )

    def __init__(self, plan: Plan, k: int, sources: SourceStates) -> None:
        self._plan = plan
        self._k = k
        self._model = pose(plan.mdp, plan.objective)
        self._sources = sources
        if plan.objective.horizon is not None:
            raise InputError("lookup", "'nearest' for a plan with a horizon", "'lookahead'")
        mask = plan.objective.action_mask
        if mask is not None and not callable(mask):
            raise InputError(
                "lookup",
                "'nearest' where the objective's action_mask is an array",
                "'lookahead'",
                "Give the mask as a function of observations.",
            )

    def q_values(self, features: Floats, observations: Array) -> Float64:
        """Return [B, A] for features [B, D] of observations [B, ...]."""
        model = self._model_at(*self._find(features))
        allowed = allowed_at(self._plan.mdp, self._plan.objective, observations, features)
        return reference.average_outcomes(model._replace(allowed=allowed), self._plan.values)

    def grounds(self, features: Floats, action: int) -> Grounds:
        """Return what the Q-value of an action at features [1, D] rests on."""
        indices, distances = self._find(features)
        indices, distances = indices[:, [action]], distances[:, [action]]
        model = self._model_at(indices, distances)
        there = indices[0, 0] >= 0
        outcome = reference.outcomes(model, self._plan.values)
        weights = reference.outcome_weights(model, outcome)[0, 0][there]
        fee = float(model.penalties[0, action])
        rewards, penalties = _parts(model, self._plan.values, action)
        return Grounds(
            transitions=indices[0, 0][there].astype(np.int64),
            distances=distances[0, 0][there],
            weights=weights,
            shares=weights * (outcome[0, 0][there] - fee),
            reward=float(rewards[0]),
            penalty=float(penalties[0]),
        )

    def by(self, plan: Plan) -> Lookahead:
        """Return the lookup of another plan of the same MDP; the indexes are shared."""
        return Lookahead(plan, self._k, self._sources)

    def likeliest(self, features: Floats, action: int) -> int:
        """Return the heaviest of the transitions that the Q-value rests on."""
        grounds = self.grounds(features, action)
        return int(grounds.transitions[np.argmax(grounds.weights)])

    def _find(self, features: Floats) -> tuple[Array, Array]:
        actions = range(self._plan.mdp.transitions.num_actions)
        found = [self._sources.nearest(features, action, self._k) for action in actions]
        indices, distances = (np.stack(parts, axis=1) for parts in zip(*found, strict=True))
        return indices, distances

    def _model_at(self, indices: Array, distances: Array) -> Problem:
        """Return the model with the neighbours of other states in place of the core states'."""
        return self._model._replace(indices=indices, distances=distances, k=self._k)


def _parts(model: Problem, values: Float64, action: int) -> tuple[Float64, Float64]:
    """Return [B] expected reward and price of one action, the only one of the model's rows."""
    outcome = reference.outcomes(model, values)
    weights = reference.outcome_weights(model, outcome)[:, 0]
    indices = model.indices[:, 0]
    rows = np.where(indices >= 0, indices, 0)
    rewards = model.rewards[rows]
    prices = np.where(indices >= 0, rewards + model.gamma * values[rows] - outcome[:, 0], 0.0)
    fee = float(model.penalties[0, action])
    return (weights * rewards).sum(axis=1), (weights * prices).sum(axis=1) + fee
