"""Positions: where the states of an MDP stand in a solve, which sweeps from the last to the first.

Gauss-Seidel is quick here because rows usually stand in the order in which they were
experienced. When they do not, the trajectories are found again from the graph itself, and the
MDP is solved with its states at other positions.

Ordinary plans read the packed MDP alone, which is made by position (`packing`). Sweeps in float64
read the graph itself by position: that costs some sweeps' time and as much memory as the graph, so
it is made when first needed. Both are kept in `DacMdp.prepared`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Float32, Float64, Int32, frozen, rows_at
from ..kernels.bellman import state_order as kernels
from ..kernels.bellman.problem import Problem
from ..mdp.prepared import Prepared
from .blocks import Blocks

SAMPLE_STATES = 4_000
"""States looked at to tell whether rows follow trajectories."""
KNOWN_SHARE, FOLLOWING_SHARE = 0.2, 0.5
"""Less than the first share of states with a clear successor: no trajectories to be found. More
than the second share of these followed by it: they stand in order already."""
OWN: Int32 = frozen(np.empty(0, np.int32))
"""Stands for the states' own order."""


class StateOrder:
    """State order[p] stands at position p; `order` is empty where that is its number."""

    def __init__(self, order: Int32, prepared: Prepared) -> None:
        self.order, self.prepared = order, prepared

    @property
    def own(self) -> bool:
        """Whether states keep their own order."""
        return len(self.order) == 0

    @property
    def rank(self) -> Int32:
        """[N] int32, the position of a state; empty where that is its number."""
        rank = np.empty_like(self.order)
        rank[self.order] = np.arange(len(rank), dtype=np.int32)
        return frozen(rank)

    def without_graph(self, problem: Problem) -> Problem:
        """Return the problem by position; without its graph if that is not the states' own."""
        if self.own:
            return problem
        return problem._replace(
            indices=problem.indices[:0],
            distances=problem.distances[:0],
            rewards=self.rows(problem.rewards),
            terminal=self.rows(problem.terminal),
            allowed=self.rows(problem.allowed),
            penalties=self.rows(problem.penalties),
            policy=self.rows(problem.policy),
        )

    def graph(self, problem: Problem, blocks: Blocks) -> tuple[Int32, Float32]:
        """Return the graph of a problem by position."""
        if self.own:
            return problem.indices, problem.distances
        if self.prepared.graph is None:
            indices, distances = np.empty_like(problem.indices), np.empty_like(problem.distances)
            blocks.run(kernels.reorder, self.order, self.rank, problem, indices, distances)
            self.prepared.graph = frozen(indices), frozen(distances)
        return self.prepared.graph

    def rows(self, array: Array) -> Array:
        """Return rows of states by position; what is no row per state stays."""
        per_state = not self.own and len(array) == len(self.order)
        return frozen(rows_at(array, self.order)) if per_state else array

    def restored(self, array: Float64) -> Float64:
        """Return rows [N] or [N, A] in the states' own order."""
        return array if self.own else rows_at(array, self.rank)


def order_of(prepared: Prepared, problem: Problem, smallest: int) -> StateOrder:
    """Return the order to solve in, found by the first solve; below `smallest`, states' own."""
    if prepared.order is None:
        prepared.order = OWN if problem.size < smallest else trajectory_order(problem)
    return StateOrder(prepared.order, prepared)


def trajectory_order(problem: Problem) -> Int32:
    """Return an order of the states that follows the trajectories; `OWN` if theirs does.

    By all neighbours, not the k of an objective: which came first must not tell in later bits.
    """
    size = problem.size
    sample = np.unique(np.linspace(0, size - 1, SAMPLE_STATES).astype(np.int32))
    successors = kernels.strong_successors(problem, sample)
    known = (successors != kernels.NONE) & ~problem.terminal[sample]
    if known.mean() < KNOWN_SHARE:
        return OWN
    if (successors[known] == sample[known] + 1).mean() > FOLLOWING_SHARE:
        return OWN
    successors = kernels.strong_successors(problem, np.arange(size, dtype=np.int32))
    successors[problem.terminal] = kernels.NONE
    order = np.empty(size, np.int32)
    kernels.chain_order(successors, order)
    return frozen(order)
