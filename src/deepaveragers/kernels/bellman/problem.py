"""The arrays and numbers that every planning kernel reads."""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Bool, Float32, Float64, Int32

DISTANCE_OFFSET = 1e-5
"""The paper's delta_d: keeps the weight of a neighbour at distance 0 finite."""


class Problem(NamedTuple):
    """One compiled MDP under one objective; see `kernels.bellman.reference` for the equations.

    Attributes:
        indices: [N, A, K] int32, successors; negative where there is none.
        distances: [N, A, K] float32, inf where there is none.
        rewards: [N] float64, reward of every transition.
        terminal: [N] bool, core states where the episode ended.
        allowed: [N, A] bool, or [1, A] where all states have the same actions.
        penalties: [N, A] float64, what taking an action costs, or [1, A] where it is the same
            in all states.
        policy: [N, A] float64 probabilities of a policy to evaluate; [0, A] to optimise.
        k: neighbours to average.
        gamma: discount.
        cost: C, the price of a unit of distance where it is not adaptive.
        uniform: equal weights instead of inverse distances.
        adaptive: 1 / diameter for the adaptive penalty, 0 for the linear one.
        slip: probability of a random available action.
        worst_case: weight of the worst neighbour.
    """

    indices: Int32
    distances: Float32
    rewards: Float64
    terminal: Bool
    allowed: Bool
    penalties: Float64
    policy: Float64
    k: int
    gamma: float
    cost: float
    uniform: bool
    adaptive: float
    slip: float
    worst_case: float

    @property
    def size(self) -> int:
        """Number of core states."""
        return len(self.rewards)

    @property
    def is_plain(self) -> bool:
        """Whether V = max_a Q, and Q an average: no slip, worst case or given policy."""
        return self.slip == 0.0 and self.worst_case == 0.0 and len(self.policy) == 0

    @property
    def width(self) -> int:
        """Successors of one state under a fixed policy, at most."""
        mixed = self.slip > 0.0 or len(self.policy) > 0
        return self.k * self.indices.shape[1] if mixed else self.k
