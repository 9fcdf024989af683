"""Packing an MDP, and using again what was packed for an earlier plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels.bellman import packed as kernels
from ..kernels.bellman.packed import Packed
from ..kernels.bellman.problem import Problem
from ..kernels.bellman.static_width import static_width
from ..mdp.prepared import PackedMdp, Prepared
from .blocks import Blocks
from .state_order import StateOrder


def packed_mdp(
    prepared: Prepared,
    problem: Problem,
    graph: Problem,
    order: StateOrder,
    blocks: Blocks,
    most_bytes: int,
) -> PackedMdp:
    """Return the packed MDP of an objective; the last one of an MDP is kept.

    Args:
        prepared: of the compiled MDP.
        problem: the objective in the order of visiting.
        graph: the same with states in their own places.
        order: of visiting.
        blocks: to share the work.
        most_bytes: a larger one is not kept.
    """
    kept = prepared.packed
    if kept is None or (kept.uniform, kept.packed.successors.shape[2]) != (
        problem.uniform,
        problem.k,
    ):
        made = _packed(problem, graph, order, blocks)
    elif not np.array_equal(kept.rewards, problem.rewards):
        made = _with_other_rewards(kept, problem, blocks)
    else:
        return kept
    if made.nbytes <= most_bytes:
        prepared.packed = made
    return made


def _packed(problem: Problem, graph: Problem, order: StateOrder, blocks: Blocks) -> PackedMdp:
    pairs = graph.indices.shape[:2]
    packed = Packed(
        successors=np.empty((*pairs, problem.k), np.int32),
        weight=np.empty((*pairs, problem.k), np.float32),
        mean_distance=np.empty(pairs, np.float32),
        mean_reward=np.empty(pairs, np.float32),
    )
    static = static_width(problem.k)
    found = blocks.run_parts(
        kernels.pack_graph, static, problem, graph, order.order, order.rank, packed
    )  # fmt: skip
    # A copy: those of an objective are the caller's, who may write others there.
    return PackedMdp(packed, problem.uniform, max(found), problem.rewards.copy())


def _with_other_rewards(kept: PackedMdp, problem: Problem, blocks: Blocks) -> PackedMdp:
    packed = kept.packed._replace(mean_reward=np.empty_like(kept.packed.mean_reward))
    blocks.run(kernels.pack_rewards, static_width(problem.k), problem, packed)
    return replace(kept, packed=packed, rewards=problem.rewards.copy())
