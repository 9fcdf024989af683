"""Bounds on the optimal values from one sweep.

Let V be the values before a sweep and Z those after it; d = Z - V. In a Jacobi sweep every
backup reads V; in a Gauss-Seidel sweep some of what it reads is already Z. Either way, with u a
bound on how far a computed backup is from the exact one, of the stored distances and rewards,
and d+ = max(0, max d):

    T Z (s) <= backup(s) + gamma d+ <= Z(s) + u + gamma d+

so with b = (u + gamma d+) / (1 - gamma), T(Z + b) <= T Z + gamma b <= Z + b, and as T is
monotone, V* <= Z + b. The lower bound mirrors it. (The MacQueen bounds, in the form that
stays right where successors end the episode and do not move with a constant.)

A sweep over the graph, in float64: an average of k outcomes r + gamma V - price * distance with
weights that carry 2 rounding errors each, so fewer than 2 k + 16 units of 2^-53 of the largest
outcome's parts; at most A + 8 more for slip, worst case, policies, and the subtraction Z - V.

A sweep over the packed MDP (`kernels.bellman.packed`) computes in float64 too, but from numbers
that were rounded to float32 when they were stored. Let e = 2^-24 + (k + 8) 2^-53, which bounds the
relative error of a number computed in float64 by fewer than k + 8 steps and then stored. Weights
w_j are so close to alpha_j, which add up to 1. With m the middle of the range of V, and h half
its width, the ends of episodes (V = 0) included,

    | m + sum_j w_j (V_j - m) - sum_j alpha_j V_j | = | sum_j (w_j - alpha_j) (V_j - m) | <= e h

however large V is. (A missing neighbour has weight 0 exactly.) The mean reward, of the w_j, was
rounded once more when it was stored: within 2 e of max|r|. The mean distance, of the unrounded
weights: within e. R is their difference, less a penalty, rounded once more: in all within
3 e of max|r| + max(price * distance) + |penalty|. So u is at most, a little enlarged for e^2,

    e (gamma h + 3 (max|r| + max(price * distance) + |penalty|))

plus what the float64 arithmetic above adds. Below 2^-126 numbers of float32 are 2^-149 apart, which
counts for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..arrays import Float64
from ..kernels.bellman.problem import Problem
from ..kernels.precision import FLOAT32_UNIT, FLOAT64_UNIT, SMALLEST_FLOAT32

LARGEST = 1e30
"""Size of values and steps at most: float32 ends at 3e38, and mixtures may go far for a while."""


@dataclass(frozen=True)
class Certificate:
    """What one sweep proves.

    Attributes:
        below: how far the optimal values can lie below the computed ones.
        above: how far they can lie above.
        residual: largest absolute change of a value in the sweep.
        rounding: bound on the rounding of one backup (u).
        policy_below: how far the values of the policy that is greedy after the sweep can lie
            below the computed ones; None where the sweep says nothing of that.
    """

    below: float
    above: float
    residual: float
    rounding: float
    policy_below: float | None = None

    @property
    def error(self) -> float:
        """Largest possible distance to the optimal values."""
        return max(self.below, self.above)


def largest_price(problem: Problem) -> float:
    """Return the largest that c(s, a), the price of a unit of distance, can be."""
    if problem.adaptive > 0.0:
        return problem.adaptive * max(0.0, float(problem.rewards.max()))
    return problem.cost


def largest_step(problem: Problem, distance_cost: float) -> float:
    """Return the size of the numbers that one step adds up; the largest price x distance is one."""
    return largest_size(problem.rewards) + distance_cost + largest_size(problem.penalties)


def largest_size(array: Float64) -> float:
    """Return max |x|, or 0 of nothing; no copy is made, since [N, A] penalties are large."""
    return max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))


def rounding_of_backup(problem: Problem, largest_value: float, distance_cost: float) -> float:
    """Return u for values and costs of distances up to these sizes."""
    sizes = largest_step(problem, distance_cost) + largest_value
    return (2 * problem.k + problem.indices.shape[1] + 24) * FLOAT64_UNIT * sizes


def rounding_of_packed(
    problem: Problem, smallest: float, largest: float, distance_cost: float
) -> float:
    """Return u of a sweep over the packed MDP, whose values lie between two; no graph is read."""
    half = 0.5 * (largest - smallest)
    share = FLOAT32_UNIT + (problem.k + 8) * FLOAT64_UNIT
    stored = problem.gamma * half + 3.0 * largest_step(problem, distance_cost)
    tiny = SMALLEST_FLOAT32 * (problem.k * half + largest_price(problem) + 3.0)
    exact = rounding_of_backup(problem, max(abs(smallest), abs(largest)), distance_cost)
    return share * stored * (1.0 + 1e-6) + tiny + exact


def certify(gamma: float, smallest: float, largest: float, rounding: float) -> Certificate:
    """Return the bounds after a sweep, given its smallest and largest change, and u."""
    down, up = max(0.0, -smallest), max(0.0, largest)
    slack = (1.0 + 16 * FLOAT64_UNIT) / (1.0 - gamma)
    below = (rounding + gamma * down) * slack
    return Certificate(
        below=below,
        above=(rounding + gamma * up) * slack,
        residual=max(down, up),
        rounding=rounding,
        policy_below=below,
    )


def certify_backups(
    problem: Problem, found: Iterable[tuple[float, float, float, int]], values: Float64
) -> tuple[Certificate, int, float]:
    """Return the bounds after a sweep over the graph, its stuck states and largest distance cost.

    `found` is what `kernels.bellman.backup` said of each block, `values` [N] those after it.
    """
    smallest, largest, costs, stuck = zip(*found)
    change = max(0.0, -min(smallest), max(largest))
    rounding = rounding_of_backup(problem, largest_size(values) + change, max(costs))
    proof = certify(problem.gamma, min(smallest), max(largest), rounding)
    return proof, sum(stuck), max(costs)
