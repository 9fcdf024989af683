"""The measurements: against other solvers, against size, and of re-plans."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

import deepaveragers as da

from . import peers
from .problems import problem
from .tables import Tables

SECONDS_OF_REPEATS = 3.0
REFERENCE = 1e-10
LARGEST_FOR_LISTS = 100_000
"""mdpsolver takes its input as Python lists."""
REPLANS: dict[str, dict[str, Any]] = {
    "gamma 0.95": {"gamma": 0.95},
    "gamma 0.98": {"gamma": 0.98},
    "gamma 0.999": {"gamma": 0.999},
    "cost 1.1": {"cost": 1.1},
    "cost 2": {"cost": 2.0},
    "action 0 forbidden": {"forbidden_actions": [0]},
    "slip 0.1": {"slip": 0.1},
    "the same": {},
}


@dataclass(frozen=True)
class Row:
    """One solver on one MDP.

    Attributes:
        times_slower: seconds over those of our first plan; a lower bound where `note` is "stopped".
        times_slower_prepared: over those of ours where the MDP was solved before.
        problem: name of the MDP.
        gamma: discount.
        tolerance: error asked for, relative to |T 0| / (1 - gamma).
        solver: name.
        seconds: wall-clock time.
        error_over_tolerance: true error, against the reference, in units of what was asked.
        certified_over_tolerance: error that the solver itself proves, in the same units.
        sweeps: iterations as the solver counts them.
        note: "", "extrapolated" or "stopped".
    """

    times_slower: float
    times_slower_prepared: float
    problem: str
    gamma: float
    tolerance: float
    solver: str
    seconds: float
    error_over_tolerance: float | None
    certified_over_tolerance: float | None
    sweeps: int
    note: str


def timed(call: Callable[[], da.Plan]) -> tuple[list[float], da.Plan]:
    """Return the wall-clock times of 3 to 5 calls, and the last one's plan."""
    spent: list[float] = []
    while len(spent) < 3 or (sum(spent) < SECONDS_OF_REPEATS and len(spent) < 5):
        begin = time.perf_counter()
        plan = call()
        spent.append(time.perf_counter() - begin)
    return spent, plan


def repeated(call: Callable[[], da.Plan]) -> tuple[float, da.Plan]:
    """Return the median wall-clock time of 3 to 5 calls, and the last one's plan."""
    spent, plan = timed(call)
    return median(spent), plan


def new(mdp: da.DacMdp) -> da.DacMdp:
    """Return the MDP as if it had never been solved: nothing is kept from earlier plans."""
    return replace(mdp)


def reference(mdp: da.DacMdp, gamma: float) -> da.Plan:
    """Return our own plan, certified as tightly as float64 allows, at best 1e-10."""
    for tolerance in (REFERENCE, 10 * REFERENCE, 100 * REFERENCE):
        try:
            return mdp.solve(gamma=gamma, tolerance=tolerance)
        except da.InputError:
            continue
    raise AssertionError(f"no reference at gamma {gamma}")


def compare(
    name: str, gammas: list[float], tolerances: list[float], *, until_done: bool = False
) -> Iterator[Row]:
    """Yield the rows of all solvers on one MDP.

    Ours are timed before the others and after them: a shared machine changes meanwhile. The
    quickest others are given the time to finish if `until_done`.
    """
    mdp = problem(name)
    tables = Tables.of(mdp)
    given_up: set[str] = set()
    for gamma in gammas:
        exact = reference(mdp, gamma)
        assert exact.converged
        for tolerance in tolerances:
            error = tolerance * tables.one_step / (1.0 - gamma)
            asked = {"gamma": gamma, "tolerance": tolerance}
            calls: dict[str, Callable[[], da.Plan]] = {
                "deepaveragers, first plan": lambda asked=asked: new(mdp).solve(**asked),
                "deepaveragers, MDP solved before": lambda asked=asked: mdp.solve(**asked),
            }
            before = {solver: timed(call)[0] for solver, call in calls.items()}
            others = list(_others(tables, gamma, tolerance, error, given_up, until_done))
            runs: list[tuple[peers.Run, da.Plan | None]] = []
            for solver, call in calls.items():
                after, plan = timed(call)
                seconds = median(before[solver] + after)
                runs.append((peers.Run(solver, seconds, plan.values, plan.sweeps), plan))
            first, prepared = (run.seconds for run, _ in runs)
            for run, proof in [*runs, *((other, None) for other in others)]:
                far = None if run.values is None else np.abs(run.values - exact.values).max()
                # What the reference itself may be wrong by counts against the solver.
                true = None if far is None else float((far + exact.error) / error)
                assert proof is None or far <= proof.error + exact.error
                yield Row(
                    times_slower=run.seconds / first,
                    times_slower_prepared=run.seconds / prepared,
                    problem=name,
                    gamma=gamma,
                    tolerance=tolerance,
                    solver=run.solver,
                    seconds=run.seconds,
                    error_over_tolerance=true,
                    certified_over_tolerance=None if proof is None else proof.error / error,
                    sweeps=run.sweeps,
                    note=run.note,
                )


