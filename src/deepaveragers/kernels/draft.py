"""Kernels of the first guess in float32, which reads the MDP as a table.

`weigh` writes successors and alpha once for all objectives, `expect` the mean reward once for
those that have the same rewards, `price` R for one; a sweep is then a product with these
tables. Half the bytes means that twice the values stay in the cache, and fetching values is what
a sweep costs. Vectors of length 2N have two halves as in `kernels.cpu`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Float64, Int32
from .cpu import Lanes, inlined, kernel, largest_reward
from .evaluation import Rows
from .model import DISTANCE_OFFSET, Model
from .team import Team, exchange, note, piece


@kernel
def weigh(
    lo: int, hi: int, lanes: Lanes, model: Model, index: Int32, weight: Float32, distance: Float32
) -> float:  # fmt: skip
    """Write where sweeps find the successors of a block, their shares and mean distance.

    Args:
        lo: first state of the block.
        hi: one past its last state.
        lanes: as long as k, or empty for any k.
        model: the MDP; its graph, terminal states, k and weighting are read.
        index: [N, A, k] written: where a sweep finds the successors' values in [2N]; those of
            the block's own states in the second half.
        weight: [N, A, k] written, alpha: adds up to 1, or to 0 where the action has no
            neighbour or the episode ended.
        distance: [N, A] written, the sum of alpha times distance.

    Returns:
        the largest distance.
    """
    indices, distances, uniform = model.indices, model.distances, model.uniform
    size, actions, any_k = weight.shape
    k = len(lanes) if len(lanes) > 0 else any_k
    one, offset = np.float32(1.0), np.float32(DISTANCE_OFFSET)
    farthest = np.float32(0.0)
    for s in range(lo, hi):
        for a in range(actions):
            mass, mean = np.float32(0.0), np.float32(0.0)
            for j in range(k):
                i, far = indices[s, a, j], distances[s, a, j]
                part = one if uniform else one / (far + offset)
                if i < 0 or model.terminal[s]:
                    part, far = np.float32(0.0), np.float32(0.0)
                mass += part
                mean += part * far
                farthest = max(farthest, far)
                weight[s, a, j] = part
                own = np.uint32(i - lo) < np.uint32(hi - lo)
                index[s, a, j] = i + size if own else max(i, 0)
            if mass > 0.0:
                mean /= mass
                for j in range(k):
                    weight[s, a, j] /= mass
            distance[s, a] = mean
    return np.float64(farthest)


@kernel
def expect(
    lo: int, hi: int, lanes: Lanes, model: Model, weight: Float32, mean: Float32
) -> None:  # fmt: skip
    """Write the mean reward of every action of a block.

    Args:
        lo: first state of the block.
        hi: one past its last state.
        lanes: as long as k, or empty for any k.
        model: the MDP; its graph, rewards and terminal states are read.
        weight: [N, A, k] from `weigh`.
        mean: [N, A] written; -inf where the action has no neighbour, 0 where the episode ended.
    """
    _, actions, any_k = weight.shape
    k = len(lanes) if len(lanes) > 0 else any_k
    for s in range(lo, hi):
        for a in range(actions):
            value, mass = np.float32(0.0), np.float32(0.0)
            for j in range(k):
                part = weight[s, a, j]
                i = np.uint32(max(model.indices[s, a, j], 0))
                value += part * np.float32(model.rewards[i])
                mass += part
            if mass == 0.0:
                value = np.float32(0.0 if model.terminal[s] else -np.inf)
            mean[s, a] = value


@kernel
def price(
    lo: int, hi: int, model: Model, mean: Float32, distance: Float32,
    reward: Float32, values: Float32,
) -> tuple[float, int]:  # fmt: skip
    """Write R [N, A] and V = max_a R of a block.

    Args:
        lo: first state of the block.
        hi: one past its last state.
        model: the MDP, with neither slip nor worst case nor policy.
        mean: [N, A] from `expect`.
        distance: [N, A] from `weigh`.
        reward: [N, A] written; -inf where the action is not available.
        values: [2N], both halves written.

    Returns:
        the largest |max_a R|, and the number of states without an action.
    """
    allowed, penalties = model.allowed, model.penalties
    size, actions = mean.shape
    every_row = 1 if allowed.shape[0] > 1 else 0
    scale, stuck = 0.0, 0
    cost = np.float32(model.cost)
    for s in range(lo, hi):
        best = np.float32(-np.inf)
        for a in range(actions):
            if model.adaptive > 0.0:
                largest = largest_reward(model.indices, s, a, model.k, model.rewards)
                cost = np.float32(model.adaptive * largest)
            value = mean[s, a] - cost * distance[s, a] - np.float32(penalties[a])
            if model.terminal[s]:
                value = np.float32(0.0)
            elif not allowed[s * every_row, a]:
                value = np.float32(-np.inf)
            reward[s, a] = value
            best = max(best, value)
        if best == -np.inf:
            stuck += 1
            continue
        scale = max(scale, np.float64(abs(best)))
        values[s] = best
        values[s + size] = best
    return scale, stuck


@inlined
def _write_row(
    s: int, chosen: int, k: int, gamma: float,
    index: Int32, weight: Float32, reward: Float32, rows: Rows,
) -> None:  # fmt: skip
    """Write the row of an action, as `cpu.relax` reads it: V = residual + weight V."""
    row_index, row_weight, row_reward = rows.successors, rows.weight, rows.residual
    own = np.float32(0.0)
    for j in range(k):
        part = gamma * weight[s, chosen, j]
        if index[s, chosen, j] == s + len(row_reward):
            own += part
            part = np.float32(0.0)
        row_index[s, j] = index[s, chosen, j]
        row_weight[s, j] = part
    # Solved for the state's own value: one that leads to itself takes one sweep.
    grown = np.float32(1.0) / (np.float32(1.0) - own)
    row_reward[s] = reward[s, chosen] * grown
    for j in range(k):
        row_weight[s, j] *= grown


@kernel
def improve(
    lo: int, hi: int, lanes: Lanes, gamma: float,
    index: Int32, weight: Float32, reward: Float32, choice: Int32, rows: Rows,
) -> float:  # fmt: skip
    """Sweep over a part of a block, and write the rows of the best actions.

    Args:
        lo: first state of the part.
        hi: one past its last state.
        lanes: as long as k, or empty for any k.
        gamma: discount, a float32.
        index: [N, A, k] from `weigh`.
        weight: [N, A, k] from `weigh`.
        reward: [N, A] from `price`.
        choice: [N] the policy, written.
        rows: of the policy, written where it changes; their `correction` is V.

    Returns:
        the largest absolute change of a value.
    """
    size, actions, any_k = weight.shape
    k = len(lanes) if len(lanes) > 0 else any_k
    values = rows.correction
    largest = np.float32(0.0)
    for step in range(hi - lo):
        s = hi - 1 - step
        best, chosen = np.float32(-np.inf), 0
        for a in range(actions):
            future = np.float32(0.0)
            for j in range(k - 1, -1, -1):
                future += weight[s, a, j] * values[np.uint32(index[s, a, j])]
            q = reward[s, a] + gamma * future
            if q > best:
                best = q
                chosen = a
        if chosen != choice[s]:
            choice[s] = chosen
            _write_row(s, chosen, k, gamma, index, weight, reward, rows)
        largest = max(largest, abs(best - values[s + size]))
        values[s + size] = best
    return np.float64(largest)


@kernel
def improve_all(
    member: int, members: int, team: Team, lanes: Lanes, gamma: float,
    index: Int32, weight: Float32, reward: Float32, choice: Int32, rows: Rows,
) -> None:  # fmt: skip
    """Improve part by part in all blocks, as a member of a team."""
    for part in range(team.parts):
        for block in range(member, len(team.edges) - 1, members):
            lo, hi = piece(team, block, part)
            change = improve(lo, hi, lanes, gamma, index, weight, reward, choice, rows)
            note(team, block, part, change)
        if not exchange(member, members, team, part, rows.correction):
            return


@kernel
def follow(
    lo: int,
    hi: int,
    preferred: Float64,
    gamma: float,
    index: Int32,
    weight: Float32,
    reward: Float32,
    choice: Int32,
    rows: Rows,
) -> None:
    """Write the rows of the available actions that are largest in `preferred` [N, A]."""
    actions, k = weight.shape[1:]
    for s in range(lo, hi):
        best, chosen = -np.inf, -1
        for a in range(actions):
            available = reward[s, a] > -np.inf
            if available and (chosen < 0 or preferred[s, a] > best):
                best = preferred[s, a]
                chosen = a
        choice[s] = chosen
        _write_row(s, chosen, k, gamma, index, weight, reward, rows)
