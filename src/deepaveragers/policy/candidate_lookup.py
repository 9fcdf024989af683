"""Q-values of the candidates of any state: the plan's own operator, one step ahead.

Candidate numbers mean nothing across states, so the core states' Q-values cannot be averaged
("nearest"), and neither can actions: the mean of two good actions may be a bad one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Array, Float64, Floats, Int64
from ..errors import InputError
from ..kernels.bellman import reference
from ..mdp.candidate_problem import CandidateRules, candidate_search, noise_of
from ..mdp.problem import pose, rewards_of
from ..neighbors.candidates import Candidates, CandidateSearch
from .candidate_rule import CandidateRule, Choices
from .lookup import Grounds
from .rules import without_graph

if TYPE_CHECKING:
    from ..solvers.plan import Plan


class _Led(NamedTuple):
    """Where one candidate leads: arrays and reward as of `Grounds`, and what follows."""

    transitions: Int64
    distances: Float64
    weights: Float64
    shares: Float64
    reward: float
    future: float


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
        self._model = pose(mdp, replace(asked, action_noise=0.0))
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
            noise=noise_of(self._plan.mdp, self._plan.objective),
        )

    def choices(self, features: Floats, observations: Array) -> Choices:
        """Return the candidates of states with features [B, D] and observations [B, ...]."""
        return self.rule.choices(features, observations)

    def grounds(self, choices: Choices, row: int, place: int) -> Grounds:
        """Return what the Q-value of one candidate of one of the states rests on."""
        done = self.rule.done(choices, row, place)
        parts = [self._leads(choices.candidates.one(row, other)) for other, _ in done]
        chances = [chance for _, chance in done]
        weighed = list(zip(parts, chances, strict=True))
        reward = float(sum(part.reward * chance for part, chance in weighed))
        future = float(sum(part.future * chance for part, chance in weighed))
        return Grounds(
            transitions=np.concatenate([part.transitions for part in parts]),
            distances=np.concatenate([part.distances for part in parts]),
            weights=np.concatenate([part.weights * chance for part, chance in weighed]),
            shares=np.concatenate([part.shares * chance for part, chance in weighed]),
            reward=reward,
            penalty=reward + future - float(choices.q_values[row, place]),
        )

    def _leads(self, candidates: Candidates) -> _Led:
        """Return where one candidate leads."""
        transition = int(candidates.transitions[0, 0])
        model = self.rule.posed(candidates, np.ones((1, 1), dtype=bool))
        led = candidates.indices[0, 0, : model.k]
        there = led >= 0
        outcome = reference.outcomes(model, self.values)
        weights = reference.outcome_weights(model, outcome)[0, 0][there]
        return _Led(
            transitions=led[there].astype(np.int64),
            distances=candidates.distances[0, 0, : model.k][there].astype(np.float64),
            weights=weights,
            shares=weights * (outcome[0, 0][there] - model.penalties[0, 0]),
            reward=float(self._rewards[transition]),
            future=float(weights @ (model.gamma * self._living[led[there]])),
        )

    @cached_property
    def _living(self) -> Float64:
        return np.where(self._plan.mdp.transitions.terminations, 0.0, self.values)
