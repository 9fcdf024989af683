"""Evaluating a policy under which every state has one successor (a functional graph).

x(s) = b(s) + w(s) x(next(s)) is a graph of paths that end in cycles. A walk from each state
not yet solved marks its path until it meets a solved state or itself. In the second case the
cycle is solved in one go: around it x = B + W x, so x = B / (1 - W). Then the path is solved
backwards. Every state is walked over twice: exact, and linear in the number of states.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .policy_system import PolicySystem


@kernel
def solve_functional_graph(system: PolicySystem) -> None:
    """Solve a system with W = 1 exactly; both halves of the solution are written."""
    index, weight, constant, values = system
    size = constant.shape[0]
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
                total += factor * np.float64(constant[path[step]])
                factor *= np.float64(weight[path[step], 0])
            solution[s] = total / (1.0 - factor)
        ahead = solution[s]
        for step in range(length - 1, -1, -1):
            s = path[step]
            if not solved[s]:
                ahead = np.float64(constant[s]) + np.float64(weight[s, 0]) * ahead
                solution[s] = ahead
                solved[s] = True
    for s in range(size):
        values[s] = solution[s]
        values[s + size] = solution[s]
