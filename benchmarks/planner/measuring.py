"""One cell of the benchmark: our plans and the peers', timed and judged."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import deepaveragers as da

from .families import Stage, folder, load
from .oracle import Reference, one_step, reference
from .peers import PEERS, Run, Solver
from .questions import Cell
from .rows import BEFORE, FIRST, Row
from .tables import Tables

FEWEST, MOST = 3, 5
"""Timed runs of ours, before the peers and again after them."""
ENOUGH_SECONDS, TOO_LONG_SECONDS = 1.0, 20.0
"""More than the fewest until so much was spent; fewer than that beyond."""


class Subject:
    """One compiled MDP, and what the peers made of it."""

    def __init__(self, family: str, states: int, stage: Stage, cache: Path) -> None:
        self.mdp = load(family, states, stage, cache)
        self._references = folder(family, states, stage, cache / "references")
        self._prepared: dict[str, Solver] = {}
        self._cost = 0.0

    def reference(self, cell: Cell) -> Reference:
        """Return the values that plans of a cell are judged by."""
        return reference(self.mdp, cell.question, self._references)

    def peer(self, name: str, cost: float) -> Solver:
        """Return a peer with its matrices; those of the last cost are kept."""
        if cost != self._cost:
            self._prepared.clear()
        self._cost = cost
        if name not in self._prepared:
            self._prepared[name] = PEERS[name](Tables.of(self.mdp, cost))
        return self._prepared[name]


def never_solved(mdp: da.DacMdp) -> da.DacMdp:
    """Return the MDP as if it had never been solved: nothing is kept from earlier plans."""
    return da.DacMdp(
        transitions=mdp.transitions,
        encoder=mdp.encoder,
        source_features=mdp.source_features,
        core_features=mdp.core_features,
        graph=mdp.graph,
    )


def measure(subject: Subject, cell: Cell, peers: Collection[str], commit: str) -> Iterator[Row]:
    """Yield the rows of one cell.

    Ours are timed before the peers and after them: a shared machine changes meanwhile.
    """
    mdp, question = subject.mdp, cell.question
    load_average = os.getloadavg()[0]
    exact = subject.reference(cell)
    error = cell.tolerance * one_step(mdp, question) / (1.0 - question.gamma)
    asked = {**question.fields, "tolerance": cell.tolerance}
    calls = {
        BEFORE: lambda: mdp.solve(**asked),
        FIRST: lambda: never_solved(mdp).solve(**asked),
    }
    mdp.solve(**asked)  # Compiles kernels, and makes what a second plan finds ready.
    spent = {solver: _timed(call)[0] for solver, call in calls.items()}
    runs = {name: subject.peer(name, question.cost)(question.gamma, error) for name in peers}

    def row(solver: str, **found: Any) -> Row:
        return Row(
            **cell.key,
            actions=mdp.transitions.num_actions,
            solver=solver,
            commit=commit,
            load=load_average,
            **found,
        )

    for solver, call in calls.items():
        again, plan = _timed(call) if peers else ([], call())
        times = spent[solver] + again
        yield row(solver, seconds=median(times), times=times, **_judged(plan, exact, error))
    for name, run in runs.items():
        yield row(name, seconds=run.seconds, times=[run.seconds], **_checked(run, exact, error))


def _timed(call: Callable[[], da.Plan]) -> tuple[list[float], da.Plan]:
    """Return the wall-clock times of some calls, and the last one's plan."""
    times: list[float] = []
    while True:
        begin = time.perf_counter()
        plan = call()
        times.append(time.perf_counter() - begin)
        few = len(times) < FEWEST or (sum(times) < ENOUGH_SECONDS and len(times) < MOST)
        if not few or sum(times) > TOO_LONG_SECONDS:
            return times, plan


def _judged(plan: da.Plan, exact: Reference, error: float) -> dict[str, Any]:
    above = (exact.values - plan.upper).max()
    below = (plan.lower - exact.values).max()
    return {
        "true_error": _distance(plan.values, exact) / error,
        "certified_error": float(plan.error / error),
        "bounds_hold": bool(max(above, below) <= exact.error),
        "sweeps": plan.sweeps,
        "stopped": not plan.converged,
    }


def _checked(run: Run, exact: Reference, error: float) -> dict[str, Any]:
    return {
        "true_error": None if run.values is None else _distance(run.values, exact) / error,
        "certified_error": None,
        "bounds_hold": None,
        "sweeps": run.sweeps,
        "stopped": run.stopped,
    }


def _distance(values: np.ndarray, exact: Reference) -> float:
    """Return the largest error there can be."""
    return float(np.abs(values - exact.values).max() + exact.error)