def _others(
    tables: Tables,
    gamma: float,
    tolerance: float,
    error: float,
    given_up: set[str],
    until_done: bool,
) -> Iterator[peers.Run]:
    """Yield the runs of the other solvers; one that was stopped is not tried on harder ones."""
    longest = {"longest": peers.UNTIL_DONE} if until_done else {}
    jacobi = peers.compiled_value_iteration(tables, gamma, error, tolerance >= 1e-4, **longest)
    if importlib.util.find_spec("quantecon"):
        yield peers.quantecon_policy_iteration(tables, gamma, error, **longest)
    small = tables.size <= LARGEST_FOR_LISTS
    if small and importlib.util.find_spec("mdpsolver") and "mdpsolver" not in given_up:
        run = peers.mdpsolver_policy_iteration(tables, gamma, error)
        given_up |= {"mdpsolver"} if run.note else set()
        yield run
    yield jacobi
    if importlib.util.find_spec("quantecon"):
        yield peers.quantecon_value_iteration(tables, gamma, jacobi)
    yield peers.scipy_value_iteration(tables, gamma, jacobi)
    yield peers.numpy_value_iteration(tables, gamma, jacobi)
    yield peers.python_value_iteration(tables, gamma, jacobi)


def against_size(names: list[str], bandwidth: float) -> Iterator[dict[str, Any]]:
    """Yield seconds at gamma 0.99 and 1e-3 for ever larger MDPs."""
    for name in names:
        mdp = problem(name)
        seconds, plan = repeated(lambda mdp=mdp: new(mdp).solve(gamma=0.99, tolerance=1e-3))
        graph = mdp.graph.indices.nbytes + mdp.graph.distances.nbytes
        yield {
            "problem": name,
            "states": len(mdp),
            "seconds": seconds,
            "one_thread_seconds": repeated(
                lambda mdp=mdp: new(mdp).solve(gamma=0.99, tolerance=1e-3, threads=1)
            )[0],
            "sweeps": plan.sweeps,
            "seconds_to_read_the_graph_once": graph / bandwidth,
        }


def replans(name: str) -> Iterator[dict[str, Any]]:
    """Yield the time of another objective on an MDP that was solved before."""
    mdp = problem(name)
    base = mdp.solve(gamma=0.99)
    for label, change in REPLANS.items():
        fields = {"gamma": 0.99, **change}
        cold, plan = repeated(lambda fields=fields: mdp.solve(**fields))
        warm, again = repeated(lambda fields=fields: mdp.solve(**fields, start=base))
        assert np.abs(plan.values - again.values).max() <= plan.error + again.error
        yield {
            "problem": name,
            "change": label,
            "seconds": cold,
            "warm_start_seconds": warm,
            "sweeps": plan.sweeps,
            "warm_start_sweeps": again.sweeps,
        }


def memory_bandwidth(threads: int) -> float:
    """Return bytes per second that all threads together read from memory."""
    part = np.ones(32_000_000)
    arrays = [part[i::threads] if threads == 1 else part.copy() for i in range(threads)]
    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            begin = time.perf_counter()
            list(pool.map(np.add.reduce, arrays))
            seconds = time.perf_counter() - begin
            best = max(best, sum(array.nbytes for array in arrays) / seconds)
    return best
