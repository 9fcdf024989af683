"""Evaluating a policy under which every state has one successor.

e(s) = b(s) + w(s) e(next(s)) is a graph of paths that end in cycles. A walk from each state
not yet solved marks its path until it meets a solved state or itself. In the second case the
cycle is solved in one go: around it e = B + W e, so e = B / (1 - W). Then the path is solved
backwards. Every state is walked over twice: exact, and linear in the number of states.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Int32
from .cpu import kernel


@kernel
def solve_paths(index: Int32, weight: Float32, residual: Float32, correction: Float32) -> None:
    """Solve e = residual + weight e(index) exactly.

    Args:
        index: [N, 1] successors; those beyond N stand for index - N.
        weight: [N, 1] in [0, 1), discount included.
        residual: [N] right-hand side.
        correction: [2N] e, both halves written.
    """
    size = residual.shape[0]
    solution = np.zeros(size)
    # The number of the walk that met a state first; 0 before that.
    met = np.zeros(size, np.int32)
    solved = np.zeros(size, np.bool_)
    path = np.empty(size, np.int32)
    for start in range(size):
        length, s = 0, start
        while not solved[s] and met[s] != start + 1:
            met[s] = start + 1
            path[length] = s
            length += 1
            s = index[s, 0] % size
        if not solved[s]:
            total, factor, place = 0.0, 1.0, length
            while place > 0:
                place -= 1
                if path[place] == s:
                    break
            for step in range(place, length):
                total += factor * np.float64(residual[path[step]])
                factor *= np.float64(weight[path[step], 0])
            solution[s] = total / (1.0 - factor)
        ahead = solution[s]
        for step in range(length - 1, -1, -1):
            s = path[step]
            if not solved[s]:
                ahead = np.float64(residual[s]) + np.float64(weight[s, 0]) * ahead
                solution[s] = ahead
                solved[s] = True
    for s in range(size):
        correction[s] = solution[s]
        correction[s + size] = solution[s]
