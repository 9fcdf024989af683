"""The linear system of a policy, x = constant + weight x[successors], and a sweep over it.

For values V and a fixed policy, with P its rows of the transition matrix, the system is either
that of the values themselves (constant = R_pi) or that of their correction e, V + e = V_pi,
with constant = T_pi V - V. A third kind stands in `linearized_improvement`: rows that agree with a
backup at the values at hand. A worst case fixes the worst neighbour of the moment along with the
action. Discount and probabilities are in the weights: weight = gamma P.

Rows are solved for the state's own value, so that a state that leads to itself takes one sweep,
not 1 / (1 - gamma). Vectors of length 2N have two halves as in `sweep_state`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Float32, Float64, Int32
from ..jit import fused, inlined, kernel
from .backup import NO_ACTION, neighbor_weight, price_of
from .problem import Problem
from .static_width import StaticWidth

OWN_PLACES: Int32 = np.empty(0, np.int32)
"""Stands for places that are the states' own."""


class PolicySystem(NamedTuple):
    """The system of N states; W successors each.

    Attributes:
        successors: [N, W] int32, places in [2N].
        weight: [N, W] float32.
        constant: [N] float32.
        solution: [2N] float32, x on its way.
        place: [N] int32, where x of a state stands in the first half; empty where that is its
            number.
    """

    successors: Int32
    weight: Float32
    constant: Float32
    solution: Float32
    place: Int32 = OWN_PLACES


def empty_system(size: int, width: int, place: Int32 = OWN_PLACES) -> PolicySystem:
    """Return room for a system; its solution is 0."""
    return PolicySystem(
        successors=np.empty((size, width), np.int32),
        weight=np.empty((size, width), np.float32),
        constant=np.empty(size, np.float32),
        solution=np.zeros(2 * size, np.float32),
        place=place,
    )


@inlined
def solve_for_itself(
    s: int, width: int, successors: Int32, weight: Float32, constant: Float32
) -> None:
    """Solve row s, which may lead to its own state, for that state's value."""
    itself = 0.0
    for j in range(width):
        if successors[s, j] == s + len(constant):
            itself += weight[s, j]
            successors[s, j], weight[s, j] = s, 0.0
    if itself > 0.0:
        grown = 1.0 / (1.0 - itself)
        constant[s] *= grown
        for j in range(width):
            weight[s, j] *= grown


@inlined
def _write_action(
    indices: Int32, distances: Float32, s: int, a: int, k: int, uniform: bool, price: float,
    worst_case: float, discounted: float, gains: Float64, size: int, lo: int, hi: int,
    first: int, index: Int32, weight: Float32,
) -> float:  # fmt: skip
    """Write the successors of an action from column `first` of row s on.

    `discounted` is gamma times its probability. Returns Q(s, a) without its penalty; -inf if there
    are no successors, and the weights are 0.
    """
    total, mass, least, worst, q = 0.0, 0.0, np.inf, 0, -np.inf
    for j in range(k):
        i = indices[s, a, j]
        index[s, first + j] = s
        weight[s, first + j] = 0.0
        if i >= 0:
            distance = np.float64(distances[s, a, j])
            part = neighbor_weight(uniform, distance)
            outcome = gains[np.uint32(i)] - price * distance
            if outcome < least:
                least, worst = outcome, j
            total += part * outcome
            mass += part
            weight[s, first + j] = part
            index[s, first + j] = i + size if lo <= i < hi else i
    if mass > 0.0:
        q = total / mass
        scale = discounted * (1.0 - worst_case) / mass
        for j in range(first, first + k):
            weight[s, j] *= scale
        if worst_case > 0.0:
            q = (1.0 - worst_case) * q + worst_case * least
            weight[s, first + worst] += discounted * worst_case
    return q


@kernel
def write_system(
    lo: int, hi: int, problem: Problem, gains: Float64, values: Float64, choice: Int32,
    system: PolicySystem,
) -> float:  # fmt: skip
    """Write the system of the correction of V [N] under the chosen policy [N], for a part.

    `gains` [2N] is r + gamma V. Returns the largest absolute constant.
    """
    # Fields are read here: read in a loop, each would count references to its array.
    indices, distances, rewards = problem.indices, problem.distances, problem.rewards
    allowed, penalties, policy = problem.allowed, problem.penalties, problem.policy
    index, weight, constants, _, _ = system
    size, width = index.shape
    k, gamma, slip = problem.k, problem.gamma, problem.slip
    uniform, worst_case = problem.uniform, problem.worst_case
    cost, adaptive, policy_given = problem.cost, problem.adaptive, len(policy) > 0
    allowed_stride = 1 if allowed.shape[0] > 1 else 0
    penalty_stride = 1 if penalties.shape[0] > 1 else 0
    largest = 0.0
    for s in range(lo, hi):
        if choice[s] == NO_ACTION:
            constants[s] = 0.0
            for j in range(width):
                index[s, j] = s
                weight[s, j] = 0.0
            continue
        first, count = choice[s], 1
        if width > k:
            first, count = 0, 0
            for a in range(width // k):
                # Neighbours that are missing stand last.
                if allowed[s * allowed_stride, a] and indices[s, a, 0] >= 0:
                    count += 1
        value = 0.0
        for a in range(first, first + width // k):
            share = slip / count + (1.0 - slip if a == choice[s] else 0.0)
            if policy_given:
                share = policy[s, a]
            if not allowed[s * allowed_stride, a]:
                share = 0.0
            price = price_of(indices, rewards, s, a, k, cost, adaptive)
            q = _write_action(
                indices, distances, s, a, k, uniform, price, worst_case, gamma * share,
                gains, size, lo, hi, (a - first) * k, index, weight,
            )  # fmt: skip
            if share > 0.0 and q > -np.inf:
                value += share * (q - penalties[s * penalty_stride, a])
        constants[s] = value - values[s]
        solve_for_itself(s, width, index, weight, constants)
        largest = max(largest, np.float64(abs(constants[s])))
    return largest


@fused
def sweep(lo: int, hi: int, static: StaticWidth, system: PolicySystem) -> float:
    """Sweep once over states lo..hi by Gauss-Seidel; return the largest absolute change.

    `static` is as long as W, or empty for any W.
    """
    index, weight, constant, solution, _ = system
    size, any_width = np.uint64(len(constant)), index.shape[1]
    width = len(static) if len(static) > 0 else any_width
    largest, last = np.float32(0.0), np.uint64(hi - 1)
    for step in range(np.uint64(hi - lo)):
        s = last - step
        value = constant[s]
        # The nearest last: it is often the state just visited, and nothing else waits for it.
        for j in range(width - 1, -1, -1):
            value += weight[s, j] * solution[np.uint32(index[s, j])]
        largest = max(largest, abs(value - solution[s + size]))
        solution[s + size] = value
    return np.float64(largest)
