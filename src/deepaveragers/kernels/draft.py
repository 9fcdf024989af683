"""Kernels of the first guess in float32, which reads the MDP as a table (`kernels.table`).

A sweep is a product with that table. Half the bytes means that twice the values stay in the
cache, and fetching values is what a sweep costs. Vectors of length 2N have two halves as in
`kernels.cpu`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Float64, Int32
from .cpu import Lanes, fused, inlined, kernel
from .evaluation import Rows
from .llvm import ROWS_AHEAD, prefetch_row
from .team import Team, exchange, note, piece


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


@fused
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
        index: [N, A, k] from `table.tabulate`.
        weight: [N, A, k] from `table.tabulate`.
        reward: [N, A] from `table.price`.
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
        # Read backwards, rows do not come ahead of time by themselves.
        if s - ROWS_AHEAD >= lo:
            prefetch_row(index, s - ROWS_AHEAD)
            prefetch_row(weight, s - ROWS_AHEAD)
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
