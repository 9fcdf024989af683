"""The other solvers, each through its own public interface.

All start from V = 0 and stop at an error of `error`, by their own rule. What they need is
prepared beforehand and not timed. One that takes too long is stopped: its time is then a
lower bound.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .tables import Tables

LONGEST_QUANTECON = 60.0
LONGEST_MDPSOLVER = 10.0
"""Seconds."""


@dataclass(frozen=True, eq=False)
class Run:
    """How one solver did.

    Attributes:
        seconds: wall-clock time.
        values: [N], or None where it was stopped without any.
        sweeps: iterations as the solver counts them; 0 where it does not tell.
        stopped: whether it was ended before it was done.
    """

    seconds: float
    values: np.ndarray | None
    sweeps: int
    stopped: bool = False


Solver = Callable[[float, float], Run]
"""From gamma and the error asked for to how it did."""


def quantecon(tables: Tables) -> Solver:
    """Prepare QuantEcon's modified policy iteration, with its default of 20 evaluation sweeps."""
    from quantecon.markov import DiscreteDP

    size, actions, _ = tables.successors.shape
    pairs = np.repeat(np.arange(size), actions), np.tile(np.arange(actions), size)
    problem = DiscreteDP(tables.rewards.ravel(), tables.sparse, 0.5, *pairs)

    def solve(gamma: float, error: float) -> Run:
        problem.beta = gamma
        options = {"method": "mpi", "epsilon": 2.0 * error, "v_init": np.zeros(size)}
        begin = time.perf_counter()
        problem.solve(**options, max_iter=2)
        each = (time.perf_counter() - begin) / 2
        limit = max(3, int(LONGEST_QUANTECON / each))
        begin = time.perf_counter()
        found = problem.solve(**options, max_iter=limit)
        seconds = time.perf_counter() - begin
        return Run(seconds, found.v, found.num_iter, found.num_iter >= limit)

    return solve


def mdpsolver(tables: Tables) -> Solver:
    """Prepare mdpsolver's modified policy iteration (C++), its defaults otherwise."""

    def solve(gamma: float, error: float) -> Run:
        # It cannot be interrupted, so it works in a process of its own; a fork might hang, on locks
        # of threads that it does not have.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        child = context.Process(target=_solve_by_mdpsolver, args=(tables, gamma, error, theirs))
        child.start()
        try:
            ours.recv()
            if not ours.poll(LONGEST_MDPSOLVER):
                return Run(LONGEST_MDPSOLVER, None, 0, stopped=True)
            seconds, values = ours.recv()
            return Run(seconds, values, 0)
        finally:
            child.kill()
            child.join()

    return solve


def _solve_by_mdpsolver(tables: Tables, gamma: float, error: float, pipe: Any) -> None:
    import mdpsolver

    model = mdpsolver.model()
    model.mdp(
        discount=gamma,
        rewards=tables.rewards.tolist(),
        tranMatProbs=tables.weights.tolist(),
        tranMatColumns=tables.successors.tolist(),
    )
    pipe.send("ready")
    begin = time.perf_counter()
    model.solve(algorithm="mpi", tolerance=error)
    seconds = time.perf_counter() - begin
    pipe.send((seconds, np.array(model.getValueVector())))


PEERS: dict[str, Callable[[Tables], Solver]] = {"quantecon": quantecon, "mdpsolver": mdpsolver}
TITLES = {
    "quantecon": "QuantEcon, modified policy iteration",
    "mdpsolver": "mdpsolver, modified policy iteration",
}
