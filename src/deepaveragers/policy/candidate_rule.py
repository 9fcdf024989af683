"""How a policy comes to the Q-values of candidates: the acting half, on arrays alone.

The equations are those of `mdp.candidate_problem`; a policy of a plan and one without its log
decide by the same code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Bool, Float64, Floats, Int64
from ..errors import InputError
from ..kernels.bellman import reference
from ..kernels.bellman.problem import Problem
from ..mdp.action_noise import ActionNoise
from ..mdp.candidate_problem import penalties_of
from ..mdp.permission import Permission
from ..neighbors.candidates import Candidates, CandidateSearch
from ..neighbors.index import NeighborIndex


class Choices(NamedTuple):
    """The candidates of B states, and what each is worth.

    Attributes:
        candidates: which they are.
        q_values: [B, m] float64; -inf where one is not available.
    """

    candidates: Candidates
    q_values: Float64

    @property
    def best(self) -> Int64:
        """[B] transitions whose action is worth most; the nearest of those that are alike."""
        places = np.argmax(self.q_values, axis=1)
        return self.at(places)

    def at(self, places: Int64) -> Int64:
        """Return [B] the transitions at given places of the candidates."""
        rows = self.candidates.transitions[np.arange(len(places)), places]
        return rows.astype(np.int64)


@dataclass(frozen=True, eq=False)
class CandidateRule:
    """Q-values of the candidates of any state.

    Attributes:
        search: finds candidates, and where they lead.
        permitted: the same among those that are not forbidden; None where none is.
        permission: which candidates a state may take.
        dues: [N] float64, fee - r of the transitions.
        problem: the objective's numbers and the ends, without a graph.
        values: [N] float64, what core states are worth.
        noise: on the actions; None where there is none.
    """

    search: CandidateSearch
    permitted: CandidateSearch | None
    permission: Permission
    dues: Float64
    problem: Problem
    values: Float64
    noise: ActionNoise | None = None

    @property
    def actions(self) -> Array:
        """[N, Da] of the transitions."""
        return self.permission.actions

    @property
    def index(self) -> NeighborIndex | None:
        """Index over the core states that go on; None where candidates are not led there."""
        lands = self.search.landing == "change" and not self.search.ended.all()
        return self.search.living if lands else None

    def choices(self, features: Floats, observations: Array | None = None) -> Choices:
        """Return the candidates of states with features [B, D] and observations [B, ...].

        Where all of a state's candidates are forbidden, the nearest that are not are taken.
        """
        found = self.search.find(features)
        allowed = self.permission.allowed(found.transitions, observations)
        stuck = np.flatnonzero(~(allowed & (found.transitions >= 0)).any(axis=1))
        if len(stuck) and self.permitted is not None:
            found = found.replaced(stuck, self.permitted.find(features[stuck]))
            allowed = self.permission.allowed(found.transitions, observations)
        q_values = reference.average_outcomes(self.posed(found, allowed), self.values)
        if not np.isfinite(q_values).any(axis=1).all():
            raise InputError(
                "action_mask", "such that every state keeps a candidate", "a state without any"
            )
        if self.noise is not None:
            q_values = self.noise.mixed(q_values, self.actions[found.transitions])
        return Choices(found, q_values)

    def done(self, choices: Choices, row: int, place: int) -> list[tuple[int, float]]:
        """Return the candidates that are done where one is wanted, and the chance of each."""
        if self.noise is None:
            return [(place, 1.0)]
        near = choices.candidates.transitions[row][None]
        available = np.isfinite(choices.q_values[row])[None]
        chances = self.noise.chances(self.actions[near], available)[0, place]
        return [(int(one), float(chances[one])) for one in np.flatnonzero(chances)]

    def judge(self, features: Floats) -> tuple[Float64, Float64 | None]:
        """Return Q-values [B, m] of candidates, nearest first; support is about other states."""
        return self.choices(features).q_values, None

    def posed(self, found: Candidates, allowed: Bool) -> Problem:
        """Return the problem of some states' candidates."""
        return self.problem._replace(
            indices=found.indices,
            distances=found.distances,
            allowed=allowed,
            penalties=penalties_of(self.dues, self.problem.cost, found.transitions, found.gaps),
        )
