"""The other solvers, each through its own public interface.

All start from V = 0 and stop at an error of `error`, by their own rule. What they need is
prepared beforehand and not timed. A run that would take too long is cut short:

- plain value iteration makes the same values whoever computes it, so a slow one is timed for
  some sweeps, multiplied by the sweeps that the compiled one needed ("extrapolated");
- the compiled one is extrapolated by its own rate of convergence;
- others are stopped: their time is then a lower bound, their error the one they had.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numba
import numpy as np

from .tables import Tables

LONGEST = 12.0
LONGEST_POLICY_ITERATION = 40.0
UNTIL_DONE = 150.0
"""Seconds for the two that the headline is about."""
PYTHON_STATES = 300


@dataclass(frozen=True)
class Run:
    """How one solver did.

    Attributes:
        solver: its name.
        seconds: wall-clock time, measured or extrapolated.
        values: [N], or None where no run came to its end.
        sweeps: iterations as the solver counts them.
        note: "", "extrapolated" or "stopped".
    """

    solver: str
    seconds: float
    values: np.ndarray | None
    sweeps: int
    note: str = ""


@numba.njit(parallel=True, cache=True)
def _jacobi_sweep(
    successors: Any, weights: Any, rewards: Any, gamma: float, values: Any, new: Any
) -> float:
    size, actions, k = successors.shape
    largest = 0.0
    for s in numba.prange(size):
        best = -np.inf
        for a in range(actions):
            future = 0.0
            for j in range(k):
                future += weights[s, a, j] * values[successors[s, a, j]]
            best = max(best, rewards[s, a] + gamma * future)
        new[s] = best
        largest = max(largest, abs(best - values[s]))
    return largest


def compiled_value_iteration(
    tables: Tables, gamma: float, error: float, loose: bool, longest: float = LONGEST
) -> Run:
    """Plain Jacobi value iteration, numba, all threads; float32 weights if `loose`."""
    weights = tables.weights.astype(np.float32) if loose else tables.weights
    values, new = np.zeros(tables.size), np.empty(tables.size)
    goal = error * (1.0 - gamma) / gamma
    begin, sweeps, seen = time.perf_counter(), 0, []
    while True:
        change = _jacobi_sweep(tables.successors, weights, tables.rewards, gamma, values, new)
        values, new = new, values
        sweeps += 1
        seen.append(change)
        seconds = time.perf_counter() - begin
        if change <= goal:
            return Run("value iteration, numba", seconds, values, sweeps)
        if seconds > longest and sweeps >= 20:
            half = sweeps // 2
            rate = min(gamma, (seen[-1] / seen[half]) ** (1.0 / (sweeps - 1 - half)))
            more = math.ceil(math.log(goal / change) / math.log(rate))
            seconds *= (sweeps + more) / sweeps
            return Run("value iteration, numba", seconds, None, sweeps + more, "extrapolated")


def _repeated(
    name: str, sweep: Callable[[np.ndarray], np.ndarray], tables: Tables, jacobi: Run
) -> Run:
    """Time a few sweeps of value iteration; finish them if that is quick, multiply if not."""
    begin, values, done = time.perf_counter(), np.zeros(tables.size), 0
    while done < jacobi.sweeps:
        values = sweep(values)
        done += 1
        seconds = time.perf_counter() - begin
        timed = done >= 3 and (done >= 20 or seconds > 3.0)
        if timed and seconds / done * jacobi.sweeps > LONGEST / 3:
            seconds *= jacobi.sweeps / done
            return Run(name, seconds, None, jacobi.sweeps, "extrapolated")
    return Run(name, time.perf_counter() - begin, values, done)


def scipy_value_iteration(tables: Tables, gamma: float, jacobi: Run) -> Run:
    """Value iteration by SciPy's sparse matrix product."""
    matrix, rewards = tables.sparse, tables.rewards

    def sweep(values: np.ndarray) -> np.ndarray:
        return (rewards + gamma * (matrix @ values).reshape(rewards.shape)).max(axis=1)

    return _repeated("value iteration, SciPy CSR", sweep, tables, jacobi)


def numpy_value_iteration(tables: Tables, gamma: float, jacobi: Run) -> Run:
    """Value iteration by NumPy indexing."""

    def sweep(values: np.ndarray) -> np.ndarray:
        future = (tables.weights * values[tables.successors]).sum(axis=2)
        return (tables.rewards + gamma * future).max(axis=1)

    return _repeated("value iteration, NumPy", sweep, tables, jacobi)


