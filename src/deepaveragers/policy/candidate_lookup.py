"""Q-values of the candidates of any state: the plan's own operator, one step ahead.

Candidate numbers mean nothing across states, so the core states' Q-values cannot be averaged
("nearest"), and neither can actions: the mean of two good actions may be a bad one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Array, Bool, Float64, Floats
from ..errors import InputError
from ..kernels.bellman import reference
from ..kernels.bellman.problem import Problem
from ..mdp.candidate_problem import CandidateRules, candidate_search
from ..mdp.problem import pose, rewards_of
from ..neighbors.candidates import Candidates, CandidateSearch
from .lookup import Grounds

if TYPE_CHECKING:
    from ..solvers.plan import Plan


class Choices(NamedTuple):
    """The candidates of B states, and what each is worth.

    Attributes:
        candidates: which they are.
        q_values: [B, m] float64; -inf where one is not available.
    """

    candidates: Candidates
    q_values: Float64


class CandidateLookup:
    """Q-values of candidates at any state.

    Args:
        plan: of a model whose actions are rows.
    """

    basis = (
        "The first transition took this action in the state most like this one; its reward, its "
        "end and the change that it made are the action's. A share is what the plan expects of a "
        "state that this change leads to; the reward and the price of distance count once."
    )

    def __init__(self, plan: Plan) -> None:
        self._plan, mdp, asked = plan, plan.mdp, plan.objective
        mask = asked.action_mask
        if mask is not None and not callable(mask):
            raise InputError(
                "action_mask", "a function of observations and actions, to act by", "an array"
            )
        self._rewards = np.asarray(rewards_of(mdp, asked), dtype=np.float64)
        self._model = pose(mdp, asked)
        self._rules = CandidateRules(mdp, asked, self._rewards, self._model.cost)
        self._search = candidate_search(mdp)

    @cached_property
    def values(self) -> Float64:
        """[N] what follows the next step; with a horizon, the values of one step less."""
        plan, horizon = self._plan, self._plan.objective.horizon
        if horizon is None:
            return plan.values
        if horizon == 1:
            return np.zeros(len(plan.values))
        shorter = replace(plan.objective, horizon=horizon - 1)
        return plan.mdp.solve(shorter, tolerance=plan.tolerance).values

    def choices(self, features: Floats, observations: Array) -> Choices:
        """Return the candidates of states with features [B, D] and observations [B, ...]."""
        found = self._search.find(features)
        allowed = self._allowed(found, observations)
        stuck = np.flatnonzero(~(allowed & (found.transitions >= 0)).any(axis=1))
        if len(stuck) and self._plan.objective.forbidden_actions:
            found = found.replaced(stuck, self._permitted.find(features[stuck]))
            allowed = self._allowed(found, observations)
        q_values = reference.average_outcomes(self._problem(found, allowed), self.values)
        self._check(q_values)
        return Choices(found, q_values)

    def grounds(self, choices: Choices, row: int, place: int) -> Grounds:
        """Return what the Q-value of one candidate of one of the states rests on."""
        candidates = choices.candidates.one(row, place)
        transition = int(candidates.transitions[0, 0])
        every = np.ones((1, 1), dtype=bool)
        model = self._problem(candidates, every)
        there = candidates.indices[0, 0] >= 0
        gain = reference.outcomes(model, self.values)
        weights = reference.mixture(model, gain)[0, 0][there]
        reward = float(self._rewards[transition])
        future = float(weights @ (model.gamma * self._living[candidates.indices[0, 0][there]]))
        total = float(choices.q_values[row, place])
        return Grounds(
            transitions=candidates.indices[0, 0][there].astype(np.int64),
            distances=candidates.distances[0, 0][there].astype(np.float64),
            weights=weights,
            shares=weights * (gain[0, 0][there] - model.penalties[0, 0]),
            reward=reward,
            penalty=reward + future - total,
        )

    @cached_property
    def _living(self) -> Float64:
        return np.where(self._plan.mdp.transitions.terminations, 0.0, self.values)

    @cached_property
    def _permitted(self) -> CandidateSearch:
        return candidate_search(self._plan.mdp, self._rules.rules.permitted)

    def _allowed(self, found: Candidates, observations: Array) -> Bool:
        return self._rules.allowed(found.transitions, observations)

    def _problem(self, found: Candidates, allowed: Bool) -> Problem:
        return self._model._replace(
            indices=found.indices,
            distances=found.distances,
            allowed=allowed,
            penalties=self._rules.penalties(found.transitions, found.gaps),
        )

    def _check(self, q_values: Float64) -> None:
        if not np.isfinite(q_values).any(axis=1).all():
            raise InputError(
                "action_mask", "such that every state keeps a candidate", "a state without any"
            )
