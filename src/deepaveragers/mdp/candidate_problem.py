"""An objective posed on candidates: the same arrays as of numbered actions, for every kernel.

With candidate j of s a transition c at the gap d, l = 0 where c ended its episode and else 1, and
alpha_i, e_i the weights and distances of the core states that it leads to,

    Q(s, j) = r_c - C (d + l sum_i alpha_i e_i) + gamma l sum_i alpha_i V(i) - fee_c
    V(s)    = max over the available candidates

The reward, the gap and the fee of a candidate depend on nothing that is averaged. So they are one
penalty per state and candidate, C d + fee - r, and the rewards of core states are 0; a candidate
that ended leads to its own core state, where the value is 0, at e = 0. (Reward and end are those
of the candidate: those of the core states that it leads to belong to other transitions.)
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array, Bool, Float64, Floats, Int32, frozen
from ..errors import InputError
from ..kernels.bellman.problem import Problem
from ..neighbors.candidates import CandidateGraph, Candidates, CandidateSearch
from ..neighbors.features import Features
from .action_noise import ActionNoise, ranges_of, with_noise
from .action_rules import ActionRules
from .objective import Objective

if TYPE_CHECKING:
    from .model import DacMdp

STEP_PRICE = 2.0
"""Deviations of a reward that a jump as long as one step costs: of 1, 2 and 3 the best on the
development seeds of Pendulum, MountainCarContinuous and LunarLanderContinuous."""


def candidate_graph(mdp: DacMdp) -> CandidateGraph:
    """Return the graph of a model whose actions are rows."""
    graph = mdp.graph
    if not isinstance(graph, CandidateGraph):
        raise InputError("mdp", "compiled from actions that are rows", mdp.transitions)
    return graph


def candidate_cost(mdp: DacMdp, rewards: Floats) -> float:
    """Return the price of distance: 2 mean |r - mean r| / median length of a logged step.

    Where all rewards are alike, their size stands for their deviation. Another unit of rewards or
    of features changes no plan, and more data do not change it either.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(np.abs(rewards - rewards.mean()).mean())
        size = float(np.abs(rewards).mean())
    if not deviation > 1e-12 * size:
        deviation = size
    scale = mdp.step_length if mdp.step_length > 0.0 else mdp.spread
    cost = STEP_PRICE * deviation / scale if scale > 0.0 else 0.0
    return cost if np.isfinite(cost) else 0.0


class CandidateRules:
    """One objective on one model, for core states and for any others.

    Args:
        mdp: the compiled MDP.
        objective: the question, with its cost.
        rewards: [N] float64, of the transitions under the objective.
        cost: its number.
    """

    def __init__(self, mdp: DacMdp, objective: Objective, rewards: Float64, cost: float) -> None:
        if objective.penalty == "adaptive":
            raise InputError("penalty", "'linear' for actions that are rows", "'adaptive'")
        self.rules = ActionRules(mdp.transitions, objective)
        self._rewards, self._cost = rewards, cost

    def penalties(self, transitions: Int32, gaps: Floats) -> Float64:
        """Return [B, m] float64, C d + fee - r of candidates; 0 where there are fewer."""
        return penalties_of(self.dues, self._cost, transitions, gaps)

    @cached_property
    def dues(self) -> Float64:
        """[N] float64, fee - r of the transitions."""
        return self.rules.fees - self._rewards

    def allowed(self, transitions: Int32, observations: Array | None = None) -> Bool:
        """Return [B, m] bool, see `ActionRules.allowed`."""
        return self.rules.allowed(transitions, observations)


def penalties_of(dues: Float64, cost: float, transitions: Int32, gaps: Floats) -> Float64:
    """Return [B, m] float64, C d + fee - r of candidates; 0 where there are fewer.

    Args:
        dues: [N] fee - r of the transitions.
        cost: C.
        transitions: [B, m] the candidates.
        gaps: [B, m] d.
    """
    with np.errstate(invalid="ignore"):  # inf * 0, where there are fewer candidates
        paid = np.multiply(gaps, cost, dtype=np.float64)
    paid += dues.take(transitions, mode="wrap")
    missing = transitions < 0
    if missing.any():
        paid[missing] = 0.0
    return paid


def candidate_search(mdp: DacMdp, permitted: Bool | None = None) -> CandidateSearch:
    """Return the search for the candidates of any state, among permitted transitions [N]."""
    graph = candidate_graph(mdp)
    return CandidateSearch(
        Features(mdp.source_features, mdp.core_features),
        mdp.transitions.terminations,
        graph.transitions.shape[1],
        graph.k,
        graph.landing,
        None if permitted is None else np.flatnonzero(permitted),
    )


def with_permitted_candidates(mdp: DacMdp, objective: Objective) -> DacMdp:
    """Return the model in which no state is left with forbidden actions only.

    Where all m candidates are forbidden, the m nearest that are not take their place.
    """
    known = candidates_of(mdp)
    living = ~mdp.transitions.terminations
    found = permitted_candidates(mdp, objective, known, mdp.core_features, living)
    if found is known:
        return mdp
    fields: dict[str, Any] = {name: frozen(array) for name, array in found._asdict().items()}
    return replace(mdp, graph=replace(candidate_graph(mdp), **fields))


def candidates_of(mdp: DacMdp) -> Candidates:
    """Return the candidates of the core states."""
    graph = candidate_graph(mdp)
    return Candidates(graph.transitions, graph.gaps, graph.indices, graph.distances)


def permitted_candidates(
    mdp: DacMdp, objective: Objective, found: Candidates, features: Floats, deciding: Bool
) -> Candidates:
    """Return the candidates of B states; others where all of them are forbidden.

    Args:
        mdp: the compiled MDP.
        objective: what forbids.
        found: the candidates; they are returned as they are where none has to change.
        features: [B, D] of the states.
        deciding: [B] bool, states that need a candidate.
    """
    if not objective.forbidden_actions:
        return found
    permitted = ActionRules(mdp.transitions, objective).permitted
    left = (permitted[found.transitions] & (found.transitions >= 0)).any(axis=1)
    stuck = np.flatnonzero(~left & deciding)
    if not len(stuck):
        return found
    return found.replaced(stuck, candidate_search(mdp, permitted).find(features[stuck]))


def as_problem(
    mdp: DacMdp,
    objective: Objective,
    policy: Float64,
    rewards: Float64,
    cost: float,
    k: int,
    found: Candidates,
    observations: Array | None = None,
) -> Problem:
    """Return the arrays and numbers of an objective on some states' candidates.

    Arguments are checked; observations are those of `ActionRules.allowed`.
    """
    rules = CandidateRules(mdp, objective, rewards, cost)
    problem = Problem(
        indices=found.indices,
        distances=found.distances,
        rewards=np.zeros(len(mdp)),
        terminal=mdp.transitions.terminations,
        allowed=rules.allowed(found.transitions, observations),
        penalties=rules.penalties(found.transitions, found.gaps),
        policy=policy,
        k=k,
        gamma=float(objective.gamma),
        cost=cost,
        uniform=objective.weighting == "uniform",
        adaptive=0.0,
        slip=float(objective.slip),
        worst_case=float(objective.worst_case),
    )
    noise = noise_of(mdp, objective)
    if noise is None:
        return problem
    return with_noise(problem, found.transitions, mdp.transitions.actions, noise)


def noise_of(mdp: DacMdp, objective: Objective) -> ActionNoise | None:
    """Return the noise on actions that an objective asks for."""
    if not objective.action_noise:
        return None
    return ActionNoise(float(objective.action_noise), ranges_of(mdp.transitions))