def python_value_iteration(tables: Tables, gamma: float, jacobi: Run) -> Run:
    """Value iteration in plain Python, timed on a few states, multiplied."""
    some = slice(0, PYTHON_STATES)
    successors, weights, rewards = (
        array[some].tolist() for array in (tables.successors, tables.weights, tables.rewards)
    )
    values = np.zeros(tables.size).tolist()
    new = []
    begin = time.perf_counter()
    for rows, shares, gains in zip(successors, weights, rewards):
        best = -math.inf
        for row, share, gain in zip(rows, shares, gains):
            q = gain + gamma * sum(w * values[i] for i, w in zip(row, share))
            best = max(best, q)
        new.append(best)
    seconds = (time.perf_counter() - begin) * tables.size / len(new) * jacobi.sweeps
    return Run("value iteration, plain Python", seconds, None, jacobi.sweeps, "extrapolated")


@lru_cache(maxsize=1)
def _quantecon(tables: Tables) -> Any:
    from quantecon.markov import DiscreteDP

    size, actions, _ = tables.successors.shape
    matrix = tables.sparse.copy()
    # Their rows must be distributions: a state that ended leads to itself, for nothing.
    ends = np.flatnonzero(tables.ended)
    rows = (ends[:, None] * actions + np.arange(actions)).ravel()
    first = matrix.indptr[rows]
    matrix.indices[first] = np.repeat(ends, actions)
    matrix.data[first] = 1.0
    pairs = np.repeat(np.arange(size), actions), np.tile(np.arange(actions), size)
    return DiscreteDP(tables.rewards.ravel(), matrix, 0.5, *pairs)


def quantecon_policy_iteration(
    tables: Tables, gamma: float, error: float, longest: float = LONGEST_POLICY_ITERATION
) -> Run:
    """QuantEcon's modified policy iteration with its default of 20 evaluation sweeps."""
    problem = _quantecon(tables)
    problem.beta = gamma
    options = {"method": "mpi", "epsilon": 2.0 * error, "v_init": np.zeros(tables.size)}
    begin = time.perf_counter()
    problem.solve(**options, max_iter=2)
    each = (time.perf_counter() - begin) / 2
    limit = max(3, int(longest / each))
    begin = time.perf_counter()
    found = problem.solve(**options, max_iter=limit)
    seconds = time.perf_counter() - begin
    note = "stopped" if found.num_iter >= limit else ""
    return Run("QuantEcon, modified policy iteration", seconds, found.v, found.num_iter, note)


def quantecon_value_iteration(tables: Tables, gamma: float, jacobi: Run) -> Run:
    """QuantEcon's value iteration, by its own operator."""
    problem = _quantecon(tables)
    problem.beta = gamma
    return _repeated("QuantEcon, value iteration", problem.bellman_operator, tables, jacobi)


def _solve_by_mdpsolver(tables: Tables, gamma: float, error: float, pipe: Any) -> None:
    import mdpsolver

    weights, successors = tables.weights.copy(), tables.successors.copy()
    weights[tables.ended, :, 0] = 1.0
    successors[tables.ended] = np.flatnonzero(tables.ended)[:, None, None]
    model = mdpsolver.model()
    model.mdp(
        discount=gamma,
        rewards=tables.rewards.tolist(),
        tranMatProbs=weights.tolist(),
        tranMatColumns=successors.tolist(),
    )
    pipe.send("ready")
    begin = time.perf_counter()
    model.solve(algorithm="mpi", tolerance=error)
    seconds = time.perf_counter() - begin
    pipe.send((seconds, np.array(model.getValueVector())))


def mdpsolver_policy_iteration(tables: Tables, gamma: float, error: float) -> Run:
    """The C++ solver of mdpsolver, modified policy iteration, its defaults otherwise."""
    name = "mdpsolver, modified policy iteration"
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_solve_by_mdpsolver, args=(tables, gamma, error, theirs))
    child.start()
    try:
        ours.recv()
        if not ours.poll(LONGEST):
            return Run(name, LONGEST, None, 0, "stopped")
        seconds, values = ours.recv()
        return Run(name, seconds, values, 0)
    finally:
        child.kill()
        child.join()
