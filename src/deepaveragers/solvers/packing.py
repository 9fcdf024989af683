"""Packing an MDP, and using again what was packed for an earlier plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Int32
from ..kernels.bellman import packed as kernels
from ..kernels.bellman.packed import Packed
from ..kernels.bellman.problem import Problem
from ..kernels.bellman.state_order import place_values
from ..kernels.bellman.static_width import static_width
from ..kernels.bellman.sweep_state import states_at
from ..mdp.prepared import PackedMdp
from .blocks import Blocks
from .state_order import StateOrder


def packed_mdp(problem: Problem, graph: Problem, order: StateOrder, blocks: Blocks) -> PackedMdp:
    """Return the packed MDP of an objective; the last one of an MDP is kept, unless too large.

    `problem` is by position, `graph` the same with states in their own order.
    """
    kept = order.prepared.packed
    if kept is None or (kept.uniform, kept.k) != (problem.uniform, problem.k):
        kept = _packed(problem, graph, order, blocks)
    elif not np.array_equal(kept.rewards, problem.rewards):
        packed = kept.packed._replace(mean_reward=np.empty_like(kept.packed.mean_reward))
        rewards = problem.rewards[states_at(packed.place, problem.size)]
        blocks.run(kernels.pack_rewards, problem, rewards, packed)
        kept = replace(kept, packed=packed, rewards=problem.rewards.copy())
    if kept.nbytes <= blocks.tuning.most_kept_bytes:
        order.prepared.packed = kept
    return kept


def _packed(problem: Problem, graph: Problem, order: StateOrder, blocks: Blocks) -> PackedMdp:
    pairs = graph.indices.shape[:2]
    packed = Packed(
        successors=np.empty((*pairs, problem.k), np.int32),
        weight=np.empty((*pairs, problem.k), np.float32),
        mean_distance=np.empty(pairs, np.float32),
        mean_reward=np.empty(pairs, np.float32),
        place=_places(graph, order, blocks.tuning.placed_states),
    )
    about = static_width(problem.k), problem, graph, order.order, order.rank, packed
    farthest = max(blocks.run_parts(kernels.pack_graph, *about))
    # A copy: those of an objective are the caller's, who may write others there.
    return PackedMdp(packed, problem.uniform, farthest, problem.rewards.copy())


def _places(graph: Problem, order: StateOrder, smallest: int) -> Int32:
    """Return [N] int32, the places of values, by position."""
    numbers = np.arange(graph.size, dtype=np.int32)
    if graph.size < smallest:
        return numbers
    # A copy, since that of an order is frozen: the kernel is compiled for arrays of one kind.
    states = numbers if order.own else order.order.copy()
    previous, place = np.empty_like(states), np.empty_like(states)
    previous[states] = np.roll(states, 1)
    place_values(graph.indices, graph.k, states, previous, place)
    return place[states]
