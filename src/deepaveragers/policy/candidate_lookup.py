"""Q-values of the candidates of any state: the plan's own operator, one step ahead.

Candidate numbers mean nothing across states, so the core states' Q-values cannot be averaged
("nearest"), and neither can actions: the mean of two good actions may be a bad one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, Float64, Floats
from ..errors import InputError
from ..kernels.bellman import reference
from ..mdp.candidate_problem import CandidateRules, candidate_search
from ..mdp.problem import pose, rewards_of
from ..neighbors.candidates import CandidateSearch
from .candidate_rule import CandidateRule, Choices
from .lookup import Grounds
from .rules import without_graph

if TYPE_CHECKING:
    from ..solvers.plan import Plan


class CandidateLookup:
    """Q-values of candidates at any state.

    Args:
        plan: of a model whose actions are rows.
        search: of the same model, where there is one already.
    """

    basis = (
        "The first transition took this action in the state most like this one; its reward, its "
        "end and the change that it made are the action's. A share is what the plan expects of a "
        "state that this change leads to; the reward and the price of distance count once."
    )

    def __init__(self, plan: Plan, search: CandidateSearch | None = None) -> None:
        self._plan, mdp, asked = plan, plan.mdp, plan.objective
        mask = asked.action_mask
        if mask is not None and not callable(mask):
            raise InputError(
                "action_mask", "a function of observations and actions, to act by", "an array"
            )
        self._rewards = np.asarray(rewards_of(mdp, asked), dtype=np.float64)
        self._model = pose(mdp, asked)
        self._rules = CandidateRules(mdp, asked, self._rewards, self._model.cost)
        self._search = candidate_search(mdp) if search is None else search

    def by(self, plan: Plan) -> CandidateLookup:
        """Return the lookup by another plan of the same model; what is searched is shared."""
        return CandidateLookup(plan, self._search)

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

    @cached_property
    def rule(self) -> CandidateRule:
        """What decides, on arrays alone."""
        permission = self._rules.rules.permission
        given = permission.permitted
        return CandidateRule(
            search=self._search,
            permitted=None if given is None else self._search.among(np.flatnonzero(given)),
            permission=permission,
            dues=self._rules.dues,
            problem=without_graph(self._model)._replace(penalties=np.zeros((1, 1))),
            values=self.values,
        )

    def choices(self, features: Floats, observations: Array) -> Choices:
        """Return the candidates of states with features [B, D] and observations [B, ...]."""
        return self.rule.choices(features, observations)

    def grounds(self, choices: Choices, row: int, place: int) -> Grounds:
        """Return what the Q-value of one candidate of one of the states rests on."""
        candidates = choices.candidates.one(row, place)
        transition = int(candidates.transitions[0, 0])
        every = np.ones((1, 1), dtype=bool)
        model = self.rule.posed(candidates, every)
        led = candidates.indices[0, 0, : model.k]
        there = led >= 0
        gain = reference.outcomes(model, self.values)
        weights = reference.mixture(model, gain)[0, 0][there]
        reward = float(self._rewards[transition])
        future = float(weights @ (model.gamma * self._living[led[there]]))
        total = float(choices.q_values[row, place])
        return Grounds(
            transitions=led[there].astype(np.int64),
            distances=candidates.distances[0, 0, : model.k][there].astype(np.float64),
            weights=weights,
            shares=weights * (gain[0, 0][there] - model.penalties[0, 0]),
            reward=reward,
            penalty=reward + future - total,
        )

    @cached_property
    def _living(self) -> Float64:
        return np.where(self._plan.mdp.transitions.terminations, 0.0, self.values)
